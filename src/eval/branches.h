#pragma once
// `if`: the branch whose condition holds. Where only the run knows which, a check and a plan walk each way from there on,
// and every name must come out as one type.
#include <optional>

#include "eval/flow.h"
#include "eval/host_value.h"
#include "syntax/ast.h"

namespace mtf {

class Branches {
 public:
  explicit Branches(Evaluator& evaluator) : evaluator_(evaluator) {}

  Flow run(const ast::IfStmt& stmt, const ScopePtr& scope);

 private:
  std::optional<bool> condition(const ast::IfStmt::Branch& branch, const ScopePtr& scope);
  /// Walks the ways from the first branch whose condition is unknown.
  Flow unknown_from(const ast::IfStmt& stmt, size_t first, const ScopePtr& scope);

  Evaluator& evaluator_;
};

}  // namespace mtf
