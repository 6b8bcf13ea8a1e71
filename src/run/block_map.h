#pragma once
// Boxes and strides of the blocks of a local value. A box is the part of the whole tensor that a processor holds. All
// data movement is computed on boxes.
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

/// Returns the block of the processor at `coordinates`, with its dims in the value's storage order.
BlockShape block_at(const spmd::LocalValue& value, const Coordinates& coordinates);

/// Returns the strides of a dense array with the sizes of `box` and the storage order `order`. The box need not be a
/// block.
std::vector<int64_t> dense_strides(const std::vector<Interval>& box, const std::vector<int8_t>& order);

/// Returns the block as kernels see it, without a data pointer.
kernels::Block kernel_block(const spmd::LocalValue& value, const BlockShape& shape);

/// Returns the elements of the largest block of any processor. Computes it dim by dim, because no axis splits two dims.
int64_t most_elements(const spmd::LocalValue& value);

}  // namespace mtf::run
