#include <algorithm>

#include "schedule/passes.h"

namespace mtf {

void overlap_collectives(Schedule& schedule) {
  const std::vector<Step>& steps = schedule.steps;
  for (size_t s = 0; s < steps.size(); ++s) {
    if (steps[s].kind != StepKind::kCollective) continue;
    size_t next = s + 1;
    auto reads_result = [&](const Step& step) {
      return std::any_of(step.reads.begin(), step.reads.end(), [&](int v) {
        const std::vector<int>& made = steps[s].writes;
        return std::find(made.begin(), made.end(), schedule.alias_of[v]) != made.end();
      });
    };
    while (next < steps.size() && !reads_result(steps[next])) ++next;
    schedule.steps[s].finish = static_cast<int>(next);
  }
}

}  // namespace mtf
