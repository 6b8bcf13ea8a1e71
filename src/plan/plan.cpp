#include "plan/plan.h"

#include <algorithm>

#include "plan/compilation.h"
#include "plan/kept_copies.h"
#include "plan/predict.h"
#include "support/diagnostics.h"
#include "types/saturating.h"

namespace mtf::plan {
namespace {

constexpr size_t kMostNamed = 8;

}  // namespace

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

void add_rematerialized(Rematerialized& total, const Plan& plan, bool is_new) {
  const schedule::Schedule& schedule = *plan.schedule;
  if (schedule.remade.empty()) return;
  std::vector<bool> is_copy(schedule.program.values.size(), false);
  for (const auto& [copy, original] : schedule.remade) is_copy[copy] = true;
  for (const schedule::Step& step : schedule.steps) {
    if (!is_copy[step.writes[0]]) continue;
    for (const int i : step.instructions) {
      total.flops = saturating_add(total.flops, plan.costs[i].flops.value());
      total.sent_bytes = saturating_add(total.sent_bytes, plan.costs[i].wire_bytes);
    }
    for (const int v : step.writes) {
      if (!is_new || schedule.buffer_of[v] < 0) continue;
      const spmd::LocalValue& value = schedule.program.values[v];
      ++total.values;
      total.bytes = saturating_add(total.bytes, spmd::largest_bytes(value));
      total.largest.emplace_back(value.name, spmd::largest_bytes(value));
    }
  }
  std::stable_sort(total.largest.begin(), total.largest.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  if (total.largest.size() > kMostNamed) total.largest.resize(kMostNamed);
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
