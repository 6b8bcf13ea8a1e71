#pragma once
// The kinds of steps of a bound plan that compute (internal to exec).
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "exec/block_map.h"
#include "schedule/schedule.h"

namespace mtf {

/// The table of pointers: where the entries of each value begin, one for each of its places.
struct PointerTable {
  std::vector<int> begin;     ///< for each value
  std::vector<int> places;    ///< for each value: how many
  std::vector<void*> data;
  void* at(int value, int place) const { return data[begin[value] + place]; }
  std::span<void* const> all(int value) const { return {data.data() + begin[value], static_cast<size_t>(places[value])}; }
};

struct StepRun {
  const PointerTable& pointers;
  Threads& threads;
  std::span<const double> inputs;         ///< of the instruction's node
  std::span<const double> numbers;        ///< for each value: the host number it is
  const std::function<void()>& progress;  ///< for long kernels to call, on any thread: moves collectives on, ends the step
};

/// A kernel or a fused loop, bound. run() returns the floating-point operations of the place that did most.
class BoundCompute {
 public:
  virtual ~BoundCompute() = default;
  virtual int64_t run(const StepRun& run) = 0;
};

std::unique_ptr<BoundCompute> bind_kernel(const Schedule& schedule, const Step& step, Hostings& hostings);
std::unique_ptr<BoundCompute> bind_loop(const Schedule& schedule, const Step& step, Hostings& hostings);

}  // namespace mtf
