// What an instruction costs the largest processor, from the local program alone.
#include "spmd/collectives.h"
#include "spmd/work.h"
#include "types/saturating.h"

namespace mtf {

InstructionCost cost_of(const LocalProgram& program, const Instruction& instruction) {
  InstructionCost cost;
  cost.flops = work_of(program, instruction);
  const CollectiveRecord* record = find_collective(instruction.kind);
  if (record == nullptr) return cost;
  const LocalValue& from = program.values[instruction.operands[0]];
  const LocalValue& to = program.values[instruction.results[0]];
  if (from.mesh->group_size(instruction.axes) <= 1) return cost;
  const int64_t sent = record->sent(from, to, instruction.axes);
  if (sent == 0 && !record->counts_if_nothing_moves) return cost;
  cost.count = 1;
  cost.values = record->values(from, to, instruction.axes);
  cost.bytes = cost.values.times(size_of(from.element));
  cost.wire_bytes = saturating_multiply(sent, size_of(from.element));
  return cost;
}

std::vector<InstructionCost> costs_of_step(const LocalProgram& program, const std::vector<int>& instructions) {
  std::vector<InstructionCost> costs;
  for (int i : instructions) costs.push_back(cost_of(program, program.instructions[static_cast<size_t>(i)]));
  const Instruction& first = program.instructions[static_cast<size_t>(instructions[0])];
  if (instructions.size() < 2 || costs[0].count == 0) return costs;
  const LocalValue& value = program.values[first.operands[0]];
  std::vector<int64_t> elements;
  for (const InstructionCost& cost : costs) elements.push_back(cost.values.value());
  const std::vector<int64_t> shares = wire_bytes_of_merged(value.mesh->group_size(first.axes), elements, size_of(value.element));
  for (size_t i = 0; i < costs.size(); ++i) costs[i].wire_bytes = shares[i];
  return costs;
}

}  // namespace mtf
