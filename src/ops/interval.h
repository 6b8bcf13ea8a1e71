#pragma once
// Operations that move elements along a dim, and where they put them, for those that add to what is there.
#include <vector>

#include "graph/iteration_space.h"
#include "graph/operation.h"
#include "ops/blocks.h"
#include "ops/builder.h"

namespace mtf::ops {

/// `count` elements from `first` on, every `stride`-th.
struct SliceAttributes {
  Name over;
  int64_t first, count, stride;
  static constexpr auto members() {
    return std::array{graph::member<&SliceAttributes::over>("over"), graph::member<&SliceAttributes::first>("first"),
                      graph::member<&SliceAttributes::count>("count"),
                      graph::member<&SliceAttributes::stride>("stride")};
  }
};

/// Of spread and add_spread: element i of the part goes to place first + i * stride of `size`.
struct SpreadAttributes {
  Name over;
  int64_t first, stride, size;
  static constexpr auto members() {
    return std::array{graph::member<&SpreadAttributes::over>("over"), graph::member<&SpreadAttributes::first>("first"),
                      graph::member<&SpreadAttributes::stride>("stride"),
                      graph::member<&SpreadAttributes::size>("size")};
  }
};

/// Of pad, pad_with and add_padded: so many elements before and after the part.
struct PadAttributes {
  Name over;
  int64_t before, after;
  static constexpr auto members() {
    return std::array{graph::member<&PadAttributes::over>("over"), graph::member<&PadAttributes::before>("before"),
                      graph::member<&PadAttributes::after>("after")};
  }
};

/// What of the operand, `from` elements, pad's result of `to` elements reads.
graph::AccessMap pad_map(const PadAttributes& pad, int64_t from, int64_t to);

/// The places of a block of spread's result that get elements of its operand, of which a block holds all.
std::vector<Run> spread_runs(const SpreadAttributes& spread, const kernels::BlockDim& from,
                             const kernels::BlockDim& to);

/// `x` with every element of a dim `by` places further on; what leaves it comes in at its other end, or zeros.
graph::Value shift(Builder& builder, const graph::Value& x, int dim, int64_t by, bool wrap);

}  // namespace mtf::ops
