#include "eval/branches.h"

#include <algorithm>

#include "eval/evaluator.h"

namespace mtf::eval {

Flow Branches::run(const ast::IfStmt& stmt, const ScopePtr& scope) {
  for (size_t i = 0; i < stmt.branches.size(); ++i) {
    const std::optional<bool> holds = condition(*stmt.branches[i].condition, scope);
    if (!holds) return unknown_from(stmt, i, scope);
    if (*holds) return evaluator_.run_block(stmt.branches[i].body, evaluator_.nested(scope));
  }
  return stmt.otherwise ? evaluator_.run_block(*stmt.otherwise, evaluator_.nested(scope)) : Flow::kNext;
}

const ast::Stmt* Branches::chosen(const ast::Block& block, const ScopePtr& scope) {
  for (const ast::Stmt& stmt : block.statements) {
    evaluator_.interrupt.poll(stmt.span);
    evaluator_.builder.span = stmt.span;
    const auto* const choice = stmt.as<ast::IfStmt>();
    if (!choice) return &stmt;
    const auto taken = std::find_if(choice->branches.begin(), choice->branches.end(),
                                    [&](const auto& branch) { return *condition(*branch.condition, scope); });
    const ast::Block* const next = taken != choice->branches.end() ? &taken->body
                                   : choice->otherwise             ? &*choice->otherwise
                                                                   : nullptr;
    if (const ast::Stmt* const end = next ? chosen(*next, scope) : nullptr) return end;
  }
  return nullptr;
}

HostValue Branches::value(const ast::IfExpr& expr, const ScopePtr& scope) {
  for (size_t i = 0; i < expr.branches.size(); ++i) {
    const std::optional<bool> holds = condition(*expr.branches[i].condition, scope);
    if (!holds) return unknown_from(expr, i, scope);
    if (*holds) return evaluator_.evaluate(*expr.branches[i].value, scope);
  }
  return evaluator_.evaluate(*expr.otherwise, scope);
}

std::optional<bool> Branches::condition(const ast::Expr& condition, const ScopePtr& scope) {
  return evaluator_.convert.to_condition(evaluator_.evaluate(condition, scope), condition.span);
}

void Branches::walk(Ways& ways, const NameSet& names, const ScopePtr& scope, Doubtful& part,
                    const std::function<bool(bool&)>& way) {
  std::vector<HostValue> left;
  bool returns = false;
  ways.walk(
      [&] {
        std::vector<VariablePtr> assigned;
        const auto noting = evaluator_.cuts.assigned_into(assigned);
        const bool goes_on = way(returns);
        if (!evaluator_.domain.is_plan()) return goes_on;
        for (Name name : names)
          if (const auto found = scope->find(name); found.binding) left.push_back(found.binding->value);
        for (const VariablePtr& place : assigned) left.emplace_back(place->current);
        return goes_on;
      },
      [&](const Scope& owner) { return !returns || !evaluator_.calls.is_own(owner); });
  part.end();
}

Flow Branches::unknown_from(const ast::IfStmt& stmt, size_t first, const ScopePtr& scope) {
  std::vector<const ast::Block*> blocks;
  NameSet names;
  auto add = [&](const ast::Block& block) {
    blocks.push_back(&block);
    const NameSet& assigned = block.facts->assigns;
    names.insert(assigned.begin(), assigned.end());
  };
  const Span place = stmt.branches[first].condition->span;
  const auto uncertain = evaluator_.domain.uncertain();
  Doubtful part(evaluator_.doubts, {place, plan::Doubt::Kind::kWays});
  add(stmt.branches[first].body);
  for (size_t i = first + 1; i < stmt.branches.size(); ++i) {
    condition(*stmt.branches[i].condition, scope);
    add(stmt.branches[i].body);
  }
  if (stmt.otherwise) add(*stmt.otherwise);

  Calls& calls = evaluator_.calls;
  bool all_end = stmt.otherwise.has_value(), all_return = true;
  Ways ways(names, *scope, evaluator_.domain, evaluator_.undo);
  for (const ast::Block* block : blocks) {
    walk(ways, names, scope, part, [&](bool& returns) {
      const Flow flow = evaluator_.run_block(*block, evaluator_.nested(scope));
      returns = flow == Flow::kReturn;
      if (flow == Flow::kReturn) calls.may_have_returned(place);
      else all_return = false;
      if (flow == Flow::kBreak || flow == Flow::kContinue) evaluator_.loops.may_have_ended(flow, place);
      if (flow == Flow::kNext) all_end = false;
      return flow == Flow::kNext;
    });
  }
  if (!stmt.otherwise) ways.walk_nothing();
  ways.finish();
  if (!all_end) return Flow::kNext;
  if (!all_return) return Flow::kElsewhere;
  if (calls.none_under_way()) return Flow::kNext;
  calls.has_returned();
  return Flow::kReturn;
}

HostValue Branches::unknown_from(const ast::IfExpr& expr, size_t first, const ScopePtr& scope) {
  const auto uncertain = evaluator_.domain.uncertain();
  const Span place = expr.branches[first].condition->span;
  std::optional<HostValue> joined;
  HostValue next;
  Doubtful part(evaluator_.doubts, {place, plan::Doubt::Kind::kWays});
  Ways ways({}, *scope, evaluator_.domain, evaluator_.undo);
  const auto walk_value = [&](const ast::Expr& value) {
    walk(ways, {}, scope, part, [&](bool&) {
      next = evaluator_.evaluate(value, scope);
      if (joined && are_apart(*joined, next)) {
        fail(Diagnostic(Kind::branch_types_differ, value.span,
                        fmt::format("this gives {}, and a branch before it {}", describe(next), describe(*joined)))
                 .related(place, "this is known when the program runs"));
      }
      joined = joined ? evaluator_.domain.merge(*joined, next) : next;
      return true;
    });
  };
  for (size_t i = first; i < expr.branches.size(); ++i) {
    if (i > first) condition(*expr.branches[i].condition, scope);
    walk_value(*expr.branches[i].value);
  }
  walk_value(*expr.otherwise);
  ways.finish();
  return std::move(*joined);
}

}  // namespace mtf::eval
