#include "schedule/passes.h"

namespace mtf {

void overlap_collectives(Schedule& schedule) {
  std::vector<Step>& steps = schedule.steps;
  std::vector<int> unread(schedule.program.values.size(), -1);  // for each value: the collective that makes it, until it is read
  for (size_t s = 0; s < steps.size(); ++s) {
    for (int v : steps[s].reads) {
      const int maker = unread[schedule.alias_of[v]];
      if (maker < 0) continue;
      steps[maker].finish = static_cast<int>(s);
      for (int made : steps[maker].writes) unread[made] = -1;
    }
    if (steps[s].kind != StepKind::kCollective) continue;
    steps[s].finish = static_cast<int>(steps.size());
    for (int v : steps[s].writes) unread[v] = static_cast<int>(s);
  }
}

}  // namespace mtf
