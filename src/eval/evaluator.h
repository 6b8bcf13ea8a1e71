#pragma once
// The evaluator: walks the AST, computes host values at once, and adds a node to the global graph for each tensor
// operation.
//
// It has three modes. With an execution it runs the program. Without one it checks: tensors have types and layouts but
// no numbers, and values that depend on numbers are Unknown. A check collects the error of each statement, and goes on.
// If the execution's runtime knows no numbers, the evaluator plans. It then walks as a check does, but the first error
// ends the walk, and each cut is costed.
//
// The evaluator itself evaluates expressions and statements. Each further task is a part, a class with its own header.
// Parts that evaluate expressions or run blocks (branches, loops, calls, modules, declarations, annotations, variables)
// have the evaluator. All other parts get only the parts that they use; a test checks this.
//
//   the environment         settings, options, meshes, modules, builtins, names
//   the control flow        blocks, calls, loops, branches
//   values                  convert, annotations, operations, variables, display
//   the computation         cuts, replays, reports
//   calls of libraries      caller
//   unknown values, errors  domain, doubts, findings, uncalled, unread, undo
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "eval/abstract.h"
#include "eval/annotations.h"
#include "eval/branches.h"
#include "eval/builtins.h"
#include "eval/calls.h"
#include "eval/conversions.h"
#include "eval/cuts.h"
#include "eval/display.h"
#include "eval/doubtful.h"
#include "eval/findings.h"
#include "eval/host_library.h"
#include "eval/loops.h"
#include "eval/meshes.h"
#include "eval/modules.h"
#include "eval/name_lookup.h"
#include "eval/open_blocks.h"
#include "eval/operations.h"
#include "eval/options.h"
#include "eval/replays.h"
#include "eval/reports.h"
#include "eval/settings.h"
#include "eval/spare_scopes.h"
#include "eval/uncalled.h"
#include "eval/undo.h"
#include "eval/unread.h"
#include "eval/variables.h"
#include "ops/builder.h"
#include "support/interrupt.h"
#include "syntax/ast.h"

namespace mtf::eval {

class Replay;  // eval/replay.h
class SpanTable;

inline OperatorSpans spans_of(const ast::Expr& expr, const ast::BinaryExpr& binary) {
  return {expr.span, binary.left->span, binary.right->span, binary.op_span};
}

class Evaluator {
 public:
  /// `execution`: null to check. `print` writes to `out`.
  Evaluator(Settings settings, plan::Execution* execution, std::ostream& out);
  ~Evaluator();
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;

  const Settings settings;
  std::ostream& out;
  plan::Execution* execution() const { return execution_; }
  /// The runtime that computes values; not in a check.
  plan::Runtime& runtime() const { return execution_->runtime(); }

  // ---- the parts ----------------------------------------------------------------------------------------------------
  ops::Builder builder;
  Interrupt interrupt;
  Findings findings;
  Undo undo;
  AbstractDomain domain;
  Builtins builtins;
  OpenBlocks blocks;
  Reports reports;
  Replays replays;
  Cuts cuts;
  Conversions convert;
  Display display;
  Options options;
  Meshes meshes;
  Modules modules;
  UncalledFunctions uncalled;
  UnreadValues unread;
  DoubtfulParts doubts;
  NameLookup names;
  Annotations annotations;
  Operations operations;
  Variables variables;
  Calls calls;
  Loops loops;
  Branches branches;
  Caller caller;

  // ---- programs -----------------------------------------------------------------------------------------------------
  /// The scope of the main file, or of the REPL.
  const ScopePtr& top() const { return top_; }
  void run_program(std::shared_ptr<const ast::Program> program);
  /// Runs a statement of a REPL entry in `top`. The statements of an entry are run in order.
  void run_entry_statement(const std::shared_ptr<const ast::Program>& program, size_t index);
  /// Called after each statement of a file that is loaded as an entry. Sets aside the values of names that no later
  /// statement reads. end_file() sets aside the values of all names.
  void end_file_statement(const ast::Program& program, size_t index);
  void end_file(const ast::Program& program);
  /// Called after a whole check. Reports unknown names in functions that were never called, and each `--set`,
  /// `--placement` and layout dim that nothing matched.
  void finish_check();
  /// Records facts about each part of the text in `table` from here on. `table` must outlive the evaluator. Without a
  /// table nothing is recorded.
  void fill(SpanTable& table) { spans_ = &table; }
  SpanTable* spans() const { return spans_; }
  /// Evaluates from here on as if this evaluator were at the position of `other`: with its names, context and
  /// interrupt. `other` must live longer.
  void stand_in(const Evaluator& other);

  // ---- statements ---------------------------------------------------------------------------------------------------
  /// Runs the statements of a block, which bind their names in `scope`. `keep_all`: all names are kept when the block
  /// has ended, as in an instance or a module. `replay`: the replay of the loop whose body this block is, or null.
  Flow run_block(const ast::Block& block, const ScopePtr& scope, bool keep_all = false, Replay* replay = nullptr);
  /// Binds the names of a pattern; fails unless the value has as many parts.
  void bind_pattern(const ast::Pattern& pattern, HostValue&& value, const ScopePtr& scope);
  /// Makes the scope of a block inside `scope`.
  OwnScope nested(const ScopePtr& scope) {
    return {spare_scopes_, scope, scope->bindings.size(), domain.uncertainty()};
  }
  /// Makes the scope of a call of a function.
  OwnScope nested(const Function& function) {
    return {spare_scopes_, function.scope, function.reached ? function.visible : function.scope->bindings.size(),
            domain.uncertainty(), &function};
  }

  // ---- expressions --------------------------------------------------------------------------------------------------
  [[gnu::always_inline]] HostValue evaluate(const ast::Expr& expr, const ScopePtr& scope) {
    findings.count_steps(expr.span, 1);
    if (!spans_) [[likely]] {  // names and numbers are most expressions
      if (auto* name = expr.as<ast::NameExpr>()) return names.look_up(*name, expr.span, scope);
      if (auto* number = expr.as<ast::IntExpr>()) return number->value;
    }
    return evaluated(expr, scope);
  }

 private:
  // Statements.
  /// Binds the functions and models of a block before its statements run, so that they see one another.
  void hoist(const ast::Block& block, const ScopePtr& scope);
  void declare_ahead(const ast::Ident& name, HostValue value, const ScopePtr& scope);
  Flow run_statement(const ast::Stmt& stmt, const ScopePtr& scope);
  Flow statement(const ast::Stmt& stmt, const ScopePtr& scope);
  /// Binds the names of a failed statement to poison, in a check.
  void poison_bindings(const ast::Stmt& stmt, const ScopePtr& scope);
  /// Warns about an expression statement without effect.
  void warn_of_unused(const ast::Expr& expr, Scope& scope);
  /// Names `value` if it has no name yet and this evaluator made it.
  void give_name(const graph::Value& value, Name name);
  void bind(const ScopePtr& scope, const ast::Ident& name, HostValue&& value);
  void assign(const ast::AssignStmt& stmt, const ScopePtr& scope);
  /// `extends`: the statement is `l := l + […]`.
  void assign_binding(Binding& binding, Scope& owner, HostValue value, Span span, Span statement, bool extends = false);
  /// Returns the value of `l := l + […]`, where the `name` l holds a list. Extends the list in place if nothing else
  /// holds it. Returns nothing for any other statement.
  std::optional<HostValue> extended_list(const ast::AssignStmt& stmt, const Scope::Found& name, const ScopePtr& scope);
  void let(const ast::LetStmt& stmt, const ScopePtr& scope);
  void check_assertion(const ast::AssertStmt& stmt, const ScopePtr& scope);
  /// Evaluates the condition of an assertion once. If it is a comparison, `compared` gets its two sides.
  HostValue assertion(const ast::Expr& condition, const ScopePtr& scope,
                      std::optional<std::pair<HostValue, HostValue>>& compared);
  /// Completes the declaration of a function or model: from here on it sees the bindings made so far, and no later
  /// ones.
  void reach(const ast::FnStmt& stmt, Scope& scope);
  void reach(const ast::ModelStmt& stmt, Scope& scope);

  // Expressions.
  HostValue evaluated(const ast::Expr& expr, const ScopePtr& scope);
  HostValue value_of(const ast::Expr& expr, const ScopePtr& scope);
  /// Evaluates, and records the value in the table of spans.
  HostValue recorded(const ast::Expr& expr, const ScopePtr& scope);
  /// Evaluates an argument, an operand or the value of a `let`. `is_iterations_number` is set if the value may be, or
  /// become, a number of an iteration (Replays::follows_numbers).
  HostValue evaluate_to_hand_on(const ast::Expr& expr, const ScopePtr& scope, bool& is_iterations_number);
  HostValue rest(Span span, const ScopePtr& scope);
  HostValue list(const ast::ListExpr& list, const ScopePtr& scope);
  HostValue tuple(const ast::TupleExpr& tuple, const ScopePtr& scope);
  HostValue lambda(const ast::LambdaExpr& lambda, const ScopePtr& scope);
  HostValue unary(const ast::Expr& expr, const ast::UnaryExpr& unary, const ScopePtr& scope);
  HostValue binary(const ast::Expr& expr, const ast::BinaryExpr& binary, const ScopePtr& scope);
  HostValue index(const ast::Expr& expr, const ast::IndexExpr& index, const ScopePtr& scope);
  /// `x[a: 1, b: 0..2]`; `values` are the values of the index's arguments.
  HostValue index_tensor(const ast::Expr& expr, const ast::IndexExpr& index, const HostValue& object,
                         const std::vector<HostValue>& values, const ScopePtr& scope);
  HostValue index_list(const List& list, const HostValue& at, Span span);
  HostValue index_text(const std::string& text, const HostValue& at, Span span);
  HostValue comprehension(const ast::ComprehensionExpr& comprehension, const ScopePtr& scope);
  HostValue at(const ast::Expr& expr, const ast::AtExpr& at, const ScopePtr& scope);
  HostValue counters_block(const ast::CountersExpr& counters, const ScopePtr& scope);
  HostValue text(const ast::StringExpr& string, const ScopePtr& scope);
  HostValue range(const ast::RangeExpr& range, const ScopePtr& scope);
  HostValue call(const ast::Expr& expr, const ast::CallExpr& call, const ScopePtr& scope);
  HostValue call_any(const ast::Expr& expr, const ast::CallExpr& call, const ScopePtr& scope);
  Arguments evaluate_arguments(const ast::CallExpr& call, Span span, const ScopePtr& scope);

  plan::Execution* execution_;
  const std::shared_ptr<graph::ValueTable> table_;  ///< the tensors of this evaluator's program
  SpareScopes spare_scopes_{undo};
  ScopePtr own_top_;
  ScopePtr top_;                               ///< `own_top_`, or the scope of another evaluator
  std::optional<Restore<Undo*>> writes_down_;  ///< records changes to the other evaluator's scope in `undo`
  SpanTable* spans_ = nullptr;
  const Scope* counted_scope_ = nullptr;  ///< of the innermost `counters`, which counts the values made there
};

}  // namespace mtf::eval
