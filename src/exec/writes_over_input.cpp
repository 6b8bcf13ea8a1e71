#include "exec/writes_over_input.h"

#include <algorithm>

namespace mtf {

size_t writes_over_input(const Schedule& schedule) {
  const auto is_input = [&](int v) {
    const int buffer = schedule.buffer_of[v];
    return buffer >= 0 && schedule.buffers[buffer].kind == BufferKind::kInput;
  };
  const auto first = std::find_if(schedule.steps.begin(), schedule.steps.end(), [&](const Step& step) {
    return step.kind != StepKind::kWindow && std::any_of(step.writes.begin(), step.writes.end(), is_input);
  });
  return static_cast<size_t>(first - schedule.steps.begin());
}

}  // namespace mtf
