// layer_norm: rows of mean 0 and variance 1.
#include "ops/rows.h"
#include "ops/softmax.h"

namespace mtf {
namespace {

/// The normalised operand, and 1/σ of each row for the gradient.
std::vector<TensorType> infer_layer_norm(const Operation& operation) {
  return {operation.operands[0], {operation.operands[0].element, rows_of(operation)}};
}

void layer_norm_kernel(KernelCall& call) {
  const Block& x = call.operands[0];
  const Operation& operation = call.operation;
  const Dims& of_rows = operation.results[1].dims;
  const std::vector<bool> folded = folded_dims(operation, of_rows);
  for_each_rows(x, folded, {rows_read(x), rows_written(call.results[0]), row_results(call.results[1], places_in(operation.operands[0].dims, of_rows))},
                [&](const Rows& rows, std::span<const RowPointer> at) {
                  layer_norm_rows(x.element, rows, call.inputs[0], at[0].in(), at[1].out(), {}, at[2].out(), call.threads);
                });
  call.flops += 5 * x.size() + 2 * row_count(x, folded);
}

Values expand_layer_norm(ExpandCall& call) {
  Builder& b = call.builder;
  const Operation& operation = call.operation;
  const Value& x = call.operands[0];
  const Dims rows = rows_of(operation);
  const Value centred = b.map(ops::kSub, x, mean_to(b, x, rows));
  const Value variance = mean_to(b, b.map(ops::kSquare, centred), rows);
  const Value inverse = b.map(ops::kRsqrt, b.map(ops::kAdd, variance, operation.inputs[0]));
  return {b.map(ops::kMul, centred, inverse), inverse};
}

/// With y the result and r = 1/σ: dx = r (dy - mean(dy) - y mean(dy y)), and from r itself -dr r² y / n.
Values layer_norm_gradient(GradientCall& call) {
  Builder& b = call.builder;
  const Value& y = call.results[0];
  const Value& r = call.results[1];
  const Dims rows = rows_of(call.operation);
  Value gradient;
  if (const Value& d = call.d_results[0]) {
    const Value along = b.map(ops::kMul, y, mean_to(b, b.map(ops::kMul, d, y), rows));
    gradient = b.map(ops::kMul, b.map(ops::kSub, b.map(ops::kSub, d, mean_to(b, d, rows)), along), r);
  }
  if (const Value& d = call.d_results[1]) {
    const double count = static_cast<double>(size_of(remaining(y.dims(), rows)));
    const Value part = b.map(ops::kMul, y, b.map(ops::kMul, b.map(ops::kMul, d, b.map(ops::kSquare, r)), -1.0 / count));
    gradient = gradient ? b.map(ops::kAdd, gradient, part) : part;
  }
  return {gradient};
}

}  // namespace

constexpr Op ops::kLayerNorm = complete({
    .name = "layer_norm",
    .signature = "layer_norm(x: tensor, over: dims, epsilon: number = 1e-6)",
    .family = "Neural networks",
    .doc = "x with mean 0 and variance 1 along the dims `over`: (x - mean(x)) / sqrt(variance + epsilon). A gain and a bias are the "
           "program's own, as in `nn.LayerNorm`.",
    .example = "dim n = 4\nprint(layer_norm(range(n) + 1, over: n))\n#> [-1.34164, -0.447213, 0.447213, 1.34164]\n",
    .samples = "x: [a, b] => layer_norm(x, over: b)\nx: [a, b, c] => layer_norm(x, over: [a, c], epsilon: 0.1)",
    .build = [](Call& call) -> Values { return build_over(call, real_element(call.tensor("x").element()), {call.number("epsilon", 1e-6)}); },
    .attributes = &kFormOf<RowAttributes>,
    .infer = infer_layer_norm,
    .space = over_space,
    .kernel = layer_norm_kernel,
    .expand = expand_layer_norm,
    .work = Work::kExpansion,
    .gradient = layer_norm_gradient,
    .saved_results = 1,
});

}  // namespace mtf
