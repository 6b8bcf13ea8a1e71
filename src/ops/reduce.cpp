// Reductions: the dims that a result lacks are folded.
#include "ops/reduce.h"

#include <limits>

#include "ops/blocks.h"
#include "ops/prod_rest.h"

namespace mtf::ops {

std::vector<TensorType> infer_folded(const graph::Operation& operation) {
  return {{operation.operands[0].element, operand_dims(operation, operation.attributes.get<ReduceAttributes>().kept)}};
}

Dims kept_dims(const Call& call, std::string_view argument) {
  const graph::Value& x = call.tensor(argument);
  if (call.arrow && call.argument("over").given)
    fail(Diagnostic(Kind::misplaced_arrow, call.arrow_span, "expected one of `over:` and `->`, found both")
             .related(call.argument("over").span, "the dimensions to fold")
             .help("leave one of them out"));
  check_arrow(call, {x});
  if (call.arrow) return *call.arrow;
  return remaining(x.dims(), dims_over(call, argument));
}

namespace {

constexpr std::string_view kReductions = "Reductions";

template <ElementType (*rule)(const Builder&, ElementType)>
graph::Values build_reduction(Call& call) {
  const Dims kept = kept_dims(call, "x");
  const graph::Value& x = call.tensor("x");
  return call.builder.add_node(call.op, {as_element(call.builder, x, rule(call.builder, x.element()), call.span)},
                               ReduceAttributes{names_of(kept)});
}

ElementType same_element(const Builder&, ElementType element) { return element; }

/// A sum of bool counts in i32. Fails if the count might not fit.
graph::Values build_sum(Call& call) {
  const graph::Value& x = call.tensor("x");
  const int64_t count = size_of(remaining(x.dims(), kept_dims(call, "x")));
  if (x.element() == ElementType::kBool && count > INT32_MAX)
    fail(Diagnostic(Kind::size_overflow, call.span, fmt::format("a count of {} elements may not fit in i32", count))
             .help("sum(cast(x, f64)) counts further"));
  const ElementType element = summed_element(call.builder, x.element());
  const graph::Value numbers = as_element(call.builder, x, added_element(element), call.span);
  const graph::Value sum =
      call.builder.add_node(call.op, {numbers}, ReduceAttributes{names_of(kept_dims(call, "x"))})[0];
  return {as_summed(call.builder, sum, element)};
}

/// Σ (x/s)² and s, which is 1, or the largest magnitude if its square would overflow or vanish.
std::pair<graph::Value, graph::Value> scaled_squares(Builder& b, const graph::Value& x, const Dims& kept) {
  const ElementType wide = x.element();
  const auto fold = [&](const graph::Op& op, const graph::Value& value) {
    return b.add(op, {value}, ReduceAttributes{names_of(kept)});
  };
  const double most = wide == ElementType::kF64 ? 1e140 : 1e15, infinity = std::numeric_limits<double>::infinity();
  const graph::Value magnitude = b.add(kStopGradient, {fold(kMax, b.map(kAbs, x))});
  const graph::Value is_large = b.map(kAnd, b.map(kGt, magnitude, most), b.map(kLt, magnitude, infinity));
  const graph::Value is_small = b.map(kAnd, b.map(kLt, magnitude, 1 / most), b.map(kGt, magnitude, 0.0));
  const graph::Value scale = b.where(b.map(kOr, is_large, is_small), magnitude, b.number(1, wide));
  return {fold(kSum, b.map(kSquare, b.map(kDiv, x, scale))), scale};
}

/// s √squares, with a gradient of 0 at 0.
graph::Value scaled_root(Builder& b, const graph::Value& squares, const graph::Value& scale) {
  const graph::Value zero = b.number(0, squares.element());
  return b.map(kMul, b.where(b.map(kEq, squares, 0.0), zero, b.map(kSqrt, squares)), scale);
}

/// The type of numbers that are reduced to reals, and the type in which they are computed.
struct ReducedElements {
  ElementType element, wide;
  explicit ReducedElements(Call& call)
      : element(summed_element(call.builder, real_element(call.tensor("x").element()))),
        wide(element == ElementType::kBf16 ? ElementType::kF32 : element) {}
};

graph::Values build_norm(Call& call) {
  Builder& b = call.builder;
  const ReducedElements elements(call);
  const graph::Value x = as_element(b, call.tensor("x"), elements.wide, call.span);
  const auto [squares, scale] = scaled_squares(b, x, kept_dims(call, "x"));
  return {b.cast(scaled_root(b, squares, scale), elements.element)};
}

/// The differences from the mean, and one over the number by which the sum of their squares is divided.
struct Deviations {
  graph::Value centred;
  double inverse;
};

Deviations deviations(Call& call, ElementType wide) {
  Builder& b = call.builder;
  const Dims kept = kept_dims(call, "x");
  const graph::Value x = as_element(b, call.tensor("x"), wide, call.span);
  const auto count = static_cast<double>(size_of(remaining(x.dims(), kept)));
  const graph::Value sum = b.add(kSum, {x}, ReduceAttributes{names_of(kept)});
  return {b.map(kSub, x, b.map(kScale, sum, 1 / count)), 1 / (count - call.number("correction", 0))};
}

graph::Values build_var(Call& call) {
  Builder& b = call.builder;
  const ReducedElements elements(call);
  const Deviations found = deviations(call, elements.wide);
  const graph::Value sum =
      b.add(kSum, {b.map(kSquare, found.centred)}, ReduceAttributes{names_of(kept_dims(call, "x"))});
  return {b.cast(b.map(kScale, sum, found.inverse), elements.element)};
}

graph::Values build_std(Call& call) {
  Builder& b = call.builder;
  const ReducedElements elements(call);
  const Deviations found = deviations(call, elements.wide);
  const auto [squares, scale] = scaled_squares(b, found.centred, kept_dims(call, "x"));
  return {b.cast(scaled_root(b, b.map(kScale, squares, found.inverse), scale), elements.element)};
}

graph::Values build_truth_reduction(Call& call) {
  check_element(call, "x", ElementType::kBool, "compare it first: `x != 0`");
  return build_reduction<same_element>(call);
}

std::vector<TensorType> infer_sum(const graph::Operation& operation) {
  std::vector<TensorType> types = infer_folded(operation);
  if (types[0].element == ElementType::kBool) types[0].element = ElementType::kI32;
  return types;
}

template <kernels::Reduction reduction>
graph::IterationSpace space_of(const graph::Operation& operation) {
  const bool truth = operation.operands[0].element == ElementType::kBool;
  if (truth && reduction == kernels::Reduction::kMax) return reduction_space(operation, kernels::Reduction::kOr);
  if (truth && reduction == kernels::Reduction::kMin) return reduction_space(operation, kernels::Reduction::kAnd);
  return reduction_space(operation, reduction);
}

template <kernels::Reduction which>
consteval graph::Op reduction(graph::Op op) {
  op.family = kReductions;
  op.attributes = &graph::kFormOf<ReduceAttributes>;
  if (op.infer == nullptr) op.infer = infer_folded;
  op.space = space_of<which>;
  op.reduction = which;
  op.work = graph::Work::kPerOperand;
  return complete(op);
}

graph::Value repeat(Builder& b, const graph::Value& value, const graph::Value& like) {
  return b.broadcast(value, like.dims());
}

/// Gives an equal share of the gradient to every element that equals the extreme. They are counted in f32 at least,
/// because bf16 counts only to 256.
graph::Values extreme_gradient(graph::GradientCall& call) {
  Builder& b = call.builder;
  const graph::Value& d = call.d_results[0];
  const graph::Value equal = b.map(kEq, call.operands[0], call.results[0]);
  const graph::Value count = b.sum_to(b.cast(equal, promote(d.element(), ElementType::kF32)), d.dims());
  return {b.where(equal, b.cast(b.map(kDiv, d, count), d.element()), b.number(0, d.element()))};
}

graph::Values prod_gradient(graph::GradientCall& call) {
  const graph::Value& x = call.operands[0];
  const Dims folded = remaining(x.dims(), call.operation.results[0].dims);
  if (folded.empty()) return {call.d_results[0]};
  return {call.builder.map(kZeroProduct, prod_rest(call.builder, x, folded), call.d_results[0])};
}

void sum_as_i32_kernel(graph::KernelCall& call) {
  const kernels::Block &from = call.operands[0], &to = call.results[0];
  Walk<2> walk;
  for (size_t d = 0; d < to.dims.size(); ++d) walk.add(to.dims[d].size, {from.dims[d].stride, to.dims[d].stride});
  for_each_position(call.threads, walk, 1, [&](const Walk<2>& at) {
    const double sum = from.as<double>()[at.offset(0)];
    if (!(sum >= INT32_MIN && sum <= INT32_MAX)) refuse_sum();
    to.as<int32_t>()[at.offset(1)] = static_cast<int32_t>(sum);
  });
}

}  // namespace

constexpr graph::Op kSumAsI32 = complete({
    .name = "sum_as_i32",
    .family = kReductions,
    .doc = "A sum of integers, which was added up in f64, as i32. One that does not fit ends the run with an error.",
    .infer = [](const graph::Operation& operation) -> std::vector<TensorType> {
      return {{ElementType::kI32, operation.operands[0].dims}};
    },
    .space = elementwise_space,
    .kernel = sum_as_i32_kernel,
    .gradient = [](graph::GradientCall& g) -> graph::Values {
      return {g.builder.cast(g.d_results[0], ElementType::kF64)};
    },
});

constexpr graph::Op kSum = reduction<kernels::Reduction::kSum>({
    .name = "sum",
    .signature = "sum(x: tensor, over: dims = all -> shape?)",
    .of_two_values = "add",
    .doc = "The sum over the dims `over`, over those that `-> [...]` leaves out, or over everything. Of bool it "
           "counts, as i32; "
           "of nothing it is 0. A sum of i32 that does not fit in i32 is an error.",
    .example = "dim a = 2, b = 3\nlet x = tensor([[1, 2, 3], [4, 5, 6]], [a, b])\nprint(sum(x))\n#> 21\nprint(sum(x, "
               "over: b))\n#> [6, 15]\n"
               "print(sum(x -> [b]))\n#> [5, 7, 9]\n",
    .samples = "x: [a, b] => sum(x)\nx: [a, b, c] => sum(x, over: b)\nx: [a, b, c] => sum(x -> [c, a])\nx: bool[a, b] "
               "=> sum(x, over: a)\n"
               "x: bf16[a, b] => sum(x, over: b)\nx: i32[a, b] in -9..9 => sum(x, over: a)",
    .build = build_sum,
    .infer = infer_sum,
    .gradient = [](graph::GradientCall& g) -> graph::Values {
      return {repeat(g.builder, g.d_results[0], g.operands[0])};
    },
    .linear = graph::Linear::kEach,
});

constexpr graph::Op kMean = complete({
    .name = "mean",
    .signature = "mean(x: tensor, over: dims = all -> shape?)",
    .family = kReductions,
    .doc = "The mean over the dims `over`, over those that `-> [...]` leaves out, or over everything. Of integers and "
           "bool it is f32. "
           "Counts as its sum.",
    .example = "dim a = 2, b = 3\nlet x = tensor([[1, 2, 3], [4, 5, 6]], [a, b])\nprint(mean(x))\n#> "
               "3.5\nprint(mean(x, over: a))\n#> [2.5, 3.5, 4.5]\n",
    .samples = "x: [a, b] => mean(x)\nx: [a, b, c] => mean(x, over: b)\nx: i32[a, b] in -5..5 => mean(x -> [b])",
    .build = [](Call& call) -> graph::Values {
      const Dims kept = kept_dims(call, "x");
      const ElementType element = summed_element(call.builder, real_element(call.tensor("x").element()));
      // A mean of bf16 is rounded once, at the end.
      const graph::Value x = as_element(call.builder, call.tensor("x"),
                                        element == ElementType::kBf16 ? ElementType::kF32 : element, call.span);
      const graph::Value sum = call.builder.add(kSum, {x}, ReduceAttributes{names_of(kept)});
      const double count = static_cast<double>(size_of(remaining(x.dims(), kept)));
      return {call.builder.cast(call.builder.map(kScale, sum, 1.0 / count), element)};
    },
});

constexpr graph::Op kNorm = complete({
    .name = "norm",
    .signature = "norm(x: tensor, over: dims = all -> shape?)",
    .family = kReductions,
    .doc = "The square root of the sum of squares over the dims `over`, over those that `-> [...]` leaves out, or over "
           "everything. Squares neither overflow nor vanish. Its gradient at 0 is 0.",
    .example = "dim n = 2\nlet x = tensor([3, 4], [n])\nprint(norm(x), grad(norm(x), [x])[0])\n#> 5 [0.6, 0.8]\n"
               "print(norm(x * 1e30), grad(norm(0 * x), [x])[0])\n#> 5e+30 [0, 0]\n",
    .samples = "x: [a, b] => norm(x)\nx: [a, b, c] => norm(x, over: b)\nx: [a, b] => norm(x -> [b])\n"
               "x: i32[a, b] in -5..5 => norm(x, over: a)",
    .build = build_norm,
});

constexpr graph::Op kVar = complete({
    .name = "var",
    .signature = "var(x: tensor, over: dims = all, correction: number = 0 -> shape?)",
    .family = kReductions,
    .doc = "The variance over the dims `over`, over those that `-> [...]` leaves out, or over everything: the mean "
           "square of the differences from the mean. With `correction: 1` the squares are divided by one less than "
           "their number. In f32 the squares of differences above 1.8e19 are infinite, and those below 1e-23 are 0.",
    .example = "dim n = 4\nlet x = tensor([1, 2, 3, 6], [n])\nprint(var(x), var(x, correction: 1))\n#> 3.5 4.66667\n",
    .samples = "x: [a, b] => var(x)\nx: [a, b, c] => var(x, over: b, correction: 1)\nx: [a, b] => var(x -> [b])\n"
               "x: i32[a, b] in -5..5 => var(x, over: a)",
    .build = build_var,
});

constexpr graph::Op kStd = complete({
    .name = "std",
    .signature = "std(x: tensor, over: dims = all, correction: number = 0 -> shape?)",
    .family = kReductions,
    .doc =
        "The standard deviation: the square root of `var`, but its squares neither overflow nor vanish. Where it is 0 "
        "its gradient is 0.",
    .example = "dim n = 4\nlet x = tensor([1, 2, 3, 6], [n])\nprint(std(x), std(x, correction: 1))\n"
               "#> 1.87083 2.16025\n",
    .samples = "x: [a, b] => std(x)\nx: [a, b, c] => std(x, over: b, correction: 1)\nx: [a, b] => std(x -> [b])",
    .build = build_std,
});

constexpr graph::Op kMax = reduction<kernels::Reduction::kMax>({
    .name = "max",
    .signature = "max(x: tensor, over: dims = all -> shape?)",
    .of_two_values = "maximum",
    .doc = "The largest element over the dims `over`, over those that `-> [...]` leaves out, or over everything; NaN "
           "if any is. "
           "Elements that equal it share its gradient equally.",
    .example = "dim a = 2, b = 3\nlet x = tensor([[1, 5, 3], [4, 2, 6]], [a, b])\nprint(max(x))\n#> 6\nprint(max(x, "
               "over: b))\n#> [5, 6]\n",
    .samples = "x: [a, b] => max(x)\nx: [a, b, c] => max(x, over: [a, c])\nx: i32[a, b] in -9..9 => max(x, over: a)\n"
               "x: bf16[a, b] => max(x, over: a)",
    .build = build_reduction<same_element>,
    .gradient = extreme_gradient,
});

constexpr graph::Op kMin = reduction<kernels::Reduction::kMin>({
    .name = "min",
    .signature = "min(x: tensor, over: dims = all -> shape?)",
    .of_two_values = "minimum",
    .doc = "The smallest element over the dims `over`, over those that `-> [...]` leaves out, or over everything; NaN "
           "if any is. "
           "Elements that equal it share its gradient equally.",
    .example = "dim a = 2, b = 3\nlet x = tensor([[1, 5, 3], [4, 2, 6]], [a, b])\nprint(min(x))\n#> 1\nprint(min(x, "
               "over: b))\n#> [1, 2]\n",
    .samples = "x: [a, b] => min(x)\nx: [a, b, c] => min(x, over: [a, c])\nx: i32[a, b] in -9..9 => min(x, over: a)",
    .build = build_reduction<same_element>,
    .gradient = extreme_gradient,
});

constexpr graph::Op kProd = reduction<kernels::Reduction::kProd>({
    .name = "prod",
    .signature = "prod(x: tensor, over: dims = all -> shape?)",
    .of_two_values = "mul",
    .doc = "The product over the dims `over`, over those that `-> [...]` leaves out, or over everything; of nothing it "
           "is 1. "
           "Its gradients, also those of gradients, are right where elements are 0.",
    .example = "dim n = 4\nprint(prod(range(n) + 1))\n#> 24\n",
    .samples = "x: [a, b] in 0.5..2 => prod(x)\nx: [a, b, c] in 0.5..2 => prod(x, over: b)\nx: i32[a, b] in -2..2 => "
               "prod(x, over: a)",
    .build = build_reduction<[](const Builder& builder, ElementType element) {
      return summed_element(builder, number_element(element));
    }>,
    .gradient = prod_gradient,
});

constexpr graph::Op kAll = reduction<kernels::Reduction::kAnd>({
    .name = "all",
    .signature = "all(x: tensor, over: dims = all -> shape?)",
    .of_two_values = "logical_and",
    .doc = "Whether every element is true.",
    .example = "dim n = 3\nprint(all(range(n) < 3))\n#> true\n",
    .samples = "x: bool[a, b] => all(x)\nx: bool[a, b] => all(x, over: b)",
    .build = build_truth_reduction,
    .no_gradient = "a truth value does not change smoothly",
});

constexpr graph::Op kAny = reduction<kernels::Reduction::kOr>({
    .name = "any",
    .signature = "any(x: tensor, over: dims = all -> shape?)",
    .of_two_values = "logical_or",
    .doc = "Whether at least one element is true.",
    .example = "dim n = 3\nprint(any(range(n) == 2))\n#> true\n",
    .samples = "x: bool[a, b] => any(x)\nx: bool[a, b] => any(x, over: b)",
    .build = build_truth_reduction,
    .no_gradient = "a truth value does not change smoothly",
});

}  // namespace mtf::ops
