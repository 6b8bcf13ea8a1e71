#include <algorithm>
#include <numeric>

#include "schedule/passes.h"
#include "support/interrupt.h"

namespace mtf::schedule {
namespace {

/// Makes windows of kernels that only select a part of memory, except for outputs, which need tensors of their own.
void open_windows(Schedule& schedule) {
  std::vector<bool> is_output(schedule.program.values.size(), false);
  for (const std::vector<int>& outputs : schedule.program.outputs)
    for (int v : outputs) is_output[schedule.alias_of[v]] = true;
  for (Step& step : schedule.steps)
    if (step.kind == StepKind::kKernel && !is_output[step.writes[0]] &&
        is_window(schedule.program, schedule.program.instructions[step.instructions[0]]))
      step.kind = StepKind::kWindow;
}

}  // namespace

Step step_of(const spmd::LocalProgram& program, std::vector<int> instructions) {
  const spmd::Instruction& first = program.instructions[instructions[0]];
  Step step;
  step.kind = first.iteration                                 ? StepKind::kIterations
              : is_loop(first)                                ? StepKind::kFusion
              : first.kind == spmd::InstructionKind::kCompute ? StepKind::kKernel
              : first.kind == spmd::InstructionKind::kSlice   ? StepKind::kSlice
                                                              : StepKind::kCollective;
  for (int i : instructions) {
    step.writes.insert(step.writes.end(), program.instructions[i].results.begin(),
                       program.instructions[i].results.end());
    for (int v : program.instructions[i].operands)
      if (std::find(step.reads.begin(), step.reads.end(), v) == step.reads.end()) step.reads.push_back(v);
  }
  if (first.iteration) {
    step.iteration = std::make_shared<Schedule>();
    step.iteration->program = *first.iteration;
    share_views(*step.iteration);
  }
  step.instructions = std::move(instructions);
  return step;
}

void share_views(Schedule& schedule) {
  const spmd::LocalProgram& program = schedule.program;
  schedule.alias_of.resize(program.values.size());
  std::iota(schedule.alias_of.begin(), schedule.alias_of.end(), 0);
  schedule.steps.clear();
  schedule.steps.reserve(program.instructions.size());
  for (size_t i = 0; i < program.instructions.size(); ++i) {
    check_interrupt();
    const spmd::Instruction& instruction = program.instructions[i];
    if (instruction.kind == spmd::InstructionKind::kInput) continue;
    if (shares_memory(program, instruction)) {
      schedule.alias_of[instruction.results[0]] = schedule.alias_of[instruction.operands[0]];
      continue;
    }
    schedule.steps.push_back(step_of(program, {static_cast<int>(i)}));
  }
  open_windows(schedule);
}

}  // namespace mtf::schedule
