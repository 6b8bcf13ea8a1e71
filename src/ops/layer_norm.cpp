// layer_norm: rows of mean 0 and variance 1.
#include "kernels/kernel_table.h"
#include "ops/rows.h"
#include "ops/softmax.h"

namespace mtf::ops {
namespace {

/// The normalised operand, and 1/σ of each row for the gradient. A bf16 operand gives a bf16 result, which is rounded
/// once. The gradient reads it, so that no wider copy is kept.
std::vector<TensorType> infer_layer_norm(const graph::Operation& operation) {
  return {operation.operands[0], {row_element(operation.operands[0].element), rows_of(operation)}};
}

void layer_norm_kernel(graph::KernelCall& call) {
  const kernels::Block& x = call.operands[0];
  const graph::Operation& operation = call.operation;
  const Dims& of_rows = operation.results[1].dims;
  const std::vector<bool> folded = folded_dims(operation, of_rows);
  for_each_rows(x, folded,
                {rows_read(x), rows_written(call.results[0]),
                 row_results(call.results[1], positions_in(operation.operands[0].dims, of_rows))},
                [&](const kernels::Rows& rows, std::span<const RowPointer> at) {
                  kernels::table().layer_norm_rows(x.element, rows, call.inputs[0], at[0].in(), at[1].out(), {},
                                                   at[2].out(), call.threads);
                });
  call.flops += 5 * x.size() + 2 * row_count(x, folded);
}

graph::Values expand_layer_norm(graph::ExpandCall& call) {
  Builder& b = call.builder;
  const graph::Operation& operation = call.operation;
  const graph::Value x = b.cast(call.operands[0], operation.results[1].element);
  const Dims rows = rows_of(operation);
  const graph::Value centred = b.map(kSub, x, mean_to(b, x, rows));
  const graph::Value variance = mean_to(b, b.map(kSquare, centred), rows);
  const graph::Value inverse = b.map(kRsqrt, b.map(kAdd, variance, operation.inputs[0]));
  // Where the mean overflows, `inverse` is 0 and `centred` is infinite.
  return {b.cast(b.map(kZeroProduct, centred, inverse), operation.results[0].element), inverse};
}

/// With y the result and r = 1/σ: dx = r (dy - mean(dy) - y mean(dy y)). The gradient of r itself adds -dr r² y / n.
graph::Values layer_norm_gradient(graph::GradientCall& call) {
  Builder& b = call.builder;
  const graph::Value& r = call.results[1];
  const graph::Value y = b.cast(call.results[0], r.element());
  const Dims rows = rows_of(call.operation);
  graph::Value gradient;
  if (call.d_results[0]) {
    const graph::Value d = b.cast(call.d_results[0], r.element());
    const graph::Value along = b.map(kZeroProduct, y, mean_to(b, b.map(kZeroTimes, d, y), rows));
    gradient = b.map(kZeroTimes, b.map(kSub, b.map(kSub, d, mean_to(b, d, rows)), along), r);
  }
  if (const graph::Value& d = call.d_results[1]) {
    const double count = static_cast<double>(size_of(remaining(y.dims(), rows)));
    const graph::Value along = b.map(kMul, b.map(kZeroTimes, d, b.map(kSquare, r)), -1.0 / count);
    const graph::Value part = b.map(kZeroProduct, y, along);
    gradient = gradient ? b.map(kAdd, gradient, part) : part;
  }
  return {b.cast(gradient, call.operands[0].element())};
}

}  // namespace

// Under `precision mixed`, the result of a bf16 operand stays bf16, while softmax and losses give f32. So the gradients
// of activations are bf16 too, and layers that are split over processors reduce them as bf16
// (IterationDim::rounds_parts).
constexpr graph::Op kLayerNorm = complete({
    .name = "layer_norm",
    .signature = "layer_norm(x: tensor, over: dims, epsilon: number = 1e-6)",
    .family = "Neural networks",
    .doc = "x with mean 0 and variance 1 along the dims `over`: (x - mean(x)) / sqrt(variance + epsilon). A row of "
           "which a square overflows (beyond 1.8e19 in f32) gives 0, with a gradient of 0. A gain and a bias are the "
           "program's own, as in `nn.LayerNorm`.",
    .example = "dim n = 4\nprint(layer_norm(range(n) + 1, over: n))\n#> [-1.34164, -0.447213, 0.447213, 1.34164]\n",
    .samples = "x: [a, b] => layer_norm(x, over: b)\nx: [a, b, c] => layer_norm(x, over: [a, c], epsilon: 0.1)",
    .build = [](Call& call) -> graph::Values {
      const ElementType element = real_element(call.tensor("x").element());
      return build_over(call, element, element, {call.number("epsilon", 1e-6)});
    },
    .attributes = &graph::kFormOf<RowAttributes>,
    .infer = infer_layer_norm,
    .space = over_space,
    .kernel = layer_norm_kernel,
    .expand = expand_layer_norm,
    .work = graph::Work::kExpansion,
    .gradient = layer_norm_gradient,
    .saved_results = 1,
});

}  // namespace mtf::ops
