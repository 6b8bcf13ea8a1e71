#pragma once
// An operation is one record in one place.
//
// ops.def lists the operations; each is defined once, in the file of its family, as one `Op`. The checker, the
// splitter, the gradients, the executor, the planner, `:help`, the reference and the tests of every operation read
// this record and nothing else. No operation knows about communication or counters.
//
// How a dim may be split is said dim by dim of the iteration space (IterationSpace): each entry ties together the dim
// of each operand and of each result that run together, and says what splitting it means. For einsum(x, y -> [a, c])
// with x [a, b] and y [b, c] that is
//     a: free,  operand dims {0, -1}, result dims {0}
//     b: reduce(sum),        {1,  0},             {-1}
//     c: free,               {-1, 1},             {1}
// A dim of an operand or result that is in no entry must be whole on every processor.
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "graph/graph.h"
#include "kernels/block.h"
#include "kernels/fused_loop.h"
#include "kernels/threads.h"

namespace mtf {

class Builder;  // graph/builder.h
class Call;     // ops/call.h

/// What a dim of an iteration space means when it is split.
enum class SplitKind : uint8_t {
  kFree,      ///< blocks are independent
  kReduce,    ///< a block gives a partial result, to be reduced over the axes (IterationDim::reduce says how)
  kInterval,  ///< a result's [lo, hi) needs the operand's map(lo, hi) (IterationDim::maps)
  kFactors,   ///< reshape: the leading dims of a group that is merged or split; kept where block bounds coincide
  kScan,      ///< a running sum: a block needs the totals of earlier blocks
  kExpand,    ///< where this dim is split, Op::expand's graph of smaller operations stands for it
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
  std::vector<int8_t> operands = {};     ///< index of the dim in each operand, or -1
  std::vector<int8_t> results = {};      ///< index of the dim in each result, or -1
  std::vector<IntervalMap> maps = {};    ///< of kInterval: for each operand
  int64_t operand_granule = 1;           ///< of kFactors: elements of the group for one index of the operand's dim
  int64_t result_granule = 1;            ///< of kFactors: the same for the result's dim
};

struct IterationSpace {
  std::vector<IterationDim> dims;
};

/// In which operands a result is linear, so that a partial sum may be carried through.
enum class Linear : uint8_t {
  kNo,     ///< in none
  kEach,   ///< in each alone, the others fixed: a product, a sum over dims, neg, rename
  kFirst,  ///< in the first alone: a quotient
  kJoint,  ///< in all together: a sum, a difference, concat; all must be partial over the same axes
};

/// The floating-point operations that an operation counts.
enum class Work : uint8_t {
  kNone,         ///< moving data, random numbers
  kPerResult,    ///< 1 for each element of the first result: element-wise operations
  kPerOperand,   ///< 1 for each element of the first operand: reductions, cumsum, sort, top_k
  kPerPart,      ///< 1 for each element of the second operand, which is added into the first
  kContraction,  ///< 2 for each point of the iteration space
  kExpansion,    ///< what Op::expand's graph counts, whether it is used or not
};

/// A call of a kernel on one processor's blocks.
struct KernelCall {
  const Attributes& attributes;
  std::span<const Block> operands;
  std::span<const Block> results;
  std::span<const double> inputs;
  Threads& threads;
  int64_t flops = 0;  ///< the kernel adds what it did, from the sizes it got
  std::function<void()> progress = {};  ///< if set, called by a long kernel about every half millisecond
};

/// What a kernel throws when an element is wrong (an index out of range): one sentence, expected and found.
struct ElementError {
  std::string message;
};

/// A request for the gradients of an operation's operands.
struct GradientCall {
  Builder& builder;
  const Operation& operation;
  const Values& operands;   ///< of the node (or their copies, under recompute)
  const Values& results;    ///< of the operation, saved ones included
  const Values& d_results;  ///< the gradient of each result; null where none flows
  std::vector<bool> wanted; ///< operands whose gradient is needed

  bool wants(size_t operand) const { return operand < wanted.size() && wanted[operand]; }
};

/// A request for the graph that stands for an operation where a dim of kind kExpand is split.
struct ExpandCall {
  Builder& builder;
  const Operation& operation;
  const Values& operands;
  int64_t blocks = 1;  ///< in which the operand's dims of that kind are split
};

/// The order in which a tensor's dims lie in memory: their indices, outermost first.
using StorageOrder = std::vector<int8_t>;

struct Op {
  std::string_view name = {};
  /// Parameters as the call writes them, `sum(x: tensor, over: dims = all, -> shape?)`; empty: scripts cannot call it.
  /// The kinds are listed in ops/call.h.
  std::string_view signature = {};
  std::string_view symbol = {};    ///< the operator that calls it, `+`; empty where there is none
  std::string_view family = {};    ///< the heading that it stands under in the reference
  std::string_view doc = {};       ///< one sentence or two, in Markdown
  /// A script of a few lines that prints; `#>` lines hold its output. Shown in the reference and run by a test.
  std::string_view example = {};
  /// What the tests of every operation run: lines `x: [a, b], i: i32[a] in 0..3 => gather(x, i, over: b)`. Inputs are
  /// random, f32 in -2..2 unless said otherwise (`in lo..hi`); dims are a, b, c, … of sizes that the test chooses.
  std::string_view samples = {};

  /// Checks a call and adds its nodes to the graph; by default one of this operation.
  Values (*build)(Call&) = nullptr;
  /// The types of the results, from those of the operands and the attributes. Null: the operation only builds others.
  std::vector<TensorType> (*infer)(const Operation&) = nullptr;
  IterationSpace (*space)(const Operation&) = nullptr;

  /// Element-wise operations: one step of a fused loop (result = lane(operands…), broadcast by name).
  std::optional<LaneOp> lane = std::nullopt;
  /// Reductions: how the dims that the result lacks are folded.
  std::optional<Reduction> reduction = std::nullopt;
  /// Everything else: computes blocks.
  void (*kernel)(KernelCall&) = nullptr;
  /// Of kExpand dims: the graph that stands for the operation where such a dim is split. All of its results.
  Values (*expand)(ExpandCall&) = nullptr;
  /// What an application counts as, in floating-point operations. Kernels count the same from the sizes they get.
  Work work = Work::kNone;

  std::vector<Value> (*gradient)(GradientCall&) = nullptr;
  std::string_view no_gradient = {};  ///< the reason, where there is none

  bool ends_gradients = false;     ///< no gradient looks beyond it: assignments, stop_gradient

  Linear linear = Linear::kNo;
  bool view = false;             ///< the result is the operand's memory under other names
  bool window = false;           ///< the result is the operand at one place of dim `ints[0]`, the host's number, and may lie there
  bool in_place = false;         ///< the kernel may write its first result over its first operand
  /// Of an operation that puts what it is given into zeros: x + this(parts…) is accumulate(x, parts…), with the same
  /// attributes and numbers, which touches only the places where the parts fall. So gradients of slices add up.
  const Op* accumulate = nullptr;
  int saved_results = 0;         ///< the last so many results are only for the gradient
  bool contraction = false;      ///< storage orders are chosen for its sake
  bool list = false;             ///< a call gives the list of its results, even of one
  bool leaf = false;             ///< has no operands and is computed before any plan: an input of it

  /// The storage order of its result for which it copies least, given its operands'. A contraction has one.
  StorageOrder (*result_order)(const Operation&, std::span<const StorageOrder> operands) = nullptr;
};

}  // namespace mtf
