#pragma once
// The time of a schedule by a machine model.
//
// The times of the steps are added up. The time of a collective is reduced by the part that overlaps with computing
// steps before its result is needed.
//
// A computing step takes a kernel's start time, plus its arithmetic or its memory traffic, whichever is longer. The
// rate of arithmetic depends on the operation and the element type, and products of narrow matrices are slower. A
// collective takes the latency of its messages, plus its bytes on the wire divided by the bandwidth between processors.
// The pieces of a collective follow each other without waiting, so the latency counts once.
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cost/machine.h"
#include "spmd/collective_kind.h"
#include "support/name.h"

namespace mtf::graph {
struct Op;         // graph/op.h
struct Operation;  // graph/operation.h
}  // namespace mtf::graph
namespace mtf::spmd {
struct InstructionCost;  // spmd/local_program.h
struct LocalProgram;     // spmd/local_program.h
}  // namespace mtf::spmd
namespace mtf::schedule {
struct Schedule;  // schedule/schedule.h
struct Step;      // schedule/schedule.h
}  // namespace mtf::schedule

namespace mtf::cost {

struct StepTime {
  double compute = 0;  ///< seconds in kernels
  /// Seconds in collectives, by kind and axes.
  std::map<std::pair<spmd::CollectiveKind, std::vector<Name>>, double> collectives;
  double hidden = 0;  ///< seconds of collectives that overlap with kernels
  double host = 0;    ///< seconds between the runs of plans; 0 for a schedule alone
  double communication() const;
  double total() const { return compute + communication() - hidden + host; }
  void add(const StepTime& other, double times);
};

/// Returns the time of a schedule. `costs` are the predicted costs of its program's instructions.
StepTime time_of(const schedule::Schedule& schedule, const std::vector<spmd::InstructionCost>& costs,
                 const MachineModel& machine);

/// Returns the time of each step of a schedule. The times of the steps add up to time_of(): `hidden` of a collective is
/// its own part that overlaps with kernels.
std::vector<StepTime> times_of_steps(const schedule::Schedule& schedule,
                                     const std::vector<spmd::InstructionCost>& costs, const MachineModel& machine);

/// Returns the same without the times of loops that hide no collective, for a caller that looks into loops itself.
std::vector<StepTime> times_around_loops(const schedule::Schedule& schedule,
                                         const std::vector<spmd::InstructionCost>& costs, const MachineModel& machine);

/// Returns the part of a step's time that each of its instructions takes; the parts add up to 1. The instructions of a
/// fusion share its time by their arithmetic, merged collectives by their bytes, and all equally if none is known.
std::vector<double> shares_of_step(const schedule::Schedule& schedule, const schedule::Step& step,
                                   const std::vector<spmd::InstructionCost>& costs, const MachineModel& machine);

/// Returns the flops a second of an operation with large matrices.
double rate_of(const MachineModel& machine, const graph::Op& op, ElementType element);

/// Returns the part of an operation's counted flops that its kernel computes.
double computed_part(const graph::Op& op, const graph::Operation& operation);

/// Returns the time of one step.
StepTime time_of_step(const schedule::Schedule& schedule, const schedule::Step& step,
                      const std::vector<spmd::InstructionCost>& costs, const MachineModel& machine);

}  // namespace mtf::cost
