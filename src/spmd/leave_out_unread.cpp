#include <algorithm>

#include "spmd/passes.h"

namespace mtf::spmd {

void leave_out_unread(LocalProgram& program) {
  if (!program.passes_over_windows) return;
  std::vector<bool> is_read(program.values.size());
  for (const std::vector<int>& outputs : program.outputs)
    for (int value : outputs) is_read[value] = true;
  for (auto instruction = program.instructions.rbegin(); instruction != program.instructions.rend(); ++instruction) {
    const bool needed = instruction->kind == InstructionKind::kInput ||
                        std::any_of(instruction->results.begin(), instruction->results.end(),
                                    [&](int value) { return is_read[value]; });
    if (!needed) {
      instruction->results.clear();
      continue;
    }
    for (int operand : instruction->operands) is_read[operand] = true;
  }
  std::erase_if(program.instructions, [](const Instruction& instruction) { return instruction.results.empty(); });
}

}  // namespace mtf::spmd
