#include "spmd/statement_costs.h"

#include <algorithm>

#include "graph/region.h"
#include "spmd/local_program.h"
#include "support/interrupt.h"
#include "support/own_names.h"
#include "types/saturating.h"

namespace mtf::spmd {
namespace {

NamedBlock named(const LocalValue& value) {
  const bool is_interval =
      std::any_of(value.dims.begin(), value.dims.end(), [](const LocalDim& dim) { return dim.mapped; });
  if (is_interval || !value.mesh) return {value.name, value.type()};
  return {value.name, value.type(), value.sharding(), value.mesh};
}

}  // namespace

std::string to_string(const NamedBlock& block) {
  return settled(block.name + ": " +
                 (block.mesh ? to_string(block.type, block.sharding, *block.mesh) : to_string(block.type)));
}

bool is_counted(const Instruction& instruction, const InstructionCost& cost) {
  return is_collective(instruction.kind) ? cost.count > 0 : !cost.flops.terms().empty();
}

static WorkKind work_of(const graph::Op& op) {
  if (op.role == graph::Role::kContraction) return WorkKind::kProduct;
  return op.name.starts_with("attention") ? WorkKind::kAttention : WorkKind::kOther;
}

StatementCost statement_cost(const LocalProgram& program, const Instruction& instruction, const InstructionCost& cost,
                             int64_t times) {
  const bool collective = is_collective(instruction.kind);
  const LocalValue& value = program.values[instruction.results[0]];
  StatementCost entry;
  entry.value = named(value);
  entry.span = instruction.node->span;
  entry.times = times;
  entry.frame = instruction.node->frame;
  if (collective) {
    entry.collective = counted_as(instruction.kind);
    entry.axes = value.mesh->names_of(instruction.axes);
    entry.from = named(program.values[instruction.operands[0]]);
  }
  entry.flops = cost.flops.value();
  entry.values = cost.values.value();
  entry.bytes = cost.bytes.value();
  entry.wire_bytes = cost.wire_bytes;
  entry.formula = collective ? cost.values : cost.flops;
  entry.reason = instruction.reason;
  entry.decided = instruction.node->origin;
  if (!collective) entry.work = work_of(*instruction.node->op);
  if (!instruction.operands.empty()) entry.element = program.values[instruction.operands[0]].element;
  return entry;
}

static void append_costs(std::vector<StatementCost>& result, const LocalProgram& program,
                         const std::vector<InstructionCost>& costs, int64_t times) {
  for (size_t i = 0; i < program.instructions.size(); ++i) {
    check_interrupt();
    const Instruction& instruction = program.instructions[i];
    if (instruction.iteration) {
      std::vector<InstructionCost> of_iteration;
      for (const Instruction& each : instruction.iteration->instructions)
        of_iteration.push_back(cost_of(*instruction.iteration, each));
      append_costs(result, *instruction.iteration, of_iteration,
                   mtf::saturating_multiply(times, most_iterations(*instruction.node)));
    } else if (is_counted(instruction, costs[i])) {
      result.push_back(statement_cost(program, instruction, costs[i], times));
    }
  }
}

std::vector<StatementCost> costs_of(const LocalProgram& program, const std::vector<InstructionCost>& costs) {
  std::vector<StatementCost> result;
  append_costs(result, program, costs, 1);
  return result;
}

static Span source_of(Span span, const graph::CallFrame* frame) {
  for (; frame && frame->backward && frame->span.is_known(); frame = frame->caller.get()) span = frame->span;
  return span;
}

Span source_of(const StatementCost& cost) { return source_of(cost.span, cost.frame.get()); }
Span source_of(const Instruction& instruction) {
  return source_of(instruction.node->span, instruction.node->frame.get());
}

}  // namespace mtf::spmd
