#include "eval/branches.h"

#include "eval/evaluator.h"

namespace mtf {

Flow Branches::run(const ast::IfStmt& stmt, const ScopePtr& scope) {
  for (size_t i = 0; i < stmt.branches.size(); ++i) {
    const std::optional<bool> holds = condition(stmt.branches[i], scope);
    if (!holds) return unknown_from(stmt, i, scope);
    if (*holds) return evaluator_.run_block(stmt.branches[i].body, evaluator_.nested(scope));
  }
  return stmt.otherwise ? evaluator_.run_block(*stmt.otherwise, evaluator_.nested(scope)) : Flow::kNext;
}

std::optional<bool> Branches::condition(const ast::IfStmt::Branch& branch, const ScopePtr& scope) {
  return evaluator_.convert.to_condition(evaluator_.evaluate(*branch.condition, scope), branch.condition->span);
}

Flow Branches::unknown_from(const ast::IfStmt& stmt, size_t first, const ScopePtr& scope) {
  MTF_CHECK(evaluator_.domain.is_abstract(), "a condition is unknown in a run");
  std::vector<const ast::Block*> blocks;
  NameSet names;
  auto add = [&](const ast::Block& block) {
    blocks.push_back(&block);
    const NameSet& assigned = evaluator_.blocks.info(block).assigns;
    names.insert(assigned.begin(), assigned.end());
  };
  const auto uncertain = evaluator_.domain.uncertain();
  add(stmt.branches[first].body);
  for (size_t i = first + 1; i < stmt.branches.size(); ++i) {
    condition(stmt.branches[i], scope);
    add(stmt.branches[i].body);
  }
  if (stmt.otherwise) add(*stmt.otherwise);

  Calls& calls = evaluator_.calls;
  bool all_return = stmt.otherwise.has_value();
  Ways ways(names, *scope, stmt.branches[first].condition->span, evaluator_.undo, evaluator_.findings);
  for (const ast::Block* block : blocks) {
    ways.walk([&] {
      const bool returned = evaluator_.run_block(*block, evaluator_.nested(scope)) == Flow::kReturn;
      if (returned) calls.may_have_returned();
      else all_return = false;
      return !returned;
    });
  }
  if (!stmt.otherwise) ways.walk_nothing();
  ways.finish();
  if (!all_return || calls.none_under_way()) return Flow::kNext;
  calls.has_returned();
  return Flow::kReturn;
}

}  // namespace mtf
