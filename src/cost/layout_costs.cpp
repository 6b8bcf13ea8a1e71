#include "cost/layout_costs.h"

#include "cost/recorded_schedules.h"
#include "plan/predict.h"
#include "types/saturating.h"

namespace mtf::cost {
namespace {

int64_t bytes_of(const graph::LaidOutOperation& variable) {
  const TensorType& type = variable.results[0];
  int64_t bytes = size_of(type.element);
  for (size_t d = 0; d < type.dims.size(); ++d)
    bytes = saturating_multiply(bytes, block_size(type.dims[d].size, variable.shardings[0].dims[d], *variable.mesh));
  return bytes;
}

/// Returns the time of one run of a plan, with what the host does before the next.
StepTime time_of_run(const schedule::Schedule& schedule, const std::vector<spmd::InstructionCost>& costs,
                     const MachineModel& machine) {
  StepTime time = time_of(schedule, costs, machine);
  time.host = machine.host;
  return time;
}

}  // namespace

plan::Doubts LayoutCosts::doubts() const {
  plan::Doubts doubts;
  for (size_t i = before_.doubts; i < record_->doubts().size(); ++i) add_doubt(doubts, record_->doubts()[i]);
  return doubts;
}

plan::Decides LayoutCosts::decides() const {
  return machine_ && machine_->overlap > 0 ? plan::Decides::kOverlap : plan::Decides::kCosts;
}

double LayoutCosts::seconds_of(size_t program, const MeshPtr& mesh, const LayoutPtr& rules) const {
  double seconds = 0;
  graph::Relayout relayout(*record_->layouts(), mesh, rules);
  each_schedule(
      *record_, relayout,
      [&](size_t, const schedule::Schedule& schedule, int64_t times) {
        seconds = static_cast<double>(times) *
                  time_of_run(schedule, plan::predict_without_memory(schedule).costs, *machine_).total();
      },
      before_.times, decides(), program);
  return seconds;
}

ScriptCost LayoutCosts::in(const MeshPtr& mesh, const LayoutPtr& rules) const {
  ScriptCost total;
  graph::Relayout relayout(*record_->layouts(), mesh, rules);
  each_schedule(
      *record_, relayout,
      [&](size_t, const schedule::Schedule& schedule, int64_t times) {
        const plan::Prediction prediction = plan::predict_without_memory(schedule);
        add_times(total.counters, prediction.counters, times);
        if (machine_) total.time.add(time_of_run(schedule, prediction.costs, *machine_), times);
      },
      before_.times, decides());
  for (const graph::LayoutRecord::Variable& variable : record_->layouts()->variables()) {
    int64_t& bytes = variable.trainable ? total.parameter_bytes : total.state_bytes;
    bytes = saturating_add(bytes, bytes_of(*relayout.operation(variable.decision)));
  }
  return total;
}

}  // namespace mtf::cost
