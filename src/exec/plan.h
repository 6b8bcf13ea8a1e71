#pragma once
// A plan: a cut's schedule, kept by its structure, with what ties it to the nodes of each new cut.
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "exec/bound_plan.h"
#include "exec/cut.h"

namespace mtf {

struct Plan {
  /// Where an input comes from at each launch.
  struct Input {
    int leaf = -1;       ///< of the cut
    int node = -1;       ///< of the cut: its host number
    double number = 0;   ///< otherwise: a number of the plan's own (from an expansion)
  };
  std::shared_ptr<const Schedule> schedule;
  std::vector<Input> inputs;              ///< in the order of program.inputs
  std::vector<int> node_of_instruction;   ///< of the cut, or -1: the plan's own node
  Counters predicted;
  std::string ir;
  std::unique_ptr<BoundPlan> bound;       ///< not in a dry engine
};

/// Splits and schedules a cut. The plan holds no tensor and none of the cut's nodes.
std::unique_ptr<Plan> make_plan(const Cut& cut, const Values& roots, const std::vector<std::string>& skipped_passes);

/// The tensors and numbers that a plan reads from a cut of its structure.
std::vector<PlanInput> inputs_of(const Plan& plan, const Cut& cut);

}  // namespace mtf
