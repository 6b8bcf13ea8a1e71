// Comparisons, truth values and selection.
#include "ops/elementwise.h"

namespace mtf::ops {
namespace {

constexpr std::string_view kNotSmooth = "a truth value does not change smoothly";

/// Types in which two operands are compared for equality: truth values as such, unless one is a number.
ElementType meet_as_any(const Builder& builder, const graph::Values& operands) {
  const ElementType element = common_element(builder, operands);
  for (const graph::Value& operand : operands)
    if (element == ElementType::kBool && is_host_number(operand) && operand.element() == ElementType::kI32)
      return ElementType::kI32;
  return element;
}

consteval graph::Op comparison(graph::Op op) {
  op.family = "Comparison and selection";
  if (op.build == nullptr) op.build = build_map<meet_as_numbers>;
  op.infer = infer_truth;
  op.no_gradient = kNotSmooth;
  return element_wise(op);
}

graph::Values build_truth(Call& call) {
  for (const syntax::Parameter& parameter : call.signature.parameters)
    check_element(call, parameter.name.text(), ElementType::kBool, "compare it first: `x != 0`");
  return call.builder.add_node(call.op, broadcast_arguments(call));
}

graph::Values build_where(Call& call) {
  check_element(call, "condition", ElementType::kBool, "compare it first: `where(c != 0, a, b)`");
  graph::Values operands = tensor_arguments(call);
  check_broadcast(call, operands);
  const graph::Values sides = {operands[1], operands[2]};
  const graph::Values cast = as_element(call.builder, sides, common_element(call.builder, sides), call.span);
  return call.builder.add_node(call.op, {operands[0], cast[0], cast[1]});
}

std::vector<TensorType> infer_where(const graph::Operation& operation) {
  MTF_CHECK(operation.operands[0].element == ElementType::kBool &&
                operation.operands[1].element == operation.operands[2].element,
            "where of {}, {} and {}", to_string(operation.operands[0]), to_string(operation.operands[1]),
            to_string(operation.operands[2]));
  return {{operation.operands[1].element, broadcast_dims(operation.operands)}};
}

graph::Values where_gradient(graph::GradientCall& call) {
  Builder& b = call.builder;
  const graph::Value& d = call.d_results[0];
  const graph::Value zero = b.number(0, d.element());
  graph::Values gradients(3);
  if (call.wants(1)) gradients[1] = sum_to_operand(b, b.where(call.operands[0], d, zero), call.operands[1]);
  if (call.wants(2)) gradients[2] = sum_to_operand(b, b.where(call.operands[0], zero, d), call.operands[2]);
  return gradients;
}

}  // namespace

constexpr graph::Op kEq = comparison({
    .name = "eq",
    .signature = "eq(a: tensor, b: tensor -> shape?)",
    .symbol = "==",
    .doc = "Whether two elements are equal; written `a == b`. NaN equals nothing.",
    .example = "dim n = 3\nprint(range(n) == 1)\n#> [false, true, false]\n",
    .samples = "x: i32[a, b] in 0..3, y: i32[b] in 0..3 => x == y\nx: bool[a], y: bool[a] => x == y",
    .build = build_map<meet_as_any>,
    .lane = kernels::LaneOp::kEq,
});

constexpr graph::Op kNe = comparison({
    .name = "ne",
    .signature = "ne(a: tensor, b: tensor -> shape?)",
    .symbol = "!=",
    .doc = "Whether two elements differ; written `a != b`.",
    .example = "dim n = 3\nprint(range(n) != 1)\n#> [true, false, true]\n",
    .samples = "x: i32[a, b] in 0..3, y: i32[b] in 0..3 => x != y\nx: bool[a], y: bool[a] => x != y",
    .build = build_map<meet_as_any>,
    .lane = kernels::LaneOp::kNe,
});

constexpr graph::Op kLt = comparison({
    .name = "lt",
    .signature = "lt(a: tensor, b: tensor -> shape?)",
    .symbol = "<",
    .doc = "Whether the first element is smaller; written `a < b`.",
    .example = "dim n = 3\nprint(range(n) < 1)\n#> [true, false, false]\n",
    .samples = "x: [a, b], y: [b] => x < y",
    .lane = kernels::LaneOp::kLt,
});

constexpr graph::Op kLe = comparison({
    .name = "le",
    .signature = "le(a: tensor, b: tensor -> shape?)",
    .symbol = "<=",
    .doc = "Whether the first element is smaller or equal; written `a <= b`.",
    .example = "dim n = 3\nprint(range(n) <= 1)\n#> [true, true, false]\n",
    .samples = "x: i32[a, b] in 0..3, y: i32[b] in 0..3 => x <= y",
    .lane = kernels::LaneOp::kLe,
});

constexpr graph::Op kGt = comparison({
    .name = "gt",
    .signature = "gt(a: tensor, b: tensor -> shape?)",
    .symbol = ">",
    .doc = "Whether the first element is larger; written `a > b`.",
    .example = "dim n = 3\nprint(range(n) > 1)\n#> [false, false, true]\n",
    .samples = "x: [a, b], y: [b] => x > y",
    .lane = kernels::LaneOp::kGt,
});

constexpr graph::Op kGe = comparison({
    .name = "ge",
    .signature = "ge(a: tensor, b: tensor -> shape?)",
    .symbol = ">=",
    .doc = "Whether the first element is larger or equal; written `a >= b`.",
    .example = "dim n = 3\nprint(range(n) >= 1)\n#> [false, true, true]\n",
    .samples = "x: i32[a, b] in 0..3, y: i32[b] in 0..3 => x >= y",
    .lane = kernels::LaneOp::kGe,
});

constexpr graph::Op kAnd = comparison({
    .name = "logical_and",
    .signature = "logical_and(a: tensor, b: tensor -> shape?)",
    .symbol = "and",
    .doc = "Whether both elements are true; written `a and b`.",
    .example = "dim n = 3\nlet i = range(n)\nprint(i > 0 and i < 2)\n#> [false, true, false]\n",
    .samples = "x: bool[a, b], y: bool[b] => x and y",
    .build = build_truth,
    .lane = kernels::LaneOp::kAnd,
});

constexpr graph::Op kOr = comparison({
    .name = "logical_or",
    .signature = "logical_or(a: tensor, b: tensor -> shape?)",
    .symbol = "or",
    .doc = "Whether at least one element is true; written `a or b`.",
    .example = "dim n = 3\nlet i = range(n)\nprint(i < 1 or i > 1)\n#> [true, false, true]\n",
    .samples = "x: bool[a, b], y: bool[b] => x or y",
    .build = build_truth,
    .lane = kernels::LaneOp::kOr,
});

constexpr graph::Op kNot = comparison({
    .name = "logical_not",
    .signature = "logical_not(x: tensor)",
    .symbol = "not",
    .doc = "True where the element is false; written `not x`.",
    .example = "dim n = 3\nprint(not (range(n) == 1))\n#> [true, false, true]\n",
    .samples = "x: bool[a, b] => not x",
    .build = build_truth,
    .lane = kernels::LaneOp::kNot,
});

constexpr graph::Op kWhere = element_wise({
    .name = "where",
    .signature = "where(condition: tensor, a: tensor, b: tensor)",
    .family = "Comparison and selection",
    .doc =
        "The element of `a` where the condition is true, of `b` elsewhere. It is a selection: nothing of the side "
        "that is not taken "
        "comes through, a NaN neither, in the gradient as well, whatever element-wise operations and reductions came "
        "before. Only an `einsum` or a `conv` before it adds up all its products: there 0 times NaN is NaN.",
    .example = "dim n = 3\nlet x = tensor([4, 0, 1], [n])\nprint(where(x > 0, 1 / x, 0))\n#> [0.25, 0, 1]\n",
    .samples = "c: bool[a, b], x: [a, b], y: [b] => where(c, x, y)\nc: bool[a], x: [a, b] => where(c, x, 0)",
    .build = build_where,
    .infer = infer_where,
    .lane = kernels::LaneOp::kWhere,
    .gradient = where_gradient,
});

}  // namespace mtf::ops
