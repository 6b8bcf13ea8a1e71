#include "plan/predict.h"

#include "schedule/pack.h"
#include "spmd/instruction_costs.h"
#include "types/saturating.h"

namespace mtf {
namespace {

int64_t bytes_of(const LocalProgram& program, int value) {
  return saturating_multiply(largest_block(program.values[value]), size_of(program.values[value].element));
}

int64_t run_bytes(const Schedule& schedule) {
  const LocalProgram& program = schedule.program;
  std::vector<PackItem> arena;
  int64_t outputs = 0, all = 0;
  for (const Buffer& buffer : schedule.buffers) {
    int64_t bytes = 0;
    if (buffer.kind == BufferKind::kStaging) {
      for (int i : schedule.steps[buffer.first].instructions) {
        const Instruction& instruction = program.instructions[i];
        const int64_t staging = staging_bytes(instruction, bytes_of(program, instruction.operands[0]), bytes_of(program, instruction.results[0]));
        bytes = saturating_add(bytes, padded(staging));
      }
    } else {
      bytes = padded(bytes_of(program, buffer.value));
    }
    all = saturating_add(all, bytes);
    if (all >= kMost / 2) return kMost;  // more than could be packed
    if (buffer.kind == BufferKind::kOutput) outputs += bytes;
    if (buffer.kind == BufferKind::kArena || buffer.kind == BufferKind::kStaging)
      arena.push_back({bytes, buffer.first, buffer.last, 0});
  }
  return outputs + pack(arena);
}

}  // namespace

Prediction predict_without_memory(const Schedule& schedule) {
  const LocalProgram& program = schedule.program;
  Prediction prediction;
  Counters& counters = prediction.counters;
  prediction.costs.resize(program.instructions.size());
  InstructionCosts all(program);
  for (const Step& step : schedule.steps) {
    int64_t calls = step.calls;
    std::vector<InstructionCost> costs = all.of_step(step.instructions);
    for (size_t i = 0; i < costs.size(); ++i) {
      const InstructionCost& cost = prediction.costs[step.instructions[i]] = std::move(costs[i]);
      counters.flops = saturating_add(counters.flops, cost.flops.value());
      if (cost.count == 0) continue;
      const Instruction& instruction = program.instructions[step.instructions[i]];
      const LocalValue& from = program.values[instruction.operands[0]];
      counters.collectives[static_cast<int>(counted_as(instruction.kind))][from.mesh->axes_to_string(instruction.axes)] +=
          CollectiveCount{cost.count, calls, cost.values.value(), cost.bytes.value(), cost.wire_bytes};
      calls = 0;  // those of the step
    }
  }
  counters.unique_flops = program.unique_flops.value();
  for (const LocalValue& value : program.values)
    if (value.mesh) counters.processors = std::max(counters.processors, value.mesh->size());
  return prediction;
}

Prediction predict(const Schedule& schedule) {
  Prediction prediction = predict_without_memory(schedule);
  prediction.counters.peak_bytes = run_bytes(schedule);
  return prediction;
}

namespace {

/// `y: f32[batch=64/rows]`
std::string text_of(const LocalValue& value) {
  bool mapped = false;
  for (const LocalDim& dim : value.dims) mapped |= dim.mapped;
  return value.name + ": " + (mapped || !value.mesh ? to_string(value.type()) : to_string(value.type(), value.sharding(), *value.mesh));
}

}  // namespace

std::vector<StatementCost> costs_of(const Schedule& schedule, const std::vector<InstructionCost>& costs) {
  const LocalProgram& program = schedule.program;
  std::vector<StatementCost> result;
  for (size_t i = 0; i < program.instructions.size(); ++i) {
    const Instruction& instruction = program.instructions[i];
    const InstructionCost& cost = costs[i];
    bool collective = is_collective(instruction.kind);
    if (collective ? cost.count == 0 : cost.flops.terms().empty()) continue;
    const LocalValue& value = program.values[instruction.results[0]];
    StatementCost entry;
    entry.value = text_of(value);
    entry.span = instruction.node->span;
    entry.frame = instruction.node->frame;
    if (collective) {
      entry.collective = counted_as(instruction.kind);
      entry.axes = value.mesh->axes_to_string(instruction.axes);
      entry.from = text_of(program.values[instruction.operands[0]]);
    }
    entry.flops = cost.flops.value();
    entry.values = cost.values.value();
    entry.bytes = cost.bytes.value();
    entry.wire_bytes = cost.wire_bytes;
    entry.formula = to_string(collective ? cost.values : cost.flops);
    entry.reason = instruction.reason;
    entry.decided = instruction.node->origin;
    result.push_back(std::move(entry));
  }
  return result;
}

}  // namespace mtf
