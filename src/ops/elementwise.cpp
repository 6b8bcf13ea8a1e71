// Element-wise operations of one operand.
#include "ops/elementwise.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "support/text.h"

namespace mtf::ops {

std::vector<TensorType> infer_same(const graph::Operation& operation) {
  for (const TensorType& operand : operation.operands)
    MTF_CHECK(operand.element == operation.operands[0].element, "{} of {} and {}", operation.op->name,
              name(operation.operands[0].element), name(operand.element));
  return {{operation.operands[0].element, broadcast_dims(operation.operands)}};
}

std::vector<TensorType> infer_truth(const graph::Operation& operation) {
  std::vector<TensorType> types = infer_same(operation);
  types[0].element = ElementType::kBool;
  return types;
}

graph::Values broadcast_arguments(const Call& call) {
  graph::Values operands = tensor_arguments(call);
  if (!call.arrow) {
    check_broadcast(call, operands);
    return operands;
  }
  check_sizes(call, operands);
  const Dims& dims = *call.arrow;
  graph::Value* first = nullptr;
  for (graph::Value& operand : operands) {
    if (!first && !is_host_number(operand)) first = &operand;
    for (const Dim& dim : operand.dims()) {
      if (find_dim(dims, dim.name) >= 0) continue;
      fail(Diagnostic(Kind::shape_mismatch, call.arrow_span,
                      fmt::format("expected every dimension of {}, found none called `{}`", describe(operand),
                                  dim.name.text()))
               .help(fmt::format("add `{}` to the shape", dim.name.text())));
    }
  }
  // If an operand already has the shape, the operation broadcasts the others to it.
  const auto is_whole = [&](const graph::Value& operand) { return operand.dims().size() == dims.size(); };
  const auto whole = std::find_if(operands.begin(), operands.end(), is_whole);
  if (whole != operands.end() && whole->dims() == dims) return operands;
  graph::Value& changed = first ? *first : operands[0];
  changed = call.builder.broadcast(changed, dims);
  return operands;
}

graph::Values zero_gradient(graph::GradientCall& call) { return graph::Values(call.operands.size()); }

namespace {

/// The gradient of a function of one operand: d times its derivative. Where d is 0 the derivative may be infinite or
/// NaN.
graph::Values times(graph::GradientCall& call, const graph::Value& derivative) {
  return {call.builder.map(kZeroTimes, call.d_results[0], derivative)};
}

/// `positive` where x > 0, `otherwise` elsewhere, also at 0.
graph::Values where_positive(graph::GradientCall& call, const graph::Value& positive, const graph::Value& otherwise) {
  Builder& b = call.builder;
  return {b.where(b.map(kGt, call.operands[0], 0.0), positive, otherwise)};
}

graph::Values build_leaky_relu(Call& call) {
  if (call.argument("slope").given) return build_map<meet_as_reals>(call);
  const graph::Values operands = as_element(call.builder, {call.tensor("x"), call.builder.number(0.2)},
                                            real_element(call.tensor("x").element()), call.span);
  return call.builder.add_node(call.op, operands);
}

/// x times the normal distribution function of x. For |x| above 40 the result is x or 0.
graph::Values build_gelu(Call& call) {
  if (!call.flag("exact", false)) return build_map<meet_as_reals>(call);
  Builder& b = call.builder;
  const graph::Value x = b.cast(call.tensor("x"), real_element(call.tensor("x").element()));
  const graph::Value half = b.map(kMul, b.map(kErf, b.map(kMul, x, std::numbers::sqrt2 / 2)), 0.5);
  const graph::Value near = b.map(kMul, x, b.map(kAdd, half, 0.5));
  return {b.where(b.map(kLt, b.map(kAbs, x), 40.0), near, b.map(kRelu, x))};
}

constexpr double kSeluScale = 1.0507009873554804934193349852946;
constexpr double kSeluAlpha = 1.6732632423543772848170429916717;
constexpr double kGeluFactor = 0.79788456080286535588;  // sqrt(2 / pi)
constexpr double kGeluCubic = 0.044715;

}  // namespace

constexpr graph::Op kNeg = element_wise({
    .name = "neg",
    .signature = "neg(x: tensor)",
    .symbol = "-",
    .doc = "The negative of each element; written `-x`.",
    .example = "print(-fill([], 2))\n#> -2\n",
    .samples = "x: [a, b] => -x\nx: i32[a] in -5..5 => neg(x)",
    .lane = kernels::LaneOp::kNeg,
    .gradient = [](graph::GradientCall& g) -> graph::Values { return {g.builder.map(kNeg, g.d_results[0])}; },
    .linear = graph::Linear::kEach,
});

constexpr graph::Op kAbs = element_wise({
    .name = "abs",
    .signature = "abs(x: tensor)",
    .doc = "The absolute value of each element. Its gradient at 0 is 0.",
    .example = "dim n = 3\nprint(abs(tensor([-1, 0, 2], [n])))\n#> [1, 0, 2]\n",
    .samples = "x: [a, b] in 0.5..2 => abs(x)\nx: [a] in -2..-0.5 => abs(x)\nx: i32[a] in -5..5 => abs(x)",
    .lane = kernels::LaneOp::kAbs,
    .host = {.of_one = [](double x) -> double { return std::abs(x); }, .keeps_ints = true},
    .gradient = [](graph::GradientCall& g) -> graph::Values { return times(g, g.builder.map(kSign, g.operands[0])); },
});

constexpr graph::Op kSign = element_wise({
    .name = "sign",
    .signature = "sign(x: tensor)",
    .doc = "-1, 0 or 1 for each element. Its gradient is 0.",
    .example = "dim n = 3\nprint(sign(tensor([-3, 0, 2], [n])))\n#> [-1, 0, 1]\n",
    .samples = "x: [a, b] in 0.5..2 => sign(x)\nx: i32[a] in -5..5 => sign(x)",
    .lane = kernels::LaneOp::kSign,
    .host = {.of_one = [](double x) -> double { return x > 0   ? 1
                                                       : x < 0 ? -1
                                                               : x; }, .keeps_ints = true},
    .gradient = zero_gradient,
    .ends_gradients = true,
});

constexpr graph::Op kSqrt = real_function({
    .name = "sqrt",
    .signature = "sqrt(x: tensor)",
    .doc = "The square root of each element.",
    .example = "print(sqrt(fill([], 16)))\n#> 4\n",
    .samples = "x: [a, b] in 0.5..2 => sqrt(x)",
    .lane = kernels::LaneOp::kSqrt,
    .host = {.of_one = [](double x) -> double { return std::sqrt(x); }},
    .gradient = [](graph::GradientCall& g) -> graph::Values {
      return {g.builder.map(kZeroOver, g.d_results[0], g.builder.map(kMul, g.results[0], 2.0))};
    },
});

constexpr graph::Op kRsqrt = real_function({
    .name = "rsqrt",
    .signature = "rsqrt(x: tensor)",
    .doc = "One over the square root of each element.",
    .example = "print(rsqrt(fill([], 16)))\n#> 0.25\n",
    .samples = "x: [a, b] in 0.5..2 => rsqrt(x)",
    .lane = kernels::LaneOp::kRsqrt,
    .host = {.of_one = [](double x) -> double { return 1 / std::sqrt(x); }},
    .gradient = [](graph::GradientCall& g) -> graph::Values {
      Builder& b = g.builder;
      // At infinity the slope is 0, also for an infinite gradient: both come of a sum of squares that overflows.
      return {b.map(kZeroProduct, g.d_results[0], b.map(kDiv, b.map(kMul, g.results[0], -0.5), g.operands[0]))};
    },
});

constexpr graph::Op kExp = real_function({
    .name = "exp",
    .signature = "exp(x: tensor)",
    .doc = "e to the power of each element; of minus infinity it is 0.",
    .example = "print(exp(fill([], 0)))\n#> 1\n",
    .samples = "x: [a, b] => exp(x)\nx: f64[a] => exp(x)",
    .lane = kernels::LaneOp::kExp,
    .host = {.of_one = [](double x) -> double { return std::exp(x); }},
    .gradient = [](graph::GradientCall& g) -> graph::Values { return times(g, g.results[0]); },
});

constexpr graph::Op kLog = real_function({
    .name = "log",
    .signature = "log(x: tensor)",
    .doc = "The natural logarithm of each element; of 0 it is minus infinity.",
    .example = "print(log(fill([], 1)))\n#> 0\n",
    .samples = "x: [a, b] in 0.5..2 => log(x)",
    .lane = kernels::LaneOp::kLog,
    .host = {.of_one = [](double x) -> double { return std::log(x); }},
    .gradient = [](graph::GradientCall& g) -> graph::Values {
      return {g.builder.map(kZeroOver, g.d_results[0], g.operands[0])};
    },
});

constexpr graph::Op kSin = real_function({
    .name = "sin",
    .signature = "sin(x: tensor)",
    .doc = "The sine of each element, in radians.",
    .example = "print(sin(fill([], 0)))\n#> 0\n",
    .samples = "x: [a, b] => sin(x)",
    .lane = kernels::LaneOp::kSin,
    .host = {.of_one = [](double x) -> double { return std::sin(x); }},
    .gradient = [](graph::GradientCall& g) -> graph::Values { return times(g, g.builder.map(kCos, g.operands[0])); },
});

constexpr graph::Op kCos = real_function({
    .name = "cos",
    .signature = "cos(x: tensor)",
    .doc = "The cosine of each element, in radians.",
    .example = "print(cos(fill([], 0)))\n#> 1\n",
    .samples = "x: [a, b] => cos(x)",
    .lane = kernels::LaneOp::kCos,
    .host = {.of_one = [](double x) -> double { return std::cos(x); }},
    .gradient = [](graph::GradientCall& g) -> graph::Values {
      return times(g, g.builder.map(kNeg, g.builder.map(kSin, g.operands[0])));
    },
});

constexpr graph::Op kTanh = real_function({
    .name = "tanh",
    .signature = "tanh(x: tensor)",
    .doc = "The hyperbolic tangent of each element.",
    .example = "print(tanh(fill([], 0)))\n#> 0\n",
    .samples = "x: [a, b] => tanh(x)",
    .lane = kernels::LaneOp::kTanh,
    .host = {.of_one = [](double x) -> double { return std::tanh(x); }},
    .gradient = [](graph::GradientCall& g) -> graph::Values {
      return times(g, g.builder.map(kSub, 1.0, g.builder.map(kSquare, g.results[0])));
    },
});

constexpr graph::Op kSigmoid = real_function({
    .name = "sigmoid",
    .signature = "sigmoid(x: tensor)",
    .doc = "1 / (1 + exp(-x)) for each element.",
    .example = "print(sigmoid(fill([], 0)))\n#> 0.5\n",
    .samples = "x: [a, b] => sigmoid(x)",
    .lane = kernels::LaneOp::kSigmoid,
    .gradient = [](graph::GradientCall& g) -> graph::Values {
      Builder& b = g.builder;
      return times(g, b.map(kMul, g.results[0], b.map(kSub, 1.0, g.results[0])));
    },
});

constexpr graph::Op kRelu = element_wise({
    .name = "relu",
    .signature = "relu(x: tensor)",
    .doc = "The larger of each element and 0. Its gradient at 0 is 0.",
    .example = "dim n = 3\nprint(relu(tensor([0, -1, 2], [n])))\n#> [0, 0, 2]\n",
    .samples = "x: [a, b] in 0.5..2 => relu(x)\nx: [a] in -2..-0.5 => relu(x)\nx: i32[a] in -5..5 => relu(x)",
    .lane = kernels::LaneOp::kRelu,
    .gradient = [](graph::GradientCall& g) -> graph::Values {
      return where_positive(g, g.d_results[0], g.builder.number(0, g.d_results[0].element()));
    },
});

constexpr graph::Op kLeakyRelu = real_function({
    .name = "leaky_relu",
    .signature = "leaky_relu(x: tensor, slope: tensor = 0.2)",
    .doc = "Each element where it is positive, `slope` times it elsewhere. Its gradient at 0 is the slope.",
    .example = "dim n = 3\nprint(leaky_relu(tensor([0, -1, 2], [n]), slope: 0.5))\n#> [0, -0.5, 2]\n",
    .samples = "x: [a, b] in 0.5..2 => leaky_relu(x)\nx: [a] in -2..-0.5, s: [a] => leaky_relu(x, slope: s)",
    .build = build_leaky_relu,
    .lane = kernels::LaneOp::kLeakyRelu,
    .gradient = [](graph::GradientCall& g) -> graph::Values {
      Builder& b = g.builder;
      graph::Values gradients(2);
      const graph::Value& d = g.d_results[0];
      if (g.wants(0))
        gradients[0] = sum_to_operand(b, where_positive(g, d, b.map(kZeroTimes, d, g.operands[1]))[0], g.operands[0]);
      if (g.wants(1)) {
        const graph::Value below = where_positive(g, b.number(0, d.element()), b.map(kZeroTimes, d, g.operands[0]))[0];
        gradients[1] = sum_to_operand(b, below, g.operands[1]);
      }
      return gradients;
    },
});

constexpr graph::Op kGelu = real_function({
    .name = "gelu",
    .signature = "gelu(x: tensor, exact: bool = false)",
    .doc = "The Gaussian error linear unit, x/2 (1 + tanh(√(2/π) (x + 0.044715 x³))) for each element; with `exact` "
           "x/2 (1 + erf(x/√2)), which it approximates.",
    .example = "dim n = 4\nlet x = tensor([-1, 0, 1, 2], [n])\nprint(gelu(x))\nprint(gelu(x, exact: true))\n"
               "#> [-0.158808, 0, 0.841192, 1.9546]\n#> [-0.158655, 0, 0.841345, 1.9545]\n",
    .samples = "x: [a, b] => gelu(x)\nx: [a, b] => gelu(x, exact: true)",
    .build = build_gelu,
    .lane = kernels::LaneOp::kGelu,
    .gradient = [](graph::GradientCall& g) -> graph::Values {
      return times(g, g.builder.map(kGeluGrad, g.operands[0]));
    },
});

constexpr graph::Op kSwish = real_function({
    .name = "swish",
    .signature = "swish(x: tensor)",
    .doc = "x sigmoid(x) for each element.",
    .example = "dim n = 4\nprint(swish(tensor([-1, 0, 1, 2], [n])))\n#> [-0.268941, 0, 0.731059, 1.76159]\n",
    .samples = "x: [a, b] => swish(x)",
    .lane = kernels::LaneOp::kSwish,
    .gradient = [](graph::GradientCall& g) -> graph::Values {
      return times(g, g.builder.map(kSwishGrad, g.operands[0]));
    },
});

constexpr graph::Op kElu = real_function({
    .name = "elu",
    .signature = "elu(x: tensor)",
    .doc = "Each element where it is positive, exp(x) - 1 elsewhere.",
    .example = "dim n = 3\nprint(elu(tensor([-1, 0, 2], [n])))\n#> [-0.632121, 0, 2]\n",
    .samples = "x: [a, b] in 0.5..2 => elu(x)\nx: [a] in -2..-0.5 => elu(x)",
    .lane = kernels::LaneOp::kElu,
    .gradient =
        [](graph::GradientCall& g) -> graph::Values {  // below 0, exp(x) is the result plus 1; above 0, no overflow
      Builder& b = g.builder;
      return where_positive(g, g.d_results[0], b.map(kZeroTimes, g.d_results[0], b.map(kAdd, g.results[0], 1.0)));
    },
});

constexpr graph::Op kSelu = real_function({
    .name = "selu",
    .signature = "selu(x: tensor)",
    .doc = "The scaled exponential linear unit: 1.0507 x where x is positive, 1.7581 (exp(x) - 1) elsewhere.",
    .example = "dim n = 3\nprint(selu(tensor([-1, 0, 2], [n])))\n#> [-1.11133, 0, 2.1014]\n",
    .samples = "x: [a, b] in 0.5..2 => selu(x)\nx: [a] in -2..-0.5 => selu(x)",
    .lane = kernels::LaneOp::kSelu,
    .gradient = [](graph::GradientCall& g) -> graph::Values {
      Builder& b = g.builder;
      const graph::Value& d = g.d_results[0];
      return where_positive(g, b.map(kMul, d, kSeluScale),
                            b.map(kZeroTimes, d, b.map(kAdd, g.results[0], kSeluScale * kSeluAlpha)));
    },
});

constexpr graph::Op kSoftplus = real_function({
    .name = "softplus",
    .signature = "softplus(x: tensor)",
    .doc = "log(1 + exp(x)) for each element, without overflow.",
    .example = "print(softplus(fill([], 0)))\n#> 0.693147\n",
    .samples = "x: [a, b] => softplus(x)",
    .lane = kernels::LaneOp::kSoftplus,
    .gradient = [](graph::GradientCall& g) -> graph::Values {
      return times(g, g.builder.map(kSigmoid, g.operands[0]));
    },
});

constexpr graph::Op kSquare = element_wise({
    .name = "square",
    .signature = "square(x: tensor)",
    .doc = "Each element times itself.",
    .example = "print(square(fill([], 3)))\n#> 9\n",
    .samples = "x: [a, b] => square(x)\nx: i32[a] in -5..5 => square(x)\nx: bf16[a] => square(x)",
    .lane = kernels::LaneOp::kSquare,
    .host = {.of_one = [](double x) -> double { return x * x; }, .keeps_ints = true},
    .gradient = [](graph::GradientCall& g) -> graph::Values {
      return times(g, g.builder.map(kMul, g.operands[0], 2.0));
    },
});

constexpr graph::Op kReciprocal = real_function({
    .name = "reciprocal",
    .signature = "reciprocal(x: tensor)",
    .doc = "One over each element.",
    .example = "print(reciprocal(fill([], 4)))\n#> 0.25\n",
    .samples = "x: [a, b] in 0.5..2 => reciprocal(x)",
    .lane = kernels::LaneOp::kReciprocal,
    .host = {.of_one = [](double x) -> double { return 1 / x; }},
    .gradient = [](graph::GradientCall& g) -> graph::Values {
      return times(g, g.builder.map(kNeg, g.builder.map(kSquare, g.results[0])));
    },
});

constexpr graph::Op kExpm1 = real_function({
    .name = "expm1",
    .signature = "expm1(x: tensor)",
    .doc = "exp(x) - 1 for each element, also near 0, where exp(x) rounds to 1.",
    .example = "print(expm1(fill([], 0.000001)))\n#> 1e-06\n",
    .samples = "x: [a, b] => expm1(x)\nx: f64[a] => expm1(x)",
    .lane = kernels::LaneOp::kExpm1,
    .host = {.of_one = [](double x) -> double { return std::expm1(x); }},
    .gradient = [](graph::GradientCall& g) -> graph::Values { return times(g, g.builder.map(kExp, g.operands[0])); },
});

constexpr graph::Op kLog1p = real_function({
    .name = "log1p",
    .signature = "log1p(x: tensor)",
    .doc = "log(1 + x) for each element, also near 0, where 1 + x rounds to 1; of -1 it is minus infinity.",
    .example = "print(log1p(fill([], 0.000001)))\n#> 1e-06\n",
    .samples = "x: [a, b] in -0.5..2 => log1p(x)",
    .lane = kernels::LaneOp::kLog1p,
    .host = {.of_one = [](double x) -> double { return std::log1p(x); }},
    .gradient = [](graph::GradientCall& g) -> graph::Values {
      return {g.builder.map(kZeroOver, g.d_results[0], g.builder.map(kAdd, g.operands[0], 1.0))};
    },
});

constexpr graph::Op kErf = real_function({
    .name = "erf",
    .signature = "erf(x: tensor)",
    .doc = "The error function of each element: 2/√π times the integral of exp(-t²) from 0 to x.",
    .example = "dim n = 3\nprint(erf(tensor([-1, 0, 1], [n])))\n#> [-0.842701, 0, 0.842701]\n",
    .samples = "x: [a, b] => erf(x)\nx: f64[a] => erf(x)",
    .lane = kernels::LaneOp::kErf,
    .host = {.of_one = [](double x) -> double { return std::erf(x); }},
    .gradient = [](graph::GradientCall& g) -> graph::Values {
      Builder& b = g.builder;
      const graph::Value& x = g.operands[0];
      return times(g, b.map(kMul, b.map(kExp, b.map(kNeg, b.map(kSquare, x))), 2 * std::numbers::inv_sqrtpi));
    },
});

constexpr graph::Op kTan = real_function({
    .name = "tan",
    .signature = "tan(x: tensor)",
    .doc = "The tangent of each element, in radians.",
    .example = "print(tan(fill([], 0.5)))\n#> 0.546302\n",
    .samples = "x: [a, b] in -1..1 => tan(x)",
    .lane = kernels::LaneOp::kTan,
    .host = {.of_one = [](double x) -> double { return std::tan(x); }},
    .gradient = [](graph::GradientCall& g) -> graph::Values {
      return times(g, g.builder.map(kAdd, g.builder.map(kSquare, g.results[0]), 1.0));
    },
});

constexpr graph::Op kAsin = real_function({
    .name = "asin",
    .signature = "asin(x: tensor)",
    .doc = "The angle from -π/2 to π/2 whose sine is the element; NaN of what is no sine.",
    .example = "dim n = 3\nprint(asin(tensor([-1, 0, 0.5], [n])))\n#> [-1.5708, 0, 0.523599]\n",
    .samples = "x: [a, b] in -0.8..0.8 => asin(x)",
    .lane = kernels::LaneOp::kAsin,
    .host = {.of_one = [](double x) -> double { return std::asin(x); }},
    .gradient = [](graph::GradientCall& g) -> graph::Values {
      Builder& b = g.builder;
      const graph::Value& x = g.operands[0];
      return times(g, b.map(kMul, b.map(kRsqrt, b.map(kSub, 1.0, x)), b.map(kRsqrt, b.map(kAdd, x, 1.0))));
    },
});

constexpr graph::Op kAcos = real_function({
    .name = "acos",
    .signature = "acos(x: tensor)",
    .doc = "The angle from 0 to π whose cosine is the element; NaN of what is no cosine.",
    .example = "dim n = 3\nprint(acos(tensor([-1, 0, 1], [n])))\n#> [3.14159, 1.5708, 0]\n",
    .samples = "x: [a, b] in -0.8..0.8 => acos(x)",
    .lane = kernels::LaneOp::kAcos,
    .host = {.of_one = [](double x) -> double { return std::acos(x); }},
    .gradient = [](graph::GradientCall& g) -> graph::Values {
      Builder& b = g.builder;
      const graph::Value& x = g.operands[0];
      return times(g, b.map(kNeg, b.map(kMul, b.map(kRsqrt, b.map(kSub, 1.0, x)), b.map(kRsqrt, b.map(kAdd, x, 1.0)))));
    },
});

constexpr graph::Op kAtan = real_function({
    .name = "atan",
    .signature = "atan(x: tensor)",
    .doc = "The angle from -π/2 to π/2 whose tangent is the element.",
    .example = "dim n = 3\nprint(atan(tensor([-1, 0, 1], [n])))\n#> [-0.785398, 0, 0.785398]\n",
    .samples = "x: [a, b] => atan(x)",
    .lane = kernels::LaneOp::kAtan,
    .host = {.of_one = [](double x) -> double { return std::atan(x); }},
    .gradient = [](graph::GradientCall& g) -> graph::Values {
      Builder& b = g.builder;
      const graph::Value& x = g.operands[0];
      return {b.map(kZeroOver, g.d_results[0], b.map(kAdd, b.map(kSquare, x), 1.0))};
    },
});

constexpr graph::Op kSinh = real_function({
    .name = "sinh",
    .signature = "sinh(x: tensor)",
    .doc = "The hyperbolic sine of each element.",
    .example = "print(sinh(fill([], 1)))\n#> 1.1752\n",
    .samples = "x: [a, b] => sinh(x)",
    .lane = kernels::LaneOp::kSinh,
    .host = {.of_one = [](double x) -> double { return std::sinh(x); }},
    .gradient = [](graph::GradientCall& g) -> graph::Values { return times(g, g.builder.map(kCosh, g.operands[0])); },
});

constexpr graph::Op kCosh = real_function({
    .name = "cosh",
    .signature = "cosh(x: tensor)",
    .doc = "The hyperbolic cosine of each element.",
    .example = "print(cosh(fill([], 1)))\n#> 1.54308\n",
    .samples = "x: [a, b] => cosh(x)",
    .lane = kernels::LaneOp::kCosh,
    .host = {.of_one = [](double x) -> double { return std::cosh(x); }},
    .gradient = [](graph::GradientCall& g) -> graph::Values { return times(g, g.builder.map(kSinh, g.operands[0])); },
});

constexpr graph::Op kAsinh = real_function({
    .name = "asinh",
    .signature = "asinh(x: tensor)",
    .doc = "The number whose hyperbolic sine is the element.",
    .example = "print(asinh(fill([], 1)))\n#> 0.881374\n",
    .samples = "x: [a, b] => asinh(x)",
    .lane = kernels::LaneOp::kAsinh,
    .host = {.of_one = [](double x) -> double { return std::asinh(x); }},
    .gradient = [](graph::GradientCall& g) -> graph::Values {
      // 1 / √(1 + x²). For large x, computed from 1 / x, because x² may overflow.
      Builder& b = g.builder;
      const graph::Value size = b.map(kAbs, g.operands[0]);
      const graph::Value is_large = b.map(kGt, size, 1.0);
      const graph::Value small = b.where(is_large, b.map(kReciprocal, size), size);
      const graph::Value root = b.map(kRsqrt, b.map(kAdd, b.map(kSquare, small), 1.0));
      return times(g, b.where(is_large, b.map(kMul, root, small), root));
    },
});

constexpr graph::Op kAcosh = real_function({
    .name = "acosh",
    .signature = "acosh(x: tensor)",
    .doc = "The number from 0 on whose hyperbolic cosine is the element; NaN below 1.",
    .example = "print(acosh(fill([], 2)))\n#> 1.31696\n",
    .samples = "x: [a, b] in 1.5..3 => acosh(x)",
    .lane = kernels::LaneOp::kAcosh,
    .host = {.of_one = [](double x) -> double { return std::acosh(x); }},
    .gradient = [](graph::GradientCall& g) -> graph::Values {
      Builder& b = g.builder;
      const graph::Value& x = g.operands[0];
      return times(g, b.map(kMul, b.map(kRsqrt, b.map(kSub, x, 1.0)), b.map(kRsqrt, b.map(kAdd, x, 1.0))));
    },
});

constexpr graph::Op kAtanh = real_function({
    .name = "atanh",
    .signature = "atanh(x: tensor)",
    .doc = "The number whose hyperbolic tangent is the element; infinite at -1 and 1, NaN beyond.",
    .example = "print(atanh(fill([], 0.5)))\n#> 0.549306\n",
    .samples = "x: [a, b] in -0.8..0.8 => atanh(x)",
    .lane = kernels::LaneOp::kAtanh,
    .host = {.of_one = [](double x) -> double { return std::atanh(x); }},
    .gradient = [](graph::GradientCall& g) -> graph::Values {
      Builder& b = g.builder;
      const graph::Value& x = g.operands[0];
      const graph::Value rest = b.map(kMul, b.map(kSub, 1.0, x), b.map(kAdd, x, 1.0));
      return {b.map(kZeroOver, g.d_results[0], rest)};
    },
});

constexpr graph::Op kFloor = element_wise({
    .name = "floor",
    .signature = "floor(x: tensor)",
    .doc = "The largest whole number that is not above each element; the element type stays. Its gradient is 0.",
    .example = "dim n = 2\nprint(floor(tensor([-1.5, 1.5], [n])))\n#> [-2, 1]\n",
    .samples = "x: [a, b] in 0.1..0.9 => floor(x)\nx: i32[a] in -5..5 => floor(x)",
    .lane = kernels::LaneOp::kFloor,
    .host = {.of_one = [](double x) -> double { return std::floor(x); }, .keeps_ints = true},
    .gradient = zero_gradient,
    .ends_gradients = true,
});

constexpr graph::Op kCeil = element_wise({
    .name = "ceil",
    .signature = "ceil(x: tensor)",
    .doc = "The smallest whole number that is not below each element; the element type stays. Its gradient is 0.",
    .example = "dim n = 2\nprint(ceil(tensor([-1.5, 1.5], [n])))\n#> [-1, 2]\n",
    .samples = "x: [a, b] in 0.1..0.9 => ceil(x)\nx: i32[a] in -5..5 => ceil(x)",
    .lane = kernels::LaneOp::kCeil,
    .host = {.of_one = [](double x) -> double { return std::ceil(x); }, .keeps_ints = true},
    .gradient = zero_gradient,
    .ends_gradients = true,
});

constexpr graph::Op kRound = element_wise({
    .name = "round",
    .signature = "round(x: tensor)",
    .doc = "The nearest whole number to each element, the even one if two are as near; the element type stays. Its "
           "gradient is 0.",
    .example = "dim n = 3\nprint(round(tensor([0.5, 1.5, 1.75], [n])))\n#> [0, 2, 2]\n",
    .samples = "x: [a, b] in 0.6..1.4 => round(x)\nx: i32[a] in -5..5 => round(x)",
    .lane = kernels::LaneOp::kRound,
    .host = {.of_one = [](double x) -> double { return std::nearbyint(x); }, .keeps_ints = true},
    .gradient = zero_gradient,
    .ends_gradients = true,
});

constexpr graph::Op kGeluGrad = real_function({
    .name = "gelu_grad",
    .doc = "The derivative of gelu.",
    .lane = kernels::LaneOp::kGeluGrad,
    .gradient = [](graph::GradientCall& g) -> graph::Values {
      // With t = tanh(u), u = k (x + c x³): gelu'' = (1 - t²) (u' + x/2 (u'' - 2 t u'²)).
      Builder& b = g.builder;
      const graph::Value& x = g.operands[0];
      const graph::Value x2 = b.map(kSquare, x);
      const graph::Value u = b.map(kMul, x, b.map(kAdd, b.map(kMul, x2, kGeluFactor * kGeluCubic), kGeluFactor));
      const graph::Value t = b.map(kTanh, u);
      const graph::Value du = b.map(kAdd, b.map(kMul, x2, 3 * kGeluFactor * kGeluCubic), kGeluFactor);
      const graph::Value ddu = b.map(kMul, x, 6 * kGeluFactor * kGeluCubic);
      const graph::Value bend = b.map(kSub, ddu, b.map(kMul, b.map(kMul, t, 2.0), b.map(kSquare, du)));
      const graph::Value inner = b.map(kAdd, du, b.map(kMul, b.map(kMul, x, 0.5), bend));
      return times(g, b.map(kZeroTimes, b.map(kSub, 1.0, b.map(kSquare, t)), inner));
    },
});

constexpr graph::Op kSwishGrad = real_function({
    .name = "swish_grad",
    .doc = "The derivative of swish.",
    .lane = kernels::LaneOp::kSwishGrad,
    .gradient = [](graph::GradientCall& g) -> graph::Values {
      // With s = sigmoid(x), s' = s (1 - s): swish'' = s' (2 + x (1 - 2 s)).
      Builder& b = g.builder;
      const graph::Value s = b.map(kSigmoid, g.operands[0]);
      const graph::Value ds = b.map(kMul, s, b.map(kSub, 1.0, s));
      const graph::Value bend = b.map(kMul, g.operands[0], b.map(kSub, 1.0, b.map(kMul, s, 2.0)));
      return times(g, b.map(kZeroTimes, ds, b.map(kAdd, bend, 2.0)));
    },
});

}  // namespace mtf::ops
