#include "cost/layout_costs.h"

#include <algorithm>

#include "spmd/carry_splits.h"
#include "spmd/split.h"
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

bool LayoutCosts::is_estimate() const {
  return std::any_of(record_->programs().begin(), record_->programs().end(), [](const ProgramRecord::Entry& entry) { return entry.is_estimate; });
}

ScriptCost LayoutCosts::in(const MeshPtr& mesh, const LayoutPtr& rules) const {
  ScriptCost total;
  Relayout relayout(*record_->layouts(), mesh, rules);
  ScheduleOptions options;
  options.costs_only = true;
  for (size_t i = 0; i < record_->programs().size(); ++i) {
    const ProgramRecord::Entry& entry = record_->programs()[i];
    Program program = relayout.program(entry.recorded);
    carry_splits(program, entry.recorded.only_history);
    relayout.computed(static_cast<int32_t>(i), program, entry.recorded.only_history);
    if (entry.times == 0) continue;
    const Schedule schedule = mtf::schedule(split(program), options);
    const Prediction prediction = predict_without_memory(schedule);
    add_times(total.counters, prediction.counters, entry.times);
    if (machine_) total.time.add(time_of(schedule, prediction.costs, *machine_), entry.times);
  }
  for (const LayoutRecord::Variable& variable : record_->layouts()->variables()) {
    int64_t& bytes = variable.trainable ? total.parameter_bytes : total.state_bytes;
    bytes = saturating_add(bytes, bytes_of(*relayout.operation(variable.decision)));
  }
  return total;
}

}  // namespace mtf
