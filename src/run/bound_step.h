#pragma once
// The steps of a bound plan, and the kinds that compute (internal to run).
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "run/block_map.h"
#include "run/collective.h"
#include "schedule/schedule.h"

namespace mtf::run {

/// The table of pointers. Each value has consecutive entries, one for each of its places.
struct PointerTable {
  std::vector<int> begin;   ///< for each value: its first entry
  std::vector<int> places;  ///< for each value: the number of its places
  std::vector<void*> data;
  void* at(int value, int place) const { return data[begin[value] + place]; }
  std::span<void* const> all(int value) const {
    return {data.data() + begin[value], static_cast<size_t>(places[value])};
  }
};

struct StepRun {
  const PointerTable& pointers;
  kernels::Threads& threads;
  std::span<const double> inputs;   ///< host numbers of the instruction's node
  std::span<const double> numbers;  ///< for each value that is a host number: the number
  const std::function<void()>&
      progress;  ///< long kernels call it on any thread; it advances collectives, or ends the step
};

/// A bound kernel or fusion. run() returns the floating-point operations of the busiest place.
class BoundCompute {
 public:
  virtual ~BoundCompute() = default;
  virtual int64_t run(const StepRun& run) = 0;
};

std::unique_ptr<BoundCompute> bind_kernel(const schedule::Schedule& schedule, const schedule::Step& step,
                                          Hostings& hostings);
std::unique_ptr<BoundCompute> bind_loop(const schedule::Schedule& schedule, const schedule::Step& step,
                                        Hostings& hostings);

/// A buffer of the schedule, on this rank.
struct BoundBuffer {
  int64_t place_bytes = 0;  ///< padded bytes of one place
  int places = 0;
  int64_t alone_bytes = 0;  ///< bytes of the largest processor
  bool is_shared = false;   ///< in the memory that ranks share; else in the arena
  int64_t offset = 0;       ///< in the shared memory or the arena
  std::vector<int> values;  ///< the values that it stores
};

/// A step of the schedule, on this rank.
struct BoundStep {
  const schedule::Step* step = nullptr;
  const spmd::Instruction* first = nullptr;
  std::unique_ptr<BoundCompute> compute;
  std::unique_ptr<BoundCollective> collective;
  int64_t window_bytes = 0;    ///< for a window: distance between positions
  int buffer = -1;             ///< staging buffer
  int64_t number = 0;          ///< of the running collective
  int64_t sent = 0;            ///< bytes sent to other ranks in the first run
  double began = 0, busy = 0;  ///< of the running collective, by the timeline
  std::vector<int> awaits;     ///< steps that must end before this one begins
  std::vector<std::span<void* const>> operands;
  std::vector<std::span<void* const>> results;
};

}  // namespace mtf::run
