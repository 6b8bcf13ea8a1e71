// Operations that join tensors along a dim, or take a tensor apart: concat, stack, unstack.
#include <algorithm>
#include <numeric>

#include "ops/blocks.h"
#include "ops/record.h"
#include "ops/shape.h"
#include "support/text.h"

namespace mtf::ops {
namespace {

struct StackAttributes {
  Dim dim;
  static constexpr auto members() { return std::array{graph::member<&StackAttributes::dim>("dim")}; }
};

/// The tensors of a list, cast to one element type. Fails if the list is empty.
graph::Values tensors_of(Call& call) {
  const Argument& list = call.argument("tensors");
  if (list.values.empty())
    fail(Kind::missing_argument, call.span_of("tensors"), "expected at least one tensor, found an empty list");
  return as_element(call.builder, list.values, common_element(call.builder, list.values), call.span_of("tensors"));
}

// ---- concat ---------------------------------------------------------------------------------------------------------

/// The size of operand k along the dim.
int64_t part_of(const graph::Operation& operation, size_t k) {
  const Dims& dims = operation.operands[k].dims;
  return dims[find_dim(dims, operation.attributes.get<OverAttributes>().over)].size;
}

/// The position in the result at which operand k begins.
int64_t start_of(const graph::Operation& operation, size_t k) {
  int64_t start = 0;
  for (size_t i = 0; i < k; ++i) start += part_of(operation, i);
  return start;
}

std::vector<TensorType> infer_concat(const graph::Operation& operation) {
  TensorType type = operation.operands[0];
  type.dims[dim_of<OverAttributes>(operation)].size = start_of(operation, operation.operands.size());
  return {type};
}

graph::IterationSpace concat_space(const graph::Operation& operation) {
  graph::IterationSpace space = elementwise_space(operation);
  const int d = dim_of<OverAttributes>(operation);
  for (size_t k = 0; k < operation.operands.size(); ++k)
    space.dims[d].maps.push_back(
        {.offset = -start_of(operation, k), .from = operation.results[0].dims[d].size, .to = part_of(operation, k)});
  return space;
}

void concat_kernel(graph::KernelCall& call) {
  const kernels::Block& to = call.results[0];
  const graph::Operation& operation = call.operation;
  const int dim = dim_of<OverAttributes>(operation);
  if (to.size() == 0) return;
  std::vector<Run> box;
  for (const kernels::BlockDim& d : to.dims) box.push_back({.count = d.size});
  int64_t start = 0;
  for (size_t k = 0; k < call.operands.size(); ++k) {
    const std::vector<int> dims = positions_in(operation.results[0].dims, operation.operands[k].dims);
    const kernels::BlockDim& from = call.operands[k].dims[dims[dim]];
    const graph::AccessMap map{.offset = -start, .from = to.dims[dim].whole, .to = from.whole};
    for (const Run& run : runs_of(map, to.dims[dim], from)) {
      box[dim] = run;
      copy_box(call.threads, call.operands[k], to, dims, box);
    }
    start += from.whole;
  }
}

/// The dim along which a tensor is joined: the only one of `over` that it has.
int joined_dim(const Call& call, const graph::Value& tensor, const Dims& over) {
  if (over.size() == 1) return position_of(tensor, over[0], call.span_of("over"));
  int found = -1;
  for (const Dim& dim : over) {
    const int position = find_dim(tensor.dims(), dim.name);
    if (position < 0) continue;
    if (found >= 0)
      fail(Diagnostic(Kind::dim_twice, call.span_of("over"),
                      fmt::format("expected one of these in {}, found `{}` and `{}`", describe(tensor),
                                  tensor.dims()[found].name.text(), dim.name.text()))
               .help("rename the one along which it is not joined"));
    found = position;
  }
  if (found < 0) fail(Kind::unknown_dim, call.span_of("over"), "expected one of these in {}", describe(tensor));
  return found;
}

/// The dims of each tensor, in which the joined dim has its name in the result.
std::vector<Dims> dims_to_join(const Call& call, const graph::Values& tensors) {
  const Argument& over = call.argument("over");
  const Argument& as = call.argument("as");
  if (over.dims.empty()) fail(Kind::missing_argument, over.span, "expected at least one dimension, found none");
  if (over.dims.size() > 1 && !as.given)
    fail(Diagnostic(Kind::missing_argument, over.span, "what they are joined along has no name in the result")
             .help("say which dim it is then: `as: joined`"));
  const Name name = as.given ? as.dims[0].name : over.dims[0].name;
  std::vector<Dims> each;
  std::string parts;
  int64_t size = 0;
  for (const graph::Value& tensor : tensors) {
    Dims& dims = each.emplace_back(tensor.dims());
    Dim& joined = dims[joined_dim(call, tensor, over.dims)];
    parts += fmt::format("{}{} of `{}`", parts.empty() ? "" : " and ", joined.size, joined.name.text());
    size += joined.size;
    if (joined.name != name && has_dim(dims, name))
      fail(Kind::dim_twice, call.span_of("as"), "expected a dimension that {} lacks, found `{}`", describe(tensor),
           name.text());
    joined.name = name;
  }
  if (as.given && as.dims[0].size != size)
    fail(Kind::size_mismatch, call.span_of("as"), "`{}` has {}, expected {}: {}", name.text(), as.dims[0].size, size,
         parts);
  return each;
}

graph::Values build_concat(Call& call) {
  graph::Values tensors = tensors_of(call);
  const std::vector<Dims> each = dims_to_join(call, tensors);
  const Argument& as = call.argument("as");
  const Name over = (as.given ? as : call.argument("over")).dims[0].name;
  for (size_t k = 1; k < tensors.size(); ++k) {
    const bool same_names =
        each[k].size() == each[0].size() &&
        std::all_of(each[k].begin(), each[k].end(), [&](const Dim& dim) { return has_dim(each[0], dim.name); });
    if (!same_names)
      fail(Kind::shape_mismatch, call.span_of("tensors"), "expected the dimensions of {}, found {}",
           describe(tensors[0]), describe(tensors[k]));
    for (const Dim& dim : each[0]) {
      const int64_t size = each[k][find_dim(each[k], dim.name)].size;
      if (dim.name != over && size != dim.size)
        fail(Diagnostic(Kind::size_conflict, call.span_of("tensors"),
                        fmt::format("`{}` is {} in {}, and {} in {}", dim.name.text(), dim.size, describe(tensors[0]),
                                    size, describe(tensors[k])))
                 .help(fmt::format("only `{}` may differ, along which they are joined", over.text())));
    }
  }
  for (size_t k = 0; k < tensors.size(); ++k)
    if (each[k] != tensors[k].dims()) tensors[k] = call.builder.rename(tensors[k], each[k]);
  return {call.builder.add(kConcat, tensors, OverAttributes{over})};
}

graph::Values concat_gradient(graph::GradientCall& call) {
  const int dim = dim_of<OverAttributes>(call.operation);
  graph::Values gradients;
  for (size_t k = 0; k < call.operands.size(); ++k) {
    gradients.push_back(call.wants(k) ? call.builder.slice(call.d_results[0], dim, start_of(call.operation, k),
                                                           part_of(call.operation, k))
                                      : graph::Value{});
  }
  return gradients;
}

// ---- stack and unstack ----------------------------------------------------------------------------------------------

void stack_kernel(graph::KernelCall& call) {
  const kernels::Block& to = call.results[0];
  std::vector<Run> box;
  for (const kernels::BlockDim& d : to.dims) box.push_back({.count = d.size});
  for (int64_t i = 0; i < to.dims[0].size; ++i) {
    const int64_t k = to.dims[0].first + i;
    box[0] = {.to = i, .count = 1};
    copy_box(call.threads, call.operands[k], to,
             positions_in(call.operation.results[0].dims, call.operation.operands[k].dims), box);
  }
}

graph::Values build_stack(Call& call) {
  const graph::Values tensors = tensors_of(call);
  const Dim& dim = call.argument("dim").dims[0];
  if (dim.size != static_cast<int64_t>(tensors.size()))
    fail(Kind::wrong_arity, call.span_of("tensors"), "expected {} for {}, found {}", count_text(dim.size, "tensor"),
         to_string(dim), tensors.size());
  for (const graph::Value& tensor : tensors) {
    if (!same_set(tensor.dims(), tensors[0].dims()))
      fail(Kind::shape_mismatch, call.span_of("tensors"), "expected the dimensions of {}, found {}",
           describe(tensors[0]), describe(tensor));
    if (has_dim(tensor.dims(), dim.name))
      fail(Diagnostic(Kind::dim_twice, call.span_of("dim"),
                      fmt::format("expected a dimension that {} lacks, found `{}`", describe(tensor), dim.name.text()))
               .help(fmt::format("to join them along it write concat([…], over: {})", dim.name.text())));
  }
  return {call.builder.add(kStack, tensors, StackAttributes{dim})};
}

void unstack_kernel(graph::KernelCall& call) {
  const int dim = dim_of<OverAttributes>(call.operation);
  const kernels::Block& from = call.operands[0];
  std::vector<int> dims = in_order(from.dims.size());
  dims.erase(dims.begin() + dim);
  for (size_t i = 0; i < call.results.size(); ++i)
    copy_all(call.threads, from, call.results[i], dims, static_cast<int64_t>(i) * from.dims[dim].stride);
}

std::vector<TensorType> infer_unstack(const graph::Operation& operation) {
  TensorType type = operation.operands[0];
  const int dim = dim_of<OverAttributes>(operation);
  const auto count = static_cast<size_t>(type.dims[dim].size);
  type.dims.erase(type.dims.begin() + dim);
  return std::vector<TensorType>(count, type);
}

graph::Values unstack_gradient(graph::GradientCall& call) {
  const graph::Value& x = call.operands[0];
  graph::Values parts = call.d_results;
  for (size_t i = 0; i < parts.size(); ++i)
    if (!parts[i]) parts[i] = call.builder.zeros(call.results[i].type());
  return {call.builder.add(kStack, parts, StackAttributes{x.dims()[dim_of<OverAttributes>(call.operation)]})};
}

}  // namespace

constexpr graph::Op kConcat =
    complete({.name = "concat",
              .signature = "concat(tensors: list of tensors, over: dims, as: dim = that of over)",
              .family = "Moving elements",
              .doc = "Joins tensors along a dimension that all of them have, which keeps its "
                     "name and gets the sum of its sizes. Of several dimensions, each tensor "
                     "is joined along the one that it has, and `as` is that of the result, "
                     "of this sum. The other dimensions must agree; the result has the "
                     "order of the first tensor.",
              .example = "dim a = 2, b = 1, ab = 3\n"
                         "let x = tensor([1, 2], [a])\n"
                         "print(concat([x, x[a: 0..1]], over: a))\n"
                         "#> [1, 2, 1]\n"
                         "print(concat([x, tensor([3], [b])], over: [a, b], as: ab))\n"
                         "#> [1, 2, 3]\n",
              .samples = "x: [a, b], y: [a, b] => concat([x, y], over: a)\n"
                         "x: [a, b], y: [b, a] => concat([x, y, x[b: 0..1]], over: b)\n"
                         "dim ab = a + b; x: [a, c], y: [c, b] => concat([x, y], over: [a, "
                         "b], as: ab)",
              .build = build_concat,
              .attributes = &graph::kFormOf<OverAttributes>,
              .infer = infer_concat,
              .space = concat_space,
              .kernel = concat_kernel,
              .gradient = concat_gradient,
              .linear = graph::Linear::kJoint});

constexpr graph::Op kStack =
    complete({.name = "stack",
              .signature = "stack(tensors: list of tensors, dim: dim)",
              .family = "Moving elements",
              .doc = "Puts tensors of one shape next to each other along a new dimension, the first of the result; its "
                     "size is their number.",
              .example = "dim a = 2, n = 2\n"
                         "print(stack([tensor([1, 2], [a]), tensor([3, 4], [a])], n))\n"
                         "#> [[1, 2], [3, 4]]\n",
              .samples = "dim n = 2; x: [a, b], y: [b, a] => stack([x, y], n)",
              .build = build_stack,
              .attributes = &graph::kFormOf<StackAttributes>,
              .infer = [](const graph::Operation& operation) -> std::vector<TensorType> {
                TensorType type = operation.operands[0];
                type.dims.insert(type.dims.begin(), operation.attributes.get<StackAttributes>().dim);
                return {type};
              },
              .space = elementwise_space,
              .kernel = stack_kernel,
              .gradient = [](graph::GradientCall& call) -> graph::Values {
                return call.builder.add_node(kUnstack, {call.d_results[0]},
                                             OverAttributes{call.operation.attributes.get<StackAttributes>().dim.name});
              }});

constexpr graph::Op kUnstack =
    complete({.name = "unstack",
              .signature = "unstack(x: tensor, over: dim)",
              .family = "Moving elements",
              .doc = "The list of the tensors along a dimension: `x[d: 0]`, `x[d: 1]`, and so on.",
              .example = "dim a = 2, n = 2\n"
                         "let (x, y) = unstack(tensor([[1, 2], [3, 4]], [n, a]), over: n)\n"
                         "print(y)\n"
                         "#> [3, 4]\n",
              .samples = "x: [a, b] => unstack(x, over: a)[0]\n"
                         "x: [a, b] => stack(unstack(x, over: b), b)",
              .build = [](Call& call) -> graph::Values {
                const graph::Value& x = call.tensor("x");
                const Dim over = dim_over(call, "x");
                constexpr int64_t kMost = 4096;
                if (over.size > kMost)
                  fail(Kind::limit_exceeded, call.span, "{} would be {} tensors, expected at most {}", to_string(over),
                       over.size, kMost);
                return call.builder.add_node(kUnstack, {x}, OverAttributes{over.name});
              },
              .attributes = &graph::kFormOf<OverAttributes>,
              .infer = infer_unstack,
              .space =
                  [](const graph::Operation& operation) {
                    graph::IterationSpace space;
                    const int dim = dim_of<OverAttributes>(operation);
                    for (int d = 0; d < static_cast<int>(operation.operands[0].dims.size()); ++d) {
                      graph::IterationDim entry{
                          .operands = {narrow(d)},
                          .results = std::vector<int8_t>(operation.results.size(), narrow(d < dim    ? d
                                                                                          : d == dim ? -1
                                                                                                     : d - 1))};
                      if (d == dim) entry.kind = graph::SplitKind::kWhole;
                      space.dims.push_back(std::move(entry));
                    }
                    return space;
                  },
              .kernel = unstack_kernel,
              .gradient = unstack_gradient,
              .list = true});

}  // namespace mtf::ops
