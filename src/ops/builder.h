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

namespace mtf::ops {

class Builder : public graph::NodeBuilder {
 public:
  /// The first result of a node of the operation.
  graph::Value add(const graph::Op& op, graph::Values operands, graph::Attributes attributes = {},
                   std::vector<double> inputs = {}) {
    return add_node(op, std::move(operands), std::move(attributes), std::move(inputs))[0];
  }
  /// `value` as a value of its own in a layout that is given instead of decided (`@`).
  graph::Value laid_out(const graph::Value& value, graph::GivenLayout layout);
  /// `value` laid out as `like` is, whose dims it has: itself if it is already.
  graph::Value laid_like(const graph::Value& value, const graph::Value& like);
  /// a + b, laid out as `like` is.
  graph::Value add_like(const graph::Value& a, const graph::Value& b, const graph::Value& like);
  /// x + part, laid out as `like` is, where `part` is what an operation made that has Op::accumulate.
  graph::Value accumulate_like(const graph::Value& x, const graph::Value& part, const graph::Value& like);
  /// `value` with each dim that `like` has split as it is there, and the others whole.
  graph::Value split_like(const graph::Value& value, const graph::Value& like);
  /// What a variable holds after an assignment: a node of its own, where gradients end.
  graph::Value assigned(const graph::Value& value, graph::GivenLayout stored);

  /// A tensor that is given its elements once it is there (Execution::place, load), in a layout that is given.
  graph::Value constant(const TensorType& type, graph::GivenLayout layout);

  // ---- vocabulary ---------------------------------------------------------------------------------------------------
  graph::Value number(double value, ElementType element = ElementType::kF32);
  /// A number as an operand of what is added next: all that read equal ones share a node. Nobody may be given it as a
  /// value.
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
  /// The copy in bf16 that stays with a variable of f32 until it is assigned, or none: there is one where no gradient
  /// comes, inside `no_grad`, from the second program on that asks for it.
  graph::Value narrowed(const graph::Value& variable);
  /// Folds the dims that are not in `kept` (names), by kSum, kMax, …
  graph::Value reduce(const graph::Op& op, const graph::Value& a, const Dims& kept);
  graph::Value sum_to(const graph::Value& a, const Dims& kept) { return reduce(kSum, a, kept); }
  graph::Value einsum(graph::Values operands, const Dims& result);
  graph::Value broadcast(const graph::Value& a, const Dims& dims);
  graph::Value rename(const graph::Value& a, const Dims& dims);                ///< dims in a's order, new names
  graph::Value rename_where_it_lies(const graph::Value& a, const Dims& dims);  ///< the same, split as `a` is
  graph::Value reshape(const graph::Value& a, const Dims& dims);
  graph::Value range(const Dim& dim);
  graph::Value slice(const graph::Value& a, int dim, int64_t first, int64_t count, int64_t stride = 1);

 private:
  std::map<std::pair<uint64_t, ElementType>, std::weak_ptr<graph::Node>> shared_;  // by bits
};

}  // namespace mtf::ops
