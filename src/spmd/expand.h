#pragma once
// Expansions: graphs of smaller operations that replace an operation which needs a dim gathered although the dim is
// split.
//
// The alternative is to gather that dim and compute the operation as it is, with its work divided over its other dims.
// Some expansions only make values with the dims of one operand or result (softmax, layer_norm, cross_entropy). They
// never need more memory than the operation, so they are always used.
//
// Other expansions make larger values: attention makes a score for each pair of query and memory position. Such an
// expansion is compared with the alternative. Both are lowered alone, once for each form. The cost of each is a sum in
// bytes: the bytes that a processor sends and its largest block. So scores are stored only if they are few. Sending a
// few bytes less does not justify scores that grow with the square of the length. But a single query over a long cache
// has few scores, and must not gather the cache. The alternative is never taken if it repeats work: if no other dim can
// take the axes, the expansion is used.
#include <functional>
#include <optional>
#include <vector>

#include "graph/program.h"
#include "ops/builder.h"
#include "spmd/passes.h"

namespace mtf::spmd {

/// The sharding of an operand of an expanded operation.
struct ExpandedOperand {
  Sharding sharding;
  AxisSet inherited = 0;
  bool operator==(const ExpandedOperand&) const = default;
};

/// Returns a program that replaces an operation: the graph that `make` adds from the operands to the results. The
/// first inputs of the program are the operands; the others are its own numbers. Its roots are the results, in the
/// layouts of the operation's results. Without `operands`, all operands are replicated.
graph::Program stand_in_for(const graph::LaidOutOperation& operation, const std::vector<ExpandedOperand>& operands,
                            const std::function<graph::Values(ops::Builder&, const graph::Values&)>& make);

/// Names new dims for the program that replaces an operation.
class NewDims {
 public:
  explicit NewDims(const graph::LaidOutOperation& operation);
  /// Returns a dim whose name is that of `like` with primes.
  Dim named_like(const Dim& like, int64_t size);

 private:
  Dims known_;
};

/// Returns the local program of a single operation.
LocalProgram split_alone(const graph::OperationRef& operation, const std::vector<ExpandedOperand>& operands,
                         const LoweringOptions& options);
/// Returns the bytes of the largest block of a value.
int64_t largest_bytes(const LocalValue& value);

/// Returns the program of an operation's expansion. `blocks` as in ExpandCall.
graph::Program expansion_of(const graph::LaidOutOperation& operation, const std::vector<ExpandedOperand>& operands = {},
                            int64_t blocks = 1);

/// Returns a program for causal attention or its gradient in which each of `blocks` blocks of queries computes the same
/// (ops::balance_attention). Returns nothing if there is none for these operands.
std::optional<graph::Program> balanced(const graph::LaidOutOperation& operation,
                                       const std::vector<ExpandedOperand>& operands, int64_t blocks);

/// True if the operation itself costs less than its expansion, the program `parts`.
bool is_less_whole(const graph::OperationRef& operation, const std::vector<ExpandedOperand>& operands,
                   const graph::Program& parts, const LoweringOptions& options);

}  // namespace mtf::spmd
