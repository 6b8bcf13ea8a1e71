#pragma once
// How long a schedule takes by a machine model: its steps one after the other, but for the part of a collective that
// goes on beside those that compute until somebody needs its result.
//
// A step that computes takes as long as its arithmetic or its memory traffic, whichever is longer, and what a kernel
// takes to begin. Arithmetic has a rate by what the operation is and by its element type; a product of narrow matrices
// takes longer. A collective takes its messages' latency, and its bytes on the wire by the bandwidth between
// processors.
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cost/machine.h"
#include "spmd/collective_kind.h"
#include "support/name.h"

namespace mtf::graph {
struct Op;  // graph/op.h
}
namespace mtf::spmd {
struct Instruction;      // spmd/local_program.h
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
  double hidden = 0;  ///< of those, seconds beside computing
  double communication() const;
  double total() const { return compute + communication() - hidden; }
  void add(const StepTime& other, int64_t times);
};

/// `costs`: of each instruction of the schedule's program, as predicted.
StepTime time_of(const schedule::Schedule& schedule, const std::vector<spmd::InstructionCost>& costs,
                 const MachineModel& machine);

/// Flops a second of an operation, wherever its matrices are large.
double rate_of(const MachineModel& machine, const graph::Op& op, ElementType element);

/// Of one of its steps.
StepTime time_of_step(const schedule::Schedule& schedule, const schedule::Step& step,
                      const std::vector<spmd::InstructionCost>& costs, const MachineModel& machine);

/// Messages that a processor sends for one collective of the schedule.
int64_t messages_of(const spmd::LocalProgram& program, const spmd::Instruction& instruction, int64_t calls);

}  // namespace mtf::cost
