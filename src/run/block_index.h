#pragma once
// Finds the processors of a group whose boxes overlap a box, without a walk over the whole group.
#include <functional>
#include <map>
#include <vector>

#include "run/block_map.h"

namespace mtf::run {

/// The overlap of two intervals of one dim. The second interval may wrap around.
struct Segment {
  int64_t from = 0;  ///< offset in the first interval
  int64_t to = 0;    ///< offset in the second interval
  int64_t size = 0;
};
std::vector<Segment> overlap(Interval from, Interval to, int64_t wrap);

/// An index of the blocks of one value, among the processors that differ along some axes. The index is sorted by the
/// first position of each block, dim by dim.
class BlockIndex {
 public:
  /// `wraps`: for each dim the size at which intervals wrap around, or 0.
  BlockIndex(const spmd::LocalValue& value, AxisSet axes, std::vector<int64_t> wraps);

  /// Returns the processors whose boxes overlap `box`, ascending. Their coordinates equal `at` except along the axes
  /// that split the value.
  std::vector<int64_t> meeting(const Coordinates& at, const std::vector<Interval>& box) const;
  /// Returns the number of elements that `box` shares with the blocks of all processors of the group. Replicas of a
  /// block along the group's axes count separately.
  int64_t shared(const Coordinates& at, const std::vector<Interval>& box) const;
  /// The axes of the group along which the value varies.
  AxisSet axes() const { return varying_; }

 private:
  struct Entry {
    Interval interval;
    int64_t offset = 0;  ///< processor number minus the number of the processor at coordinate 0 of the dim's axes
    int64_t reach = 0;   ///< the largest end of this interval and of those before it, because one may contain another
  };
  struct Side {
    std::vector<Entry> entries;  ///< the intervals that are not empty, by their first position
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
  /// By dim, and by the coordinates along the dim's axes outside of the group.
  mutable std::map<std::pair<size_t, int64_t>, Side> dims_;
};

}  // namespace mtf::run
