#include "cost/symbolic_costs.h"

#include "cost/recorded_schedules.h"
#include "graph/region.h"
#include "plan/predict.h"
#include "spmd/work.h"

namespace mtf::cost {

void SymbolicCost::add(const SymbolicCost& other, int64_t times) {
  flops.add(other.flops, times);
  elements.add(other.elements, times);
  for (const auto& [what, formula] : other.values) values[what].add(formula, times);
}

Formula SymbolicCost::communication() const {
  Formula all;
  for (const auto& [what, formula] : values) all.add(formula);
  return all;
}

SymbolicCost SymbolicCost::with_symbols_of(const Formula& other) const {
  SymbolicCost cost{flops.with_symbols_of(other), {}, elements.with_symbols_of(other)};
  for (const auto& [what, formula] : values) cost.values[what] = formula.with_symbols_of(other);
  return cost;
}

static SymbolicCost cost_of(const schedule::Schedule& schedule) {
  SymbolicCost cost;
  const spmd::LocalProgram& program = schedule.program;
  const std::vector<spmd::InstructionCost> costs = plan::predict_without_memory(schedule).costs;
  for (const schedule::Step& step : schedule.steps)
    if (step.iteration)
      cost.add(cost_of(*step.iteration), most_iterations(*program.instructions[step.instructions[0]].node));
  for (size_t i = 0; i < costs.size(); ++i) {
    const spmd::Instruction& instruction = program.instructions[i];
    if (!instruction.iteration) cost.flops.add(costs[i].flops);
    if (costs[i].count > 0) {
      const Mesh& mesh = *program.values[instruction.operands[0]].mesh;
      cost.values[{counted_as(instruction.kind), mesh.names_of(instruction.axes)}].add(costs[i].values);
    }
    if (schedule::is_host_number(instruction) || schedule::repeats(instruction)) continue;
    for (int v : instruction.results)
      if (program.values[v].mesh) cost.elements.add(Cost(block_elements(program.values[v])));
  }
  return cost;
}

std::vector<SymbolicCost> symbolic_costs(const plan::ProgramRecord& record) {
  std::vector<SymbolicCost> all(record.programs().size());
  graph::Relayout relayout(*record.layouts(), nullptr, nullptr);
  each_schedule(record, relayout, [&](size_t number, const schedule::Schedule& schedule, int64_t) {
    all[number].add(cost_of(schedule), 1);
  });
  return all;
}

}  // namespace mtf::cost
