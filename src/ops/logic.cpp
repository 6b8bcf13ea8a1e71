// Comparisons, truth values and selection.
#include <limits>

#include "ops/elementwise.h"

namespace mtf::ops {
namespace {

constexpr std::string_view kNotSmooth = "a truth value does not change smoothly";

/// The type in which two operands are compared for equality: bool for bools, unless one operand is a number.
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

constexpr double kInfinite = std::numeric_limits<double>::infinity();

/// The magnitudes of a call's `x`, as real numbers.
graph::Value size_of_reals(const Call& call) {
  Builder& b = call.builder;
  return b.map(kAbs, b.cast(call.tensor("x"), real_element(call.tensor("x").element())));
}

graph::Values build_bits(Call& call) {
  for (const syntax::Parameter& parameter : call.signature.parameters)
    check_element(call, parameter.name.text(), ElementType::kI32, "bits are those of integers: `cast(x, i32)`");
  return call.builder.add_node(call.op, broadcast_arguments(call));
}

consteval graph::Op of_bits(graph::Op op) {
  op.family = "Bits of integers";
  op.build = build_bits;
  op.no_gradient = "an integer does not change smoothly";
  return element_wise(op);
}

void check_truth(const Call& call) {
  for (const syntax::Parameter& parameter : call.signature.parameters)
    check_element(call, parameter.name.text(), ElementType::kBool, "compare it first: `x != 0`");
}

graph::Values build_truth(Call& call) {
  check_truth(call);
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

constexpr graph::Op kIsNan = complete({
    .name = "isnan",
    .signature = "isnan(x: tensor)",
    .family = "Comparison and selection",
    .doc = "Whether each element is NaN, which equals nothing, not even itself.",
    .example = "dim n = 3\nprint(isnan(tensor([1, nan, inf], [n])))\n#> [false, true, false]\n",
    .samples = "x: [a, b] => isnan(x)\nx: i32[a] in -5..5 => isnan(x)",
    .build = [](Call& call) -> graph::Values { return {call.builder.map(kNe, call.tensor("x"), call.tensor("x"))}; },
});

constexpr graph::Op kIsInf = complete({
    .name = "isinf",
    .signature = "isinf(x: tensor)",
    .family = "Comparison and selection",
    .doc = "Whether each element is infinite, of either sign.",
    .example = "dim n = 3\nprint(isinf(tensor([1, nan, -inf], [n])))\n#> [false, false, true]\n",
    .samples = "x: [a, b] => isinf(x)\nx: i32[a] in -5..5 => isinf(x)",
    .build = [](Call& call) -> graph::Values { return {call.builder.map(kEq, size_of_reals(call), kInfinite)}; },
});

constexpr graph::Op kIsFinite = complete({
    .name = "isfinite",
    .signature = "isfinite(x: tensor)",
    .family = "Comparison and selection",
    .doc = "Whether each element is a number: neither infinite nor NaN.",
    .example = "dim n = 3\nprint(isfinite(tensor([1, nan, inf], [n])))\n#> [true, false, false]\n",
    .samples = "x: [a, b] => isfinite(x)\nx: i32[a] in -5..5 => isfinite(x)",
    .build = [](Call& call) -> graph::Values { return {call.builder.map(kLt, size_of_reals(call), kInfinite)}; },
});

constexpr graph::Op kXor = complete({
    .name = "xor",
    .signature = "xor(a: tensor, b: tensor -> shape?)",
    .family = "Comparison and selection",
    .doc = "Whether one of two elements is true, and not both.",
    .example = "dim n = 3\nlet i = range(n)\nprint(xor(i > 0, i < 2))\n#> [true, false, true]\n",
    .samples = "x: bool[a, b], y: bool[b] => xor(x, y)",
    .build = [](Call& call) -> graph::Values {
      check_truth(call);
      return call.builder.add_node(kNe, broadcast_arguments(call));
    },
});

constexpr graph::Op kBitAnd = of_bits({
    .name = "bit_and",
    .signature = "bit_and(a: tensor, b: tensor -> shape?)",
    .doc = "The bits that both of two integers (i32) have.",
    .example = "dim n = 4\nprint(bit_and(range(n), 2))\n#> [0, 0, 2, 2]\n",
    .samples = "x: i32[a, b] in -99..99, y: i32[b] in -9..9 => bit_and(x, y)\nx: i32[a] in -9..9 => bit_and(x, 3)",
    .lane = kernels::LaneOp::kBitAnd,
});

constexpr graph::Op kBitOr = of_bits({
    .name = "bit_or",
    .signature = "bit_or(a: tensor, b: tensor -> shape?)",
    .doc = "The bits that at least one of two integers (i32) has.",
    .example = "dim n = 4\nprint(bit_or(range(n), 2))\n#> [2, 3, 2, 3]\n",
    .samples = "x: i32[a, b] in -99..99, y: i32[b] in -9..9 => bit_or(x, y)",
    .lane = kernels::LaneOp::kBitOr,
});

constexpr graph::Op kBitXor = of_bits({
    .name = "bit_xor",
    .signature = "bit_xor(a: tensor, b: tensor -> shape?)",
    .doc = "The bits that one of two integers (i32) has, and not both.",
    .example = "dim n = 4\nprint(bit_xor(range(n), 2))\n#> [2, 3, 0, 1]\n",
    .samples = "x: i32[a, b] in -99..99, y: i32[b] in -9..9 => bit_xor(x, y)",
    .lane = kernels::LaneOp::kBitXor,
});

constexpr graph::Op kBitNot = of_bits({
    .name = "bit_not",
    .signature = "bit_not(x: tensor)",
    .doc = "The bits that an integer (i32) lacks: -1 - x.",
    .example = "dim n = 3\nprint(bit_not(range(n)))\n#> [-1, -2, -3]\n",
    .samples = "x: i32[a, b] in -99..99 => bit_not(x)",
    .lane = kernels::LaneOp::kBitNot,
});

constexpr graph::Op kShiftLeft = of_bits({
    .name = "shift_left",
    .signature = "shift_left(a: tensor, b: tensor -> shape?)",
    .doc = "The bits of an integer (i32), `b` places higher; those that leave its 32 are lost. A negative `b` is taken "
           "as 0.",
    .example = "dim n = 4\nprint(shift_left(1, range(n)))\n#> [1, 2, 4, 8]\n",
    .samples = "x: i32[a, b] in -99..99, y: i32[b] in 0..40 => shift_left(x, y)",
    .lane = kernels::LaneOp::kShiftLeft,
});

constexpr graph::Op kShiftRight = of_bits({
    .name = "shift_right",
    .signature = "shift_right(a: tensor, b: tensor -> shape?)",
    .doc = "The bits of an integer (i32), `b` places lower: x / 2^b rounded down. A negative `b` is taken as 0.",
    .example = "dim n = 3\nprint(shift_right(tensor([8, 7, -8], [n], i32), 1))\n#> [4, 3, -4]\n",
    .samples = "x: i32[a, b] in -99..99, y: i32[b] in 0..40 => shift_right(x, y)",
    .lane = kernels::LaneOp::kShiftRight,
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
