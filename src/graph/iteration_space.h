#pragma once
// What splitting an operation's dims means, said dim by dim of its iteration space.
//
// Each entry ties together the dim of each operand and of each result that run together, and says what splitting it
// means. For einsum(x, y -> [a, c]) with x [a, b] and y [b, c] that is
//     a: free,  operand dims {0, -1}, result dims {0}
//     b: reduce(sum),        {1,  0},             {-1}
//     c: free,               {-1, 1},             {1}
// A dim of an operand or result that is in no entry must be whole on every processor.
//
// What splitting a dim means is one thing, how it is read another: along a dim of any kind an operand may be read by an
// access map, so that a block needs an interval of it, with what lies beyond its own block as a halo. A slice is free
// and reads by a map; a convolution's gradient with respect to its kernel is a sum over places, each of which reads a
// window.
//
// A dim may follow another, as the places that attention looks back to follow its queries: a block of the other reads
// only an interval of it. Where both are split alike a halo is then enough, and what a result gets beyond its own block
// is added to its neighbours'.
#include <cstdint>
#include <vector>

#include "kernels/lane_op.h"
#include "types/sharding.h"

namespace mtf::graph {

/// What a dim of an iteration space means when it is split.
enum class SplitKind : uint8_t {
  kFree,     ///< blocks are independent
  kReduce,   ///< a block gives a partial result, to be reduced over the axes (IterationDim::reduce says how)
  kFactors,  ///< reshape: the leading dims of a group that is merged or split; kept where block bounds coincide
  kScan,     ///< a running sum: a block needs the totals of earlier blocks
  kExpand,   ///< needed whole, or, where this dim is split, Op::expand's graph of smaller operations stands for it
  kWhole,    ///< every processor needs the entire dim
};

/// How a dim of an operand is read along a dim of the space. Index i of the space's `from`, or, reversed, from - 1 - i
/// in its stead, reads the places
///     i * stride + offset + k * dilation    for k in [0, window)
/// of the operand as if base_dilation - 1 zeros stood behind each of its elements: place p is element p / base_dilation
/// where that is whole, and otherwise nothing. Elements outside the operand's `to` wrap around or are not read.
///
///     slice(x, first: 2, stride: 3)      stride 3, offset 2
///     a window of 3, each 2 apart        window 3, dilation 2          i reads i, i + 2, i + 4
///     spread(x, first: 1, stride: 2)     base_dilation 2, offset -1    i reads (i - 1) / 2 of odd i
struct AccessMap {
  int64_t stride = 1;
  int64_t offset = 0;
  int64_t window = 1;
  int64_t dilation = 1;       ///< of the window
  int64_t base_dilation = 1;  ///< of the operand
  bool reversed = false;
  bool wrap = false;
  int64_t from = 0;  ///< the whole size of the space's dim
  int64_t to = 0;    ///< the operand dim's whole size
  bool operator==(const AccessMap&) const = default;

  /// From the first place that one index reads to behind the last.
  int64_t extent() const { return (window - 1) * dilation + 1; }
  /// Each index reads the operand's element of the same place.
  bool is_identity() const {
    return stride == 1 && offset == 0 && window == 1 && base_dilation == 1 && !reversed && from == to;
  }
};

/// The smallest interval with all elements of the operand that a block [lo, hi) of the space reads: clipped to [0, to)
/// unless it wraps.
Interval needed(const AccessMap& map, Interval block);
/// The same, never clipped.
Interval needed_unclipped(const AccessMap& map, Interval block);

/// How often a block [lo, hi) of the space reads an element of the operand, elements outside of its `to` included; what
/// a base dilation puts between elements is not read.
int64_t count_reads(const AccessMap& map, Interval block);

struct IterationDim {
  SplitKind kind = SplitKind::kFree;
  kernels::Reduction reduce = kernels::Reduction::kSum;  ///< of kReduce
  bool rounds_parts = false;          ///< of kReduce: parts of bf16 are bf16, not f32 until all are added up
  std::vector<int8_t> operands = {};  ///< index of the dim in each operand, or -1
  std::vector<int8_t> results = {};   ///< index of the dim in each result, or -1
  std::vector<AccessMap> maps = {};   ///< how each operand that has the dim is read along it; empty: place by place
  int64_t operand_granule = 1;        ///< of kFactors: elements of the group for one index of the operand's dim
  int64_t result_granule = 1;         ///< of kFactors: the same for the result's dim
  int8_t follows = -1;   ///< of kExpand: the dim of the space whose blocks need only a window of this one, or -1
  AccessMap reach = {};  ///< that window: what of this dim a block of that one reads, and adds to

  /// The map by which an operand is read in windows or by strides, not place by place; null: there is none.
  const AccessMap* window() const {
    for (const AccessMap& map : maps)
      if (!map.is_identity()) return &map;
    return nullptr;
  }
  /// Blocks are independent, and made of the operands' blocks of the same places.
  bool is_free() const { return kind == SplitKind::kFree && maps.empty(); }
};

struct IterationSpace {
  std::vector<IterationDim> dims;
  bool is_free() const {
    return std::all_of(dims.begin(), dims.end(), [](const IterationDim& dim) { return dim.is_free(); });
  }
};

/// In which operands a result is linear, so that a partial sum may be carried through.
enum class Linear : uint8_t {
  kNo,     ///< in none
  kEach,   ///< in each alone, the others fixed: a product, a sum over dims, neg, rename
  kFirst,  ///< in the first alone: a quotient
  kJoint,  ///< in all together: a sum, a difference, concat; all must be partial over the same axes
};

}  // namespace mtf::graph
