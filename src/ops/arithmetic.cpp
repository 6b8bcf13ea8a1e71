// Element-wise operations of two operands and more, which broadcast.
//
// A gradient goes to an operand summed over the dims along which that was repeated.
#include <algorithm>
#include <functional>

#include "ops/elementwise.h"

namespace mtf {
namespace {

/// Each wanted gradient, summed to its operand's dims.
Values to_operands(GradientCall& call, const std::function<Value()>& first, const std::function<Value()>& second) {
  Values gradients(call.operands.size());
  if (call.wants(0)) gradients[0] = sum_to_operand(call.builder, first(), call.operands[0]);
  if (call.wants(1)) gradients[1] = sum_to_operand(call.builder, second(), call.operands[1]);
  return gradients;
}

/// The whole gradient to the first operand where `takes_first`, to the second elsewhere.
Values select_gradient(GradientCall& call, const Op& takes_first) {
  Builder& b = call.builder;
  const Value& d = call.d_results[0];
  const Value first = b.map(takes_first, call.operands[0], call.operands[1]);
  return to_operands(call, [&] { return b.where(first, d, b.number(0, d.element())); },
                     [&] { return b.where(first, b.number(0, d.element()), d); });
}

/// The whole gradient to the operand that is taken, half of it to each of two equal ones.
Values share_gradient(GradientCall& call, const Op& takes_first) {
  Builder& b = call.builder;
  const Value& d = call.d_results[0];
  const Value first = b.map(takes_first, call.operands[0], call.operands[1]);
  const Value equal = b.map(ops::kEq, call.operands[0], call.operands[1]);
  const Value half = b.map(ops::kMul, d, 0.5), none = b.number(0, d.element());
  return to_operands(call, [&] { return b.where(first, d, b.where(equal, half, none)); }, [&] { return b.where(first, none, b.where(equal, half, d)); });
}

/// Of a product: d times the other operand, by the same operation.
Values product_gradient(GradientCall& call) {
  const auto times = [&](size_t other) { return call.builder.map(*call.operation.op, call.d_results[0], call.operands[other]); };
  return to_operands(call, [&] { return times(1); }, [&] { return times(0); });
}

/// Of a quotient; its own over the divisor is divided by the same operation.
Values quotient_gradient(GradientCall& call) {
  Builder& b = call.builder;
  const Value &d = call.d_results[0], &divisor = call.operands[1];
  return to_operands(call, [&] { return b.map(ops::kZeroOver, d, divisor); },
                     [&] { return b.map(ops::kNeg, b.map(ops::kZeroTimes, d, b.map(*call.operation.op, call.results[0], divisor))); });
}

/// `exponent` - 1, and 0 where the exponent is 0: what it is multiplied by is then 0 too, and 0 times infinity is not.
Value lowered_exponent(Builder& b, const Value& exponent) {
  if (is_host_number(exponent)) {
    const double number = exponent.operation().inputs[0];
    return b.number(number == 0 ? 0 : number - 1, exponent.element());
  }
  return b.where(b.map(ops::kEq, exponent, 0.0), b.number(0, exponent.element()), b.map(ops::kSub, exponent, 1.0));
}

Values pow_gradient(GradientCall& call) {
  Builder& b = call.builder;
  const Value& d = call.d_results[0];
  const Value& base = call.operands[0];
  const Value& exponent = call.operands[1];
  return to_operands(
      call, [&] { return b.map(ops::kZeroTimes, d, b.map(ops::kMul, exponent, b.map(ops::kPow, base, lowered_exponent(b, exponent)))); },
      [&] {
        const Value positive = b.map(ops::kGt, base, 0.0);
        const Value safe = b.where(positive, base, b.number(1, base.element()));
        return b.map(ops::kZeroTimes, d, b.map(ops::kMul, call.results[0], b.map(ops::kLog, safe)));
      });
}

Values build_clip(Call& call) {
  const Values operands = tensor_arguments(call);
  check_broadcast(call, operands);
  const Values cast = as_element(call.builder, operands, meet_as_numbers(call.builder, operands), call.span);
  const Value above = call.builder.add(ops::kAtLeast, {cast[0], cast[1]});
  return {call.builder.add(ops::kAtMost, {above, cast[2]})};
}

}  // namespace

constexpr Op ops::kAdd = element_wise({
    .name = "add",
    .signature = "add(a: tensor, b: tensor -> shape?)",
    .symbol = "+",
    .doc = "The sum of two tensors; written `a + b`.",
    .example = "dim n = 3\nprint(range(n) + 10)\n#> [10, 11, 12]\n",
    .samples = "x: [a, b], y: [b] => x + y\nx: [a, b], y: [b, a] => x + y\nx: i32[a] in -5..5 => x + 2\nx: bf16[a], y: [a] => x + y",
    .lane = LaneOp::kAdd,
    .gradient = [](GradientCall& g) -> Values {
      return to_operands(g, [&] { return g.d_results[0]; }, [&] { return g.d_results[0]; });
    },
    .linear = Linear::kJoint,
});

constexpr Op ops::kSub = element_wise({
    .name = "sub",
    .signature = "sub(a: tensor, b: tensor -> shape?)",
    .symbol = "-",
    .doc = "The difference of two tensors; written `a - b`.",
    .example = "dim n = 3\nprint(10 - range(n))\n#> [10, 9, 8]\n",
    .samples = "x: [a, b], y: [b] => x - y\nx: [b], y: [a, b] => x - y",
    .lane = LaneOp::kSub,
    .gradient = [](GradientCall& g) -> Values {
      return to_operands(g, [&] { return g.d_results[0]; }, [&] { return g.builder.map(ops::kNeg, g.d_results[0]); });
    },
    .linear = Linear::kJoint,
});

constexpr Op ops::kMul = element_wise({
    .name = "mul",
    .signature = "mul(a: tensor, b: tensor -> shape?)",
    .symbol = "*",
    .doc = "The product of two tensors, element by element; written `a * b`.",
    .example = "dim n = 3\nprint(range(n) * 0.5)\n#> [0, 0.5, 1]\n",
    .samples = "x: [a, b], y: [b] => x * y\nx: [a] => x * x\nx: f64[a], y: [a] => x * y",
    .lane = LaneOp::kMul,
    .gradient = product_gradient,
    .linear = Linear::kEach,
});

constexpr Op ops::kDiv = real_function({
    .name = "div",
    .signature = "div(a: tensor, b: tensor -> shape?)",
    .symbol = "/",
    .doc = "The quotient of two tensors; written `a / b`. Integers give f32.",
    .example = "dim n = 3\nprint(range(n) / 2)\n#> [0, 0.5, 1]\n",
    .samples = "x: [a, b], y: [b] in 0.5..2 => x / y\nx: i32[a] in -5..5 => x / 2",
    .lane = LaneOp::kDiv,
    .gradient = quotient_gradient,
    .linear = Linear::kFirst,
});

constexpr Op ops::kFloordiv = element_wise({
    .name = "floordiv",
    .signature = "floordiv(a: tensor, b: tensor -> shape?)",
    .symbol = "//",
    .doc = "The quotient, rounded down to a whole number; written `a // b`. An integer divided by 0 gives 0. Its gradient is 0.",
    .example = "print(fill([], -7, i32) // 2)\n#> -4\n",
    .samples = "x: i32[a, b] in -9..9, y: i32[b] in 1..5 => x // y\nx: [a] in 0.1..0.9 => x // 1",
    .lane = LaneOp::kFloordiv,
    .gradient = zero_gradient,
    .ends_gradients = true,
});

constexpr Op ops::kMod = element_wise({
    .name = "mod",
    .signature = "mod(a: tensor, b: tensor -> shape?)",
    .symbol = "%",
    .doc = "What `a // b` leaves, a - b (a // b), with the sign of b; written `a % b`. For integers, `a % 0` is 0.",
    .example = "print(fill([], -7, i32) % 3)\n#> 2\n",
    .samples = "x: i32[a, b] in -9..9, y: i32[b] in 1..5 => x % y\nx: [a] in 1.2..1.8 => x % 1",
    .lane = LaneOp::kMod,
    .gradient = [](GradientCall& g) -> Values {
      Builder& b = g.builder;
      return to_operands(g, [&] { return g.d_results[0]; }, [&] {
        return b.map(ops::kNeg, b.map(ops::kMul, g.d_results[0], b.map(ops::kFloordiv, g.operands[0], g.operands[1])));
      });
    },
});

constexpr Op ops::kPow = element_wise({
    .name = "pow",
    .signature = "pow(a: tensor, b: tensor -> shape?)",
    .symbol = "^",
    .doc = "a to the power of b; written `a ^ b`. Of integers it is an integer, 0 for a negative exponent unless a is 1 or -1. "
           "The gradient of the exponent is 0 where the base is not positive.",
    .example = "print(fill([], 3) ^ 4)\n#> 81\n",
    .samples = "x: [a, b] in 0.5..2, y: [b] => x ^ y\nx: [a] => x ^ 3\nx: i32[a] in -3..3 => x ^ 2",
    .lane = LaneOp::kPow,
    .gradient = pow_gradient,
});

constexpr Op ops::kMinimum = element_wise({
    .name = "minimum",
    .signature = "minimum(a: tensor, b: tensor -> shape?)",
    .doc = "The smaller of two elements; NaN if either is. Where they are equal each gets half of the gradient.",
    .example = "dim n = 3\nprint(minimum(range(n), 1))\n#> [0, 1, 1]\n",
    .samples = "x: [a, b] in 0..1, y: [b] in 1.5..2 => minimum(x, y)\nx: i32[a] in -5..5 => minimum(x, 0)",
    .lane = LaneOp::kMinimum,
    .host = {.of_two = [](double a, double b) -> double { return std::min(a, b); }, .keeps_ints = true},
    .gradient = [](GradientCall& g) -> Values { return share_gradient(g, ops::kLt); },
});

constexpr Op ops::kMaximum = element_wise({
    .name = "maximum",
    .signature = "maximum(a: tensor, b: tensor -> shape?)",
    .doc = "The larger of two elements; NaN if either is. Where they are equal each gets half of the gradient.",
    .example = "dim n = 3\nprint(maximum(range(n), 1))\n#> [1, 1, 2]\n",
    .samples = "x: [a, b] in 0..1, y: [b] in 1.5..2 => maximum(x, y)\nx: i32[a] in -5..5 => maximum(x, 0)",
    .lane = LaneOp::kMaximum,
    .host = {.of_two = [](double a, double b) -> double { return std::max(a, b); }, .keeps_ints = true},
    .gradient = [](GradientCall& g) -> Values { return share_gradient(g, ops::kGt); },
});

constexpr Op ops::kClip = complete({
    .name = "clip",
    .signature = "clip(x: tensor, low: tensor, high: tensor)",
    .family = "Element-wise",
    .doc = "Each element, or the nearer of `low` and `high` where it is outside them; the bounds are numbers or tensors. "
           "On a bound the gradient goes to x.",
    .example = "dim n = 4\nprint(clip(range(n), 1, 2))\n#> [1, 1, 2, 2]\n",
    .samples = "x: [a, b] in -0.9..0.9 => clip(x, -1, 1)\nx: [a, b] in 2..3, h: [b] in 0.5..1 => clip(x, 0, h)",
    .build = build_clip,
});

constexpr Op ops::kAtLeast = element_wise({
    .name = "at_least",
    .doc = "The first half of clip: `maximum`, but on a bound the gradient goes to the first operand.",
    .lane = LaneOp::kMaximum,
    .gradient = [](GradientCall& g) -> Values { return select_gradient(g, ops::kGe); },
});

constexpr Op ops::kAtMost = [] {
  Op op = element_wise({
      .name = "at_most",
      .doc = "The second half of clip: `minimum`, counted with the first half; on a bound the gradient goes to the first operand.",
      .lane = LaneOp::kMinimum,
      .gradient = [](GradientCall& g) -> Values { return select_gradient(g, ops::kLe); },
  });
  op.work = Work::kNone;
  return op;
}();

// What gradients multiply with a derivative that may be infinite or NaN: where a selection took the other side, d is 0, and
// nothing comes through. Where the derivative is a number they are the product and quotient, so that their own gradients
// are right where d is 0 by chance.
constexpr Op ops::kZeroTimes = element_wise({
    .name = "zero_times",
    .doc = "a · b, and 0 where a is 0, whatever b is: a gradient times a derivative.",
    .lane = LaneOp::kZeroTimes,
    .gradient = product_gradient,
    .linear = Linear::kFirst,
});

constexpr Op ops::kZeroOver = element_wise({
    .name = "zero_over",
    .doc = "a / b, and 0 where a is 0, whatever b is: a gradient over what it is divided by.",
    .lane = LaneOp::kZeroOver,
    .gradient = quotient_gradient,
    .linear = Linear::kFirst,
});

constexpr Op ops::kScale = [] {
  Op op = element_wise({
      .name = "scale",
      .doc = "A product with a number that belongs to another operation, such as the division in a mean, and is counted there.",
      .lane = LaneOp::kMul,
      .gradient = [](GradientCall& g) -> Values {
        Values gradients(2);
        if (g.wants(0)) gradients[0] = sum_to_operand(g.builder, g.builder.map(ops::kScale, g.d_results[0], g.operands[1]), g.operands[0]);
        return gradients;
      },
      .linear = Linear::kEach,
  });
  op.work = Work::kNone;
  return op;
}();

}  // namespace mtf
