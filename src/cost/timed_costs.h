#pragma once
// The costs of a schedule's instructions, each with its time by a machine model.
#include <vector>

#include "cost/machine.h"
#include "spmd/statement_costs.h"

namespace mtf::schedule {
struct Schedule;  // schedule/schedule.h
}

namespace mtf::cost {

/// Returns the costs as spmd::costs_of does, with seconds. An instruction without counted work is included if it takes
/// time, such as a permute. `costs` has an entry for each instruction. The seconds, each multiplied by its `times`, add
/// up to the time of the schedule (cost/step_time.h).
std::vector<spmd::StatementCost> timed_costs(const schedule::Schedule& schedule,
                                             const std::vector<spmd::InstructionCost>& costs,
                                             const MachineModel& machine);

/// Returns timed_costs() by this machine model, for plan::ExecutionOptions::costs.
inline auto costs_timed_by(const MachineModel& machine) {
  return [machine](const schedule::Schedule& schedule, const std::vector<spmd::InstructionCost>& costs) {
    return timed_costs(schedule, costs, machine);
  };
}

}  // namespace mtf::cost
