#include "cost/layout_costs.h"

#include "cost/recorded_schedules.h"
#include "plan/predict.h"
#include "types/saturating.h"

namespace mtf {
namespace {

int64_t bytes_of(const LaidOutOperation& variable) {
  const TensorType& type = variable.results[0];
  int64_t bytes = size_of(type.element);
  for (size_t d = 0; d < type.dims.size(); ++d)
    bytes = saturating_multiply(bytes, block_size(type.dims[d].size, variable.shardings[0].dims[d], *variable.mesh));
  return bytes;
}

}  // namespace

Doubts LayoutCosts::doubts() const {
  Doubts doubts;
  for (size_t i = before_.doubts; i < record_->doubts().size(); ++i) add_doubt(doubts, record_->doubts()[i]);
  return doubts;
}

Decides LayoutCosts::decides() const { return machine_ && machine_->overlap > 0 ? Decides::kOverlap : Decides::kCosts; }

double LayoutCosts::seconds_of(size_t program, const MeshPtr& mesh, const LayoutPtr& rules) const {
  double seconds = 0;
  Relayout relayout(*record_->layouts(), mesh, rules);
  each_schedule(*record_, relayout, [&](size_t, const Schedule& schedule, int64_t times) {
    seconds = static_cast<double>(times) * time_of(schedule, predict_without_memory(schedule).costs, *machine_).total();
  }, before_.times, decides(), program, poll_);
  return seconds;
}

ScriptCost LayoutCosts::in(const MeshPtr& mesh, const LayoutPtr& rules, const StoredLayoutsPtr& stored) const {
  ScriptCost total;
  Relayout relayout(*record_->layouts(), mesh, rules, stored);
  each_schedule(*record_, relayout, [&](size_t, const Schedule& schedule, int64_t times) {
    const Prediction prediction = predict_without_memory(schedule);
    add_times(total.counters, prediction.counters, times);
    if (machine_) total.time.add(time_of(schedule, prediction.costs, *machine_), times);
  }, before_.times, decides(), std::nullopt, poll_);
  for (const LayoutRecord::Variable& variable : record_->layouts()->variables()) {
    int64_t& bytes = variable.trainable ? total.parameter_bytes : total.state_bytes;
    bytes = saturating_add(bytes, bytes_of(*relayout.operation(variable.decision)));
  }
  return total;
}

}  // namespace mtf
