// Computes the cost of an instruction, for the processor with the largest blocks, from the local program alone.
#include <algorithm>

#include "graph/region.h"
#include "spmd/collectives.h"
#include "spmd/instruction_costs.h"
#include "spmd/pipeline.h"
#include "spmd/work.h"
#include "types/saturating.h"

namespace mtf::spmd {

InstructionCost cost_of(const LocalProgram& program, const Instruction& instruction) {
  InstructionCost cost;
  cost.flops = work_of(program, instruction);
  if (instruction.iteration)
    for (const Instruction& each : instruction.iteration->instructions)
      cost.flops.add(cost_of(*instruction.iteration, each).flops.times(most_iterations(*instruction.node)));
  const CollectiveRecord* record = find_collective(instruction.kind);
  if (record == nullptr) return cost;
  const LocalValue& from = program.values[instruction.operands[0]];
  const LocalValue& to = program.values[instruction.results[0]];
  if (from.mesh->group_size(instruction.axes) <= 1) return cost;
  const Sent sent = most_sent(instruction.kind, from, to, instruction.axes);
  if (sent.elements == 0 && !record->counts_if_nothing_moves) return cost;
  cost.count = 1;
  cost.values = payload_of(*record, from, to, sent);
  cost.bytes = cost.values.times(size_of(from.element));
  cost.wire_bytes = mtf::saturating_multiply(sent.elements, size_of(from.element));
  cost.messages = sent.messages;
  if (instruction.kind == InstructionKind::kTakeOver) {  // each chunk of a stage receives each micro-batch
    const int64_t chunks = chunks_of(*instruction.node);
    cost.count *= chunks;
    cost.values = cost.values.times(chunks);
    cost.bytes = cost.bytes.times(chunks);
    cost.wire_bytes = mtf::saturating_multiply(cost.wire_bytes, chunks);
    cost.messages *= chunks;
  }
  return cost;
}

bool InstructionCosts::alike(const Instruction& a, const Instruction& b) const {
  const auto lie_alike = [&](int x, int y) {
    const LocalValue &v = program_.values[x], &w = program_.values[y];
    return v.element == w.element && v.mesh == w.mesh && v.partial == w.partial && v.dims == w.dims;
  };
  return a.kind == b.kind && a.axes == b.axes && a.is_repeated == b.is_repeated &&
         std::equal(a.operands.begin(), a.operands.end(), b.operands.begin(), b.operands.end(), lie_alike) &&
         std::equal(a.results.begin(), a.results.end(), b.results.begin(), b.results.end(), lie_alike);
}

const InstructionCost& InstructionCosts::of(int instruction) {
  const Instruction& asked = program_.instructions[instruction];
  const int32_t form = forms_.of(asked.node);
  const auto [begin, end] = known_.equal_range(form);
  for (auto at = begin; at != end; ++at)
    if (alike(program_.instructions[at->second.first], asked)) return at->second.second;
  return known_.emplace(form, std::pair(instruction, cost_of(program_, asked)))->second.second;
}

std::vector<InstructionCost> InstructionCosts::of_step(const std::vector<int>& instructions) {
  std::vector<InstructionCost> costs;
  costs.reserve(instructions.size());
  for (int i : instructions) costs.push_back(of(i));
  const Instruction& first = program_.instructions[instructions[0]];
  if (instructions.size() < 2 || costs[0].count == 0) return costs;
  const LocalValue& value = program_.values[first.operands[0]];
  std::vector<int64_t> elements;
  for (const InstructionCost& cost : costs) elements.push_back(cost.values.value());
  const std::vector<int64_t> shares =
      wire_bytes_of_merged(value.mesh->group_size(first.axes), elements, size_of(value.element));
  for (size_t i = 0; i < costs.size(); ++i) costs[i].wire_bytes = shares[i];
  return costs;
}

}  // namespace mtf::spmd
