#include <deque>

#include "schedule/passes.h"

namespace mtf::schedule {
namespace {

constexpr size_t kCollectivesAtOnce = 4;

}  // namespace

void overlap_collectives(Schedule& schedule) {
  std::vector<Step>& steps = schedule.steps;
  std::deque<size_t> latest;
  std::vector<int> unread(schedule.program.values.size(),
                          -1);  // for each value: its collective, until it is read
  for (size_t s = 0; s < steps.size(); ++s) {
    for (int v : steps[s].reads) {
      const int maker = unread[schedule.alias_of[v]];
      if (maker < 0) continue;
      steps[maker].finish = std::min(steps[maker].finish, static_cast<int>(s));
      for (int made : steps[maker].writes) unread[made] = -1;
    }
    if (steps[s].kind != StepKind::kCollective) continue;
    steps[s].finish = static_cast<int>(steps.size());
    if (latest.size() == kCollectivesAtOnce) {
      Step& oldest = steps[latest.front()];
      oldest.finish = std::min(oldest.finish, static_cast<int>(s));
      latest.pop_front();
    }
    latest.push_back(s);
    for (int v : steps[s].writes) unread[v] = static_cast<int>(s);
  }
}

}  // namespace mtf::schedule
