#pragma once
// Blocks that change processors: each processor gets the whole block of one other processor.
//
//   a over x, b over y  ->  a over y, b over x       processor (x=i, y=j) gets the block of (x=j, y=i)
//   a over x, b over y, c over z  ->  y, z, x        in one collective
//   a over x  ->  a over y                           y, which held replicas, takes the position of x
//   a over x, then y  ->  a over y, then x           x and y may have different sizes
//
// The axes behind those that begin both lists of a dim have the same number of positions before and after. They number
// the blocks of the dim in the same order. Axes that leave all lists, in the order of the mesh, number the replicas
// that axes which enter a list have numbered before. So each processor sends to one processor and receives from one.
#include <vector>

#include "spmd/local_program.h"

namespace mtf::spmd {

/// Returns the number of leading axes that both lists share.
int common_prefix(const AxisList& a, const AxisList& b);

class AxisPermutation {
 public:
  /// `from` and `to` differ only in the axes of their dims' lists, and have the same blocks.
  AxisPermutation(const LocalValue& from, const LocalValue& to);
  /// Returns the processor whose block of `from` becomes the block of `to` on `processor`.
  int64_t source(int64_t processor) const { return moved(processor, after_, before_); }
  /// Returns the processor that receives the block of `processor`: the inverse of source().
  int64_t reader(int64_t processor) const { return moved(processor, before_, after_); }

 private:
  /// The processor whose coordinates along `gets` number the blocks that `processor` has by its coordinates along
  /// `has`.
  int64_t moved(int64_t processor, const std::vector<AxisList>& has, const std::vector<AxisList>& gets) const;

  const Mesh& mesh_;
  std::vector<AxisList> before_, after_;  ///< lists that number the same blocks, and at the end the same replicas
};

}  // namespace mtf::spmd
