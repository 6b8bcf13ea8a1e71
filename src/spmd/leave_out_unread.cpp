#include <algorithm>

#include "spmd/passes.h"

namespace mtf {

void leave_out_unread(LocalProgram& program) {
  std::vector<bool> is_read(program.values.size());
  for (const std::vector<int>& outputs : program.outputs)
    for (int value : outputs) is_read[value] = true;
  bool is_any_unread = false;
  for (auto instruction = program.instructions.rbegin(); instruction != program.instructions.rend(); ++instruction) {
    const bool needed =
        instruction->kind == InstructionKind::kInput ||
        std::any_of(instruction->results.begin(), instruction->results.end(), [&](int value) { return is_read[value]; });
    if (!needed) {
      instruction->results.clear();
      is_any_unread = true;
      continue;
    }
    for (int operand : instruction->operands) is_read[operand] = true;
  }
  if (is_any_unread)
    std::erase_if(program.instructions, [](const Instruction& instruction) { return instruction.results.empty(); });
}

}  // namespace mtf
