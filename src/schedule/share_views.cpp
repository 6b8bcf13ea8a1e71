#include <algorithm>
#include <numeric>

#include "schedule/passes.h"

namespace mtf {

void share_views(Schedule& schedule) {
  const LocalProgram& program = schedule.program;
  schedule.alias_of.resize(program.values.size());
  std::iota(schedule.alias_of.begin(), schedule.alias_of.end(), 0);
  schedule.steps.clear();
  schedule.steps.reserve(program.instructions.size());
  for (size_t i = 0; i < program.instructions.size(); ++i) {
    const Instruction& instruction = program.instructions[i];
    if (instruction.kind == InstructionKind::kInput) continue;
    if (shares_memory(program, instruction)) {
      schedule.alias_of[instruction.results[0]] = schedule.alias_of[instruction.operands[0]];
      continue;
    }
    Step& step = schedule.steps.emplace_back();
    step.kind = is_loop(instruction)                           ? StepKind::kLoop
                : instruction.kind == InstructionKind::kCompute ? StepKind::kKernel
                : instruction.kind == InstructionKind::kSlice   ? StepKind::kSlice
                                                                : StepKind::kCollective;
    step.instructions = {static_cast<int>(i)};
    step.writes = instruction.results;
    for (int v : instruction.operands)
      if (std::find(step.reads.begin(), step.reads.end(), v) == step.reads.end()) step.reads.push_back(v);
  }
}

}  // namespace mtf
