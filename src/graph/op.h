#pragma once
// An operation is one record in one place.
//
// ops.def lists the operations; each is defined once, in the file of its family, as one `Op`. The checker, the
// splitter, the gradients, the executor, the planner, `:help`, the reference and the tests of every operation read
// this record and nothing else. No operation knows about communication or counters.
//
// What the rules of a record get and give stands apart, so that who needs one of them is not compiled again when the
// record changes: iteration_space.h (space), kernel_call.h (kernel), gradient_call.h (gradient, expand), ops/call.h
// (build). The records themselves are in ops/; what stands here, and all that builds on it, knows none of them.
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "graph/iteration_space.h"
#include "graph/operation.h"
#include "kernels/lane_op.h"

namespace mtf::ops {
class Call;  // ops/call.h
}

namespace mtf::graph {

struct Value;         // graph/graph.h
struct KernelCall;    // kernel_call.h
struct GradientCall;  // gradient_call.h
struct ExpandCall;    // gradient_call.h

/// The floating-point operations that an operation counts.
enum class Work : uint8_t {
  kNone,         ///< moving data, random numbers
  kPerResult,    ///< 1 for each element of the first result: element-wise operations
  kPerOperand,   ///< 1 for each element of the first operand: reductions, cumsum, sort, top_k
  kPerPart,      ///< 1 for each element of the second operand, which is added into the first
  kContraction,  ///< 2 for each point of the iteration space
  kReads,        ///< 1 for each point of the iteration space and element that its windows read: pooling
  kProducts,     ///< 2 for the same: convolution
  kExpansion,    ///< what Op::expand's graph counts, whether it is used or not; see Op::counted
};

/// What an operation is, for passes that treat some kinds of operations in their own way. Element-wise operations and
/// reductions are those that have Op::lane or Op::reduction.
enum class Role : uint8_t {
  kOther,
  kNumber,       ///< a number of the host, as a tensor without dims
  kData,         ///< a tensor that is computed before any plan: an input of it
  kView,         ///< the result is the operand's memory under other names
  kReshape,      ///< the operand's elements in row-major order, under other dims
  kRepeat,       ///< the operand, repeated along the dims that it lacks
  kWindow,       ///< a block of the result is computed from an interval of the operand along one dim: a slice, a shift
  kLoop,         ///< it runs the region of the operation in turns: it has no kernel
  kContraction,  ///< a product summed over dims: storage orders are chosen for its sake
};

/// What an element-wise operation is of numbers of the host: `sqrt(2)`. One of the two, by how many it takes.
struct HostRule {
  double (*of_one)(double) = nullptr;
  double (*of_two)(double, double) = nullptr;
  bool keeps_ints = false;
};

struct Op {
  std::string_view name = {};
  /// Parameters as the call writes them, `sum(x: tensor, over: dims = all -> shape?)`; empty: scripts cannot call it.
  /// syntax/signature.h says what such a text says.
  std::string_view signature = {};
  std::string_view symbol = {};         ///< the operator that calls it, `+`; empty where there is none
  std::string_view of_two_values = {};  ///< of a reduction: the operation that is so of two values, `maximum`
  std::string_view family = {};         ///< the heading that it stands under in the reference
  std::string_view doc = {};            ///< one sentence or two, in Markdown
  /// A script of a few lines that prints; `#>` lines hold its output. Shown in the reference and run by a test.
  std::string_view example = {};
  /// What the tests of every operation run: lines `x: [a, b], i: i32[a] in 0..3 => gather(x, i, over: b)`. Inputs are
  /// random, f32 in -2..2 unless said otherwise (`in lo..hi`); dims are a, b, c, … of sizes that the test chooses.
  std::string_view samples = {};

  /// Checks a call and adds its nodes to the graph; by default one of this operation.
  std::vector<Value> (*build)(ops::Call&) = nullptr;
  /// The struct that its operations carry; null: none.
  const AttributesForm* attributes = nullptr;
  /// The types of the results, from those of the operands and the attributes. Null: the operation only builds others.
  std::vector<TensorType> (*infer)(const Operation&) = nullptr;
  IterationSpace (*space)(const Operation&) = nullptr;

  /// Element-wise operations: one step of a fused loop (result = lane(operands…), broadcast by name).
  std::optional<kernels::LaneOp> lane = std::nullopt;
  HostRule host = {};
  /// Reductions: how the dims that the result lacks are folded.
  std::optional<kernels::Reduction> reduction = std::nullopt;
  /// Everything else: computes blocks.
  void (*kernel)(KernelCall&) = nullptr;
  /// Of kExpand dims: the graph that stands for the operation where such a dim is split (or it is gathered, where that
  /// is less: spmd/expand.h). All of its results.
  std::vector<Value> (*expand)(ExpandCall&) = nullptr;
  /// What an application counts as, in floating-point operations. Kernels count the same from the sizes they get.
  Work work = Work::kNone;
  /// Of Work::kExpansion: a dim of which not every place is computed, and the one that is counted in its stead.
  std::optional<std::pair<Dim, Dim>> (*counted)(const Operation&) = nullptr;

  std::vector<Value> (*gradient)(GradientCall&) = nullptr;
  std::string_view no_gradient = {};  ///< the reason, where there is none

  bool ends_gradients = false;  ///< no gradient looks beyond it: assignments, stop_gradient

  Role role = Role::kOther;
  /// It has no operands, and is an input of plans.
  constexpr bool is_leaf() const { return role == Role::kNumber || role == Role::kData; }
  Linear linear = Linear::kNo;
  /// The result is the operand at one place, which the host's number says, of the dim that this gives, and may lie
  /// there.
  int (*dim_of_place)(const Operation&) = nullptr;
  /// Of a random operation: which of the host's numbers is the number of its call, or which operand is; -1: none.
  int8_t random_call = -1;
  int (*random_call_operand)(const Operation&) = nullptr;
  bool in_place = false;  ///< the kernel may write its first result over its first operand
  /// Of an operation that puts what it is given into zeros: x + this(parts…) is accumulate(x, parts…), with the same
  /// attributes and numbers, which touches only the places where the parts fall. So gradients of slices add up.
  const Op* accumulate = nullptr;
  bool reads_first_alone = false;  ///< other operands than the first are read by its gradient alone
  int saved_results = 0;  ///< the last so many results are only for the gradient
  bool list = false;      ///< a call gives the list of its results, even of one

  /// The storage order of its result for which it copies least, given its operands'. A contraction has one.
  StorageOrder (*result_order)(const Operation&, std::span<const StorageOrder> operands) = nullptr;
};

}  // namespace mtf::graph
