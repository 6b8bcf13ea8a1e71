#include "cost/recorded_schedules.h"

#include "spmd/carry_splits.h"
#include "spmd/split.h"

namespace mtf {

void each_schedule(const ProgramRecord& record, Relayout& relayout, const std::function<void(size_t, const Schedule&, int64_t)>& visit,
                   const std::vector<int64_t>& before, Decides until) {
  ScheduleOptions options;
  options.until = until;
  for (size_t i = 0; i < record.programs().size(); ++i) {
    const ProgramRecord::Entry& entry = record.programs()[i];
    Program program = relayout.program(entry.recorded);
    carry_splits(program, entry.recorded.only_history);
    relayout.computed(static_cast<int32_t>(i), program, entry.recorded.only_history);
    const int64_t times = entry.times - (i < before.size() ? before[i] : 0);
    if (times > 0) visit(i, schedule(split(program), options), times);
  }
}

}  // namespace mtf
