#pragma once
// How kernels that normalise over some dims of a block see it: as rows.
//
// A *row* is the elements of the folded dims at one place of the others. The kernels of kernels/rows.h take rows whose
// elements have one stride, `outer` × `inner` of them; a block has more dims, in any order. Dims that lie together in
// all arrays become one; what is left beyond outer and inner is walked. Folded dims that do not lie together are
// copied so that they do.
#include <functional>
#include <span>
#include <vector>

#include "kernels/block.h"
#include "kernels/rows.h"

namespace mtf::ops {

/// An array along the dims of a block: a stride for each, 0 for the folded ones where it has one number a row.
struct RowArray {
  ElementType element = ElementType::kF32;
  void* data = nullptr;
  std::vector<int64_t> strides;
  bool per_row = false;
  bool written = false;
};

/// A block seen along its own dims.
RowArray rows_read(const kernels::Block& block);
RowArray rows_written(const kernels::Block& block);
/// A result with one number a row: for each dim of the operand its place in `block`, or -1.
RowArray row_results(const kernels::Block& block, std::span<const int> places);

/// Where the rows of one array begin, and how far apart they and their elements are.
struct RowPointer {
  void* data = nullptr;
  int64_t outer_stride = 0;
  int64_t stride = 1;
  int64_t inner_stride = 0;
  kernels::RowsIn in() const { return {data, outer_stride, stride, inner_stride}; }
  kernels::RowsOut out() const { return {data, outer_stride, stride, inner_stride}; }
};

/// Calls `body` with rows and where they are in each of `arrays`, until all rows of `x` were seen. The first array is
/// x.
void for_each_rows(const kernels::Block& x, const std::vector<bool>& folded, std::vector<RowArray> arrays,
                   const std::function<void(const kernels::Rows&, std::span<const RowPointer>)>& body);

/// The number of rows of `x`.
int64_t row_count(const kernels::Block& x, const std::vector<bool>& folded);

}  // namespace mtf::ops
