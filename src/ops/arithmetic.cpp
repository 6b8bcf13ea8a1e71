// Element-wise operations of two or more operands, which broadcast.
//
// The gradient of an operand is summed over the dims along which the operand was repeated.
#include <cmath>
#include <functional>

#include "ops/elementwise.h"

namespace mtf::ops {
namespace {

/// The gradients of the operands that want one, each summed to its operand's dims.
graph::Values to_operands(graph::GradientCall& call, const std::function<graph::Value()>& first,
                          const std::function<graph::Value()>& second) {
  graph::Values gradients(call.operands.size());
  if (call.wants(0)) gradients[0] = sum_to_operand(call.builder, first(), call.operands[0]);
  if (call.wants(1)) gradients[1] = sum_to_operand(call.builder, second(), call.operands[1]);
  return gradients;
}

/// Gives the whole gradient to the first operand where `takes_first` holds, and to the second elsewhere.
graph::Values select_gradient(graph::GradientCall& call, const graph::Op& takes_first) {
  Builder& b = call.builder;
  const graph::Value& d = call.d_results[0];
  const graph::Value first = b.map(takes_first, call.operands[0], call.operands[1]);
  return to_operands(
      call, [&] { return b.where(first, d, b.number(0, d.element())); },
      [&] { return b.where(first, b.number(0, d.element()), d); });
}

/// Gives the whole gradient to the operand that is taken, and half of it to each of two equal operands.
graph::Values share_gradient(graph::GradientCall& call, const graph::Op& takes_first) {
  Builder& b = call.builder;
  const graph::Value& d = call.d_results[0];
  const graph::Value first = b.map(takes_first, call.operands[0], call.operands[1]);
  const graph::Value equal = b.map(kEq, call.operands[0], call.operands[1]);
  const graph::Value half = b.map(kMul, d, 0.5), none = b.number(0, d.element());
  return to_operands(
      call, [&] { return b.where(first, d, b.where(equal, half, none)); },
      [&] { return b.where(first, none, b.where(equal, half, d)); });
}

/// The gradient of a product: d times the other operand, and 0 where d is 0.
graph::Values product_gradient(graph::GradientCall& call) {
  const auto times = [&](size_t other) {
    return call.builder.map(kZeroTimes, call.d_results[0], call.operands[other]);
  };
  return to_operands(
      call, [&] { return times(1); }, [&] { return times(0); });
}

/// The gradient of zero_times. Where the first operand is 0, the result does not depend on the second.
graph::Values zero_times_gradient(graph::GradientCall& call) {
  Builder& b = call.builder;
  const graph::Value& d = call.d_results[0];
  return to_operands(
      call, [&] { return b.map(kZeroTimes, d, call.operands[1]); },
      [&] { return b.map(kZeroProduct, d, call.operands[0]); });
}

/// The gradient of zero_product. Where one operand is 0, the result does not depend on the other.
graph::Values zero_product_gradient(graph::GradientCall& call) {
  const auto times = [&](size_t other) {
    return call.builder.map(kZeroProduct, call.d_results[0], call.operands[other]);
  };
  return to_operands(
      call, [&] { return times(1); }, [&] { return times(0); });
}

graph::Values difference_gradient(graph::GradientCall& call) {
  return to_operands(
      call, [&] { return call.d_results[0]; }, [&] { return call.builder.map(kNeg, call.d_results[0]); });
}

/// The gradient of a quotient. The dividend's gradient is divided by the divisor with the operation itself.
graph::Values quotient_gradient(graph::GradientCall& call) {
  Builder& b = call.builder;
  const graph::Value &d = call.d_results[0], &divisor = call.operands[1];
  return to_operands(
      call, [&] { return b.map(kZeroOver, d, divisor); },
      [&] { return b.map(kNeg, b.map(kZeroTimes, d, b.map(*call.operation.op, call.results[0], divisor))); });
}

/// `exponent` - 1, and 0 where the exponent is 0. The factor of this power is then 0 too, and 0 times infinity is NaN.
graph::Value lowered_exponent(Builder& b, const graph::Value& exponent) {
  if (is_host_number(exponent)) {
    const double number = exponent.operation().inputs[0];
    return b.number(number == 0 ? 0 : number - 1, exponent.element());
  }
  return b.where(b.map(kEq, exponent, 0.0), b.number(0, exponent.element()), b.map(kSub, exponent, 1.0));
}

graph::Values pow_gradient(graph::GradientCall& call) {
  Builder& b = call.builder;
  const graph::Value& d = call.d_results[0];
  const graph::Value& base = call.operands[0];
  const graph::Value& exponent = call.operands[1];
  return to_operands(
      call,
      [&] {
        // The power of 0 determines the product, also if the exponent is infinite.
        const graph::Value power = b.map(kPow, base, lowered_exponent(b, exponent));
        return b.map(kZeroTimes, d, b.map(kZeroProduct, exponent, power));
      },
      [&] {
        const graph::Value positive = b.map(kGt, base, 0.0);
        const graph::Value safe = b.where(positive, base, b.number(1, base.element()));
        return b.map(kZeroTimes, d, b.map(kZeroProduct, call.results[0], b.map(kLog, safe)));
      });
}

double number_of(const graph::Value& number) { return number.operation().inputs[0]; }

bool is_known_number(const Call& call, std::string_view argument) {
  return !call.argument(argument).unknown && is_host_number(call.tensor(argument));
}

graph::Values build_clip(Call& call) {
  const graph::Values operands = tensor_arguments(call);
  check_broadcast(call, operands);
  if (is_known_number(call, "low") && is_known_number(call, "high")) {
    const double low = number_of(call.tensor("low")), high = number_of(call.tensor("high"));
    if (low > high)
      fail(Kind::bad_value, call.span_of("high"), "expected `low` below `high`, found {} and {}", low, high);
  }
  const graph::Values cast = as_element(call.builder, operands, meet_as_numbers(call.builder, operands), call.span);
  const graph::Value above = call.builder.add(kAtLeast, {cast[0], cast[1]});
  return {call.builder.add(kAtMost, {above, cast[2]})};
}

}  // namespace

constexpr graph::Op kAdd = element_wise({
    .name = "add",
    .signature = "add(a: tensor, b: tensor -> shape?)",
    .symbol = "+",
    .doc = "The sum of two tensors; written `a + b`.",
    .example = "dim n = 3\nprint(range(n) + 10)\n#> [10, 11, 12]\n",
    .samples = "x: [a, b], y: [b] => x + y\nx: [a, b], y: [b, a] => x + y\nx: i32[a] in -5..5 => x + 2\nx: bf16[a], y: "
               "[a] => x + y",
    .lane = kernels::LaneOp::kAdd,
    .gradient = [](graph::GradientCall& g) -> graph::Values {
      return to_operands(
          g, [&] { return g.d_results[0]; }, [&] { return g.d_results[0]; });
    },
    .linear = graph::Linear::kJoint,
});

constexpr graph::Op kSub = element_wise({
    .name = "sub",
    .signature = "sub(a: tensor, b: tensor -> shape?)",
    .symbol = "-",
    .doc = "The difference of two tensors; written `a - b`.",
    .example = "dim n = 3\nprint(10 - range(n))\n#> [10, 9, 8]\n",
    .samples = "x: [a, b], y: [b] => x - y\nx: [b], y: [a, b] => x - y",
    .lane = kernels::LaneOp::kSub,
    .gradient = difference_gradient,
    .linear = graph::Linear::kJoint,
});

constexpr graph::Op kMul = element_wise({
    .name = "mul",
    .signature = "mul(a: tensor, b: tensor -> shape?)",
    .symbol = "*",
    .doc = "The product of two tensors, element by element; written `a * b`.",
    .example = "dim n = 3\nprint(range(n) * 0.5)\n#> [0, 0.5, 1]\n",
    .samples = "x: [a, b], y: [b] => x * y\nx: [a] => x * x\nx: f64[a], y: [a] => x * y",
    .lane = kernels::LaneOp::kMul,
    .gradient = product_gradient,
    .linear = graph::Linear::kEach,
});

constexpr graph::Op kDiv = real_function({
    .name = "div",
    .signature = "div(a: tensor, b: tensor -> shape?)",
    .symbol = "/",
    .doc = "The quotient of two tensors; written `a / b`. Integers give f32.",
    .example = "dim n = 3\nprint(range(n) / 2)\n#> [0, 0.5, 1]\n",
    .samples = "x: [a, b], y: [b] in 0.5..2 => x / y\nx: i32[a] in -5..5 => x / 2",
    .lane = kernels::LaneOp::kDiv,
    .gradient = quotient_gradient,
    .linear = graph::Linear::kFirst,
});

constexpr graph::Op kFloordiv = element_wise({
    .name = "floordiv",
    .signature = "floordiv(a: tensor, b: tensor -> shape?)",
    .symbol = "//",
    .doc = "The exact quotient, rounded down to a whole number; written `a // b`. An integer divided by 0 gives 0. Its "
           "gradient is 0.",
    .example = "print(fill([], -7, i32) // 2)\n#> -4\n",
    .samples = "x: i32[a, b] in -9..9, y: i32[b] in 1..5 => x // y\nx: [a] in 0.1..0.9 => x // 1",
    .lane = kernels::LaneOp::kFloordiv,
    .gradient = zero_gradient,
    .ends_gradients = true,
});

constexpr graph::Op kMod = element_wise({
    .name = "mod",
    .signature = "mod(a: tensor, b: tensor -> shape?)",
    .symbol = "%",
    .doc =
        "What `a // b` leaves, a - b (a // b), with the sign of b and smaller than b; written `a % b`. For integers, "
        "`a % 0` is 0.",
    .example = "print(fill([], -7, i32) % 3)\n#> 2\n",
    .samples = "x: i32[a, b] in -9..9, y: i32[b] in 1..5 => x % y\nx: [a] in 1.2..1.8 => x % 1",
    .lane = kernels::LaneOp::kMod,
    .gradient = [](graph::GradientCall& g) -> graph::Values {
      Builder& b = g.builder;
      return to_operands(
          g, [&] { return g.d_results[0]; },
          [&] {
            return b.map(kNeg, b.map(kZeroTimes, g.d_results[0], b.map(kFloordiv, g.operands[0], g.operands[1])));
          });
    },
});

constexpr graph::Op kPow = element_wise({
    .name = "pow",
    .signature = "pow(a: tensor, b: tensor -> shape?)",
    .symbol = "^",
    .doc = "a to the power of b; written `a ^ b`. Of integers it is an integer, 0 for a negative exponent unless a is "
           "1 or -1. "
           "The gradient of the exponent is 0 where the base is not positive.",
    .example = "print(fill([], 3) ^ 4)\n#> 81\n",
    .samples = "x: [a, b] in 0.5..2, y: [b] => x ^ y\nx: [a] => x ^ 3\nx: i32[a] in -3..3 => x ^ 2",
    .lane = kernels::LaneOp::kPow,
    .gradient = pow_gradient,
});

constexpr graph::Op kMinimum = element_wise({
    .name = "minimum",
    .signature = "minimum(a: tensor, b: tensor -> shape?)",
    .doc = "The smaller of two elements; NaN if either is. Where they are equal each gets half of the gradient.",
    .example = "dim n = 3\nprint(minimum(range(n), 1))\n#> [0, 1, 1]\n",
    .samples = "x: [a, b] in 0..1, y: [b] in 1.5..2 => minimum(x, y)\nx: i32[a] in -5..5 => minimum(x, 0)",
    .lane = kernels::LaneOp::kMinimum,
    .host = {.of_two = [](double a, double b) -> double { return std::isnan(a) || a < b ? a : b; }, .keeps_ints = true},
    .gradient = [](graph::GradientCall& g) -> graph::Values { return share_gradient(g, kLt); },
});

constexpr graph::Op kMaximum = element_wise({
    .name = "maximum",
    .signature = "maximum(a: tensor, b: tensor -> shape?)",
    .doc = "The larger of two elements; NaN if either is. Where they are equal each gets half of the gradient.",
    .example = "dim n = 3\nprint(maximum(range(n), 1))\n#> [1, 1, 2]\n",
    .samples = "x: [a, b] in 0..1, y: [b] in 1.5..2 => maximum(x, y)\nx: i32[a] in -5..5 => maximum(x, 0)",
    .lane = kernels::LaneOp::kMaximum,
    .host = {.of_two = [](double a, double b) -> double { return std::isnan(a) || a > b ? a : b; }, .keeps_ints = true},
    .gradient = [](graph::GradientCall& g) -> graph::Values { return share_gradient(g, kGt); },
});

constexpr graph::Op kClip = complete({
    .name = "clip",
    .signature = "clip(x: tensor, low: tensor, high: tensor)",
    .family = "Element-wise",
    .doc =
        "Each element, or the nearer of `low` and `high` where it is outside them; the bounds are numbers or tensors. "
        "On a bound the gradient goes to x.",
    .example = "dim n = 4\nprint(clip(range(n), 1, 2))\n#> [1, 1, 2, 2]\n",
    .samples = "x: [a, b] in -0.9..0.9 => clip(x, -1, 1)\nx: [a, b] in 2..3, h: [b] in 0.5..1 => clip(x, 0, h)",
    .build = build_clip,
});

constexpr graph::Op kAtLeast = element_wise({
    .name = "at_least",
    .doc = "The first half of clip: `maximum`, but on a bound the gradient goes to the first operand.",
    .lane = kernels::LaneOp::kMaximum,
    .gradient = [](graph::GradientCall& g) -> graph::Values { return select_gradient(g, kGe); },
});

constexpr graph::Op kAtMost = [] {
  graph::Op op = element_wise({
      .name = "at_most",
      .doc = "The second half of clip: `minimum`, counted with the first half; on a bound the gradient goes to the "
             "first operand.",
      .lane = kernels::LaneOp::kMinimum,
      .gradient = [](graph::GradientCall& g) -> graph::Values { return select_gradient(g, kLe); },
  });
  op.work = graph::Work::kNone;
  return op;
}();

// Multiply or divide a gradient by a derivative that may be infinite or NaN. Where a selection took the other side, d
// is 0, and these operations give 0. Where the derivative is finite, they are the product and the quotient. So their
// own gradients are right also where d is 0 by chance.
constexpr graph::Op kZeroTimes = element_wise({
    .name = "zero_times",
    .doc = "a · b, and 0 where a is 0, whatever b is: a gradient times a derivative.",
    .lane = kernels::LaneOp::kZeroTimes,
    .gradient = zero_times_gradient,
    .linear = graph::Linear::kEach,
});

constexpr graph::Op kZeroOver = element_wise({
    .name = "zero_over",
    .doc = "a / b, and 0 where a is 0, whatever b is: a gradient over what it is divided by.",
    .lane = kernels::LaneOp::kZeroOver,
    .gradient = quotient_gradient,
    .linear = graph::Linear::kFirst,
});

constexpr graph::Op kZeroProduct = element_wise({
    .name = "zero_product",
    .doc = "a · b, and 0 where one of them is 0, whatever the other is.",
    .lane = kernels::LaneOp::kZeroProduct,
    .gradient = zero_product_gradient,
    .linear = graph::Linear::kEach,
});

constexpr graph::Op kShifted = element_wise({
    .name = "shifted",
    .doc = "a - b before an exponential: 0 where both are infinity, minus infinity where both are minus infinity.",
    .lane = kernels::LaneOp::kShifted,
    .gradient = difference_gradient,
});

constexpr graph::Op kScale = [] {
  graph::Op op = element_wise({
      .name = "scale",
      .doc = "A product with a number that belongs to another operation, such as the division in a mean, and is "
             "counted there.",
      .lane = kernels::LaneOp::kMul,
      .gradient = [](graph::GradientCall& g) -> graph::Values {
        graph::Values gradients(2);
        if (g.wants(0))
          gradients[0] = sum_to_operand(g.builder, g.builder.map(kScale, g.d_results[0], g.operands[1]), g.operands[0]);
        return gradients;
      },
      .linear = graph::Linear::kEach,
  });
  op.work = graph::Work::kNone;
  return op;
}();

}  // namespace mtf::ops
