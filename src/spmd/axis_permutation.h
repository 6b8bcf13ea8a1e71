#pragma once
// Axes that change positions in a sharding: each processor gets the whole block of one other processor.
//
//   a over x, b over y  ->  a over y, b over x       processor (x=i, y=j) gets the block of (x=j, y=i)
//   a over x, b over y, c over z  ->  y, z, x        in one collective
//   a over x  ->  a over y                           y, which held replicas, takes the position of x
//
// Axes that exchange positions have the same size. An axis may leave a list without entering another one. It then takes
// the position of the axis that entered, so each processor sends to one processor and receives from one.
#include <array>

#include "spmd/local_program.h"

namespace mtf::spmd {

class AxisPermutation {
 public:
  /// `from` and `to` differ only in the axes at each position of their dims' lists.
  AxisPermutation(const LocalValue& from, const LocalValue& to);
  /// Returns the processor whose block of `from` becomes the block of `to` on `processor`.
  int64_t source(int64_t processor) const { return moved(processor, place_of_); }
  /// Returns the processor that receives the block of `processor`: the inverse of source().
  int64_t reader(int64_t processor) const { return moved(processor, axis_at_); }

 private:
  using Places = std::array<int8_t, kMaxAxes>;
  int64_t moved(int64_t processor, const Places& places) const;

  const Mesh& mesh_;
  Places place_of_;  ///< The source has, along axis i, the coordinate that its receiver has along place_of_[i].
  Places axis_at_;   ///< the inverse
};

/// Completes a partial one-to-one map of axes to a permutation (-1: no target yet). Maps the last axis of each chain
/// to its first.
void close_chains(std::array<int8_t, kMaxAxes>& map);

}  // namespace mtf::spmd
