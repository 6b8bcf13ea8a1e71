#include <algorithm>
#include <numeric>

#include "schedule/passes.h"

namespace mtf {

void share_views(Schedule& schedule) {
  const LocalProgram& program = schedule.program;
  schedule.alias_of.resize(program.values.size());
  std::iota(schedule.alias_of.begin(), schedule.alias_of.end(), 0);
  schedule.steps.clear();
  for (size_t i = 0; i < program.instructions.size(); ++i) {
    const Instruction& instruction = program.instructions[i];
    if (instruction.kind == InstructionKind::kInput) continue;
    if (shares_memory(program, instruction)) {
      schedule.alias_of[instruction.results[0]] = schedule.alias_of[instruction.operands[0]];
      continue;
    }
    if (is_loop(instruction)) {
      schedule.steps.push_back(single_loop(schedule, static_cast<int>(i)));
      continue;
    }
    Step step;
    step.kind = instruction.kind == InstructionKind::kCompute ? StepKind::kKernel
                : instruction.kind == InstructionKind::kSlice ? StepKind::kSlice
                                                              : StepKind::kCollective;
    step.instructions = {static_cast<int>(i)};
    step.writes = instruction.results;
    for (int v : instruction.operands)
      if (std::find(step.reads.begin(), step.reads.end(), v) == step.reads.end()) step.reads.push_back(v);
    schedule.steps.push_back(std::move(step));
  }
}

}  // namespace mtf
