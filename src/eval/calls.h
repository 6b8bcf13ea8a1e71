#pragma once
// Calls of functions and models of the script: those under way, and how one is made.
//
// A check walks on where a `return` stands under a condition that only the run knows: what it would return is kept, and
// the result of the call is one of them. A recursion that goes on under such a condition is entered once for each kind
// of arguments, and not very often.
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "eval/block_info.h"
#include "eval/doubtful.h"
#include "eval/host_value.h"
#include "eval/plain_numbers.h"
#include "support/diagnostics.h"
#include "syntax/ast.h"

namespace mtf::eval {

class Evaluator;

class Calls {
  struct Activation;
  /// Calls nested deeper than this are refused: the evaluator recurses.
  static constexpr size_t kMaxCalls = 400;

 public:
  explicit Calls(Evaluator& evaluator) : evaluator_(evaluator) {}

  /// Whatever can be called, with arguments: a function, an operation, a model, a builtin, an instance with `fn call`.
  HostValue call(const HostValue& callee, Arguments& arguments);
  /// The same with values: a function given a shape.
  HostValue call_with(const HostValue& callee, std::vector<HostValue> values, Span span);

  /// Functions may be called without being noted here, as they do not go deep (eval/plain_numbers.h).
  bool may_pass_by() const { return !end_ && under_way_.size() + PlainNumbers::kMostCalls < kMaxCalls; }

  /// A function that nobody knows may have been called: what functions of the program assign is unknown.
  void may_have_called_any();
  /// `name` of some instance may have been assigned `value`.
  void may_have_assigned_part(Name name, const HostValue& value);

  /// Returns an error of a computation with its place in the program: an error within a standard module gets the
  /// nearest call in the program as its place. The other places of `diagnostic` are the calls that led there.
  Diagnostic seen_by_caller(const Diagnostic& diagnostic) const;

  bool none_under_way() const { return under_way_.empty(); }
  /// An instance of a model is being made.
  bool makes_instance() const;
  /// `return`, at `span`, of a value: from the innermost call. Fails outside of all, and if the value is not what the
  /// function promises.
  void returns(HostValue result, Span span, const ScopePtr& scope);
  /// The way that has ended with `return` may not be the one that is gone, as only the run knows what stands at
  /// `place`: the walk goes on.
  void may_have_returned(Span place);
  /// A part of the innermost call has ended: if that may have returned in it, what follows may not happen.
  void go_on_in_doubt();
  /// True if a name of the scope is gone when the innermost call has ended.
  bool is_own(const Scope& scope) const;
  /// A `return` has failed: nobody knows what it returns, and why has been reported.
  void may_have_returned_poison();
  /// Every way ended with `return`, each with may_have_returned().
  void has_returned();
  /// How many results the innermost call may have returned; forgets those behind the first `kept`.
  size_t results() const { return under_way_.empty() ? 0 : under_way_.back().maybe_results.size(); }
  void forget_results(size_t kept) {
    if (!under_way_.empty()) under_way_.back().maybe_results.resize(kept);
  }

  /// No call is under way, for as long as this lives: a module is evaluated as if it stood alone.
  class [[nodiscard]] SetAside {
   public:
    ~SetAside();
    SetAside(const SetAside&) = delete;
    SetAside& operator=(const SetAside&) = delete;

   private:
    friend class Calls;
    explicit SetAside(Calls& calls);
    Calls& calls_;
    std::vector<Activation> outer_;
  };
  SetAside set_aside() { return SetAside(*this); }

  /// A statement of a check has failed: the error is a finding, as whoever made the innermost call sees it. One that
  /// every other way of the calls under way would end with ends them all: it is thrown.
  void statement_failed(const UserError& error);
  /// The same for one of several errors of a statement.
  void report(const UserError& error);
  /// A warning that stands inside a standard module as the innermost line of the program under way sees it.
  Diagnostic seen_by_program(const Diagnostic& diagnostic) const;

 private:
  /// A call under way.
  struct Activation {
    Activation() {}  // NOLINT: one that is defaulted would clear its memory first

    const void* function = nullptr;  ///< its declaration
    Name name;
    Span call;
    const Scope* scope = nullptr;
    std::string argument_types;  ///< only in abstract evaluation
    bool makes_instance = false;
    int uncertainty = 0;
    HostValue result;
    std::vector<HostValue> maybe_results;  ///< of `return`s under unknown conditions
    const std::optional<ast::Annotation>* promised = nullptr;
    std::optional<Doubtful> rest = std::nullopt;  ///< what follows the first of `maybe_results`
  };

  HostValue call_function(const FunctionPtr& function, Arguments& arguments);
  HostValue construct(const ModelClassPtr& model, Arguments& arguments);
  /// Binds the arguments of a call to parameters, in the new scope of the call; what is not given has its default.
  void bind_parameters(const syntax::Signature& signature, Arguments& arguments, const ScopePtr& scope);
  enum class Recursion : uint8_t { kNone, kInDoubt, kEndless };
  /// Whether the function of the innermost call is under way already, and only the run knows whether it calls itself
  /// again. Endless: it is under way with such arguments, or often.
  Recursion recursion() const;
  /// What a call gives, at `span`, that is not walked.
  HostValue result_of_recursion(Span span);
  /// Runs the function of the innermost call. In a recursion in doubt a check drops the errors: the same code is walked
  /// in the call around, and a run may go no deeper.
  HostValue run_function(const Function& function, Span span, const ScopePtr& scope);
  /// What a function's block has returned. `reported`: errors have been found in it.
  HostValue result_of(Activation& call, bool returned, bool reported, const Function& function);
  HostValue join_results(const Activation& call, HostValue last);
  /// What is said inside a standard module as the program's line that called it sees it; nothing if it is not one.
  std::optional<Diagnostic> seen_from(const Diagnostic& diagnostic, Span call) const;
  /// The same from the innermost call under way that stands in the program.
  std::optional<Diagnostic> seen_from_calls(const Diagnostic& diagnostic) const;

  Evaluator& evaluator_;
  std::vector<Activation> under_way_;
  bool end_ = false;  ///< a check came to the limit of calls: it enters none from there on
  std::vector<std::weak_ptr<Instance>> instances_;        ///< that a check has made
  std::unordered_map<const void*, NameSet> assigned_by_;  ///< the names that functions assign, by their signatures
};

}  // namespace mtf::eval
