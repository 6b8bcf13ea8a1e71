#pragma once
// A schedule bound to this rank's processors: every shape, stride and offset worked out, so that running it costs
// little beyond its kernels.
//
// A step runs once for each distinct place of this rank's processors along the axes that its results vary over. Memory
// is reached through one table of pointers, an entry for each value and place: the arena's entries change only when the
// arena moves, those of inputs and outputs are filled in at each run. An in-place result shares its operand's entries.
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

/// What the steps work with; all of it outlives them.
struct Machine {
  Hostings& hostings;
  Transport& transport;
  kernels::Threads& threads;
  std::shared_ptr<MemoryPool> pool;
  SharedMemory& shared;                      ///< as large as the largest plan needs
  std::shared_ptr<Storage> arena = nullptr;  ///< of all plans, as large as the largest needs
  bool scrub = false;                        ///< fill the memory of each run with NaNs before it
  int64_t collectives_begun = 0;             ///< numbers them, the same on all ranks
  int64_t sent = 0;                   ///< bytes of plans' data given to others, of each collective the most by any rank
  Transport::Pending handed_on = {};  ///< what stages of a pipeline have given to the next
  Interrupt interrupt = {};
  std::shared_ptr<Timeline> timeline = nullptr;  ///< is told when each step ran
  std::atomic<int64_t> moved{0};                 ///< grows with each step: for the watchdog
  std::atomic<const spmd::Instruction*> at{nullptr};
};

class BoundPlan {
 public:
  /// `share`: reductions go through the memory that ranks share, where they can.
  BoundPlan(std::shared_ptr<const schedule::Schedule> schedule, Machine& machine, bool share = true);
  ~BoundPlan();

  /// Runs all steps. Returns a tensor for each of program.outputs. Fails at the span of a step whose element
  /// is wrong (index_out_of_range), or where memory does not suffice. Of one rank alone, fails (interrupted) soon after
  /// that is wanted, unless an input has been written over.
  std::vector<std::shared_ptr<plan::Tensor>> run(const plan::PlanInputs& inputs);

  /// What a run counts, the largest processor's figures, except unique_flops; complete after the first run.
  const plan::Counters& counted() const;
  /// Bytes that this rank needs for a run beside its inputs.
  int64_t bytes() const;
  /// Of these, what lies in the memory that ranks share: it must have been reserved before a run.
  int64_t shared_bytes() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// The bound plans of one machine, each for as long as somebody keeps its plan.
class BoundPlans {
 public:
  /// The bound plan of a plan; null if none is kept.
  BoundPlan* find(const plan::Plan& plan) const;
  BoundPlan& keep(const std::shared_ptr<const plan::Plan>& plan, std::unique_ptr<BoundPlan> bound);

 private:
  struct Kept {
    std::weak_ptr<const plan::Plan> plan;
    std::unique_ptr<BoundPlan> bound;
  };
  std::unordered_map<const plan::Plan*, Kept> kept_;
  size_t next_sweep_ = 8;  ///< at so many those whose plans are gone are let go
};

}  // namespace mtf::run
