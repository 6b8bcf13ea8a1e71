#pragma once
// For kernels that move elements: boxes and runs of positions, walks over several blocks at once, elements by type.
//
// A block stores its dims in any order, so every address is a sum of index times stride. Threads work on different
// pieces of one dim. The result does not depend on the number of threads.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "graph/iteration_space.h"
#include "kernels/block.h"
#include "kernels/elements.h"
#include "kernels/threads.h"
#include "support/integers.h"

namespace mtf::ops {

// ---- Copies ---------------------------------------------------------------------------------------------------------

/// `count` positions along one dim. The result's positions `to`, `to + to_step`, … are read from the operand's
/// positions `from`, `from + from_step`, … Positions are relative to the blocks.
struct Run {
  int64_t to = 0;
  int64_t from = 0;
  int64_t count = 0;
  int64_t from_step = 1;
  int64_t to_step = 1;
};

/// The positions that an interval map reads, ascending in the result. `result` is the result's block, `operand` the
/// operand's. The operand's `first` may be negative, and its end may be past the gathered dim if the map wraps. No run
/// contains positions outside the gathered operand.
std::vector<Run> runs_of(const graph::AccessMap& map, const kernels::BlockDim& result,
                         const kernels::BlockDim& operand);

/// Copies one run in every dim. `dims` holds, for each dim of `to`, the index of the dim of `from`; -1 repeats `from`
/// along the dim. `from_offset` elements are added to the address in `from` (for a dim that `to` lacks). Element types
/// are equal, or bf16 is widened to f32.
void copy_box(kernels::Threads& threads, const kernels::Block& from, const kernels::Block& to,
              std::span<const int> dims, std::span<const Run> box, int64_t from_offset = 0);

/// Copies all of `to`, as copy_box does.
void copy_all(kernels::Threads& threads, const kernels::Block& from, const kernels::Block& to,
              std::span<const int> dims, int64_t from_offset = 0);

/// Sets the positions [first, last) of one dim of `to`, along all positions of the others. `dim` = -1: sets everything.
void fill(const kernels::Block& to, double value, int dim = -1, int64_t first = 0, int64_t last = 0);

/// Copies `runs` along dim `dim` of `to`, and everything along the other dims. Sets the remaining positions to
/// `outside`.
void copy_runs(kernels::Threads& threads, const kernels::Block& from, const kernels::Block& to,
               std::span<const int> dims, int dim, std::span<const Run> runs, double outside);

/// 0, 1, 2, …: the dims of both blocks correspond in order.
std::vector<int> in_order(size_t dims);

// ---- Elements by type -----------------------------------------------------------------------------------------------

using kernels::by_element;
using kernels::from_number;
using kernels::kElementOf;
using kernels::Number;
using kernels::plus;
using kernels::to_number;

template <typename T>
T to_element(double value) {
  if constexpr (std::is_same_v<T, Bf16>) return to_bf16(static_cast<float>(value));
  else if constexpr (std::is_same_v<T, uint8_t>) return value != 0;
  else return static_cast<T>(value);
}

template <typename T>
bool is_nan(T value) {
  if constexpr (std::is_floating_point_v<T>) return std::isnan(value);
  else return false;
}

// ---- Walks ----------------------------------------------------------------------------------------------------------

/// Counts through a box, the last dim fastest, and tracks the address in N blocks.
template <int N>
class Walk {
 public:
  /// Adds a dim: its size, and the stride in each block.
  void add(int64_t size, std::array<int64_t, N> strides) {
    sizes_.push_back(size);
    strides_.push_back(strides);
    positions_.push_back(0);
    count_ *= size;
  }
  /// The number of positions.
  int64_t count() const { return count_; }
  int64_t offset(int block) const { return offsets_[block]; }
  int64_t position(size_t dim) const { return positions_[dim]; }
  void seek(int64_t position) {
    offsets_ = {};
    for (size_t d = sizes_.size(); d-- > 0;) {
      positions_[d] = position % sizes_[d];
      position /= sizes_[d];
      for (int b = 0; b < N; ++b) offsets_[b] += positions_[d] * strides_[d][b];
    }
  }
  void next() {
    for (size_t d = sizes_.size(); d-- > 0;) {
      for (int b = 0; b < N; ++b) offsets_[b] += strides_[d][b];
      if (++positions_[d] < sizes_[d]) return;
      for (int b = 0; b < N; ++b) offsets_[b] -= sizes_[d] * strides_[d][b];
      positions_[d] = 0;
    }
  }

 private:
  std::vector<int64_t> sizes_, positions_;
  std::vector<std::array<int64_t, N>> strides_;
  std::array<int64_t, N> offsets_{};
  int64_t count_ = 1;
};

/// Calls `body(walk)` at every position, in parallel on pieces of the walk. Each call handles `cost` elements.
template <int N, typename Body>
void for_each_position(kernels::Threads& threads, const Walk<N>& walk, int64_t cost, Body body) {
  if (walk.count() == 0) return;
  const int64_t grain = std::max<int64_t>(1, 16384 / std::max<int64_t>(1, cost));
  threads.parallel_for(walk.count(), grain, [&](int64_t begin, int64_t end) {
    Walk<N> mine = walk;
    mine.seek(begin);
    for (int64_t position = begin; position < end; ++position, mine.next()) body(mine);
  });
}

/// The most neighbouring lines that one call handles.
constexpr int64_t kLinesAtOnce = 256;

/// Calls `body(x, y, lines, x_apart, y_apart)` until it has seen all lines along `dim` of the first block, with the
/// same positions of the second. `x` and `y` are the offsets of the first of `lines` lines. `x_apart` and `y_apart` are
/// the distances from one line to the next. The lines are neighbours in memory (x_apart is 1). If instead the elements
/// of a line are neighbours, a call gets at most `apart` lines.
template <typename Body>
void for_each_line(kernels::Threads& threads, const kernels::Block& x, const kernels::Block& y, int dim, int64_t apart,
                   Body body) {
  int across = -1;
  for (size_t d = 0; d < x.dims.size(); ++d)
    if (static_cast<int>(d) != dim && x.dims[d].size > 1 && (across < 0 || x.dims[d].stride < x.dims[across].stride))
      across = static_cast<int>(d);
  const int64_t most = across >= 0 && x.dims[across].stride == 1 ? kLinesAtOnce : apart;
  if (most == 1) across = -1;
  Walk<2> walk;
  for (size_t d = 0; d < x.dims.size(); ++d) {
    if (static_cast<int>(d) == dim) continue;
    if (static_cast<int>(d) == across)
      walk.add(ceil_div(x.dims[d].size, most), {most * x.dims[d].stride, most * y.dims[d].stride});
    else walk.add(x.dims[d].size, {x.dims[d].stride, y.dims[d].stride});
  }
  const int64_t lines = across < 0 ? 1 : x.dims[across].size;
  const int64_t x_apart = across < 0 ? 0 : x.dims[across].stride, y_apart = across < 0 ? 0 : y.dims[across].stride;
  const size_t position = across > dim ? across - 1 : across;  // in the walk
  for_each_position(threads, walk, x.dims[dim].size * std::min(lines, most), [&](const Walk<2>& at) {
    const int64_t first = across < 0 ? 0 : at.position(position) * most;
    body(at.offset(0), at.offset(1), std::min(most, lines - first), x_apart, y_apart);
  });
}

/// Throws the error that a sum of integers does not fit in i32.
[[noreturn]] void refuse_sum();

}  // namespace mtf::ops
