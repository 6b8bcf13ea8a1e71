#include "run/bound_plan.h"

#include <algorithm>
#include <optional>

#include "run/run_counts.h"

namespace mtf::run {
namespace {

/// Returns the first step that overwrites an input, after which the plan cannot be given up. Returns the number of
/// steps if no step does.
size_t writes_over_input(const schedule::Schedule& schedule) {
  const auto is_input = [&](int v) {
    const int buffer = schedule.buffer_of[v];
    return buffer >= 0 && schedule.buffers[buffer].kind == schedule::BufferKind::kInput;
  };
  const auto first = std::find_if(schedule.steps.begin(), schedule.steps.end(), [&](const schedule::Step& step) {
    return step.kind != schedule::StepKind::kWindow && std::any_of(step.writes.begin(), step.writes.end(), is_input);
  });
  return static_cast<size_t>(first - schedule.steps.begin());
}

}  // namespace

struct BoundPlan::Impl {
  Machine& machine;
  StepExecutor steps;
  const size_t stops_before;
  std::optional<RunCounts> counts = {};  // of the first run
};

BoundPlan::BoundPlan(std::shared_ptr<const schedule::Schedule> schedule, Machine& machine, bool share)
    : impl_(new Impl{machine, {schedule, machine, machine.hostings, share}, writes_over_input(*schedule)}) {}
BoundPlan::~BoundPlan() = default;

int64_t BoundPlan::bytes() const {
  const Frame& frame = impl_->steps.frame();
  return frame.arena_bytes() + frame.shared_bytes() + frame.output_bytes();
}
int64_t BoundPlan::shared_bytes() const { return impl_->steps.frame().shared_bytes(); }
const plan::Counters& BoundPlan::counted() const {
  static const plan::Counters none;
  return impl_->counts ? impl_->counts->counters : none;
}

std::vector<std::shared_ptr<plan::Tensor>> BoundPlan::run(const plan::PlanInputs& inputs) {
  StepExecutor& steps = impl_->steps;
  Machine& machine = impl_->machine;
  steps.frame().fit_arena(machine);
  const std::vector<std::shared_ptr<Storage>> storages = steps.frame().place_ends(
      machine, inputs.values, steps.steps().empty() ? Span() : steps.steps().back().first->node->span);
  steps.run(inputs, impl_->stops_before);
  if (!impl_->counts) impl_->counts = count_run(steps, machine.transport);
  machine.sent += impl_->counts->sent;
  return steps.frame().outputs(storages);
}

BoundPlan* BoundPlans::find(const plan::Plan& plan) const {
  const auto at = kept_.find(&plan);
  return at == kept_.end() || at->second.plan.expired() ? nullptr : at->second.bound.get();
}

BoundPlan& BoundPlans::keep(const std::shared_ptr<const plan::Plan>& plan, std::unique_ptr<BoundPlan> bound) {
  if (kept_.size() >= next_sweep_) {
    std::erase_if(kept_, [](const auto& entry) { return entry.second.plan.expired(); });
    next_sweep_ = kept_.size() + kept_.size() / 8 + 8;
  }
  Kept& kept = kept_[plan.get()] = {plan, std::move(bound)};
  return *kept.bound;
}

}  // namespace mtf::run
