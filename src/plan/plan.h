#pragma once
// A plan: the schedule of a captured program with what it costs, and what ties it to the tensors and numbers of each
// new capture of that program. It holds no tensor and no memory; what a runtime makes of it (addresses, messages) is
// the runtime's own.
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "graph/region.h"
#include "plan/counters.h"
#include "plan/tensor.h"
#include "schedule/schedule.h"

namespace mtf::plan {

struct PassOptions;  // plan/compilation.h

struct Plan {
  /// Where an input comes from at each run.
  struct Input {
    int captured = -1;  ///< which input of the captured program; -1: a number of the plan's own (from an expansion)
    int copy = -1;      ///< which of its copies; -1: itself
    double number = 0;
  };
  int64_t number = 0;      ///< of the compiler's plans, from 1 on
  graph::Program program;  ///< as captured, for listings
  std::shared_ptr<const schedule::Schedule> schedule;
  std::vector<Input> inputs;  ///< in the order of the local program's inputs
  Counters predicted;
  std::vector<spmd::InstructionCost> costs;  ///< of each instruction of the local program
};

/// Runs all passes on a captured program (plan/passes.h), and says what that will count.
Plan make_plan(const graph::Program& program, const PassOptions& options);

/// One of a plan's inputs at one run: a tensor, or a number of the host.
struct PlanInput {
  Tensor* tensor = nullptr;  ///< the plan may write over one that dies with the program (ProgramInput::dies)
  double number = 0;
};

/// What one run of a plan reads.
struct PlanInputs {
  const graph::Program* program = nullptr;  ///< the captured program that this run is for
  std::vector<PlanInput> values;            ///< in the order of the local program's inputs
  const graph::Region* region = nullptr;    ///< that this is a turn of; null: of none
  std::vector<double> turn_numbers =
      {};  ///< of a turn: those of the operation whose region it is, as this turn has them
  /// The host's numbers that the operation of an instruction has.
  std::span<const double> numbers(const spmd::Instruction& instruction) const {
    if (region && instruction.origin >= 0)
      return std::span(turn_numbers)
          .subspan(static_cast<size_t>(region->first_number[instruction.origin]), instruction.node->inputs.size());
    return instruction.origin >= 0 ? program->operations[instruction.origin].operation->inputs
                                   : instruction.node->inputs;
  }
};

/// What the plan of a capture's program reads at a run for that capture, which lives longer.
PlanInputs inputs_of(const Plan& plan, const graph::Capture& capture);

}  // namespace mtf::plan
