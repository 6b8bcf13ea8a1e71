#include "plan/plan.h"

#include "plan/kept_copies.h"
#include "plan/predict.h"
#include "spmd/split.h"
#include "support/diagnostics.h"

namespace mtf {

Plan make_plan(const Program& program, const std::vector<std::string>& skipped_passes,
               const std::function<void()>& poll) {
  Plan plan;
  plan.program = program;
  verify(program);
  poll();
  LocalProgram local = split(program);
  poll();
  ScheduleOptions options;
  options.after_pass = [&](std::string_view, double, const Schedule&) { poll(); };
  options.skip = skipped_passes;
  std::vector<int> input_of(local.values.size(), -1);  // the input instruction that makes a value
  for (size_t i = 0; i < local.instructions.size(); ++i)
    if (local.instructions[i].kind == InstructionKind::kInput)
      input_of[local.instructions[i].results[0]] = static_cast<int>(i);
  for (int v : local.inputs) {
    const Instruction& instruction = local.instructions[input_of[v]];
    const auto index = static_cast<size_t>(instruction.input);
    const bool captured = index < program.inputs.size();
    plan.inputs.push_back({captured ? instruction.input : -1, instruction.copy,
                           captured || instruction.node->inputs.empty() ? 0 : instruction.node->inputs[0]});
    options.input_dies.push_back(captured && instruction.copy < 0 && program.inputs[index].dies);
  }
  plan.schedule = std::make_shared<Schedule>(mtf::schedule(std::move(local), options));
  Prediction prediction = predict(*plan.schedule);
  plan.predicted = std::move(prediction.counters);
  plan.costs = std::move(prediction.costs);
  return plan;
}

PlanInputs inputs_of(const Plan& plan, const Capture& capture) {
  PlanInputs inputs{&capture.program, {}};
  inputs.values.reserve(plan.inputs.size());
  for (const Plan::Input& from : plan.inputs) {
    PlanInput input;
    input.number = from.number;
    if (from.captured >= 0) {
      const Value& leaf = capture.leaves[from.captured];
      if (leaf) input.tensor = from.copy < 0 ? leaf.node->computed[leaf.result].get() : copy_of(leaf, from.copy);
      else input.number = capture.numbers[from.captured];
    }
    inputs.values.push_back(input);
  }
  return inputs;
}

}  // namespace mtf
