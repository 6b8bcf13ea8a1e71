#pragma once
// Axes that change places in a sharding: every processor gets the whole block of one other.
//
//   a over x, b over y  ->  a over y, b over x       processor (x=i, y=j) gets the block of (x=j, y=i)
//   a over x, b over y, c over z  ->  y, z, x        in one go
//   a over x  ->  a over y                           y, along which there are replicas, takes x's place
//
// The axes that take each other's places have one size. An axis that leaves a list and comes into none takes the place
// of the one that came in, so that each processor sends to one and receives from one.
#include <array>

#include "spmd/local_program.h"

namespace mtf::spmd {

class AxisPermutation {
 public:
  /// `from` and `to` differ by which axes stand at the places of their dims' lists.
  AxisPermutation(const LocalValue& from, const LocalValue& to);
  /// The processor whose block of `from` is the block of `to` of `processor`.
  int64_t source(int64_t processor) const { return moved(processor, place_of_); }
  /// The inverse.
  int64_t reader(int64_t processor) const { return moved(processor, axis_at_); }

 private:
  using Places = std::array<int8_t, kMaxAxes>;
  int64_t moved(int64_t processor, const Places& places) const;

  const Mesh& mesh_;
  Places place_of_;  ///< the coordinate along axis i of a source is its reader's along place_of_[i]
  Places axis_at_;   ///< the inverse
};

/// Completes a one-to-one map of some axes (-1: of which nothing is said yet) to a permutation: the first axis of each
/// chain comes after its last.
void close_chains(std::array<int8_t, kMaxAxes>& map);

}  // namespace mtf::spmd
