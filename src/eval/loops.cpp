#include "eval/loops.h"

#include <set>
#include <utility>

#include "eval/evaluator.h"
#include "eval/replay.h"
#include "eval/value_type.h"
#include "support/edit.h"
#include "support/text.h"
#include "types/saturating.h"

namespace mtf::eval {
namespace {

/// The most iterations that a check walks one by one only because a list grows in the loop.
constexpr int64_t kMostCheckedIterations = 1000;
/// The same limit if the lists hold numbers or keep their types, and nothing else depends on the iteration.
constexpr int64_t kCheckedIterationsOfNumbers = 16;

/// A plan walks loops iteration by iteration up to these numbers of iterations or operations. From then on each loop
/// under way ends after its present iteration. The plan assumes that the remaining iterations cost as much as those so
/// far.
constexpr int64_t kMostPlannedIterations = 2'000'000;
constexpr int64_t kMostPlannedOperations = 800'000;

/// True if a check must walk every iteration: the body makes a model, a dim or a shape that depends on the iteration.
bool needs_every_iteration(const ast::BlockFacts& info, const std::vector<ast::Ident>& variables,
                           const Builtins& builtins, Scope& scope) {
  auto changes = [&](Name name) {
    for (const ast::Ident& variable : variables) {
      if (variable.name == name) return true;
    }
    return info.assigns.count(name) > 0;
  };
  // Names that are bound inside may depend on the iteration too; only names from outside are known not to.
  auto depends = [&](const ast::Expr& expr) {
    for (Name name : ast::mentions_of(expr)) {
      if (changes(name)) return true;
      if (!scope.find(name).binding && info.mentions(name) && !builtins.knows(name)) return true;
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
      if (auto found = scope.find(name->name); found.binding) value = found.binding->value;
    } else if (auto* attribute = callee->as<ast::AttributeExpr>()) {
      if (auto* name = attribute->object->as<ast::NameExpr>()) {
        if (auto found = scope.find(name->name); found.binding) {
          if (auto* module = found.binding->value.as<ModulePtr>()) {
            if (Binding* binding = (*module)->scope ? (*module)->scope->find_own(attribute->attribute.name) : nullptr)
              value = binding->value;
          }
        }
      }
    }
    if (value.is<ModelClassPtr>()) return true;
  }
  return false;
}

/// True if an iteration assigns a list or an instance.
bool assigns_lists(const NameSet& assigned, Scope& scope) {
  return std::any_of(assigned.begin(), assigned.end(), [&](Name name) {
    const auto found = scope.find(name);
    return found.binding && (found.binding->value.is<ListPtr>() || found.binding->value.is<InstancePtr>());
  });
}

/// True if the lists that iterations assign hold only numbers and strings, so that no shape depends on them.
bool assigns_lists_of_numbers(const NameSet& assigned, Scope& scope) {
  const auto is_other = [](const HostValue& item) {
    const bool is_unknown_number = item.is_unknown() && !is_open(item);
    return !is_number(item) && !item.is<Text>() && !is_unknown_number;
  };
  return std::none_of(assigned.begin(), assigned.end(), [&](Name name) {
    const auto found = scope.find(name);
    if (!found.binding || found.binding->value.is<InstancePtr>()) return found.binding != nullptr;
    return found.binding->value.is<ListPtr>() && has_item(found.binding->value, is_other);
  });
}

/// True if the type or the text of a value says all about it that other types may depend on.
bool is_plain_part(const HostValue& value) {
  return value.is<graph::Handle>() || is_number(value) || value.is<None>() || value.is<Dim>() ||
         value.is<ElementType>();
}

/// Appends the types of a value's tensors and its other parts. Returns false if they do not describe it, or if it has
/// lists in more than `depth` lists or a long description.
bool append_types(std::string& text, const HostValue& value, int depth = 32) {
  constexpr size_t kLong = 100'000;
  if (depth == 0 || text.size() > kLong) return false;
  if (auto* list = value.as<ListPtr>()) {
    text += (*list)->tuple ? "(" : "[";
    for (const HostValue& item : (*list)->items)
      if (!append_types(text, item, depth - 1)) return false;
    text += "]";
    return true;
  }
  if (value.is_unknown() ? is_open(value) : !is_plain_part(value)) return false;
  if (const graph::Value* tensor = tensor_of(value))
    text += to_string(LaidOut{tensor->type(), tensor->sharding(), tensor->mesh()});
  else text += describe(value);
  text += ";";
  return true;
}

/// Finds the iteration after which the names that a loop assigns have kept their types.
class KeptTypes {
 public:
  KeptTypes(const NameSet& assigned, Scope& scope) : assigned_(assigned), scope_(scope) {}
  /// Called after each iteration. Compares the types after some iterations with those after the iteration before. True
  /// if they are the same.
  bool after(int64_t iteration) {
    if (iteration + 1 < kCheckedIterationsOfNumbers) return false;
    if (is_power_of_2(iteration + 1)) before_ = types();
    return is_power_of_2(iteration) && before_ && before_ == types();
  }

 private:
  static bool is_power_of_2(int64_t n) { return (n & (n - 1)) == 0; }
  /// Nothing if types do not describe a value.
  std::optional<std::string> types() const {
    std::string text;
    for (Name name : assigned_) {
      const auto found = scope_.find(name);
      if (!found.binding || is_number(found.binding->value) || found.binding->value.is<Text>()) continue;
      if (!append_types(text, found.binding->value)) return std::nullopt;
    }
    return text;
  }

  const NameSet& assigned_;
  Scope& scope_;
  std::optional<std::string> before_;
};

/// True if the item may keep a tensor alive.
bool keeps_a_tensor(const HostValue& item) {
  if (auto* list = item.as<ListPtr>()) return std::any_of((*list)->items.begin(), (*list)->items.end(), keeps_a_tensor);
  return tensor_of(item) || item.is<InstancePtr>() || item.is<FunctionPtr>() || item.is<ObjectPtr>();
}

}  // namespace

Cuts::Waiting Loops::waiting(const ast::BlockFacts& info, const std::vector<ast::Ident>& variables,
                             const ScopePtr& scope) {
  const graph::ValueTable* const table = evaluator_.builder.table.get();  // null in a loop over a dim
  return {.added = table != nullptr ? table->added() : 0,
          .carries = !evaluator_.domain.is_check() && evaluator_.blocks.carries_variables(info, variables, scope),
          .is_outermost = depth_ == 0,
          .assignments = evaluator_.cuts.assignments()};
}

Loops::Shown::Shown(Loops& loops, std::string variable, int64_t iterations, const Cuts::Waiting& waiting) {
  if (!loops.on_progress_ || !(waiting.carries || waiting.is_outermost)) return;
  loops_ = &loops;
  began_ = std::chrono::steady_clock::now();
  loops.progress_.push_back({std::move(variable), 0, iterations, 0});
}

Loops::Shown::~Shown() {
  if (loops_ != nullptr) loops_->progress_.pop_back();
}

void Loops::Shown::at(int64_t iteration) {
  if (loops_ == nullptr) return;
  LoopProgress& own = loops_->progress_.back();
  own.iteration = iteration;
  own.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
  loops_->on_progress_(loops_->progress_);
}

bool Loops::plan_ends_after(int64_t done, int64_t count, const Reports::Mark& mark, Span span) {
  if (done >= count) return false;
  if (++planned_iterations_ <= kMostPlannedIterations && evaluator_.builder.added <= kMostPlannedOperations)
    return false;
  evaluator_.cuts.cut({}, span);  // the pending operations belong to these iterations
  evaluator_.reports.extrapolate(mark, done, count, span);
  return true;
}

void Loops::end_iteration(Cuts::Waiting& iterations, Span span) {
  evaluator_.cuts.end_iteration(iterations, span);
  if (iterations.carries || iterations.is_outermost) evaluator_.undo.end_iteration();
}

Flow Loops::iteration(const ast::ForStmt& stmt, HostValue&& item, const ScopePtr& inner, Replay* replay) {
  evaluator_.bind_pattern(*stmt.pattern, std::move(item), inner);
  return evaluator_.run_block(stmt.body, inner, false, replay);
}

Items items_of(HostValue&& iterable, Evaluator& evaluator, Span span) {
  Items items;
  bool is_walked_once = false;
  if (auto* range = iterable.as<Range>()) {
    if (const std::optional<int64_t> count = range->size(span)) {
      items.count = *count;
      items.at = [first = range->first](int64_t i) { return HostValue(first + i); };
    }
    items.any = [] { return unknown(UnknownKind::kInt); };
  } else if (auto* list = iterable.as<ListPtr>()) {
    items.count = static_cast<int64_t>((*list)->items.size());
    items.is_finite = true;
    items.are_kept = list->use_count() > 1;
    if (items.are_kept) {
      items.at = [keep = *list](int64_t i) { return keep->items[i]; };
    } else {  // a cut between two iterations need not keep items of past iterations
      items.at = [own = *list](int64_t i) { return std::move(own->items[i]); };
      iterable = {};
    }
  } else if (auto* sequence = iterable.as<SequencePtr>()) {
    is_walked_once = true;
    items.count = count_of(**sequence, evaluator.domain);
    items.at = (*sequence)->at;
    items.is_finite = true;
    items.any = [of = *sequence] { return of->any ? of->any() : of->at(0); };
    items.other = (*sequence)->other;
  } else if (!iterable.is_known()) {
    items.any = [iterable] { return iterable; };
  } else {
    fail(Diagnostic(Kind::not_iterable, span, fmt::format("expected a list or a range, found {}", describe(iterable)))
             .help(iterable.is<Dim>() || iterable.is<int64_t>()
                       ? mtf::help_with("", {{{span.file, span.begin, span.begin}, "0.."}})
                       : ""));
  }
  evaluator.replays.walks(is_walked_once ? Replays::kMany : items.count);
  return items;
}

Flow Loops::run(const ast::ForStmt& stmt, const ScopePtr& scope) {
  HostValue iterable = evaluator_.evaluate(*stmt.iterable, scope);
  const bool is_range = iterable.is<Range>(), is_list = iterable.is<ListPtr>();
  const Items items = items_of(std::move(iterable), evaluator_, stmt.iterable->span);
  const ast::BlockFacts& info = *stmt.body.facts;
  std::vector<ast::Ident> variables;
  names_of(*stmt.pattern, variables);
  bool every = is_list || !evaluator_.domain.is_check() || (is_range && items.count <= 1);
  bool for_lists_alone = false;
  if (!every && is_range && items.count > 1) {
    every = needs_every_iteration(info, variables, evaluator_.builtins, *scope);
    for_lists_alone = !every && assigns_lists(info.assigns, *scope);
    every = every || for_lists_alone;
  }
  Cuts::Waiting iterations = waiting(info, variables, scope);
  Restore deeper(depth_, depth_ + 1);
  if (every && items.count >= 0) return every_iteration(stmt, items, for_lists_alone, variables[0], iterations, scope);
  if (items.count == 0 && !evaluator_.domain.is_check()) return Flow::kNext;
  const HostValue any = items.any();
  evaluator_.domain.numbers_become_unknown(info.assigns, *scope, evaluator_.undo);
  const int64_t count = items.count < 0 ? 0 : saturating_multiply(evaluator_.reports.iterations(), items.count);
  const auto walk = [&](const HostValue& item, int64_t times) {
    walk_once([&] { return iteration(stmt, HostValue(item), evaluator_.nested(scope)); }, info.assigns, scope, times,
              iterations, stmt.body.span, stmt.iterable->span);
  };
  walk(any, count);
  if (items.other && evaluator_.domain.is_check()) walk(items.other(), 0);
  return Flow::kNext;
}

void Loops::bind_last_iteration(const ScopePtr& scope) {
  if (const std::optional<Iteration> iteration = std::exchange(last_iteration_, std::nullopt))
    evaluator_.bind_pattern(*iteration->pattern, HostValue(iteration->item), scope);
}

Flow Loops::every_iteration(const ast::ForStmt& stmt, const Items& items, bool for_lists_alone,
                            const ast::Ident& variable, Cuts::Waiting iterations, const ScopePtr& scope) {
  const Span span = stmt.body.span;
  const NameSet& assigned = stmt.body.facts->assigns;
  Ends ends(*this, assigned, *scope, stmt.pattern->span);
  const bool until_none = items.count == Sequence::kUntilNone;
  Shown shown(*this, variable.name.str(), until_none ? 0 : items.count, iterations);
  const Reports::Mark mark(evaluator_.reports);
  const bool is_programs = depth_ == 1 && evaluator_.undo.wanted() && scope == evaluator_.top();
  std::optional<Replay> replay;
  if (iterations.carries && Replay::is_possible(evaluator_)) replay.emplace(evaluator_, stmt.body, true);
  OwnScope inner = evaluator_.nested(scope);
  KeptTypes types(assigned, *scope);
  const int doubt = evaluator_.domain.uncertainty();
  for (int64_t i = 0; i < items.count; ++i) {
    evaluator_.interrupt.poll(span);
    shown.at(i);
    const int64_t cuts_before = evaluator_.cuts.count();
    if (replay) replay->begin_iteration();
    HostValue item = items.at(i);
    if (until_none && item.is<None>()) return ends.behind(Flow::kNext);
    std::optional<Iteration> ended;
    if (is_programs && (items.are_kept || !keeps_a_tensor(item))) ended = {stmt.pattern.get(), item};
    inner->number = graph::last_node_id();
    inner->uncertain = evaluator_.domain.uncertainty();
    Flow came_to = Flow::kNext;
    const auto walk = [&] { came_to = iteration(stmt, std::move(item), inner, replay ? &*replay : nullptr); };
    if (i > 0 && evaluator_.domain.is_check()) walk_later_iteration(doubt, walk);
    else walk();
    inner.end_iteration();
    const Flow flow = ends.after_iteration(came_to);
    if (flow == Flow::kReturn) return ends.behind(flow);
    const bool cuts = evaluator_.cuts.cuts_each(iterations), has_cut = evaluator_.cuts.count() != cuts_before;
    if (replay) replay->end_iteration(flow, span, cuts);
    if (!replay || !cuts) end_iteration(iterations, span);
    if (!replay && has_cut && Replay::is_possible(evaluator_))
      replay.emplace(evaluator_, stmt.body, iterations.carries, i + 1);
    if (is_programs) last_iteration_ = std::move(ended);
    if (flow != Flow::kNext) {
      shown.at(i + 1);
      return ends.behind(flow);
    }
    if (evaluator_.domain.is_plan() && plan_ends_after(i + 1, items.count, mark, span)) {
      evaluator_.domain.values_become_unknown(assigned, *scope, evaluator_.undo);
      break;
    }
    if (!evaluator_.domain.is_check() || items.is_finite) continue;
    const bool is_settled =
        for_lists_alone &&
        ((i == kCheckedIterationsOfNumbers && assigns_lists_of_numbers(assigned, *scope)) || types.after(i));
    if (i == kMostCheckedIterations || is_settled) {
      evaluator_.domain.numbers_become_unknown(assigned, *scope, evaluator_.undo);
      walk_once([&] { return this->iteration(stmt, items.any(), evaluator_.nested(scope)); }, assigned, scope, 0,
                iterations, span, stmt.iterable->span);
      break;
    }
  }
  shown.at(items.count);
  return ends.behind(Flow::kNext);
}

void Loops::walk_once(const std::function<Flow()>& iteration, const NameSet& assigned, const ScopePtr& scope,
                      int64_t count, const Cuts::Waiting& iterations, Span span, Span header) {
  const auto walk = [&] {
    Ends ends(*this, assigned, *scope, span);
    const Flow flow = ends.after_iteration(iteration());
    if (ends.may_have_broken()) ends.behind(flow);
    else if (flow == Flow::kReturn) evaluator_.calls.may_have_returned(header);
  };
  if (evaluator_.domain.is_check()) return walk_until_nothing_changes(walk, count > 0);
  AbstractDomain& domain = evaluator_.domain;
  const auto uncertain = domain.uncertain();
  const auto repeated = evaluator_.reports.repeated(count);
  Doubtful once(evaluator_.doubts, {header, plan::Doubt::Kind::kIterations});
  AssignedNames names;
  {
    const auto list = domain.into(names);
    walk();
  }
  for (const AssignedName& name : names) {
    domain.assigned(name);
    if (name.before.is<None>() && count == 0) name.value() = unknown(UnknownKind::kAny);  // maybe no iteration ran
  }
  if (iterations.carries) evaluator_.cuts.cut({}, span);
  once.end();
}

void Loops::walk_until_nothing_changes(const std::function<void()>& walk, bool happens) {
  // The sets of values grow in few steps: one value, all values of a kind, anything. Nested lists may take one more
  // step for each item.
  constexpr int kMostWalks = 6;
  AbstractDomain& domain = evaluator_.domain;
  Undo& undo = evaluator_.undo;
  const auto uncertain = domain.uncertain();
  const size_t results = evaluator_.calls.results();
  for (int walks = 1;; ++walks) {
    UndoLog changed;
    AssignedNames names;
    Findings::Trial found(evaluator_.findings);
    try {
      const auto log = undo.into(changed);
      const auto list = domain.into(names);
      walk();
    } catch (...) {
      undo.keep(changed);
      for (const AssignedName& name : names)
        if (name.scope->uncertain < domain.uncertainty()) domain.assigned(name);
      throw;
    }
    struct Left {
      AssignedName name;
      HostValue joined;
    };
    std::vector<Left> left;
    std::set<std::pair<const Scope*, size_t>> seen;
    bool grows = false;
    for (const AssignedName& name : names) {
      if (name.scope->uncertain >= domain.uncertainty()) continue;  // a name of the walk itself
      if (!seen.emplace(name.scope.get(), name.index).second) continue;
      HostValue joined = domain.merge(name.before, name.value());
      const bool differs = !is_same_set(joined, name.before);
      if (differs && walks >= kMostWalks) joined = widened(joined);
      grows = grows || (differs && !is_same_set(joined, name.before));
      left.push_back({name, std::move(joined)});
    }
    if (!grows && happens) {
      undo.keep(changed);
      for (const Left& each : left) domain.assigned(each.name);
      return found.keep();
    }
    changed.take_back();
    for (Left& each : left) {
      domain.assigned(each.name);
      Binding& binding = each.name.scope->bindings[each.name.index];
      each.name.scope->note(binding, undo);
      binding.value = std::move(each.joined);
    }
    if (!grows) return found.keep();
    evaluator_.calls.forget_results(results);
  }
}

bool Loops::walk_later_iteration(int doubt, const std::function<void()>& walk) {
  Findings::Trial found(evaluator_.findings);
  try {
    walk();
  } catch (const UserError&) {
    const int came_from = evaluator_.domain.caught_error_from();
    found.keep_up_to(doubt);
    if (came_from > doubt) return false;
    throw;
  }
  found.keep_up_to(doubt);
  return true;
}

std::optional<Flow> Loops::every_iteration(const ast::WhileStmt& stmt, Cuts::Waiting& iterations,
                                           const ScopePtr& scope) {
  const Span span = stmt.body.span;
  Ends ends(*this, stmt.body.facts->assigns, *scope, stmt.condition->span);
  Shown shown(*this, "while", 0, iterations);
  const Reports::Mark mark(evaluator_.reports);
  std::optional<Replay> replay;
  if (iterations.carries && Replay::is_possible(evaluator_)) replay.emplace(evaluator_, stmt.body, true);
  for (int64_t i = 0;; ++i) {
    evaluator_.interrupt.poll(stmt.condition->span);
    shown.at(i);
    Doubtful tested(evaluator_.doubts, {stmt.condition->span, plan::Doubt::Kind::kIterations});
    const std::optional<bool> condition = holds(stmt, scope);
    if (!condition) {  // a plan: only the run knows the rest
      tested.end();
      break;
    }
    if (!*condition) return ends.behind(Flow::kNext);
    const int64_t cuts_before = evaluator_.cuts.count();
    if (replay) replay->begin_iteration();
    const Flow came_to = evaluator_.run_block(stmt.body, evaluator_.nested(scope), false, replay ? &*replay : nullptr);
    const Flow flow = ends.after_iteration(came_to);
    if (flow == Flow::kReturn) return ends.behind(flow);
    const bool cuts = evaluator_.cuts.cuts_each(iterations), has_cut = evaluator_.cuts.count() != cuts_before;
    if (replay) replay->end_iteration(flow, span, cuts);
    if (!replay || !cuts) end_iteration(iterations, span);
    if (!replay && has_cut && Replay::is_possible(evaluator_))
      replay.emplace(evaluator_, stmt.body, iterations.carries, i + 1);
    if (flow != Flow::kNext) return ends.behind(flow);
    if (ends.may_have_broken()) break;
    if (evaluator_.domain.is_plan() && plan_ends_after(i + 1, i + 2, mark, span)) break;
  }
  ends.behind(Flow::kNext);
  return std::nullopt;
}

std::optional<bool> Loops::holds(const ast::WhileStmt& stmt, const ScopePtr& scope) {
  return evaluator_.convert.to_condition(evaluator_.evaluate(*stmt.condition, scope), stmt.condition->span);
}

Flow Loops::run(const ast::WhileStmt& stmt, const ScopePtr& scope) {
  evaluator_.replays.walks(Replays::kMany);
  const ast::BlockFacts& info = *stmt.body.facts;
  Cuts::Waiting iterations = waiting(info, {}, scope);
  Restore deeper(depth_, depth_ + 1);
  if (!evaluator_.domain.is_check()) {
    if (const std::optional<Flow> flow = every_iteration(stmt, iterations, scope)) return *flow;
    evaluator_.domain.values_become_unknown(info.assigns, *scope, evaluator_.undo);
  } else {
    evaluator_.domain.numbers_become_unknown(info.assigns, *scope, evaluator_.undo);
  }
  const auto iteration = [&] {
    if (evaluator_.domain.is_check()) holds(stmt, scope);
    return evaluator_.run_block(stmt.body, evaluator_.nested(scope));
  };
  walk_once(iteration, info.assigns, scope, 0, iterations, stmt.body.span, stmt.condition->span);
  if (evaluator_.domain.is_check()) {
    const Findings::Trial said_already(evaluator_.findings);
    try {
      holds(stmt, scope);  // the last test of the condition may assign names that are read behind the loop
    } catch (const UserError&) { evaluator_.domain.caught_error_from(); }  // already reported
  }
  return Flow::kNext;
}

void Loops::may_have_ended(Flow flow, Span place) {
  EarlyEnds& ends = *ends_.back();
  evaluator_.domain.may_have_ended(ends.uncertainty);
  if (!ends.rest) ends.rest.emplace(evaluator_.doubts, plan::Doubt{place, plan::Doubt::Kind::kRest});
  (flow == Flow::kBreak ? ends.broken : ends.continued).add();
}

Loops::Ends::Ends(Loops& loops, const NameSet& assigned, Scope& scope, Span loop)
    : loops_(loops), part_(std::in_place, loops.evaluator_.domain) {
  Evaluator& evaluator = loops.evaluator_;
  if (evaluator.domain.is_abstract()) {
    const JoinedNames none(assigned, scope, evaluator.domain, evaluator.undo);
    ends_.emplace(EarlyEnds{none, none, loop, evaluator.domain.uncertainty()});
  }
  loops_.ends_.push_back(ends_ ? &*ends_ : nullptr);
}

Loops::Ends::~Ends() {
  loops_.ends_.pop_back();
  part_.reset();
  loops_.evaluator_.calls.go_on_in_doubt();
}

Flow Loops::Ends::after_iteration(Flow flow) {
  if (!ends_) return flow == Flow::kContinue ? Flow::kNext : flow;
  auto& [broken, continued, loop, uncertainty, rest] = *ends_;
  if (rest) rest->end();
  const bool was_uncertain = uncertain_;
  if (continued.any()) {
    if (flow == Flow::kNext || flow == Flow::kContinue) continued.add();
    if (flow == Flow::kBreak) broken.add();
    if (flow == Flow::kReturn) loops_.evaluator_.calls.may_have_returned(loop);
    continued.put();
    flow = Flow::kNext;
  }
  if (!broken.any()) rest.reset();
  uncertain_ = uncertain_ || broken.any();
  if (uncertain_ && !was_uncertain) loops_.evaluator_.domain.becomes_uncertain();
  return flow == Flow::kContinue ? Flow::kNext : flow;
}

Flow Loops::Ends::behind(Flow flow) {
  if (!may_have_broken()) return flow == Flow::kReturn ? flow : Flow::kNext;
  if (ends_->rest) ends_->rest->end();
  if (flow == Flow::kReturn) loops_.evaluator_.calls.may_have_returned(ends_->loop);
  else if (flow != Flow::kElsewhere) ends_->broken.add();
  ends_->broken.put();
  return Flow::kNext;
}

}  // namespace mtf::eval
