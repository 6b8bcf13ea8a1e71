#pragma once
// Adds nodes to the global graph, each with its types checked and its layout decided.
//
// The vocabulary below the line (sum, mul, …) is what gradients and expansions are written in. Unlike a script, it may
// broadcast where neither operand's dims are a subset of the other's (the result has the first operand's dims, then
// the second's remaining ones), and a tensor that it makes never raises axis_used_twice: the larger dim keeps the axis.
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "graph/graph.h"
#include "graph/value_table.h"
#include "types/layout.h"

namespace mtf {

/// What a statement is evaluated under; the evaluator changes it as `mesh`, `layout`, `seed` … say.
struct Context {
  MeshPtr mesh;
  Layout layout;
  bool multiply_bf16 = false;     ///< precision bf16
  bool no_grad = false;           ///< inside `no_grad { … }`
  double seed = 0;
  double random_calls = 0;        ///< random operations evaluated since `seed`
  int64_t recompute_region = 0;   ///< not 0 inside a call of `recompute`
};

class Builder {
 public:
  Context context;
  Span span;            ///< of the expression being evaluated: operations get it, errors point at it
  bool written = true;  ///< the program wrote what is being added: two rules on one axis are an error
  std::shared_ptr<ValueTable> table;         ///< where nodes are counted; null for an expansion
  std::function<void(Node&)> on_add;         ///< called for each new node, if set
  int64_t added = 0;                         ///< nodes so far

  /// Adds a node: infers its types, decides its layouts. `@`-splits in operands are inherited.
  Values add_node(const Op& op, Values operands, Attributes attributes = {}, std::vector<double> inputs = {});
  Value add(std::string_view op, Values operands, Attributes attributes = {}, std::vector<double> inputs = {}) {
    return add_node(*find_op(op), std::move(operands), std::move(attributes), std::move(inputs))[0];
  }
  /// `value` as a value of its own in a layout that is given instead of decided (`@`).
  Value laid_out(const Value& value, const Sharding& sharding, AxisSet inherited, MeshPtr mesh = nullptr);
  /// `value` laid out as `like` is, whose dims it has: itself if it is already.
  Value laid_like(const Value& value, const Value& like);
  /// a + b, laid out as `like` is.
  Value add_like(const Value& a, const Value& b, const Value& like);
  /// x + part, laid out as `like` is, where `part` is what an operation made that has Op::accumulate.
  Value accumulate_like(const Value& x, const Value& part, const Value& like);
  /// `value` with each dim that `like` has split as it is there, and the others whole.
  Value split_like(const Value& value, const Value& like);
  /// What a variable holds after an assignment: a node of its own, where gradients end, stored as `sharding` says.
  Value assigned(const Value& value, const Sharding& sharding, MeshPtr mesh = nullptr);

  /// The same operation on other operands: for a backward pass. Outside any region.
  NodePtr copy_node(const Node& node, Values operands);

  static const Op* find_op(std::string_view name);

  // ---- vocabulary ----
  Value number(double value, ElementType element = ElementType::kF32);
  Value zeros(const TensorType& type);
  /// A lane operation by name, its operands broadcast and promoted to one element type.
  Value map(std::string_view op, const Value& a);
  Value map(std::string_view op, const Value& a, const Value& b);
  Value map(std::string_view op, const Value& a, double b);
  Value map(std::string_view op, double a, const Value& b);
  Value where(const Value& condition, const Value& a, const Value& b);
  Value cast(const Value& a, ElementType element);
  /// Folds the dims that are not in `kept` (names), by `sum`, `max`, …
  Value reduce(std::string_view op, const Value& a, const Dims& kept);
  Value sum_to(const Value& a, const Dims& kept) { return reduce("sum", a, kept); }
  Value einsum(Values operands, const Dims& result);
  Value broadcast(const Value& a, const Dims& dims);
  Value rename(const Value& a, const Dims& dims);   ///< dims in a's order, new names
  Value reshape(const Value& a, const Dims& dims);
  Value range(const Dim& dim);
  Value slice(const Value& a, int dim, int64_t first, int64_t count, int64_t stride = 1);

 private:
  std::shared_ptr<LaidOutOperation> make(const Op& op, const Values& operands, Attributes attributes, std::vector<double> inputs);
  NodePtr make_node(OperationRef operation, Values operands);
  Value in_layout(std::string_view op, const Values& operands, const Sharding& sharding, AxisSet inherited, const MeshPtr& mesh,
                  LayoutOrigin origin, const Value& like = {}, Attributes attributes = {}, std::vector<double> inputs = {});
};

}  // namespace mtf
