#pragma once
// What the steps of all plans of one rank share.
#include <atomic>
#include <map>
#include <memory>
#include <tuple>

#include "kernels/threads.h"
#include "run/shared_memory.h"
#include "run/storage.h"
#include "run/timeline.h"
#include "spmd/local_program.h"
#include "support/interrupt.h"

namespace mtf::run {

class Hostings;

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
  /// Messages from pipeline stages to other stages, by the stage, the direction and the place of the micro-batch.
  std::map<std::tuple<int64_t, bool, int64_t>, Transport::Pending> handed_on = {};
  Interrupt interrupt = {};
  std::shared_ptr<Timeline> timeline = nullptr;  ///< records when each step ran
  std::atomic<int64_t> moved{0};                 ///< grows with each step; the watchdog reads it
  std::atomic<const spmd::Instruction*> at{nullptr};
};

}  // namespace mtf::run
