#pragma once
// Finds the blocks of a dim that overlap an interval. If the blocks advance evenly, their number does not matter.
#include <map>
#include <vector>

#include "spmd/local_program.h"

namespace mtf::spmd {

/// The overlap of two intervals of one dim. The second interval may wrap around.
struct Segment {
  int64_t from = 0;  ///< offset in the first interval
  int64_t to = 0;    ///< offset in the second interval
  int64_t size = 0;
};
std::vector<Segment> overlap(Interval from, Interval to, int64_t wrap);

/// The blocks of one dim, among the processors that differ along some axes.
class DimIndex {
 public:
  /// `wrap`: the size at which intervals wrap around, or 0. The index refers to `dim`.
  DimIndex(const LocalDim& dim, const Mesh& mesh, AxisSet axes, int64_t wrap);

  /// Returns the numbers of the processors whose blocks overlap `interval`, ascending, minus the number of the one at
  /// coordinate 0 along axes(). Their other coordinates are those of `at`.
  std::vector<int64_t> meeting(const Coordinates& at, Interval interval) const;
  /// The elements that an interval shares with all these blocks, and how many blocks it meets.
  struct Met {
    int64_t elements = 0, blocks = 0;
  };
  Met met(const Coordinates& at, Interval interval) const;
  /// The axes of the group that split the dim.
  AxisSet axes() const { return axes_; }

 private:
  struct Entry {
    Interval interval;
    int64_t offset = 0;  ///< processor number minus the number of the processor at coordinate 0 of the dim's axes
    int64_t reach = 0;   ///< the largest end of this interval and of those before it, because one may contain another
  };
  struct Side {
    std::vector<Entry> entries;  ///< the intervals that are not empty, by their first position
    std::map<std::pair<int64_t, int64_t>, Met> met;
  };
  Side& side(const Coordinates& at) const;
  template <typename F>
  void for_meeting(const Side& side, Interval interval, const F& f) const;
  bool met_in_parts(const Coordinates& at, Interval interval, Met& met) const;
  bool met_evenly(Interval interval, Met& met) const;

  const LocalDim& dim_;
  const Mesh& mesh_;
  const AxisSet axes_;
  const int64_t wrap_;
  mutable std::map<int64_t, Side> sides_;  // by the coordinates along the dim's axes outside of the group
};

}  // namespace mtf::spmd
