#pragma once
// The record of an operation.
//
// ops.def lists the operations. The file of a family defines each of its operations once, as one `Op`. The checker,
// the splitter, the gradients, the executor, the planner, `:help`, the reference and the tests of all operations read
// only this record. No operation knows about communication or counters.
//
// The arguments of a record's rules are in headers of their own, so that a change of the record does not recompile
// their users. These are iteration_space.h (space), kernel_call.h (kernel), gradient_call.h (gradient, expand),
// ops/call.h (build). The records are in ops/. This header and its users know no particular record.
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

/// The number of floating-point operations that an operation counts.
enum class Work : uint8_t {
  kNone,         ///< moving data, random numbers
  kPerResult,    ///< 1 for each element of the first result: element-wise operations
  kPerOperand,   ///< 1 for each element of the first operand: reductions, cumsum, sort, top_k
  kPerPart,      ///< 1 for each element of the second operand, which is added to the first
  kContraction,  ///< 2 for each point of the iteration space
  kReads,        ///< 1 for each point of the iteration space and element that its windows read: pooling
  kProducts,     ///< 2 for each such point and element: convolution
  kExpansion,    ///< the count of Op::expand's graph, whether it is used or not; see Op::counted
};

/// The kinds of operations that some passes treat specially. Element-wise operations and reductions are not listed,
/// because Op::lane and Op::reduction identify them.
enum class Role : uint8_t {
  kOther,
  kNumber,       ///< a number of the host, as a tensor without dims
  kData,         ///< a tensor that is computed before any plan: an input of it
  kView,         ///< the result is the operand's memory under other names
  kReshape,      ///< the operand's elements in row-major order, under other dims
  kRepeat,       ///< the operand, repeated along the dims that it lacks
  kWindow,       ///< a result's block needs an interval of the operand along one dim: a slice, a shift
  kLoop,         ///< runs the operation's region once for each iteration, and has no kernel
  kContraction,  ///< a product summed over dims, which guides the choice of storage orders
};

/// The same function on numbers of the host: `sqrt(2)`. One of the two is set, by the number of arguments.
struct HostRule {
  double (*of_one)(double) = nullptr;
  double (*of_two)(double, double) = nullptr;
  bool keeps_ints = false;
};

struct Op {
  std::string_view name = {};
  /// The parameters in the syntax of a signature, `sum(x: tensor, over: dims = all -> shape?)` (syntax/signature.h).
  /// Empty if scripts cannot call it.
  std::string_view signature = {};
  std::string_view symbol = {};         ///< the operator that calls it, `+`; empty if there is none
  std::string_view of_two_values = {};  ///< of a reduction: the operation on two values, `maximum`
  std::string_view family = {};         ///< its heading in the reference
  std::string_view doc = {};            ///< one sentence or two, in Markdown
  /// A script of a few lines that prints; `#>` lines hold its output. Shown in the reference and run by a test.
  std::string_view example = {};
  /// The calls in the tests of all operations, as lines `x: [a, b], i: i32[a] in 0..3 => gather(x, i, over: b)`.
  /// Inputs are random f32 in -2..2 by default (`in lo..hi`); dims are a, b, c, … with sizes that the test chooses.
  std::string_view samples = {};

  /// Checks a call and adds its nodes to the graph. By default it adds one node of this operation.
  std::vector<Value> (*build)(ops::Call&) = nullptr;
  /// The struct of attributes of its operations; null: none.
  const AttributesForm* attributes = nullptr;
  /// Returns the types of the results from the operands' types and the attributes. Null: the operation only builds
  /// other operations.
  std::vector<TensorType> (*infer)(const Operation&) = nullptr;
  IterationSpace (*space)(const Operation&) = nullptr;

  /// Of element-wise operations: one step of a fusion (result = lane(operands…), broadcast by name).
  std::optional<kernels::LaneOp> lane = std::nullopt;
  HostRule host = {};
  /// Of reductions: how the dims that the result lacks are folded.
  std::optional<kernels::Reduction> reduction = std::nullopt;
  /// Of all other operations: computes blocks.
  void (*kernel)(KernelCall&) = nullptr;
  /// Of operations with kExpand dims: returns all results of the graph that replaces the operation if such a dim is
  /// split. The dim is gathered instead if that costs less (spmd/expand.h).
  std::vector<Value> (*expand)(ExpandCall&) = nullptr;
  /// The floating-point operations that it counts. Kernels count the same from the sizes of their blocks.
  Work work = Work::kNone;
  /// Of Work::kExpansion: a dim that is only partly computed, and the dim that is counted instead.
  std::optional<std::pair<Dim, Dim>> (*counted)(const Operation&) = nullptr;
  /// The part of the counted operations that the kernel computes, from 0 to 1; null: all.
  double (*computed)(const Operation&) = nullptr;

  std::vector<Value> (*gradient)(GradientCall&) = nullptr;
  std::string_view no_gradient = {};  ///< the reason if there is no gradient

  bool ends_gradients = false;  ///< no gradient goes beyond it: assignments, stop_gradient

  Role role = Role::kOther;
  /// True if it has no operands and is an input of plans.
  constexpr bool is_leaf() const { return role == Role::kNumber || role == Role::kData; }
  Linear linear = Linear::kNo;
  /// For an operation whose result is the slice of its operand at one position: returns the dim of that position. A
  /// number of the host gives the position. The result may share the operand's memory.
  int (*dim_of_position)(const Operation&) = nullptr;
  /// Of a random operation: the index of its call number among the host's numbers, or (below) among the operands; -1:
  /// none.
  int8_t random_call = -1;
  int (*random_call_operand)(const Operation&) = nullptr;
  bool in_place = false;  ///< the kernel may overwrite its first operand with its first result
  /// For an operation that writes parts into zeros: the operation accumulate(x, parts…), which equals x +
  /// this(parts…). It has the same attributes and numbers, and touches only the positions of the parts. Gradients of
  /// slices are added up this way.
  const Op* accumulate = nullptr;
  bool reads_first_alone = false;  ///< other operands than the first are read by its gradient alone
  int saved_results = 0;           ///< the last so many results are only for the gradient
  bool list = false;               ///< a call gives the list of its results, even of one

  /// Returns the storage order of a contraction's result that needs the fewest copies, given the operands' orders.
  StorageOrder (*result_order)(const Operation&, std::span<const StorageOrder> operands) = nullptr;
};

}  // namespace mtf::graph
