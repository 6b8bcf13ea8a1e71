#pragma once
// Calls of functions and models of the script, and the stack of the calls under way.
//
// A check goes on behind a `return` under an unknown condition. It keeps the possible result, and joins all possible
// results at the end of the call. A recursion under an unknown condition is entered once for each combination of
// argument types, and at most a few times.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "eval/doubtful.h"
#include "eval/host_value.h"
#include "support/diagnostics.h"
#include "support/restore.h"
#include "syntax/ast.h"

namespace mtf::eval {

class Evaluator;

class Calls {
  struct Activation;
  struct Doubts;
  /// Deeper nested calls are refused, because the evaluator recurses.
  static constexpr size_t kMaxCalls = 400;

 public:
  explicit Calls(Evaluator& evaluator) : evaluator_(evaluator) {}

  /// Calls any callable value: a function, an operation, a model, a builtin, or an instance with `fn call`.
  HostValue call(const HostValue& callee, Arguments& arguments);
  /// Does the same with plain values, for instance for a function that gets a shape.
  HostValue call_with(const HostValue& callee, std::vector<HostValue> values, Span span);

  /// True if the call gives each parameter one argument by position, and no parameter asks for a shape.
  static bool is_direct(const Function& function, const ast::CallExpr& call) {
    const std::vector<syntax::Parameter>& parameters = function.signature->parameters;
    if (call.arguments.size() != parameters.size()) return false;
    for (size_t i = 0; i < parameters.size(); ++i)
      if (call.arguments[i].label || call.arguments[i].target || parameters[i].kind == syntax::ParameterKind::kShaped)
        return false;
    return true;
  }
  /// Makes such a call, and evaluates its arguments in `scope`. Values of the right kinds go into the scope of the call
  /// at once.
  HostValue call_directly(const Function& function, const ast::CallExpr& call, Span span, const ScopePtr& scope);
  /// Brings the builder's frame up to date with the calls under way.
  void make_frames();

  /// Notes that an unknown function may have been called: the names that functions of the program assign become
  /// unknown.
  void may_have_called_any();
  /// Notes that `value` may have been assigned to the part `name` of some instance.
  void may_have_assigned_part(Name name, const HostValue& value);

  /// Returns an error of a computation with its place in the program: an error within a standard module gets the
  /// nearest call in the program as its place. The other places of `diagnostic` are the calls that led there.
  Diagnostic seen_by_caller(const Diagnostic& diagnostic) const;

  bool none_under_way() const { return innermost_ == nullptr; }
  /// True if an instance of a model is being made.
  bool makes_instance() const;
  /// Evaluates a `return` at `span`, for the innermost call. Fails outside of all calls, and if the value does not
  /// match the function's result annotation.
  void returns(const ast::ReturnStmt& stmt, Span span, const ScopePtr& scope);
  /// Notes a `return` under the unknown condition at `place`, and keeps its result as a possible one. The walk
  /// continues.
  void may_have_returned(Span place);
  /// Called at the end of a part of the innermost call. If the part may have returned, a run may not reach the code
  /// behind it.
  void go_on_in_doubt();
  /// True if a name of the scope no longer exists after the innermost call.
  bool is_own(const Scope& scope) const;
  /// Notes a `return` that failed. Its result is poison, and the error has been reported. Returns false outside of a
  /// call.
  bool has_returned_poison();
  /// Called when every branch has ended with `return`, each noted by may_have_returned().
  void has_returned();
  /// The number of possible results of the innermost call. forget_results() drops all behind the first `kept`.
  size_t results() const { return innermost_ && innermost_->doubts ? innermost_->doubts->results.size() : 0; }
  void forget_results(size_t kept) {
    if (results() > kept) innermost_->doubts->results.resize(kept);
  }

  /// No call is under way while the returned object lives: a module is evaluated so.
  Restore<Activation*> set_aside() {
    make_frames();
    return Restore<Activation*>(innermost_, nullptr);
  }

  /// Reports the error of a failed statement of a check, as the innermost caller sees it. Throws call_too_deep instead
  /// while a call is under way, because every other path would fail alike.
  void statement_failed(const UserError& error);
  /// Reports one of several errors of a statement.
  void report(const UserError& error);
  /// Moves a warning inside a standard module to the innermost call under way that is in the program.
  Diagnostic seen_by_program(const Diagnostic& diagnostic) const;

 private:
  /// The possible results of a call in abstract evaluation.
  struct Doubts {
    std::string argument_types;
    std::vector<HostValue> results;               ///< of `return`s under unknown conditions
    std::optional<Doubtful> rest = std::nullopt;  ///< the part behind the first of `results`
  };
  /// A call of a function or the making of an instance, under way while it lives.
  struct [[nodiscard]] Activation {
    Activation(Calls& calls, const Function* callee, const ast::ModelStmt* model, const Scope* scope, Span span);
    ~Activation();
    Activation(const Activation&) = delete;
    Activation& operator=(const Activation&) = delete;
    Name name() const { return callee ? callee->signature->name : model->name.name; }
    bool may_have_returned() const { return doubts && !doubts->results.empty(); }
    Doubts& in_doubt() {
      if (!doubts) doubts = std::make_unique<Doubts>();
      return *doubts;
    }

    Calls& calls;
    Activation* const outer;
    const size_t depth;                 ///< the number of calls under way
    const Function* const callee;       ///< null for a model
    const ast::ModelStmt* const model;  ///< null for a function
    const Scope* const scope;           ///< of the function's names; null for a model
    const Span call;
    const int uncertainty;
    bool has_frame = false;
    graph::CallFrameRef frame_outside = {};  ///< of the caller, if the call has a frame
    HostValue result = {};
    std::unique_ptr<Doubts> doubts = nullptr;  ///< in a run there are none
  };

  HostValue call_function(const Function& function, Arguments& arguments);
  /// Runs a function whose arguments are bound in `scope`.
  HostValue enter(const Function& function, Span span, const ScopePtr& scope);
  /// Lays out the tensors of a call's result as the layout in force asks for the path of the called instance.
  HostValue laid_out_by_path(const Function& function, HostValue result, Span span);
  /// Fails (call_too_deep) at `span`: too many calls are under way. `how`: how they are nested.
  [[noreturn]] static void too_deep(Name callee, Span span, std::string_view how);
  bool is_too_deep() const { return innermost_ && innermost_->depth >= kMaxCalls; }
  HostValue construct(const ModelClassPtr& model, Arguments& arguments);
  /// Binds the arguments of a call in its new scope. A parameter without an argument gets its default.
  void bind_parameters(const syntax::Signature& signature, Arguments& arguments, const ScopePtr& scope);
  enum class Recursion : uint8_t { kNone, kInDoubt, kEndless };
  /// Classifies the innermost call. kInDoubt: its function is under way already, and only the run knows whether it
  /// calls itself again. kEndless: it is under way with arguments of the same types, or many times.
  Recursion recursion() const;
  /// Returns the result, at `span`, of a recursive call that is not walked.
  HostValue result_of_recursion(Span span);
  /// Runs the function of the innermost call in abstract evaluation. In a recursion in doubt a check drops the errors:
  /// the enclosing call walks the same code, and a run may not recurse deeper.
  HostValue walk_function(const Function& function, Span span, const ScopePtr& scope);
  /// Runs the function of the innermost call.
  HostValue run_function(const Function& function, Span span, const ScopePtr& scope);
  /// Returns the value of an expression, or none, as the result of the innermost call. Converts it to the kind that the
  /// function promises; fails if it is of another. `span` is that of the `return`.
  HostValue promised(const ast::Expr* value, Span span, const ScopePtr& scope);
  /// Returns the result of a function's block. `reported`: errors were reported in the block.
  HostValue result_of(Activation& call, bool returned, bool reported, const Function& function);
  HostValue join_results(const Activation& call, HostValue last);
  /// Moves a message inside a standard module to the call in the program; nothing if either is elsewhere.
  std::optional<Diagnostic> seen_from(const Diagnostic& diagnostic, Span call) const;
  /// Does the same for the innermost call under way that is in the program.
  std::optional<Diagnostic> seen_from_calls(const Diagnostic& diagnostic) const;

  Evaluator& evaluator_;
  Activation* innermost_ = nullptr;
  bool end_ = false;                                ///< a check has reached the limit of calls, and enters no more
  std::vector<std::weak_ptr<Instance>> instances_;  ///< the instances that a check has made
};

}  // namespace mtf::eval
