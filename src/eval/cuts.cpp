#include "eval/cuts.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "eval/finite_check.h"
#include "plan/runtime.h"
#include "support/diagnostics.h"

namespace mtf::eval {
namespace {

/// A statement ends in a cut if more operations than this have been added since the last cut. If values may be computed
/// again, more operations wait: what a cut computes is not computed again.
constexpr int64_t kMostPending = 100'000, kMostPendingToRepeat = 4'000'000;
/// Limits if no gradient can come. They bound the iterations of a loop that wait for a common cut, and the operations
/// that they add: a program takes some kilobytes for each. Inside another loop the limit is larger, so that its
/// iteration stays one program, which may be replayed. In `counters` nothing is replayed. But on several processors a
/// program also orders communication.
constexpr int64_t kMostIterations = 64;
constexpr int64_t kManyPending = 500;
constexpr int64_t kManyPendingInside = 4'000;
/// The number of values that a check for gradients walks in the time of a small iteration.
constexpr int64_t kWalkedInAIteration = 16;

bool holds_tensors(const HostValue& value) {
  return value.is<graph::Handle>() || value.is<ListPtr>() || value.is<InstancePtr>() || value.is<VariablePtr>() ||
         value.is<FunctionPtr>() || value.is<SequencePtr>() || value.is<ObjectPtr>();
}

/// Takes the values that a block has bound or assigned, to be computed. The block no longer holds them, so that it does
/// not keep their histories alive.
graph::Values taken(std::vector<HostValue>& held) {
  graph::Values values;
  std::vector<HostValue> stack = std::exchange(held, {});
  std::unordered_set<const void*> seen;
  while (!stack.empty()) {
    const HostValue at = std::move(stack.back());
    stack.pop_back();
    if (auto* tensor = at.as<graph::Handle>()) {
      values.push_back(tensor->value());
    } else if (auto* variable = at.as<VariablePtr>()) {
      stack.emplace_back((*variable)->current);
    } else if (auto* list = at.as<ListPtr>()) {
      if (seen.insert(list->get()).second) stack.insert(stack.end(), (*list)->items.begin(), (*list)->items.end());
    } else if (auto* instance = at.as<InstancePtr>()) {
      if (!seen.insert(instance->get()).second) continue;
      for (const auto* names : {&(*instance)->scope->bindings, &(*instance)->scope->hoisted})
        for (const Binding& binding : *names) stack.push_back(binding.value);
    }
  }
  return values;
}

HostValue number_of_host(double number, ElementType element) {
  if (element == ElementType::kBool) return number != 0;
  if (element == ElementType::kI32) return static_cast<int64_t>(number);
  return number;
}

}  // namespace

Cuts::Cuts(plan::Execution* execution, ops::Builder& builder, const AbstractDomain& domain, OpenBlocks& blocks,
           Reports& reports, Replays& replays, const Interrupt& interrupt, std::shared_ptr<std::vector<double>> reads)
    : execution_(execution),
      builder_(builder),
      domain_(domain),
      blocks_(blocks),
      reports_(reports),
      replays_(replays),
      interrupt_(interrupt),
      reads_(std::move(reads)) {}

void Cuts::refuse_in_iteration(Span span, std::string_view what) const {
  if (!iteration_) return;
  if (iteration_->name == "custom_gradient")
    fail(Diagnostic(Kind::not_in_turn, span,
                    fmt::format("{}: the rule of a gradient is evaluated once, before its gradient is known", what))
             .related(iteration_->call, "for this call")
             .help("a rule computes with tensors alone"));
  fail(Diagnostic(Kind::not_in_turn, span,
                  fmt::format("{}: the function of `{}` is evaluated once for all turns", what, iteration_->name))
           .related(iteration_->call, "in this loop")
           .help("write the loop with `for`, which is evaluated turn by turn"));
}

void Cuts::cut(const graph::Values& needed, Span span, plan::MadeCut* made) {
  if (!needed.empty()) refuse_in_iteration(span, "a tensor is read");
  made = replays_.cuts(span, made);
  cut_by(span, [&](plan::Execution& execution, graph::ValueTable& table) {
    const std::optional<FiniteCheck> check =
        builder_.context.check_finite ? std::optional<FiniteCheck>(std::in_place, builder_, needed) : std::nullopt;
    const auto keeps_history = [this] {
      const bool may_come = blocks_.gradients_may_come();
      if (may_come) end_unreachable_histories();
      return may_come;
    };
    const bool computed = execution.materialize(table, needed, keeps_history, span, made);
    if (check) check->expect_finite(execution);
    return computed;
  });
}

void Cuts::cut_by(Span span, const std::function<bool(plan::Execution&, graph::ValueTable&)>& compute) {
  if (!execution_) return;
  ++cuts_;
  graph::ValueTable& table = *builder_.table;
  operations_before_ = table.added();
  if (variables_changed_) {
    variables_changed_ = false;
    table.end_histories();
  }
  bool computed = false;
  try {
    computed = compute(*execution_, table);
  } catch (const UserError& error) { throw UserError(on_failure_(error.diagnostic())); }
  if (!computed) return;
  for (Counted& block : counted_) block.values.clear();
  reports_.add_last_plan(*execution_, span, builder_.frame());
  if (on_cut_) on_cut_(span);
  interrupt_.poll(span);
}

int64_t Cuts::operations_since() const { return builder_.table->added() - operations_before_; }

HostValue Cuts::read_number(const graph::Value& value, Span span) {
  refuse_in_iteration(span, "a tensor is read as a number");
  const ElementType element = value.element();
  if (domain_.is_abstract()) {
    cut({value}, span);
    if (domain_.is_plan() && reads_ && next_read_ < reads_->size())
      return number_of_host((*reads_)[next_read_++], element);
    return unknown_number(element);
  }
  const double number = fetch(value, span).number(0);
  if (reads_) reads_->push_back(number);
  return number_of_host(number, element);
}

plan::HostTensor Cuts::fetch(const graph::Value& value, Span span) {
  cut({value}, span);
  return execution_->fetch(value);
}

void Cuts::end_statement(const ast::BlockFacts& info, size_t statement, Scope& scope, bool keep_all) {
  if (!execution_) return;
  if (!keep_all) {
    const std::vector<Name>& expired = info.expires[statement];
    for (Binding& binding : scope.bindings)
      if (holds_tensors(binding.value) && std::find(expired.begin(), expired.end(), binding.name) != expired.end() &&
          !info.captured.contains(binding.name))
        binding.value = None{};
  }
  const int64_t most = execution_->has_remat() ? kMostPendingToRepeat : kMostPending;
  if (!iteration_ && operations_since() > most) cut({}, builder_.span);
  if (scope.outermost->cycles_are_due()) scope.outermost->let_go_of_cycles();
}

void Cuts::end_iteration(Waiting& waiting, Span loop) {
  if (!cuts_iterations()) return;
  if (cuts_each(waiting)) return cut({}, loop);
  if (waiting.cuts != cuts_) {
    waiting.cuts = cuts_;
    waiting.iterations = 0;
    waiting.added = std::max(waiting.added, operations_before_);
  }
  const int64_t added = builder_.table->added();
  const bool gains = builder_.context.mesh->size() > 1 || !in_counters();
  const int64_t most = waiting.is_outermost || !gains ? kManyPending : kManyPendingInside;
  const bool many = added - waiting.added > most * waiting.patience;
  if (++waiting.iterations < kMostIterations * waiting.patience && !many) return;
  waiting.iterations = 0;
  waiting.added = added;
  if (operations_since() == 0) return;
  const bool waits = blocks_.text_may_differentiate() && !(many && no_gradient_needs_pending());
  waiting.patience =
      waits ? 2 * waiting.patience : 1 + static_cast<int64_t>(blocks_.walked()) / kWalkedInAIteration / kMostIterations;
  if (!waits) cut({}, loop);
}

bool Cuts::no_gradient_needs_pending() {
  if (builder_.context.mesh->size() > 1 || execution_->record()) return false;
  end_unreachable_histories();
  const graph::Values pending = builder_.table->pending_held();
  // The new value of a variable is a leaf.
  return std::all_of(pending.begin(), pending.end(),
                     [](const graph::Value& value) { return value.node->is_looked_at || value.node->variable != 0; });
}

void Cuts::end_captured(const ast::BlockFacts& info, Scope& scope, bool keep_all) const {
  if (!keep_all)
    for (Binding& binding : scope.bindings)
      if (!info.captured.count(binding.name)) binding.value = None{};
  scope.outermost->may_hold(bytes_named_in(scope));
}

void Cuts::end_unreachable_histories() {
  if (iteration_ || domain_.uncertainty() > 0) return;
  std::unordered_map<graph::Node*, int> holders;
  std::unordered_map<const graph::Node*, int> held_at_look;
  for (const auto& [node, held] : looked_at_) {
    ++holders[node];
    held_at_look[node] = held;
  }
  std::unordered_map<const List*, long> lists, list_held_at_look;
  for (const auto& [list, held] : looked_at_lists_) list_held_at_look[list] = held;
  std::vector<const HostValue*> stack;
  const auto holds_list = [&](const List& list, long held) {
    if (const auto look = list_held_at_look.find(&list); look != list_held_at_look.end())
      held = std::min(held, look->second);
    if (++lists[&list] != held) return;
    for (const HostValue& item : list.items) stack.push_back(&item);
  };
  const auto walk = [&] {
    while (!stack.empty()) {
      const HostValue& at = *stack.back();
      stack.pop_back();
      if (auto* tensor = at.as<graph::Handle>()) ++holders[tensor->value().node.get()];
      else if (auto* list = at.as<ListPtr>()) holds_list(**list, list->use_count());
    }
  };
  const auto holds = [&](const HostValue& value) {
    stack.push_back(&value);
    walk();
  };
  for (const auto& [list, held] : looked_at_lists_) holds_list(*list, held);
  walk();
  blocks_.beyond_gradients(holds);
  for (const Counted& block : counted_)
    for (const HostValue& value : block.values) holds(value);
  for (const auto& [node, count] : holders) {
    const auto look = held_at_look.find(node);
    const int held = look == held_at_look.end() ? node->held(0) : std::min(node->held(0), look->second);
    if (node->operation->results.size() == 1 && held == count) node->is_looked_at = true;
  }
}

void Cuts::assigned(const VariablePtr& variable) {
  if (!counted_.empty()) counted_.back().values.emplace_back(variable);
  if (assigned_ != nullptr) assigned_->push_back(variable);
  variables_changed_ = true;
  ++assignments_;
}

void Cuts::made(const Scope& scope, const HostValue& value) {
  if (iteration_ || counted_.empty() || counted_.back().scope != &scope) return;
  if (tensor_of(value) || value.is<ListPtr>() || value.is<InstancePtr>()) counted_.back().values.push_back(value);
}

void Cuts::replace_counted(const Scope& owner, const HostValue& before, const HostValue& value) {
  if (counted_.back().scope == &owner) {
    auto is_before = [&](const HostValue& held) {
      if (auto* tensor = before.as<graph::Handle>())
        return held.is<graph::Handle>() && *held.as<graph::Handle>() == *tensor;
      auto* list = before.as<ListPtr>();
      return list != nullptr && held.is<ListPtr>() && *held.as<ListPtr>() == *list;
    };
    std::vector<HostValue>& values = counted_.back().values;
    if (auto at = std::find_if(values.rbegin(), values.rend(), is_before); at != values.rend()) {
      *at = value;
      return;
    }
    made(owner, value);
  } else if (const Scope* scope = blocks_.innermost()) {
    made(*scope, value);
  }
}

std::optional<plan::Counters> Cuts::counted(const Scope& scope, Span block, const std::function<void()>& walk) {
  refuse_in_iteration(block, "`counters`");
  if (!execution_) {
    walk();
    return std::nullopt;
  }
  scope.outermost->let_go_of_cycles();  // the count must not depend on when the next search is due
  cut({}, block);                       // pending operations from before the block are not counted
  execution_->runtime().restart_peak();
  const plan::Counters before = execution_->counters();
  counted_.push_back({&scope, {}});
  PopLast pop(counted_);
  walk();
  scope.outermost->let_go_of_cycles();
  cut(taken(counted_.back().values), block);
  if (domain_.is_abstract()) return std::nullopt;
  return difference(execution_->counters(), before);
}

}  // namespace mtf::eval
