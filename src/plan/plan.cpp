#include "plan/plan.h"

#include <algorithm>

#include "graph/region.h"
#include "plan/compilation.h"
#include "plan/kept_copies.h"
#include "plan/predict.h"
#include "support/diagnostics.h"
#include "types/saturating.h"

namespace mtf::plan {
Plan make_plan(const graph::Program& program, const PassOptions& options) {
  Plan plan;
  plan.program = program;
  verify(program);
  Compilation compilation(program, options);
  compilation.run();
  const spmd::LocalProgram& local = compilation.local();
  // For each value: the instruction that makes it, if it is an input.
  std::vector<const spmd::Instruction*> input_of(local.values.size());
  for (const spmd::Instruction& instruction : local.instructions)
    if (instruction.kind == spmd::InstructionKind::kInput) input_of[instruction.results[0]] = &instruction;
  for (int v : local.inputs) {
    const spmd::Instruction& instruction = *input_of[v];
    const bool captured = static_cast<size_t>(instruction.input) < program.inputs.size();
    plan.inputs.push_back({captured ? instruction.input : -1, instruction.copy,
                           captured || instruction.node->inputs.empty() ? 0 : instruction.node->inputs[0]});
  }
  plan.schedule = std::make_shared<schedule::Schedule>(std::move(compilation.schedule));
  Prediction prediction = predict(*plan.schedule);
  plan.predicted = std::move(prediction.counters);
  plan.costs = std::move(prediction.costs);
  return plan;
}

namespace {

/// Adds what the loops of a schedule compute again. The schedule runs `times` times.
void add_remade_in_loops(Rematerialized& total, const schedule::Schedule& schedule, int64_t times, bool is_new) {
  for (const schedule::Step& step : schedule.steps) {
    if (!step.iteration) continue;
    const graph::LaidOutOperation& loop = *schedule.program.instructions[step.instructions[0]].node;
    const int64_t runs = saturating_multiply(times, most_iterations(loop));
    for (const graph::RemadeValue& each : loop.region->remade)
      total.add({each.name, is_new && each.bytes > 0 ? 1 : 0, is_new ? each.bytes : 0,
                 saturating_multiply(each.flops, runs), saturating_multiply(each.sent_bytes, runs)});
    add_remade_in_loops(total, *step.iteration, runs, is_new);
  }
}

void add_remade_steps(Rematerialized& total, const Plan& plan, bool is_new) {
  const schedule::Schedule& schedule = *plan.schedule;
  std::vector<bool> is_copy(schedule.program.values.size(), false);
  for (const auto& [copy, original] : schedule.remade) is_copy[copy] = true;
  for (const schedule::Step& step : schedule.steps) {
    if (!is_copy[step.writes[0]]) continue;
    for (const int i : step.instructions)
      total.add({schedule.program.values[schedule.program.instructions[i].results[0]].name, 0, 0,
                 plan.costs[i].flops.value(), plan.costs[i].wire_bytes});
    for (const int v : step.writes) {
      const spmd::LocalValue& value = schedule.program.values[v];
      if (is_new && schedule.buffer_of[v] >= 0) total.add({value.name, 1, spmd::largest_bytes(value), 0, 0});
    }
  }
}
}  // namespace

void add_rematerialized(Rematerialized& total, const Plan& plan, bool is_new) {
  add_remade_in_loops(total, *plan.schedule, 1, is_new);
  if (!plan.schedule->remade.empty()) add_remade_steps(total, plan, is_new);
}

PlanInputs inputs_of(const Plan& plan, const graph::Capture& capture) {
  PlanInputs inputs{&capture.program, {}};
  inputs.values.reserve(plan.inputs.size());
  for (const Plan::Input& from : plan.inputs) {
    PlanInput input;
    input.number = from.number;
    if (from.captured >= 0) {
      const graph::Value& leaf = capture.leaves[from.captured];
      if (leaf) input.tensor = from.copy < 0 ? leaf.computed().get() : copy_of(leaf, from.copy);
      else input.number = capture.numbers[from.captured];
    }
    inputs.values.push_back(input);
  }
  return inputs;
}

}  // namespace mtf::plan
