#include "schedule/passes.h"
#include "support/integers.h"

namespace mtf::schedule {

void cut_all_reduces(Schedule& schedule) {
  for (Step& step : schedule.steps) {
    if (step.kind != StepKind::kCollective) continue;
    step.calls = 1;
    const spmd::Instruction& instruction = schedule.program.instructions[step.instructions[0]];
    if (instruction.kind != spmd::InstructionKind::kAllReduce || step.instructions.size() > 1) continue;
    const spmd::LocalValue& value = schedule.program.values[instruction.operands[0]];
    int64_t bytes = largest_block(value) * size_of(value.element);
    step.calls = std::max<int64_t>(1, ceil_div(bytes, spmd::kLargestAllReduce));
  }
}

}  // namespace mtf::schedule
