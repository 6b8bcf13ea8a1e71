#pragma once
// A schedule bound to this rank's processors. All shapes, strides and offsets are computed beforehand, so a run costs
// little beyond its kernels.
//
// A plan has a frame (run/frame.h) and executors: of steps (run/step_executor.h), of loops over a dim
// (run/scan_executor.h) and of pipelines (run/pipeline_executor.h).
//
// With one rank, an interrupt ends a plan between its steps and within long kernels, unless an input has been
// overwritten.
#include <memory>
#include <unordered_map>
#include <vector>

#include "plan/counters.h"
#include "plan/plan.h"
#include "run/machine.h"

namespace mtf::run {

class BoundPlan {
 public:
  /// `share`: large all_reduces use the memory that ranks share, if possible.
  BoundPlan(std::shared_ptr<const schedule::Schedule> schedule, Machine& machine, bool share = true);
  ~BoundPlan();

  /// Runs all steps. Returns a tensor for each of program.outputs. Fails at the position of a step with a wrong index
  /// (index_out_of_range), or if memory does not suffice. With one rank, fails (interrupted) soon after an interrupt,
  /// unless an input has been overwritten.
  std::vector<std::shared_ptr<plan::Tensor>> run(const plan::PlanInputs& inputs);

  /// The counts of a run on the largest processor, except unique_flops. Complete after the first run.
  const plan::Counters& counted() const;
  /// Bytes that this rank needs for a run in addition to its inputs.
  int64_t bytes() const;
  /// The bytes in shared memory, included in bytes(). They must be reserved before a run.
  int64_t shared_bytes() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// The bound plans of one machine. Each is kept as long as its plan exists.
class BoundPlans {
 public:
  /// Returns the bound plan of a plan; null if there is none.
  BoundPlan* find(const plan::Plan& plan) const;
  BoundPlan& keep(const std::shared_ptr<const plan::Plan>& plan, std::unique_ptr<BoundPlan> bound);

 private:
  struct Kept {
    std::weak_ptr<const plan::Plan> plan;
    std::unique_ptr<BoundPlan> bound;
  };
  std::unordered_map<const plan::Plan*, Kept> kept_;
  size_t next_sweep_ = 8;  ///< number of bound plans at which those without a plan are removed
};

}  // namespace mtf::run
