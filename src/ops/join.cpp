// Operations that join tensors along a dim, and take them apart: concat, stack, unstack.
//
//   operation   dims      ints
//   concat      -         the result's dim, then for each operand, for each dim of the result, the operand's dim
//   stack       the dim   for each operand, for each further dim of the result, the operand's dim
//   unstack     -         the operand's dim
#include <numeric>

#include "ops/blocks.h"
#include "ops/record.h"
#include "ops/shape.h"
#include "support/text.h"

namespace mtf {
namespace {

/// The tensors of a list, as one element type; at least one.
Values tensors_of(Call& call) {
  const Argument& list = call.argument("tensors");
  if (list.values.empty()) fail(Kind::missing_argument, call.span_of("tensors"), "expected at least one tensor, found an empty list");
  return as_element(call.builder, list.values, common_element(call.builder, list.values), call.span_of("tensors"));
}

// ---- concat ----------------------------------------------------------------------------------------------------------

/// Where operand k begins in the result.
int64_t start_of(const Operation& operation, size_t k, int dim) {
  int64_t start = 0;
  for (size_t i = 0; i < k; ++i) {
    const std::vector<int64_t>& ints = operation.attributes.ints;
    start += operation.operands[i].dims[ints[1 + i * operation.operands[0].dims.size() + dim]].size;
  }
  return start;
}

std::vector<TensorType> infer_concat(const Operation& operation) {
  TensorType type = operation.operands[0];
  const int dim = static_cast<int>(operation.attributes.ints[0]);
  type.dims[dim].size = start_of(operation, operation.operands.size(), dim);
  return {type};
}

IterationSpace concat_space(const Operation& operation) {
  IterationSpace space;
  const std::vector<int64_t>& ints = operation.attributes.ints;
  const size_t order = operation.results[0].dims.size();
  for (size_t d = 0; d < order; ++d) {
    IterationDim dim;
    for (size_t k = 0; k < operation.operands.size(); ++k) dim.operands.push_back(narrow(ints[1 + k * order + d]));
    dim.results = {narrow(d)};
    if (static_cast<int64_t>(d) == ints[0]) {
      dim.kind = SplitKind::kInterval;
      for (size_t k = 0; k < operation.operands.size(); ++k)
        dim.maps.push_back({.offset = -start_of(operation, k, static_cast<int>(d)), .from = operation.results[0].dims[d].size, .to = operation.operands[k].dims[dim.operands[k]].size});
    }
    space.dims.push_back(std::move(dim));
  }
  return space;
}

void concat_kernel(KernelCall& call) {
  const Block& to = call.results[0];
  const std::vector<int64_t>& ints = call.attributes.ints;
  const size_t order = to.dims.size();
  const int dim = static_cast<int>(ints[0]);
  if (to.size() == 0) return;
  std::vector<Run> box;
  for (const BlockDim& d : to.dims) box.push_back({.count = d.size});
  int64_t start = 0;
  for (size_t k = 0; k < call.operands.size(); ++k) {
    const std::vector<int> dims(ints.begin() + 1 + k * order, ints.begin() + 1 + (k + 1) * order);
    const BlockDim& from = call.operands[k].dims[dims[dim]];
    const IntervalMap map{.offset = -start, .from = to.dims[dim].whole, .to = from.whole};
    for (const Run& run : runs_of(map, to.dims[dim], from)) {
      box[dim] = run;
      copy_box(call.threads, call.operands[k], to, dims, box);
    }
    start += from.whole;
  }
}

Values build_concat(Call& call) {
  const Values tensors = tensors_of(call);
  const Dim& over = call.argument("over").dims[0];
  const Dims& dims = tensors[0].dims();
  Attributes attributes{.dims = {}, .ints = {place_of(tensors[0], over, call.span_of("over"))}, .element = tensors[0].element()};
  for (const Value& tensor : tensors) {
    place_of(tensor, over, call.span_of("over"));
    for (const Dim& dim : tensor.dims())
      if (!has_dim(dims, dim.name)) fail(Kind::shape_mismatch, call.span_of("tensors"), "expected the dimensions of {}, found {}", describe(tensors[0]), describe(tensor));
    for (const Dim& dim : dims) {
      const int place = find_dim(tensor.dims(), dim.name);
      if (place < 0) fail(Kind::shape_mismatch, call.span_of("tensors"), "expected the dimensions of {}, found {}", describe(tensors[0]), describe(tensor));
      if (dim.name != over.name && tensor.dims()[place].size != dim.size)
        fail(Diagnostic(Kind::size_conflict, call.span_of("tensors"), fmt::format("`{}` is {} in {}, and {} in {}", dim.name.text(), dim.size, describe(tensors[0]), tensor.dims()[place].size, describe(tensor)))
                 .help(fmt::format("only `{}` may differ, along which they are joined", over.name.text())));
      attributes.ints.push_back(place);
    }
  }
  return {call.builder.add(ops::kConcat, tensors, std::move(attributes))};
}

Values concat_gradient(GradientCall& call) {
  const int dim = static_cast<int>(call.operation.attributes.ints[0]);
  Values gradients;
  for (size_t k = 0; k < call.operands.size(); ++k) {
    const int64_t start = start_of(call.operation, k, dim), end = start_of(call.operation, k + 1, dim);
    gradients.push_back(call.wants(k) ? call.builder.slice(call.d_results[0], dim, start, end - start) : Value{});
  }
  return gradients;
}

// ---- stack and unstack -----------------------------------------------------------------------------------------------

IterationSpace stack_space(const Operation& operation) {
  IterationSpace space;
  const size_t order = operation.results[0].dims.size(), count = operation.operands.size();
  space.dims.push_back({.operands = std::vector<int8_t>(count, -1), .results = {0}});
  for (size_t d = 1; d < order; ++d) {
    IterationDim dim;
    for (size_t k = 0; k < count; ++k) dim.operands.push_back(narrow(operation.attributes.ints[k * (order - 1) + d - 1]));
    dim.results = {narrow(d)};
    space.dims.push_back(std::move(dim));
  }
  return space;
}

void stack_kernel(KernelCall& call) {
  const Block& to = call.results[0];
  const int64_t rest = static_cast<int64_t>(to.dims.size()) - 1;
  std::vector<Run> box;
  for (const BlockDim& d : to.dims) box.push_back({.count = d.size});
  for (int64_t i = 0; i < to.dims[0].size; ++i) {
    const int64_t k = to.dims[0].first + i;
    std::vector<int> dims = {-1};
    for (int64_t d = 0; d < rest; ++d) dims.push_back(static_cast<int>(call.attributes.ints[k * rest + d]));
    box[0] = {.to = i, .count = 1};
    copy_box(call.threads, call.operands[k], to, dims, box);
  }
}

Value stack(Builder& builder, const Values& tensors, const Dim& dim) {
  Attributes attributes{.dims = {dim}, .ints = {}, .element = tensors[0].element()};
  for (const Value& tensor : tensors)
    for (int64_t place : places_in(tensors[0].dims(), tensor.dims())) attributes.ints.push_back(place);
  return builder.add(ops::kStack, tensors, std::move(attributes));
}

Values unstack(Builder& builder, const Value& x, int dim) {
  return builder.add_node(ops::kUnstack, {x}, {.dims = {}, .ints = {dim}, .element = x.element()});
}

Values build_stack(Call& call) {
  const Values tensors = tensors_of(call);
  const Dim& dim = call.argument("dim").dims[0];
  if (dim.size != static_cast<int64_t>(tensors.size()))
    fail(Kind::wrong_arity, call.span_of("tensors"), "expected {} for {}, found {}", count_text(dim.size, "tensor"), to_string(dim), tensors.size());
  for (const Value& tensor : tensors) {
    if (!same_set(tensor.dims(), tensors[0].dims()))
      fail(Kind::shape_mismatch, call.span_of("tensors"), "expected the dimensions of {}, found {}", describe(tensors[0]), describe(tensor));
    if (has_dim(tensor.dims(), dim.name))
      fail(Diagnostic(Kind::dim_twice, call.span_of("dim"), fmt::format("expected a dimension that {} lacks, found `{}`", describe(tensor), dim.name.text()))
               .help(fmt::format("to join them along it write concat([…], over: {})", dim.name.text())));
  }
  return {stack(call.builder, tensors, dim)};
}

void unstack_kernel(KernelCall& call) {
  const int dim = static_cast<int>(call.attributes.ints[0]);
  const Block& from = call.operands[0];
  std::vector<int> dims = in_order(from.dims.size());
  dims.erase(dims.begin() + dim);
  for (size_t i = 0; i < call.results.size(); ++i)
    copy_all(call.threads, from, call.results[i], dims, static_cast<int64_t>(i) * from.dims[dim].stride);
}

std::vector<TensorType> infer_unstack(const Operation& operation) {
  TensorType type = operation.operands[0];
  const Dim dim = type.dims[operation.attributes.ints[0]];
  type.dims.erase(type.dims.begin() + operation.attributes.ints[0]);
  return std::vector<TensorType>(static_cast<size_t>(dim.size), type);
}

Values unstack_gradient(GradientCall& call) {
  const Value& x = call.operands[0];
  Values parts = call.d_results;
  for (size_t i = 0; i < parts.size(); ++i)
    if (!parts[i]) parts[i] = call.builder.zeros(call.results[i].type());
  return {stack(call.builder, parts, x.dims()[call.operation.attributes.ints[0]])};
}

}  // namespace

constexpr Op ops::kConcat = complete({
    .name = "concat", .signature = "concat(tensors: list, over: dim)", .family = "Moving elements",
    .doc = "Joins tensors along a dimension that all of them have, which keeps its name and gets the sum of its sizes. The other "
           "dimensions must agree; the result has the order of the first tensor.",
    .example = "dim a = 2\n"
               "let x = tensor([1, 2], [a])\n"
               "print(concat([x, x[a: 0..1]], over: a))\n"
               "#> [1, 2, 1]\n",
    .samples = "x: [a, b], y: [a, b] => concat([x, y], over: a)\n"
               "x: [a, b], y: [b, a] => concat([x, y, x[b: 0..1]], over: b)",
    .build = build_concat, .infer = infer_concat, .space = concat_space, .kernel = concat_kernel,
    .gradient = concat_gradient, .linear = Linear::kJoint});

constexpr Op ops::kStack = complete({
    .name = "stack", .signature = "stack(tensors: list, dim: dim)", .family = "Moving elements",
    .doc = "Puts tensors of one shape next to each other along a new dimension, the first of the result; its size is their number.",
    .example = "dim a = 2, n = 2\n"
               "print(stack([tensor([1, 2], [a]), tensor([3, 4], [a])], n))\n"
               "#> [[1, 2], [3, 4]]\n",
    .samples = "dim n = 2; x: [a, b], y: [b, a] => stack([x, y], n)",
    .build = build_stack,
    .infer = [](const Operation& operation) -> std::vector<TensorType> {
      TensorType type = operation.operands[0];
      type.dims.insert(type.dims.begin(), operation.attributes.dims[0]);
      return {type};
    },
    .space = stack_space, .kernel = stack_kernel,
    .gradient = [](GradientCall& call) -> Values { return unstack(call.builder, call.d_results[0], 0); }});

constexpr Op ops::kUnstack = complete({
    .name = "unstack", .signature = "unstack(x: tensor, over: dim)", .family = "Moving elements",
    .doc = "The list of the tensors along a dimension: `x[d: 0]`, `x[d: 1]`, and so on.",
    .example = "dim a = 2, n = 2\n"
               "let (x, y) = unstack(tensor([[1, 2], [3, 4]], [n, a]), over: n)\n"
               "print(y)\n"
               "#> [3, 4]\n",
    .samples = "x: [a, b] => unstack(x, over: a)[0]\n"
               "x: [a, b] => stack(unstack(x, over: b), b)",
    .build = [](Call& call) -> Values {
      const Value& x = call.tensor("x");
      const Dim over = dim_over(call, "x");
      constexpr int64_t kMost = 4096;
      if (over.size > kMost) fail(Kind::limit_exceeded, call.span, "{} would be {} tensors, expected at most {}", to_string(over), over.size, kMost);
      return unstack(call.builder, x, find_dim(x.dims(), over.name));
    },
    .infer = infer_unstack,
    .space = [](const Operation& operation) {
      IterationSpace space;
      const int dim = static_cast<int>(operation.attributes.ints[0]);
      for (int d = 0; d < static_cast<int>(operation.operands[0].dims.size()); ++d) {
        IterationDim entry{.operands = {narrow(d)}, .results = std::vector<int8_t>(operation.results.size(), narrow(d < dim ? d : d == dim ? -1 : d - 1))};
        if (d == dim) entry.kind = SplitKind::kWhole;
        space.dims.push_back(std::move(entry));
      }
      return space;
    },
    .kernel = unstack_kernel, .gradient = unstack_gradient, .list = true});

}  // namespace mtf
