#pragma once
// Where the blocks of a local value lie, as numbers: the box of the whole tensor that a processor holds, and the
// distances in memory between its elements. Everything that moves data is worked out on these boxes.
#include <vector>

#include "kernels/block.h"
#include "run/hosting.h"
#include "spmd/local_program.h"

namespace mtf::run {

/// One processor's block of a value.
struct BlockShape {
  std::vector<Interval> box;     ///< for each dim, in the tensor's order
  std::vector<int64_t> strides;  ///< in elements
  int64_t elements = 1;
};

/// The block of the processor at `coordinates`, its dims stored in the value's order.
BlockShape block_at(const spmd::LocalValue& value, const Coordinates& coordinates);

/// The same with the dims of `value` in `order`, for a box that need not be a whole block.
std::vector<int64_t> dense_strides(const std::vector<Interval>& box, const std::vector<int8_t>& order);

/// The block as kernels see it, without its data.
kernels::Block kernel_block(const spmd::LocalValue& value, const BlockShape& shape);

/// Elements of the largest block of any processor of the mesh, from the blocks' bounds: dim by dim, since no two dims
/// are split by one axis.
int64_t most_elements(const spmd::LocalValue& value);

}  // namespace mtf::run
