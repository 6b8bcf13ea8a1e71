#include "eval/evaluator.h"
#include "support/text.h"

namespace mtf {
namespace {

/// A check walks so many turns of a loop that is only walked turn by turn because a list grows in it.
constexpr int64_t kMostCheckedTurns = 1000;

/// A plan walks loops turn by turn until it has walked so many, or has evaluated so many operations; from there on each
/// loop under way ends after its turn, and what is left of it is taken to cost what its turns have cost so far.
constexpr int64_t kMostPlannedTurns = 2'000'000;
constexpr int64_t kMostPlannedOperations = 200'000;

}  // namespace

/// A loop that is being planned.
class PlannedLoop {
 public:
  explicit PlannedLoop(Evaluator& evaluator) : evaluator_(evaluator), planning_(!evaluator.checking() && evaluator.abstract()) {
    if (!planning_) return;
    for (const StatementReport& report : evaluator.reports) before_.push_back(report.turns);
  }

  /// True if the turns that are left, `count - done`, are not walked: they have been added to the reports.
  bool ends_after(int64_t done, int64_t count, Span span) {
    if (!planning_ || done >= count) return false;
    if (++evaluator_.planned_turns <= kMostPlannedTurns && evaluator_.builder.added <= kMostPlannedOperations) return false;
    evaluator_.cut({}, span);  // what is pending belongs to these turns
    for (size_t i = 0; i < evaluator_.reports.size(); ++i) {
      StatementReport& report = evaluator_.reports[i];
      const int64_t before = i < before_.size() ? before_[i] : 0;
      if (report.turns == before) continue;
      report.turns += static_cast<int64_t>(static_cast<double>(report.turns - before) * static_cast<double>(count - done) / static_cast<double>(done) + 0.5);
      report.is_estimate = true;
    }
    return true;
  }

 private:
  Evaluator& evaluator_;
  const bool planning_;
  std::vector<int64_t> before_;
};

/// True if a check must take every turn: the body makes a model, a dim, a list or a shape that depends on the turn.
bool Evaluator::walks_every_turn(const BlockInfo& info, const std::vector<ast::Ident>& variables, const ScopePtr& scope) {
  auto changes = [&](Name name) {
    for (const ast::Ident& variable : variables) {
      if (variable.name == name) return true;
    }
    return info.assigns.count(name) > 0;
  };
  // Names that are bound inside may depend on the turn too; only those from outside are known not to.
  auto depends = [&](const ast::Expr& expr) {
    for (Name name : mentions_of(expr)) {
      if (changes(name)) return true;
      if (!scope->find(name).binding && info.mentions.count(name) && !builtins.count(name)) return true;
    }
    return false;
  };
  for (const ast::DimStmt* dims : info.dims) {
    for (const auto& item : dims->items) {
      if (depends(*item.size)) return true;
    }
  }
  for (const ast::IndexExpr* slice : info.slices) {
    for (const auto& argument : slice->arguments) {
      if (auto* range = argument.value->as<ast::RangeExpr>()) {
        if ((range->begin && depends(*range->begin)) || (range->end && depends(*range->end))) return true;
      }
    }
  }
  for (const ast::Expr* callee : info.calls) {
    HostValue value;
    if (auto* name = callee->as<ast::NameExpr>()) {
      if (auto found = scope->find(name->name); found.binding) value = found.binding->value;
    } else if (auto* attribute = callee->as<ast::AttributeExpr>()) {
      if (auto* name = attribute->object->as<ast::NameExpr>()) {
        if (auto found = scope->find(name->name); found.binding) {
          if (auto* module = found.binding->value.as<ModulePtr>()) {
            if (Binding* binding = (*module)->scope ? (*module)->scope->find_own(attribute->attribute.name) : nullptr) value = binding->value;
          }
        }
      }
    }
    if (value.is<ModelClassPtr>()) return true;
  }
  for (Name name : info.assigns) {
    if (auto found = scope->find(name); found.binding && (found.binding->value.is<ListPtr>() || found.binding->value.is<InstancePtr>())) return true;
  }
  return false;
}

void Evaluator::make_unknown(const NameSet& names, const ScopePtr& scope) {
  for (Name name : names) {
    auto found = scope->find(name);
    if (!found.binding) continue;
    HostValue& value = found.binding->value;
    if (is_number(value) || value.is<Text>()) value = unknown(unknown_kind(value));
  }
}

void Evaluator::lists_become_unknown(const NameSet& names, const ScopePtr& scope) {
  make_unknown(names, scope);
  for (Name name : names)
    if (auto found = scope->find(name); found.binding && found.binding->value.is<ListPtr>()) found.binding->value = unknown(UnknownKind::kAny);
}

Flow Evaluator::run_turn(const ast::ForStmt& stmt, HostValue item, const ScopePtr& scope) {
  ScopePtr turn = nested(scope);
  bind_pattern(*stmt.pattern, std::move(item), turn);
  return run_block(stmt.body, turn);
}

Flow Evaluator::run_for(const ast::ForStmt& stmt, const ScopePtr& scope) {
  HostValue iterable = evaluate(*stmt.iterable, scope);
  const BlockInfo& info = infos.of(stmt.body);
  std::vector<ast::Ident> variables;
  names_of(*stmt.pattern, variables);
  const Span span = stmt.iterable->span;
  std::function<HostValue(int64_t)> at;
  int64_t count = -1;
  bool every_turn = !checking();
  bool is_list = false;
  if (auto* range = iterable.as<Range>()) {
    if (range->open_first || range->open_last) fail(Kind::not_iterable, span, "this range has no end");
    if (range->known) {
      count = range->size();
      at = [first = range->first](int64_t i) { return HostValue(first + i); };
      every_turn = every_turn || count <= 1 || walks_every_turn(info, variables, scope);
    }
  } else if (auto* list = iterable.as<ListPtr>()) {
    count = static_cast<int64_t>((*list)->items.size());
    at = [keep = *list](int64_t i) { return keep->items[i]; };
    every_turn = is_list = true;
  } else if (auto* sequence = iterable.as<SequencePtr>()) {
    count = (*sequence)->count;
    at = (*sequence)->at;
    is_list = true;
  } else if (!iterable.is_unknown() && !iterable.is_poison()) {
    fail(Diagnostic(Kind::not_iterable, span, fmt::format("expected a list or a range, found {}", describe(iterable)))
             .help(iterable.is<Dim>() || iterable.is<int64_t>() ? fmt::format("write `0..{}`", span.text()) : ""));
  }
  const bool carried = engine_ && carries_variables(info, variables, scope);
  Restore restore_loops(loops);
  ++loops;
  if (every_turn && count >= 0) {
    const bool top_level = on_progress && loops == 1 && activations.empty();
    PlannedLoop planned(*this);
    for (int64_t i = 0; i < count; ++i) {
      poll(stmt.body.span);
      if (top_level) on_progress({variables[0].name.str(), i, count});
      Flow flow = run_turn(stmt, at(i), scope);
      if (flow == Flow::kReturn) return flow;
      if (carried) cut({}, stmt.body.span);
      if (planned.ends_after(i + 1, count, stmt.body.span)) {
        lists_become_unknown(info.assigns, scope);
        break;
      }
      if (checking() && i == kMostCheckedTurns && !is_list) {
        lists_become_unknown(info.assigns, scope);
        break;
      }
    }
    if (top_level) on_progress({variables[0].name.str(), count, count});
    return Flow::kNext;
  }
  if (count == 0 && !checking()) return Flow::kNext;
  HostValue item = iterable.is<Range>()          ? unknown(UnknownKind::kInt)
                   : iterable.is<SequencePtr>() ? (*iterable.as<SequencePtr>())->at(0)
                                                 : iterable;
  make_unknown(info.assigns, scope);
  walk_once([&] { return run_turn(stmt, item, scope); }, info.assigns, scope, count < 0 ? 0 : turns * count, carried, stmt.body.span);
  return Flow::kNext;
}

void Evaluator::walk_once(const std::function<Flow()>& turn, const NameSet& assigned, const ScopePtr& scope, int64_t times, bool carried, Span span) {
  Restore restore_uncertain(uncertain);
  Restore restore_turns(turns);
  ++uncertain;
  turns = times;
  auto kinds = [&] {
    std::vector<UnknownKind> result;
    for (Name name : assigned)
      if (auto found = scope->find(name); found.binding) result.push_back(unknown_kind(found.binding->value));
    return result;
  };
  const std::vector<UnknownKind> before = kinds();
  auto walk = [&] {
    if (turn() == Flow::kReturn && !activations.empty()) activations.back().maybe_results.push_back(activations.back().result);
  };
  walk();
  if (checking() && kinds() != before) walk();  // an int that became a float: the next turn begins with it
  if (carried) cut({}, span);
}

Flow Evaluator::run_while(const ast::WhileStmt& stmt, const ScopePtr& scope) {
  const BlockInfo& info = infos.of(stmt.body);
  const bool carried = engine_ && carries_variables(info, {}, scope);
  Restore restore_loops(loops);
  ++loops;
  auto turn = [&] { return run_block(stmt.body, nested(scope)); };
  auto holds = [&] { return to_condition(evaluate(*stmt.condition, scope), stmt.condition->span); };
  if (!checking()) {
    const bool top_level = on_progress && loops == 1 && activations.empty();
    PlannedLoop planned(*this);
    for (int64_t i = 0;; ++i) {
      poll(stmt.condition->span);
      if (top_level) on_progress({"while", i, 0});
      const std::optional<bool> condition = holds();
      if (!condition) break;  // a plan: from here on only the run knows
      if (!*condition) return Flow::kNext;
      if (turn() == Flow::kReturn) return Flow::kReturn;
      if (carried) cut({}, stmt.body.span);
      if (planned.ends_after(i + 1, i + 2, stmt.body.span)) break;
    }
    MTF_CHECK(abstract(), "a condition is unknown in a run");
    lists_become_unknown(info.assigns, scope);
  } else {
    make_unknown(info.assigns, scope);
    holds();
  }
  walk_once(turn, info.assigns, scope, 0, carried, stmt.body.span);
  return Flow::kNext;
}

// ---- branches --------------------------------------------------------------------------------------------------------

Flow Evaluator::run_if(const ast::IfStmt& stmt, const ScopePtr& scope) {
  for (size_t i = 0; i < stmt.branches.size(); ++i) {
    const auto& branch = stmt.branches[i];
    HostValue value = evaluate(*branch.condition, scope);
    auto condition = to_condition(value, branch.condition->span);
    if (condition) {
      if (*condition) return run_block(branch.body, nested(scope));
      continue;
    }
    MTF_CHECK(abstract(), "a condition is unknown in a run");
    // Unknown: each way from here on is walked, and every name must come out as one type.
    std::vector<const ast::Block*> ways;
    ways.push_back(&branch.body);
    NameSet names = infos.of(branch.body).assigns;
    Restore restore(uncertain);
    ++uncertain;
    for (size_t j = i + 1; j < stmt.branches.size(); ++j) {
      to_condition(evaluate(*stmt.branches[j].condition, scope), stmt.branches[j].condition->span);
      ways.push_back(&stmt.branches[j].body);
      names.insert(infos.of(stmt.branches[j].body).assigns.begin(), infos.of(stmt.branches[j].body).assigns.end());
    }
    if (stmt.otherwise) {
      ways.push_back(&*stmt.otherwise);
      names.insert(infos.of(*stmt.otherwise).assigns.begin(), infos.of(*stmt.otherwise).assigns.end());
    }
    std::vector<std::pair<Binding*, HostValue>> before;
    for (Name name : names) {
      if (auto found = scope->find(name); found.binding) before.emplace_back(found.binding, found.binding->value);
    }
    std::vector<std::optional<HostValue>> after(before.size());
    bool all_return = stmt.otherwise.has_value();
    auto merge_in = [&](size_t k, const HostValue& left) {
      if (!after[k]) {
        after[k] = left;
        return;
      }
      auto merged = merge(*after[k], left);
      if (merged) {
        after[k] = std::move(*merged);
        return;
      }
      Diagnostic diagnostic(Kind::branch_types_differ, stmt.branches[i].condition->span,
                            fmt::format("this is known when the program runs; `{}` is then {}, or {}", before[k].first->name.text(),
                                        describe(*after[k]), describe(left)));
      diagnostic.related(before[k].first->span, "declared here");
      after[k] = HostValue(Poison{});
      if (!diagnostics) fail(std::move(diagnostic));
      diagnostics->add(std::move(diagnostic));
    };
    HostValue result;
    for (const ast::Block* way : ways) {
      for (auto& [binding, value] : before) binding->value = value;
      UndoLog undone;
      Flow flow;
      {
        Restore restore_undo(undo);
        undo = &undone;
        flow = run_block(*way, nested(scope));
      }
      if (flow == Flow::kReturn) {
        if (!activations.empty()) {
          result = activations.back().result;
          activations.back().maybe_results.push_back(result);
        }
      } else {
        all_return = false;
        for (size_t k = 0; k < before.size(); ++k) merge_in(k, before[k].first->value);
      }
      undone.take_back();
    }
    if (!stmt.otherwise) {
      for (size_t k = 0; k < before.size(); ++k) merge_in(k, before[k].second);
    }
    for (size_t k = 0; k < before.size(); ++k) before[k].first->value = after[k] ? *after[k] : before[k].second;
    if (all_return && !activations.empty()) {
      activations.back().maybe_results.pop_back();
      activations.back().result = std::move(result);
      return Flow::kReturn;
    }
    return Flow::kNext;
  }
  if (stmt.otherwise) return run_block(*stmt.otherwise, nested(scope));
  return Flow::kNext;
}

}  // namespace mtf
