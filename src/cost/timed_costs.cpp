#include "cost/timed_costs.h"

#include <algorithm>

#include "cost/step_time.h"
#include "graph/region.h"
#include "plan/predict.h"
#include "schedule/schedule.h"
#include "spmd/local_program.h"
#include "spmd/pipeline.h"
#include "types/saturating.h"

namespace mtf::cost {
namespace {

/// Adds the costs of a schedule that runs `times` times. An iteration takes `stretch` times its own time, because a
/// pipeline has idle iterations.
void append_timed(std::vector<spmd::StatementCost>& result, const schedule::Schedule& schedule,
                  const std::vector<spmd::InstructionCost>& costs, const MachineModel& machine, int64_t times,
                  double stretch) {
  const spmd::LocalProgram& program = schedule.program;
  std::vector<double> seconds(program.instructions.size());
  std::vector<const schedule::Schedule*> iterations(program.instructions.size());
  const std::vector<StepTime> of_steps = times_around_loops(schedule, costs, machine);
  for (size_t s = 0; s < of_steps.size(); ++s) {
    const schedule::Step& step = schedule.steps[s];
    if (step.iteration) {
      iterations[step.instructions[0]] = step.iteration.get();
      continue;
    }
    const std::vector<double> shares = shares_of_step(schedule, step, costs, machine);
    for (size_t i = 0; i < shares.size(); ++i)
      seconds[step.instructions[i]] += of_steps[s].total() * shares[i] * stretch;
  }
  for (size_t i = 0; i < program.instructions.size(); ++i) {
    const spmd::Instruction& instruction = program.instructions[i];
    if (iterations[i] != nullptr) {
      const int64_t most = most_iterations(*instruction.node);
      append_timed(result, *iterations[i], plan::predict_without_memory(*iterations[i]).costs, machine,
                   saturating_multiply(times, most),
                   stretch * (static_cast<double>(most) + spmd::idle_iterations(*instruction.node)) /
                       static_cast<double>(std::max<int64_t>(most, 1)));
    } else if (seconds[i] > 0 || is_counted(instruction, costs[i])) {
      result.push_back(statement_cost(program, instruction, costs[i], times));
      result.back().seconds = seconds[i];
      result.back().idle = seconds[i] * (1 - 1 / stretch);
    }
  }
}

}  // namespace

std::vector<spmd::StatementCost> timed_costs(const schedule::Schedule& schedule,
                                             const std::vector<spmd::InstructionCost>& costs,
                                             const MachineModel& machine) {
  std::vector<spmd::StatementCost> result;
  append_timed(result, schedule, costs, machine, 1, 1);
  return result;
}

}  // namespace mtf::cost
