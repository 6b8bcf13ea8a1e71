#pragma once
// Presents a block as rows, for kernels that normalise over some of its dims.
//
// A *row* consists of the elements of the folded dims at one position of the other dims. The kernels of kernels/rows.h
// take `outer` × `inner` rows, and the elements of a row have one stride. A block has more dims, in any order. Dims
// that are adjacent in memory in all arrays are joined. The remaining dims beyond outer and inner are walked. Folded
// dims that are not adjacent are made so by a copy.
#include <functional>
#include <span>
#include <vector>

#include "kernels/block.h"
#include "kernels/rows.h"

namespace mtf::ops {

/// An array along the dims of a block: a stride for each dim. If it has one number a row, folded dims have stride 0.
struct RowArray {
  ElementType element = ElementType::kF32;
  void* data = nullptr;
  std::vector<int64_t> strides;
  bool per_row = false;
  bool written = false;
};

/// A block as an array along its own dims.
RowArray rows_read(const kernels::Block& block);
RowArray rows_written(const kernels::Block& block);
/// A result with one number a row. `positions` holds, for each dim of the operand, the index of the dim in `block`, or
/// -1.
RowArray row_results(const kernels::Block& block, std::span<const int> positions);

/// The address of the first row in one array, and the distances between rows and between elements.
struct RowPointer {
  void* data = nullptr;
  int64_t outer_stride = 0;
  int64_t stride = 1;
  int64_t inner_stride = 0;
  kernels::RowsIn in() const { return {data, outer_stride, stride, inner_stride}; }
  kernels::RowsOut out() const { return {data, outer_stride, stride, inner_stride}; }
};

/// Calls `body` with a group of rows and their addresses in each of `arrays`, until it has seen all rows of `x`. The
/// first array is x.
void for_each_rows(const kernels::Block& x, const std::vector<bool>& folded, std::vector<RowArray> arrays,
                   const std::function<void(const kernels::Rows&, std::span<const RowPointer>)>& body);

/// The number of rows of `x`.
int64_t row_count(const kernels::Block& x, const std::vector<bool>& folded);

}  // namespace mtf::ops
