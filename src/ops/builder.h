#pragma once
// Adds nodes to the graph. The evaluator, gradients and expansions use it.
//
// Gradients and expansions are written in the vocabulary below the line (sum, mul, …). Unlike a script, they may
// broadcast operands whose dims are no subsets of each other. The result then has the first operand's dims, followed by
// the second's remaining ones. Their tensors never raise axis_used_twice: the larger dim keeps the axis.
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "graph/node_builder.h"
#include "ops/ops.h"

namespace mtf::ops {

class Builder : public graph::NodeBuilder {
 public:
  /// Adds a node of the operation and returns its first result.
  graph::Value add(const graph::Op& op, graph::Values operands, graph::Attributes attributes = {},
                   std::vector<double> inputs = {}) {
    return add_node(op, std::move(operands), std::move(attributes), std::move(inputs))[0];
  }
  /// `value` as a value of its own with a given layout instead of a decided one (`@`).
  graph::Value laid_out(const graph::Value& value, graph::GivenLayout layout);
  /// The value on the current mesh, in the layout of a request; null asks for nothing. Fails at `span`.
  graph::Value laid_out(const graph::Value& value, std::shared_ptr<const graph::AskedLayout> asked);
  /// `value` with the layout of `like`, which has the same dims. Returns `value` itself if it has that layout already.
  graph::Value laid_like(const graph::Value& value, const graph::Value& like);
  /// a + b, with the layout of `like`.
  graph::Value add_like(const graph::Value& a, const graph::Value& b, const graph::Value& like);
  /// x + part, with the layout of `like`. `part` is the result of an operation that has Op::accumulate.
  graph::Value accumulate_like(const graph::Value& x, const graph::Value& part, const graph::Value& like);
  /// `value` with each dim that is sharded in `like` sharded as there, and the other dims replicated.
  graph::Value split_like(const graph::Value& value, const graph::Value& like);
  /// The value of a variable after an assignment: a node of its own, at which gradients end.
  graph::Value assigned(const graph::Value& value, graph::GivenLayout stored);

  /// A tensor with a given layout. Its elements are set later (Execution::position, load).
  graph::Value constant(const TensorType& type, graph::GivenLayout layout);

  // ---- vocabulary ---------------------------------------------------------------------------------------------------
  graph::Value number(double value, ElementType element = ElementType::kF32);
  /// A number as an operand of the next node. Nodes with equal numbers share it. It must not be returned as a value.
  graph::Value operand(double number, ElementType element);
  graph::Value zeros(const TensorType& type);
  graph::Value zeros(const TensorType& type, graph::GivenLayout layout);
  /// A lane operation, its operands broadcast and promoted to one element type.
  graph::Value map(const graph::Op& op, const graph::Value& a);
  graph::Value map(const graph::Op& op, const graph::Value& a, const graph::Value& b);
  graph::Value map(const graph::Op& op, const graph::Value& a, double b);
  graph::Value map(const graph::Op& op, double a, const graph::Value& b);
  graph::Value where(const graph::Value& condition, const graph::Value& a, const graph::Value& b);
  graph::Value cast(const graph::Value& a, ElementType element);
  /// The bf16 copy of an f32 variable, which is kept until the variable is assigned, or null. It exists only inside
  /// `no_grad`, where no gradient is taken, from the second program on that asks for it.
  graph::Value narrowed(const graph::Value& variable);
  /// Folds the dims that are not in `kept`. `op` is kSum, kMax, …
  graph::Value reduce(const graph::Op& op, const graph::Value& a, const Dims& kept);
  graph::Value sum_to(const graph::Value& a, const Dims& kept) { return reduce(kSum, a, kept); }
  graph::Value einsum(graph::Values operands, const Dims& result);
  graph::Value broadcast(const graph::Value& a, const Dims& dims);
  graph::Value rename(const graph::Value& a, const Dims& dims);                ///< dims in a's order, new names
  graph::Value rename_where_it_lies(const graph::Value& a, const Dims& dims);  ///< the same, and sharded as `a` is
  graph::Value reshape(const graph::Value& a, const Dims& dims);
  graph::Value reshape(const graph::Value& a, const Dims& dims, graph::GivenLayout layout);
  graph::Value range(const Dim& dim);
  graph::Value slice(const graph::Value& a, int dim, int64_t first, int64_t count, int64_t stride = 1);

 private:
  std::map<std::pair<uint64_t, ElementType>, std::weak_ptr<graph::Node>> shared_;  // by bits
};

}  // namespace mtf::ops
