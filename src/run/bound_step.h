#pragma once
// The kinds of steps of a bound plan that compute (internal to run).
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "run/block_map.h"
#include "run/collective.h"
#include "schedule/schedule.h"

namespace mtf::run {

/// The table of pointers: where the entries of each value begin, one for each of its places.
struct PointerTable {
  std::vector<int> begin;   ///< for each value
  std::vector<int> places;  ///< for each value: how many
  std::vector<void*> data;
  void* at(int value, int place) const { return data[begin[value] + place]; }
  std::span<void* const> all(int value) const {
    return {data.data() + begin[value], static_cast<size_t>(places[value])};
  }
};

struct StepRun {
  const PointerTable& pointers;
  kernels::Threads& threads;
  std::span<const double> inputs;   ///< of the instruction's node
  std::span<const double> numbers;  ///< for each value: the host number it is
  const std::function<void()>&
      progress;  ///< for long kernels to call, on any thread: moves collectives on, ends the step
};

/// A kernel or a fused loop, bound. run() returns the floating-point operations of the place that did most.
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
  int64_t place_bytes = 0;  ///< padded
  int places = 0;
  int64_t alone_bytes = 0;  ///< of one processor alone, the largest
  bool is_shared = false;   ///< in the memory that ranks share, else in the arena
  int64_t offset = 0;       ///< there
  std::vector<int> values;  ///< those that lie in it
};

/// A step of the schedule, on this rank.
struct BoundStep {
  const schedule::Step* step = nullptr;
  const spmd::Instruction* first = nullptr;
  std::unique_ptr<BoundCompute> compute;
  std::unique_ptr<BoundCollective> collective;
  int64_t window_bytes = 0;    ///< of a window: from one place to the next
  int buffer = -1;             ///< staging
  int64_t number = 0;          ///< of the collective that is under way, among all
  int64_t sent = 0;            ///< bytes that it has given others in the first run
  double began = 0, busy = 0;  ///< of the collective that is under way, by the timeline
  std::vector<int> awaits;     ///< steps that must have ended before this one begins
  std::vector<std::span<void* const>> operands;
  std::vector<std::span<void* const>> results;
};

}  // namespace mtf::run
