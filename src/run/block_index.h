#pragma once
// Which processors of a group have boxes that meet a box, found without looking at the whole group.
#include <functional>
#include <map>
#include <vector>

#include "run/block_map.h"

namespace mtf::run {

/// The element-wise overlap of two intervals of one dim, where the second may wrap around.
struct Segment {
  int64_t from = 0;  ///< offset within the first interval
  int64_t to = 0;    ///< offset within the second
  int64_t size = 0;
};
std::vector<Segment> overlap(Interval from, Interval to, int64_t wrap);

/// The blocks of one value among the processors that differ along some axes: of each dim in the order in which they
/// begin.
class BlockIndex {
 public:
  /// `wraps`: for each dim the size after which the intervals of one of both sides begin anew, or 0.
  BlockIndex(const spmd::LocalValue& value, AxisSet axes, std::vector<int64_t> wraps);

  /// Processors that are at `at` but for the axes that split the value, and whose boxes meet `box`; ascending.
  std::vector<int64_t> meeting(const Coordinates& at, const std::vector<Interval>& box) const;
  /// The sum of the elements that `box` shares with each of them, on all processors of the group: each as often as
  /// there are axes among `axes` along which the value does not vary.
  int64_t shared(const Coordinates& at, const std::vector<Interval>& box) const;
  /// The axes of the group along which the value varies.
  AxisSet axes() const { return varying_; }

 private:
  struct Entry {
    Interval interval;
    int64_t offset = 0;  ///< to the number of a processor whose places along the dim's axes are 0
    int64_t reach = 0;   ///< where the last of this and of those before it ends: one may lie within another
  };
  struct Side {
    std::vector<Entry> entries;  ///< with something in them, in the order in which they begin
    mutable std::map<std::pair<int64_t, int64_t>, int64_t> sums;
  };
  const Side& entries(size_t dim, const Coordinates& at) const;
  template <typename F>
  void for_meeting(size_t dim, const Coordinates& at, Interval interval, F f) const;

  const spmd::LocalValue& value_;
  const Mesh& mesh_;
  const AxisSet varying_;
  const int64_t replicas_;
  const std::vector<int64_t> wraps_;
  /// By the dim, and by the place along those of its axes that are not the group's.
  mutable std::map<std::pair<size_t, int64_t>, Side> dims_;
};

}  // namespace mtf::run
