// A tensor at one position of a dim, x[d: i], and the transpose of that operation.
#include "ops/index.h"

#include <cmath>

#include "ops/blocks.h"
#include "ops/record.h"
#include "ops/shape.h"

namespace mtf::ops {
namespace {

std::vector<int> without(size_t dims, int dim) {
  std::vector<int> indices = in_order(dims);
  indices.erase(indices.begin() + dim);
  return indices;
}

void index_kernel(graph::KernelCall& call) {
  const int dim = dim_of<OverAttributes>(call.operation);
  const kernels::Block& from = call.operands[0];
  const kernels::Block& to = call.results[0];
  const int64_t index = checked_position(call.operation.operands[0].dims[dim], call.inputs[0]) - from.dims[dim].first;
  if (index < 0 || index >= from.dims[dim].size) return fill(to, kNothing);
  copy_all(call.threads, from, to, without(from.dims.size(), dim), index * from.dims[dim].stride);
}

graph::IterationSpace index_space(const graph::Operation& operation) {
  graph::IterationSpace space;
  const int dim = dim_of<OverAttributes>(operation);
  const int order = static_cast<int>(operation.operands[0].dims.size());
  for (int d = 0; d < order; ++d) {
    if (d == dim)
      space.dims.push_back({.kind = graph::SplitKind::kReduce,
                            .reduce = joined(operation.operands[0].element),
                            .operands = {narrow(d)},
                            .results = {-1}});
    else space.dims.push_back({.operands = {narrow(d)}, .results = {narrow(d < dim ? d : d - 1)}});
  }
  return space;
}

void place_at_kernel(graph::KernelCall& call) {
  const auto& [whole, position] = call.operation.attributes.get<PositionAttributes>();
  const int dim = static_cast<int>(position);
  const kernels::Block& to = call.results[0];
  const int64_t index = checked_position(whole, call.inputs[0]) - to.dims[dim].first;
  std::vector<Run> runs;
  if (index >= 0 && index < to.dims[dim].size) runs.push_back({.to = index, .count = 1});
  std::vector<int> dims;
  for (int d = 0; d < static_cast<int>(to.dims.size()); ++d) dims.push_back(d == dim ? -1 : d < dim ? d : d - 1);
  copy_runs(call.threads, call.operands[0], to, dims, dim, runs, 0);
}

/// The storage order of the operand without the dim.
StorageOrder index_order(const graph::Operation& operation, std::span<const StorageOrder> operands) {
  const int8_t gone = narrow(dim_of<OverAttributes>(operation));
  StorageOrder order;
  for (int8_t dim : operands[0])
    if (dim != gone) order.push_back(dim < gone ? dim : static_cast<int8_t>(dim - 1));
  return order;
}

}  // namespace

int64_t checked_position(const Dim& dim, double index) {
  if (!(index >= 0 && index < static_cast<double>(dim.size)))
    throw graph::ElementError{
        fmt::format("expected an index from 0 to {} for {}, found {}", dim.size - 1, to_string(dim), index)};
  return static_cast<int64_t>(index);
}

graph::Value index_dim(Builder& builder, const graph::Value& x, int dim, double index, Span span) {
  const Dim& whole = x.dims()[dim];
  if (!std::isnan(index) && (index < 0 || index >= static_cast<double>(whole.size)))
    fail(Diagnostic(
             Kind::index_out_of_range, span,
             fmt::format("expected an index from 0 to {} for {}, found {}", whole.size - 1, to_string(whole), index))
             .related(x.operation().span, describe(x))
             .help(index < 0
                       ? fmt::format("places are counted from the start: size({}) - 1 is the last", whole.name.text())
                       : ""));
  return builder.add(kIndex, {x}, OverAttributes{whole.name}, {index});
}

constexpr graph::Op kIndex =
    complete({.name = "index",
              .family = "Indices",
              .doc = "`x[d: i]`: the tensor at one place of a dimension, which is gone from the result. A place "
                     "outside the dimension is an "
                     "error, also a negative one.",
              .samples = "x: [a, b] => x[a: 0]\nx: [a, b] => x[a: 0] * x[a: 1]\nx: [a, b] => x[a: 2, b: 3]\nx: i32[a, "
                         "b, c] in -9..9 => x[b: 1]",
              .attributes = &graph::kFormOf<OverAttributes>,
              .infer = [](const graph::Operation& operation) -> std::vector<TensorType> {
                TensorType type = operation.operands[0];
                type.dims.erase(type.dims.begin() + dim_of<OverAttributes>(operation));
                return {type};
              },
              .space = index_space,
              .kernel = index_kernel,
              .gradient = [](graph::GradientCall& call) -> graph::Values {
                const int dim = dim_of<OverAttributes>(call.operation);
                return {call.builder.add(kPlaceAt, {call.d_results[0]},
                                         PositionAttributes{call.operands[0].dims()[dim], dim}, call.operation.inputs)};
              },
              .linear = graph::Linear::kEach,
              .dim_of_position = dim_of<OverAttributes>,
              .result_order = index_order});

constexpr graph::Op kPlaceAt =
    complete({.name = "place_at",
              .family = "Indices",
              .doc = "The transpose of `x[d: i]`: its operand at place i of a new dimension, zeros elsewhere.",
              .attributes = &graph::kFormOf<PositionAttributes>,
              .infer = [](const graph::Operation& operation) -> std::vector<TensorType> {
                const auto& [dim, position] = operation.attributes.get<PositionAttributes>();
                TensorType type = operation.operands[0];
                type.dims.insert(type.dims.begin() + position, dim);
                return {type};
              },
              .space = elementwise_space,
              .kernel = place_at_kernel,
              .gradient = [](graph::GradientCall& call) -> graph::Values {
                return {call.builder.add(kIndex, {call.d_results[0]},
                                         OverAttributes{call.operation.attributes.get<PositionAttributes>().dim.name},
                                         call.operation.inputs)};
              },
              .accumulate = &kAddAt});

}  // namespace mtf::ops
