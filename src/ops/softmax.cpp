// softmax, log_softmax, logsumexp.
#include "ops/softmax.h"
#include "kernels/kernel_table.h"

#include <limits>

#include "ops/reduce.h"
#include "ops/rows.h"

namespace mtf::ops {

Dims rows_of(const graph::Operation& operation) {
  return remaining(operation.operands[0].dims, operand_dims(operation, operation.attributes.get<RowAttributes>().over));
}

std::vector<bool> folded_dims(const graph::Operation& operation, const Dims& rows) {
  std::vector<bool> folded;
  for (const Dim& dim : operation.operands[0].dims) folded.push_back(!has_dim(rows, dim.name));
  return folded;
}

ElementType row_element(ElementType element) {
  return element == ElementType::kF64 ? ElementType::kF64 : ElementType::kF32;
}

graph::IterationSpace over_space(const graph::Operation& operation) {
  return ruled_space(operation, graph::SplitKind::kExpand,
                     operand_dims(operation, operation.attributes.get<RowAttributes>().over));
}

graph::Values build_over(Call& call, ElementType element, ElementType result, std::vector<double> inputs) {
  const Dims over = dims_over(call, "x");
  const graph::Value operand = as_element(call.builder, call.tensor("x"), element, call.span);
  graph::Values results = call.builder.add_node(call.op, {operand}, RowAttributes{names_of(over)}, std::move(inputs));
  return {call.builder.cast(results[0], result)};
}

namespace {

constexpr std::string_view kOfRows = "Neural networks";

std::vector<TensorType> infer_normalised(const graph::Operation& operation) { return {operation.operands[0]}; }

/// The element type of the call's result: that of a sum of elements of `x`.
ElementType sum_element(const Call& call) {
  return summed_element(call.builder, real_element(call.tensor("x").element()));
}

/// The largest finite number of a type.
double largest(ElementType element) {
  return element == ElementType::kF64 ? std::numeric_limits<double>::max() : std::numeric_limits<float>::max();
}

template <auto kernels::KernelTable::*kKernel>
void normalise(graph::KernelCall& call) {
  const kernels::Block& x = call.operands[0];
  for_each_rows(x, folded_dims(call.operation, rows_of(call.operation)), {rows_read(x), rows_written(call.results[0])},
                [&](const kernels::Rows& rows, std::span<const RowPointer> at) {
                  (kernels::table().*kKernel)(x.element, rows, at[0].in(), at[1].out(), call.threads);
                });
}

void softmax_kernel(graph::KernelCall& call) {
  normalise<&kernels::KernelTable::softmax_rows>(call);
  call.flops += 5 * call.operands[0].size();
}

graph::Values expand_softmax(graph::ExpandCall& call) {
  Builder& b = call.builder;
  const graph::Operation& operation = call.operation;
  const graph::Value& x = call.operands[0];
  const graph::Value exp = b.map(kExp, b.map(kShifted, x, b.reduce(kMax, x, rows_of(operation))));
  return {b.map(kDiv, exp, b.reduce(kSum, exp, rows_of(operation)))};
}

void log_softmax_kernel(graph::KernelCall& call) {
  normalise<&kernels::KernelTable::log_softmax_rows>(call);
  call.flops +=
      5 * call.operands[0].size() + row_count(call.operands[0], folded_dims(call.operation, rows_of(call.operation)));
}

graph::Values expand_log_softmax(graph::ExpandCall& call) {
  Builder& b = call.builder;
  const graph::Operation& operation = call.operation;
  const graph::Value& x = call.operands[0];
  const graph::Value shifted = b.map(kShifted, x, b.reduce(kMax, x, rows_of(operation)));
  const graph::Value sum = b.reduce(kSum, b.map(kExp, shifted), rows_of(operation));
  return {b.map(kSub, shifted, b.map(kLog, sum))};
}

void logsumexp_kernel(graph::KernelCall& call) {
  const kernels::Block& x = call.operands[0];
  const Dims& kept = call.operation.results[0].dims;
  const std::vector<bool> folded = folded_dims(call.operation, kept);
  for_each_rows(x, folded,
                {rows_read(x), row_results(call.results[0], positions_in(call.operation.operands[0].dims, kept))},
                [&](const kernels::Rows& rows, std::span<const RowPointer> at) {
                  kernels::table().logsumexp_rows(x.element, rows, at[0].in(), at[1].out(), call.threads);
                });
  call.flops += 4 * x.size() + 3 * row_count(x, folded);
}

/// If the largest element is minus infinity, a finite number replaces it, so that the row gives minus infinity instead
/// of NaN.
graph::Values expand_logsumexp(graph::ExpandCall& call) {
  Builder& b = call.builder;
  const graph::Operation& operation = call.operation;
  const graph::Value& x = call.operands[0];
  const Dims& rows = operation.results[0].dims;
  const auto fold = [&](const graph::Op& op, const graph::Value& value) {
    return b.add(op, {value}, ReduceAttributes{names_of(rows)});
  };
  const graph::Value max = b.map(kMaximum, fold(kMax, x), -largest(x.element()));
  const graph::Value sum = fold(kSum, b.map(kExp, b.map(kShifted, x, max)));
  return {b.map(kAdd, b.map(kLog, sum), max)};
}

graph::Values build_logsumexp(Call& call) {
  const graph::Value& x = call.tensor("x");
  const Dims kept = kept_dims(call, "x");
  const graph::Value operand = as_element(call.builder, x, row_element(x.element()), call.span);
  const graph::Value result = call.builder.add_node(call.op, {operand}, ReduceAttributes{names_of(kept)})[0];
  return {call.builder.cast(result, sum_element(call))};
}

}  // namespace

constexpr graph::Op kLogsumexp = complete({
    .name = "logsumexp",
    .signature = "logsumexp(x: tensor, over: dims = all -> shape?)",
    .family = "Reductions",
    .doc = "log(sum(exp(x))) over the dims `over`, over those that `-> [...]` leaves out, or over everything, without "
           "overflow. "
           "Minus infinity everywhere gives minus infinity and the gradient 0; infinity anywhere gives infinity.",
    .example = "dim n = 4\nprint(logsumexp(range(n) + 1))\n#> 4.44019\n",
    .samples =
        "x: [a, b] => logsumexp(x)\nx: [a, b, c] => logsumexp(x, over: b)\nx: [a, b, c] => logsumexp(x -> [c, a])",
    .build = build_logsumexp,
    .attributes = &graph::kFormOf<ReduceAttributes>,
    .infer = infer_folded,
    .space = [](const graph::Operation& operation) -> graph::IterationSpace {
      return ruled_space(operation, graph::SplitKind::kExpand,
                         remaining(operation.operands[0].dims, operation.results[0].dims));
    },
    .kernel = logsumexp_kernel,
    .expand = expand_logsumexp,
    .work = graph::Work::kExpansion,
    .gradient = [](graph::GradientCall& g) -> graph::Values {
      Builder& b = g.builder;
      return {b.map(kZeroProduct, b.map(kExp, b.map(kShifted, g.operands[0], g.results[0])), g.d_results[0])};
    },
});

constexpr graph::Op kSoftmax = complete({
    .name = "softmax",
    .signature = "softmax(x: tensor, over: dims = all)",
    .family = kOfRows,
    .doc = "exp(x) over its sum along the dims `over`, without overflow.",
    .example = "dim n = 4\nprint(softmax(range(n) + 1, over: n))\n#> [0.0320586, 0.0871443, 0.236883, 0.643914]\n",
    .samples =
        "x: [a, b] => softmax(x, over: b)\nx: [a, b, c] => softmax(x, over: [a, c])\nx: [a, b] => softmax(x, over: a)",
    .build = [](Call& call) -> graph::Values {
      return build_over(call, row_element(call.tensor("x").element()), sum_element(call));
    },
    .attributes = &graph::kFormOf<RowAttributes>,
    .infer = infer_normalised,
    .space = over_space,
    .kernel = softmax_kernel,
    .expand = expand_softmax,
    .work = graph::Work::kExpansion,
    .gradient = [](graph::GradientCall& g) -> graph::Values {
      Builder& b = g.builder;
      const graph::Value& y = g.results[0];
      const graph::Value& d = g.d_results[0];
      const graph::Value mean = b.sum_to(b.map(kZeroTimes, d, y), rows_of(g.operation));
      return {b.map(kZeroProduct, y, b.map(kSub, d, mean))};
    },
});

constexpr graph::Op kLogSoftmax = complete({
    .name = "log_softmax",
    .signature = "log_softmax(x: tensor, over: dims = all)",
    .family = kOfRows,
    .doc = "The logarithm of softmax along the dims `over`: x - logsumexp(x).",
    .example = "dim n = 2\nprint(log_softmax(zeros([n]), over: n))\n#> [-0.693147, -0.693147]\n",
    .samples = "x: [a, b] => log_softmax(x, over: b)\nx: [a, b, c] => log_softmax(x, over: [a, c])",
    .build = [](Call& call) -> graph::Values {
      return build_over(call, row_element(call.tensor("x").element()), sum_element(call));
    },
    .attributes = &graph::kFormOf<RowAttributes>,
    .infer = infer_normalised,
    .space = over_space,
    .kernel = log_softmax_kernel,
    .expand = expand_log_softmax,
    .work = graph::Work::kExpansion,
    .gradient = [](graph::GradientCall& g) -> graph::Values {
      Builder& b = g.builder;
      const graph::Value total = b.sum_to(g.d_results[0], rows_of(g.operation));
      return {b.map(kSub, g.d_results[0], b.map(kZeroProduct, b.map(kExp, g.results[0]), total))};
    },
});

}  // namespace mtf::ops
