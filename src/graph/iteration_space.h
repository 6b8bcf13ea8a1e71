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
// A dim may follow another, as the places that attention looks back to follow its queries: a block of the other reads only
// an interval of it. Where both are split alike a halo is then enough, and what a result gets beyond its own block
// is added to its neighbours'.
#include <cstdint>
#include <vector>

#include "kernels/lane_op.h"
#include "types/sharding.h"

namespace mtf {

/// What a dim of an iteration space means when it is split.
enum class SplitKind : uint8_t {
  kFree,      ///< blocks are independent
  kReduce,    ///< a block gives a partial result, to be reduced over the axes (IterationDim::reduce says how)
  kInterval,  ///< a result's [lo, hi) needs the operand's map(lo, hi) (IterationDim::maps)
  kFactors,   ///< reshape: the leading dims of a group that is merged or split; kept where block bounds coincide
  kScan,      ///< a running sum: a block needs the totals of earlier blocks
  kExpand,    ///< needed whole, or, where this dim is split, Op::expand's graph of smaller operations stands for it
  kWhole,     ///< every processor needs the entire dim
};

/// How a result's interval is fetched from an operand: the result's [lo, hi) reads the operand's
/// [lo * stride + offset, (hi - 1) * stride + offset + window), or, reversed, the same counted from the end:
/// [from - hi + offset, from - lo + offset) with stride 1. Places outside the operand wrap around or are not read.
struct IntervalMap {
  int64_t stride = 1;
  int64_t offset = 0;
  int64_t window = 1;
  bool reversed = false;
  bool wrap = false;
  int64_t from = 0;  ///< the result dim's whole size
  int64_t to = 0;    ///< the operand dim's whole size
  bool operator==(const IntervalMap&) const = default;
};

/// What of the operand a result's [lo, hi) needs: clipped to [0, to) unless it wraps.
Interval needed(const IntervalMap& map, Interval result);

struct IterationDim {
  SplitKind kind = SplitKind::kFree;
  Reduction reduce = Reduction::kSum;  ///< of kReduce
  bool rounds_parts = false;           ///< of kReduce: parts of bf16 are bf16, not f32 until all are added up
  std::vector<int8_t> operands = {};   ///< index of the dim in each operand, or -1
  std::vector<int8_t> results = {};    ///< index of the dim in each result, or -1
  std::vector<IntervalMap> maps = {};  ///< of kInterval: for each operand
  int64_t operand_granule = 1;         ///< of kFactors: elements of the group for one index of the operand's dim
  int64_t result_granule = 1;          ///< of kFactors: the same for the result's dim
  int8_t follows = -1;                 ///< of kExpand: the dim of the space whose blocks need only a window of this one, or -1
  IntervalMap reach = {};              ///< that window: what of this dim a block of that one reads, and adds to
};

struct IterationSpace {
  std::vector<IterationDim> dims;
  /// Blocks are independent along all dims.
  bool is_free() const {
    return std::all_of(dims.begin(), dims.end(), [](const IterationDim& dim) { return dim.kind == SplitKind::kFree; });
  }
};

/// In which operands a result is linear, so that a partial sum may be carried through.
enum class Linear : uint8_t {
  kNo,     ///< in none
  kEach,   ///< in each alone, the others fixed: a product, a sum over dims, neg, rename
  kFirst,  ///< in the first alone: a quotient
  kJoint,  ///< in all together: a sum, a difference, concat; all must be partial over the same axes
};

}  // namespace mtf
