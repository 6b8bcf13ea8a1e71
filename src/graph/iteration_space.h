#pragma once
// The meaning of a split, for each dim of an operation's iteration space.
//
// Each entry connects the dims of operands and results that run together, and states the meaning of a split along
// them. For einsum(x, y -> [a, c]) with x [a, b] and y [b, c]:
//     a: free,  operand dims {0, -1}, result dims {0}
//     b: reduce(sum),        {1,  0},             {-1}
//     c: free,               {-1, 1},             {1}
// Dims of an operand or result without an entry must be replicated.
//
// The access along a dim is independent of the meaning of a split. Along a dim of any kind, an operand may be read by
// an access map. A block then needs an interval of the operand, and the part beyond its own block is a halo. A slice
// is free and reads by a map. A convolution's gradient for its kernel is a sum over positions, and reads a window at
// each position.
//
// A dim may follow another dim: the keys of attention with a window follow its queries. A block of the other dim then
// reads only an interval of the following dim. If both dims have the same split, a halo is enough. Contributions to a
// result beyond its own block are added to its neighbours' blocks.
#include <cstdint>
#include <vector>

#include "kernels/lane_op.h"
#include "types/sharding.h"

namespace mtf::graph {

/// The meaning of a split along a dim of an iteration space.
enum class SplitKind : uint8_t {
  kFree,     ///< blocks are independent
  kReduce,   ///< a block gives a partial result, to be reduced over the axes (IterationDim::reduce says how)
  kFactors,  ///< reshape: the leading dims of a group that is merged or split; kept where block bounds coincide
  kScan,     ///< a running sum: a block needs the totals of earlier blocks
  kExpand,   ///< gathered, or, if this dim is split, replaced by the graph of Op::expand
  kWhole,    ///< gathered on every processor
};

/// The access to an operand along a dim of the space. Index i of the space's dim, of size `from`, reads these positions
/// (if reversed, index from - 1 - i reads them):
///     i * stride + offset + k * dilation    for k in [0, window)
/// The operand is treated as if base_dilation - 1 zeros followed each of its elements. Position p is element p /
/// base_dilation if base_dilation divides p; otherwise nothing is read. Positions outside the operand's size `to` wrap
/// around or are not read.
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
  int64_t from = 0;  ///< the global size of the space's dim
  int64_t to = 0;    ///< the global size of the operand's dim
  bool operator==(const AccessMap&) const = default;

  /// The length from the first position that an index reads to the end of the last one.
  int64_t extent() const { return (window - 1) * dilation + 1; }
  /// True if each index reads the operand's element at the same position.
  bool is_identity() const {
    return stride == 1 && offset == 0 && window == 1 && base_dilation == 1 && !reversed && from == to;
  }
};

/// Returns the smallest interval of the operand with all elements that block [lo, hi) of the space reads, clipped to
/// [0, to) unless it wraps.
Interval needed(const AccessMap& map, Interval block);
/// Returns the same interval without clipping.
Interval needed_unclipped(const AccessMap& map, Interval block);

/// Returns the number of reads of the operand by block [lo, hi) of the space. Reads outside `to` count; the zeros of a
/// base dilation do not.
int64_t count_reads(const AccessMap& map, Interval block);

struct IterationDim {
  SplitKind kind = SplitKind::kFree;
  kernels::Reduction reduce = kernels::Reduction::kSum;  ///< of kReduce
  bool rounds_parts = false;  ///< of kReduce: parts of bf16 stay bf16 instead of f32. They are rounded before they are
                              ///< sent, and at each join of the tree (spmd/reduction_tree.h).
  std::vector<int8_t> operands = {};  ///< index of the dim in each operand, or -1
  std::vector<int8_t> results = {};   ///< index of the dim in each result, or -1
  std::vector<AccessMap> maps = {};   ///< the access to each operand that has the dim; empty: position by position
  int64_t operand_granule = 1;        ///< of kFactors: elements of the group for one index of the operand's dim
  int64_t result_granule = 1;         ///< of kFactors: the same for the result's dim
  int8_t follows = -1;                ///< of kExpand: the dim of the space that this one follows, or -1
  AccessMap reach = {};               ///< that window: the interval of this dim that a block reads, and adds to

  /// The map by which an operand is read in windows or by strides; null if there is none.
  const AccessMap* window() const {
    for (const AccessMap& map : maps)
      if (!map.is_identity()) return &map;
    return nullptr;
  }
  /// True if blocks are independent and use only the operands' blocks at the same positions.
  bool is_free() const { return kind == SplitKind::kFree && maps.empty(); }
};

struct IterationSpace {
  std::vector<IterationDim> dims;
  bool is_free() const {
    return std::all_of(dims.begin(), dims.end(), [](const IterationDim& dim) { return dim.is_free(); });
  }
};

/// The operands in which a result is linear, so that a partial sum may pass through.
enum class Linear : uint8_t {
  kNo,     ///< in none
  kEach,   ///< in each alone, the others fixed: a product, a sum over dims, neg, rename
  kFirst,  ///< in the first alone: a quotient
  kJoint,  ///< in all together: a sum, a difference, concat; all must be partial over the same axes
};

}  // namespace mtf::graph
