#pragma once
// The words in which nodes are added: what the evaluator, gradients and expansions write graph with.
//
// The vocabulary below the line (sum, mul, …) is what gradients and expansions are written in. Unlike a script, it may
// broadcast where neither operand's dims are a subset of the other's (the result has the first operand's dims, then
// the second's remaining ones), and a tensor that it makes never raises axis_used_twice: the larger dim keeps the axis.
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "graph/node_builder.h"
#include "ops/ops.h"

namespace mtf {

class Builder : public NodeBuilder {
 public:
  /// The first result of a node of the operation.
  Value add(const Op& op, Values operands, Attributes attributes = {}, std::vector<double> inputs = {}) {
    return add_node(op, std::move(operands), std::move(attributes), std::move(inputs))[0];
  }
  /// `value` as a value of its own in a layout that is given instead of decided (`@`).
  Value laid_out(const Value& value, GivenLayout layout);
  /// `value` laid out as `like` is, whose dims it has: itself if it is already.
  Value laid_like(const Value& value, const Value& like);
  /// a + b, laid out as `like` is.
  Value add_like(const Value& a, const Value& b, const Value& like);
  /// x + part, laid out as `like` is, where `part` is what an operation made that has Op::accumulate.
  Value accumulate_like(const Value& x, const Value& part, const Value& like);
  /// `value` with each dim that `like` has split as it is there, and the others whole.
  Value split_like(const Value& value, const Value& like);
  /// What a variable holds after an assignment: a node of its own, where gradients end.
  Value assigned(const Value& value, GivenLayout stored);

  /// A tensor that is given its elements once it is there (Execution::place, load), in a layout that is given.
  Value constant(const TensorType& type, GivenLayout layout);

  // ---- vocabulary ----
  Value number(double value, ElementType element = ElementType::kF32);
  /// A number as an operand of what is added next: all that read equal ones share a node. Nobody may be given it as a value.
  Value operand(double number, ElementType element);
  Value zeros(const TensorType& type);
  /// A lane operation, its operands broadcast and promoted to one element type.
  Value map(const Op& op, const Value& a);
  Value map(const Op& op, const Value& a, const Value& b);
  Value map(const Op& op, const Value& a, double b);
  Value map(const Op& op, double a, const Value& b);
  Value where(const Value& condition, const Value& a, const Value& b);
  Value cast(const Value& a, ElementType element);
  /// Folds the dims that are not in `kept` (names), by ops::kSum, kMax, …
  Value reduce(const Op& op, const Value& a, const Dims& kept);
  Value sum_to(const Value& a, const Dims& kept) { return reduce(ops::kSum, a, kept); }
  Value einsum(Values operands, const Dims& result);
  Value broadcast(const Value& a, const Dims& dims);
  Value rename(const Value& a, const Dims& dims);  ///< dims in a's order, new names
  Value reshape(const Value& a, const Dims& dims);
  Value range(const Dim& dim);
  Value slice(const Value& a, int dim, int64_t first, int64_t count, int64_t stride = 1);

 private:
  std::map<std::pair<uint64_t, ElementType>, std::weak_ptr<Node>> shared_;  // by bits
};

}  // namespace mtf
