// Places of extremes along one dim.
#include <cmath>

#include "ops/blocks.h"
#include "ops/record.h"

namespace mtf::ops {
namespace {

graph::Values build_extreme(Call& call) {
  const graph::Value& x = call.tensor("x");
  const Dim over = dim_over(call, "x");
  if (over.size > INT32_MAX) fail(Kind::size_overflow, call.span, "{} is too large for places in i32", to_string(over));
  return call.builder.add_node(call.op, {x}, OverAttributes{over.name});
}

std::vector<TensorType> infer_places(const graph::Operation& operation) {
  Dims dims = operation.operands[0].dims;
  dims.erase(dims.begin() + dim_of<OverAttributes>(operation));
  return {{ElementType::kI32, dims}};
}

graph::IterationSpace extreme_space(const graph::Operation& operation) {
  graph::IterationSpace space = ruled_space(operation, graph::SplitKind::kFree, {});
  space.dims[dim_of<OverAttributes>(operation)].kind = graph::SplitKind::kExpand;
  return space;
}

/// min(where(x == extreme or x is NaN, place, n)): of equal elements the first, of NaN the first.
template <bool largest>
graph::Values expand_extreme(graph::ExpandCall& call) {
  Builder& b = call.builder;
  const graph::Operation& operation = call.operation;
  const graph::Value& x = call.operands[0];
  const graph::Value extreme = b.reduce(largest ? kMax : kMin, x, operation.results[0].dims);
  return {b.add(kFirstPlace, {x, extreme}, operation.attributes)};
}

/// Calls `row(first element, index into each other block)` for each place of the operand's dims but `dim`.
template <int N, typename Row>
void for_each_row(graph::KernelCall& call, const std::array<const kernels::Block*, N>& others, Row row) {
  const kernels::Block& x = call.operands[0];
  const int dim = dim_of<OverAttributes>(call.operation);
  Walk<N + 1> walk;
  for (int i = 0; i < static_cast<int>(x.dims.size()); ++i) {
    if (i == dim) continue;
    std::array<int64_t, N + 1> strides{x.dims[i].stride};
    for (int k = 0; k < N; ++k) strides[k + 1] = others[k]->dims[i < dim ? i : i - 1].stride;
    walk.add(x.dims[i].size, strides);
  }
  for_each_place(call.threads, walk, x.dims[dim].size, row);
}

template <bool largest>
void extreme_kernel(graph::KernelCall& call) {
  const kernels::Block& x = call.operands[0];
  const kernels::BlockDim& along = x.dims[dim_of<OverAttributes>(call.operation)];
  by_element(x.element, [&](auto zero) {
    using T = decltype(zero);
    for_each_row<1>(call, {&call.results[0]}, [&](const Walk<2>& at) {
      const T* row = x.as<T>() + at.offset(0);
      int64_t best = 0;
      for (int64_t i = 1; i < along.size; ++i) {
        const auto value = to_number(row[i * along.stride]);
        const auto champion = to_number(row[best * along.stride]);
        if (is_nan(champion)) break;
        if (largest ? value > champion : value < champion) best = i;
        else if (is_nan(value)) best = i;
      }
      call.results[0].as<int32_t>()[at.offset(1)] = static_cast<int32_t>(along.first + best);
    });
  });
  call.flops += x.size();
}

void first_place_kernel(graph::KernelCall& call) {
  const kernels::Block& x = call.operands[0];
  const kernels::Block& extreme = call.operands[1];
  const kernels::BlockDim& along = x.dims[dim_of<OverAttributes>(call.operation)];
  by_element(x.element, [&](auto zero) {
    using T = decltype(zero);
    for_each_row<2>(call, {&extreme, &call.results[0]}, [&](const Walk<3>& at) {
      const T* row = x.as<T>() + at.offset(0);
      const auto wanted = to_number(extreme.as<T>()[at.offset(1)]);
      int64_t i = 0;
      while (i < along.size && to_number(row[i * along.stride]) != wanted && !is_nan(to_number(row[i * along.stride])))
        ++i;
      call.results[0].as<int32_t>()[at.offset(2)] =
          static_cast<int32_t>(i < along.size ? along.first + i : along.whole);
    });
  });
}

consteval graph::Op extreme(graph::Op op) {
  op.family = "Reductions";
  op.build = build_extreme;
  op.attributes = &graph::kFormOf<OverAttributes>;
  op.infer = infer_places;
  op.space = extreme_space;
  op.work = graph::Work::kExpansion;
  op.no_gradient = "a place does not change smoothly";
  return complete(op);
}

}  // namespace

constexpr graph::Op kArgmax = extreme({
    .name = "argmax",
    .signature = "argmax(x: tensor, over: dim = the only one)",
    .doc = "The place of the largest element along a dim, as i32: the first of equal ones, and that of the first NaN "
           "if there is one.",
    .example =
        "dim a = 2, b = 3\nlet x = tensor([[1, 5, 5], [4, 2, 6]], [a, b])\nprint(argmax(x, over: b))\n#> [1, 2]\n",
    .samples = "x: [a, b] => argmax(x, over: b)\nx: [a, b, c] => argmax(x, over: b)\nx: i32[a, b] in 0..3 => argmax(x, "
               "over: a)",
    .kernel = extreme_kernel<true>,
    .expand = expand_extreme<true>,
});

constexpr graph::Op kArgmin = extreme({
    .name = "argmin",
    .signature = "argmin(x: tensor, over: dim = the only one)",
    .doc = "The place of the smallest element along a dim, as i32: the first of equal ones, and that of the first NaN "
           "if there is one.",
    .example =
        "dim a = 2, b = 3\nlet x = tensor([[1, 5, 1], [4, 2, 6]], [a, b])\nprint(argmin(x, over: b))\n#> [0, 1]\n",
    .samples = "x: [a, b] => argmin(x, over: b)\nx: i32[a, b] in 0..3 => argmin(x, over: a)",
    .kernel = extreme_kernel<false>,
    .expand = expand_extreme<false>,
});

constexpr graph::Op kFirstPlace = complete({
    .name = "first_place",
    .family = "Reductions",
    .doc = "The first place along a dim where the first operand equals the second or is NaN; the dim's whole size "
           "where it never does. "
           "What argmax and argmin are where their dim is split; counted with the extreme.",
    .attributes = &graph::kFormOf<OverAttributes>,
    .infer = infer_places,
    .space = [](const graph::Operation& operation) -> graph::IterationSpace {
      graph::IterationSpace space = ruled_space(operation, graph::SplitKind::kReduce,
                                                {operation.operands[0].dims[dim_of<OverAttributes>(operation)]});
      for (graph::IterationDim& dim : space.dims) dim.reduce = kernels::Reduction::kMin;
      return space;
    },
    .kernel = first_place_kernel,
    .no_gradient = "a place does not change smoothly",
});

}  // namespace mtf::ops
