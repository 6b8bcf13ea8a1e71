#pragma once
// A plan: the schedule of a captured program, kept by the program's canonical form, with what ties it to the tensors and
// numbers of each new capture.
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "exec/bound_plan.h"
#include "exec/counters.h"
#include "exec/plan_key.h"
#include "graph/program.h"

namespace mtf {

struct Plan {
  /// Where an input comes from at each launch.
  struct Input {
    int captured = -1;  ///< which input of the captured program; -1: a number of the plan's own (from an expansion)
    int copy = -1;      ///< which of its copies; -1: itself
    double number = 0;
  };
  int64_t number = 0;  ///< of the engine's plans
  std::string form;    ///< canonical_form of the program
  Program program;     ///< as captured, for listings
  std::shared_ptr<const Schedule> schedule;
  std::vector<Input> inputs;  ///< in the order of the local program's inputs
  Counters predicted;
  std::vector<InstructionCost> costs;  ///< of each instruction of the local program
  std::unique_ptr<BoundPlan> bound;    ///< not in a dry engine
};

/// Splits and schedules a captured program. `poll` is called between the steps of that; what it throws ends it.
std::unique_ptr<Plan> make_plan(const Program& program, const std::vector<std::string>& skipped_passes, const std::function<void()>& poll);

/// The tensors and numbers that a plan reads from a capture of its program.
std::vector<PlanInput> inputs_of(const Plan& plan, const Capture& capture);

}  // namespace mtf
