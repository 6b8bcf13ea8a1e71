#pragma once
// A schedule bound to this rank's processors. All shapes, strides and offsets are computed beforehand, so a run costs
// little beyond its kernels.
//
// A step runs once for each distinct place (run/hosting.h) of this rank's processors along the axes that its results
// vary over. Steps find memory in one table of pointers, with an entry for each value and place. The arena's entries
// change only when the arena moves. Entries of inputs and outputs are set for each run. An in-place result shares the
// entries of its operand.
//
// With one rank, an interrupt ends a plan between its steps and within long kernels, unless an input has been
// overwritten.
#include <atomic>
#include <memory>
#include <unordered_map>
#include <vector>

#include "kernels/threads.h"
#include "plan/plan.h"
#include "run/collective.h"
#include "run/shared_memory.h"
#include "run/storage.h"
#include "run/timeline.h"
#include "support/interrupt.h"

namespace mtf::run {

/// The resources of all steps. They outlive the steps.
struct Machine {
  Hostings& hostings;
  Transport& transport;
  kernels::Threads& threads;
  std::shared_ptr<MemoryPool> pool;
  SharedMemory& shared;                      ///< as large as the largest plan needs
  std::shared_ptr<Storage> arena = nullptr;  ///< shared by all plans, as large as the largest plan needs
  bool scrub = false;                        ///< fills the memory of each run with NaNs before it
  int64_t collectives_begun = 0;             ///< numbers the collectives, the same on all ranks
  int64_t sent = 0;  ///< bytes of plans' data sent to other ranks; for each collective the maximum over ranks
  Transport::Pending handed_on = {};  ///< messages from pipeline stages to their next stages
  Interrupt interrupt = {};
  std::shared_ptr<Timeline> timeline = nullptr;  ///< records when each step ran
  std::atomic<int64_t> moved{0};                 ///< grows with each step; the watchdog reads it
  std::atomic<const spmd::Instruction*> at{nullptr};
};

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
