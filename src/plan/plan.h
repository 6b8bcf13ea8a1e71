#pragma once
// A plan: the schedule of a captured program, its costs, and the mapping from each new capture to the schedule's
// inputs. A plan holds no tensor and no memory. The runtime keeps the addresses and messages that it derives from the
// plan.
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "graph/region.h"
#include "plan/counters.h"
#include "plan/peak_memory.h"
#include "plan/tensor.h"
#include "schedule/schedule.h"

namespace mtf::plan {

struct PassOptions;  // plan/compilation.h

struct Plan {
  /// The source of an input at each run.
  struct Input {
    int captured = -1;  ///< index of the captured program's input; -1: a number of the plan's own (from an expansion)
    int copy = -1;      ///< index of the input's copy; -1: the input itself
    double number = 0;
  };
  int64_t number = 0;      ///< counts the compiler's plans from 1
  graph::Program program;  ///< as captured, for listings
  std::shared_ptr<const schedule::Schedule> schedule;
  std::vector<Input> inputs;  ///< in the order of the local program's inputs
  Counters predicted;
  std::vector<spmd::InstructionCost> costs;  ///< for each instruction of the local program
};

/// Adds what `plan` computes again. `is_new`: the plan runs for the first time, so its values are added too.
void add_rematerialized(Rematerialized& total, const Plan& plan, bool is_new);

/// Runs all passes on a captured program (plan/passes.h), and predicts its counts.
Plan make_plan(const graph::Program& program, const PassOptions& options);

/// An input of a plan at one run: a tensor, or a number of the host.
struct PlanInput {
  Tensor* tensor = nullptr;  ///< the plan may overwrite it if it dies with the program (ProgramInput::dies)
  double number = 0;
};

/// The inputs of one run of a plan.
struct PlanInputs {
  const graph::Program* program = nullptr;  ///< the captured program of this run
  std::vector<PlanInput> values;            ///< in the order of the local program's inputs
  const graph::Region* region = nullptr;    ///< the region whose iteration this is; null outside of loops
  std::vector<double> iteration_numbers =
      {};  ///< in an iteration: the numbers of the loop operation, as this iteration has them
  mutable std::vector<double> joined = {};  ///< the numbers of a loop that joins several operations
  /// The host numbers of an instruction's operation.
  std::span<const double> numbers(const spmd::Instruction& instruction) const {
    if (instruction.node->region && !instruction.node->region->joined.empty()) {
      joined.clear();
      for (const int32_t origin : instruction.node->region->joined)
        joined.insert(joined.end(), program->operations[origin].operation->inputs.begin(),
                      program->operations[origin].operation->inputs.end());
      return joined;
    }
    if (instruction.node->region && !instruction.node->region->numbers_of.empty()) {
      joined.clear();
      for (const graph::NumbersOf& of : instruction.node->region->numbers_of) {
        const std::span<const double> part = numbers_at(of.origin, static_cast<size_t>(of.count));
        joined.insert(joined.end(), part.begin(), part.end());
      }
      return joined;
    }
    return instruction.origin >= 0 ? numbers_at(instruction.origin, instruction.node->inputs.size())
                                   : instruction.node->inputs;
  }

 private:
  /// The `count` host numbers of the operation with index `origin` in the captured program, or in the iteration.
  std::span<const double> numbers_at(int32_t origin, size_t count) const {
    if (region) return std::span(iteration_numbers).subspan(static_cast<size_t>(region->first_number[origin]), count);
    return program->operations[origin].operation->inputs;
  }
};

/// Returns the inputs with which the plan runs for `capture`, which must outlive them.
PlanInputs inputs_of(const Plan& plan, const graph::Capture& capture);

}  // namespace mtf::plan
