#pragma once
// `if` as a statement and as a value. If only the run knows a condition, a check and a plan walk every branch from
// there on. The branches must leave each name, or the value, with one type.
#include <functional>
#include <optional>

#include "eval/abstract.h"
#include "eval/doubtful.h"
#include "eval/host_value.h"
#include "syntax/ast.h"

namespace mtf::eval {

class Evaluator;

class Branches {
 public:
  explicit Branches(Evaluator& evaluator) : evaluator_(evaluator) {}

  Flow run(const ast::IfStmt& stmt, const ScopePtr& scope);
  HostValue value(const ast::IfExpr& expr, const ScopePtr& scope);
  /// Runs, in a run, a block that only chooses a value (BlockFacts), which needs no scope of its own. Returns the
  /// `return` that it comes to, not yet evaluated; null if there is none.
  const ast::Stmt* chosen(const ast::Block& block, const ScopePtr& scope);

 private:
  std::optional<bool> condition(const ast::Expr& condition, const ScopePtr& scope);
  /// Walks one branch as Ways does, and counts its cost. Holds the names and variables that the branch has assigned
  /// until they are counted. `way` returns true if control continues behind the `if`, and sets `returns` if the branch
  /// ends with a `return`.
  void walk(Ways& ways, const NameSet& names, const ScopePtr& scope, Doubtful& part,
            const std::function<bool(bool& returns)>& way);
  /// Walks the branches from the first one with an unknown condition.
  Flow unknown_from(const ast::IfStmt& stmt, size_t first, const ScopePtr& scope);
  HostValue unknown_from(const ast::IfExpr& expr, size_t first, const ScopePtr& scope);

  Evaluator& evaluator_;
};

}  // namespace mtf::eval
