#include "ops/spaces.h"

#include <algorithm>

#include "ops/record.h"

namespace mtf::ops {
namespace {

std::vector<int8_t> indices(const std::vector<TensorType>& types, Name name) {
  std::vector<int8_t> found;
  for (const TensorType& type : types) found.push_back(static_cast<int8_t>(find_dim(type.dims, name)));
  return found;
}

graph::IterationDim iteration_dim(const graph::Operation& operation, Name name) {
  graph::IterationDim dim;
  dim.operands = indices(operation.operands, name);
  for (const TensorType& type : operation.results)
    dim.results.push_back(static_cast<int8_t>(find_dim(type.dims, name)));
  return dim;
}

}  // namespace

Dims broadcast_dims(std::span<const TensorType> operands) {
  if (operands.empty()) return {};
  const auto most = std::max_element(operands.begin(), operands.end(), [](const TensorType& a, const TensorType& b) {
    return a.dims.size() < b.dims.size();
  });
  Dims dims = most->dims;
  for (const TensorType& operand : operands)
    for (const Dim& dim : operand.dims)
      if (!has_dim(dims, dim.name)) dims.push_back(dim);
  return dims;
}

graph::IterationSpace elementwise_space(const graph::Operation& operation) {
  graph::IterationSpace space;
  for (const Dim& dim : operation.results[0].dims) space.dims.push_back(iteration_dim(operation, dim.name));
  return space;
}

graph::IterationSpace reduction_space(const graph::Operation& operation, kernels::Reduction reduction) {
  graph::IterationSpace space;
  for (const Dim& dim : operation.operands[0].dims) {
    graph::IterationDim entry = iteration_dim(operation, dim.name);
    if (entry.results[0] < 0) {
      entry.kind = graph::SplitKind::kReduce;
      entry.reduce = reduction;
    }
    space.dims.push_back(std::move(entry));
  }
  return space;
}

graph::IterationSpace ruled_space(const graph::Operation& operation, graph::SplitKind kind, const Dims& ruled) {
  graph::IterationSpace space;
  for (const Dim& dim : operation.operands[0].dims) {
    graph::IterationDim entry = iteration_dim(operation, dim.name);
    if (has_dim(ruled, dim.name)) entry.kind = kind;
    space.dims.push_back(std::move(entry));
  }
  return space;
}

ElementType gradient_element(const graph::Value& value) {
  const graph::Operation& made = value.operation();
  const bool narrowed =
      made.op == &kCast && value.element() == ElementType::kBf16 && is_float(made.operands[0].element);
  return narrowed ? ElementType::kF32 : value.element();
}

graph::Value sum_to_operand(Builder& builder, const graph::Value& gradient, const graph::Value& operand) {
  const bool sums = !remaining(gradient.dims(), operand.dims()).empty();
  const ElementType element = promote(gradient.element(), gradient_element(operand));
  const graph::Value summed = builder.sum_to(sums ? builder.cast(gradient, element) : gradient, operand.dims());
  return same_set(summed.dims(), operand.dims()) ? builder.broadcast(summed, operand.dims()) : summed;
}

Dims remaining(const Dims& dims, const Dims& without) {
  Dims left;
  for (const Dim& dim : dims)
    if (!has_dim(without, dim.name)) left.push_back(dim);
  return left;
}

std::vector<int> positions_in(const Dims& dims, const Dims& in) {
  std::vector<int> positions;
  for (const Dim& dim : dims) positions.push_back(find_dim(in, dim.name));
  return positions;
}

graph::Value mean_to(Builder& builder, const graph::Value& x, const Dims& kept) {
  const double count = static_cast<double>(size_of(remaining(x.dims(), kept)));
  return builder.map(kScale, builder.sum_to(x, kept), 1.0 / count);
}

graph::IterationSpace space_by_position(const graph::Operation& operation, int special, graph::SplitKind kind) {
  graph::IterationSpace space;
  for (size_t d = 0; d < operation.results[0].dims.size(); ++d) {
    const int8_t position = narrow(static_cast<int64_t>(d));
    space.dims.push_back({.kind = position == special ? kind : graph::SplitKind::kFree,
                          .operands = std::vector<int8_t>(operation.operands.size(), position),
                          .results = {position}});
  }
  return space;
}

std::vector<TensorType> infer_of_blocks(const graph::Operation& operation) {
  TensorType type = operation.operands[0];
  if (type.element == ElementType::kBf16) type.element = ElementType::kF32;
  type.dims[dim_of<BlocksAttributes>(operation)] = operation.attributes.get<BlocksAttributes>().blocks;
  return {type};
}

std::vector<TensorType> infer_type(const graph::Operation& operation) {
  return {operation.attributes.get<TypeAttributes>().type};
}

Dims operand_dims(const graph::Operation& operation, const Names& names) {
  Dims dims;
  for (Name name : names) {
    int at = -1;
    for (size_t k = 0; at < 0 && k < operation.operands.size(); ++k)
      if (at = find_dim(operation.operands[k].dims, name); at >= 0) dims.push_back(operation.operands[k].dims[at]);
    MTF_CHECK(at >= 0, "no operand of {} has `{}`", operation.op->name, name.text());
  }
  return dims;
}

}  // namespace mtf::ops
