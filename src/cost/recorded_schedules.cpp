#include "cost/recorded_schedules.h"

#include <map>

#include "spmd/carry_splits.h"
#include "spmd/split.h"

namespace mtf {

void each_schedule(const ProgramRecord& record, Relayout& relayout, const std::function<void(size_t, const Schedule&, int64_t)>& visit,
                   const std::vector<int64_t>& before, Decides until) {
  ScheduleOptions options;
  options.until = until;
  std::map<std::pair<int32_t, int32_t>, std::vector<Sharding>> left;  // copies, by program and place in its for_gradients
  for (size_t i = 0; i < record.programs().size(); ++i) {
    const ProgramRecord::Entry& entry = record.programs()[i];
    Program program = relayout.program(entry.recorded);
    carry_splits(program, entry.recorded.only_history);
    relayout.computed(static_cast<int32_t>(i), program, entry.recorded.only_history);
    for (size_t k = 0; k < program.inputs.size(); ++k)
      for (const auto& source : entry.recorded.copied_by[k])
        for (const Sharding& sharding : left[source]) program.inputs[k].copies.push_back({sharding, {}});
    const int64_t times = entry.times - (i < before.size() ? before[i] : 0);
    if (times <= 0 && program.for_gradients.empty()) continue;
    LocalProgram local = split(program);
    for (size_t c = 0; c < local.copied.size(); ++c)
      left[{static_cast<int32_t>(i), local.copied[c]}].push_back(local.values[local.outputs[program.roots.size() + c][0]].sharding());
    if (times > 0) visit(i, schedule(std::move(local), options), times);
  }
}

}  // namespace mtf
