#pragma once
// The attributes of operations that move elements along a dim. Operations that accumulate into a part use them too.
#include <vector>

#include "graph/iteration_space.h"
#include "graph/operation.h"
#include "ops/blocks.h"
#include "ops/builder.h"

namespace mtf::ops {

/// `count` elements, `stride` apart, from `first` on.
struct SliceAttributes {
  Name over;
  int64_t first, count, stride;
  static constexpr auto members() {
    return std::array{graph::member<&SliceAttributes::over>("over"), graph::member<&SliceAttributes::first>("first"),
                      graph::member<&SliceAttributes::count>("count"),
                      graph::member<&SliceAttributes::stride>("stride")};
  }
};

/// The attributes of spread and add_spread: element i of the part goes to position first + i * stride, out of `size`.
struct SpreadAttributes {
  Name over;
  int64_t first, stride, size;
  static constexpr auto members() {
    return std::array{graph::member<&SpreadAttributes::over>("over"), graph::member<&SpreadAttributes::first>("first"),
                      graph::member<&SpreadAttributes::stride>("stride"),
                      graph::member<&SpreadAttributes::size>("size")};
  }
};

struct ReverseAttributes {
  Names over;
  static constexpr auto members() { return std::array{graph::member<&ReverseAttributes::over>("over")}; }
};

/// The attributes of pad, pad_with and add_padded: the numbers of elements before and after the part.
struct PadAttributes {
  Name over;
  int64_t before, after;
  static constexpr auto members() {
    return std::array{graph::member<&PadAttributes::over>("over"), graph::member<&PadAttributes::before>("before"),
                      graph::member<&PadAttributes::after>("after")};
  }
};

/// The positions of the operand (of size `from`) that pad's result (of size `to`) reads.
graph::AccessMap pad_map(const PadAttributes& pad, int64_t from, int64_t to);

/// The positions of a block of spread's result that receive elements of its operand. The block holds all of the
/// operand.
std::vector<Run> spread_runs(const SpreadAttributes& spread, const kernels::BlockDim& from,
                             const kernels::BlockDim& to);

/// Shifts `x` by `by` positions along a dim. Elements that leave at one end enter at the other, or zeros do.
graph::Value shift(Builder& builder, const graph::Value& x, int dim, int64_t by, bool wrap);

}  // namespace mtf::ops
