#include "graph/iteration_space.h"

#include <algorithm>

#include "graph/op.h"

namespace mtf {

const IterationSpace& Operation::space() const {
  if (!space_) space_ = std::make_shared<const IterationSpace>(op->space(*this));
  return *space_;
}

Interval needed(const IntervalMap& map, Interval result) {
  if (result.size() <= 0) return {0, 0};
  Interval need = map.reversed
                      ? Interval{map.from - result.last + map.offset, map.from - result.first + map.offset}
                      : Interval{result.first * map.stride + map.offset, (result.last - 1) * map.stride + map.offset + map.window};
  if (map.wrap) return need;
  need.first = std::clamp<int64_t>(need.first, 0, map.to);
  need.last = std::clamp<int64_t>(need.last, need.first, map.to);
  return need;
}

}  // namespace mtf
