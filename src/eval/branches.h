#pragma once
// `if`: the branch whose condition holds, as a statement and as a value. Where only the run knows which, a check and a
// plan walk each way from there on; every name, or the value, must come out as one type.
#include <functional>
#include <optional>

#include "eval/abstract.h"
#include "eval/block_info.h"
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

 private:
  std::optional<bool> condition(const ast::Expr& condition, const ScopePtr& scope);
  /// Walks one of several ways, as Ways does, and counts it: what it has left, the names and variables that it has
  /// assigned, is held until then.
  /// `way` returns true if it goes on, and says whether it ends with a `return`.
  void walk(Ways& ways, const NameSet& names, const ScopePtr& scope, Doubtful& part,
            const std::function<bool(bool& returns)>& way);
  /// Walks the ways from the first branch whose condition is unknown.
  Flow unknown_from(const ast::IfStmt& stmt, size_t first, const ScopePtr& scope);
  HostValue unknown_from(const ast::IfExpr& expr, size_t first, const ScopePtr& scope);

  Evaluator& evaluator_;
};

}  // namespace mtf::eval
