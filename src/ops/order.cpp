// Operations that order the elements along a dim: sort, argsort, top_k.
//
// NaN counts as larger than every number, -0 equals 0, and of equal elements the first comes first in either direction.
// Where the dim of top_k is split, each block offers its best k as candidates, and the best of those are taken:
//
//   operation     dims         ints
//   sort          -            the dim, 1 if descending
//   argsort       -            the dim, 1 if descending
//   top_k         k            the dim
//   block_top_k   candidates   the dim, the size of k; candidates is as many times k as there are blocks
//   merge_top_k   k            the dim
#include <algorithm>
#include <cmath>
#include <memory>

#include "ops/blocks.h"
#include "ops/index.h"
#include "ops/record.h"
#include "ops/shape.h"

namespace mtf {
namespace {

template <typename N>
struct Ranked {
  N value;
  int32_t place;
};

template <typename N>
bool less(N a, N b) {
  if constexpr (std::is_floating_point_v<N>)
    if (std::isnan(a) || std::isnan(b)) return !std::isnan(a);
  return a < b;
}

/// The order of the result: by value, then by place.
template <typename N>
bool comes_first(const Ranked<N>& a, const Ranked<N>& b, bool descending) {
  if (is_nan(a.value) && is_nan(b.value)) return a.place < b.place;
  if (less(a.value, b.value)) return !descending;
  if (less(b.value, a.value)) return descending;
  return a.place < b.place;
}

int dim_of(const KernelCall& call) { return static_cast<int>(call.attributes.ints[0]); }

/// Calls `row(line, first)` for every line along the dim: its elements with their places in the whole dim, and the index
/// of its first element in each result, whose dims correspond in order.
template <typename T, int N, typename Row>
void for_each_line(KernelCall& call, std::array<const Block*, N> results, Row row) {
  const Block& x = call.operands[0];
  const int dim = dim_of(call);
  Walk<N + 1> walk;
  for (size_t d = 0; d < x.dims.size(); ++d) {
    if (static_cast<int>(d) == dim) continue;
    std::array<int64_t, N + 1> strides{x.dims[d].stride};
    for (int k = 0; k < N; ++k) strides[k + 1] = results[k]->dims[d].stride;
    walk.add(x.dims[d].size, strides);
  }
  const BlockDim& along = x.dims[dim];
  for_each_place(call.threads, walk, along.size * 8, [&](const Walk<N + 1>& at) {
    std::vector<Ranked<Number<T>>> line(static_cast<size_t>(along.size));
    for (int64_t i = 0; i < along.size; ++i)
      line[i] = {to_number(x.as<T>()[at.offset(0) + i * along.stride]), static_cast<int32_t>(along.first + i)};
    row(line, at);
  });
}

/// Keeps the `count` that come first, in order.
template <typename N>
void keep_first(std::vector<Ranked<N>>& line, int64_t count, bool descending) {
  count = std::min<int64_t>(count, line.size());
  std::partial_sort(line.begin(), line.begin() + count, line.end(), [&](const auto& a, const auto& b) { return comes_first(a, b, descending); });
  line.resize(static_cast<size_t>(count));
}

template <typename N>
void sort_line(std::vector<Ranked<N>>& line, bool descending) {
  std::sort(line.begin(), line.end(), [&](const auto& a, const auto& b) { return comes_first(a, b, descending); });
}

/// Values (unless null) and places of a line, from `first` on along the dim of both results.
template <typename T>
void write_line(const std::vector<Ranked<Number<T>>>& line, int dim, const Block* values, int64_t values_first, const Block& places, int64_t places_first) {
  for (size_t i = 0; i < line.size(); ++i) {
    if (values) values->as<T>()[values_first + static_cast<int64_t>(i) * values->dims[dim].stride] = from_number<T>(line[i].value);
    places.as<int32_t>()[places_first + static_cast<int64_t>(i) * places.dims[dim].stride] = line[i].place;
  }
}

// ---- sort and argsort ------------------------------------------------------------------------------------------------

void sort_kernel(KernelCall& call) {
  const bool descending = call.attributes.ints[1] != 0;
  call.flops += call.operands[0].size();
  by_element(call.operands[0].element, [&](auto zero) {
    using T = decltype(zero);
    for_each_line<T, 2>(call, {&call.results[0], &call.results[1]}, [&](auto& line, const Walk<3>& at) {
      sort_line(line, descending);
      write_line<T>(line, dim_of(call), &call.results[0], at.offset(1), call.results[1], at.offset(2));
    });
  });
}

void argsort_kernel(KernelCall& call) {
  const bool descending = call.attributes.ints[1] != 0;
  call.flops += call.operands[0].size();
  by_element(call.operands[0].element, [&](auto zero) {
    using T = decltype(zero);
    for_each_line<T, 1>(call, {&call.results[0]}, [&](auto& line, const Walk<2>& at) {
      sort_line(line, descending);
      write_line<T>(line, dim_of(call), nullptr, 0, call.results[0], at.offset(1));
    });
  });
}

IterationSpace order_space(const Operation& operation) {
  return ruled_space(operation, SplitKind::kWhole, {operation.operands[0].dims[operation.attributes.ints[0]]});
}

Values build_sort(Call& call) {
  const Value& x = call.tensor("x");
  const Dim over = dim_over(call, "x");
  if (over.size > INT32_MAX) fail(Kind::size_overflow, call.span, "{} is too large for places in i32", to_string(over));
  const Attributes attributes{.dims = {}, .ints = {find_dim(x.dims(), over.name), call.flag("descending", false)}, .element = x.element()};
  return {call.builder.add_node(call.op, {x}, attributes)[0]};
}

// ---- top_k -----------------------------------------------------------------------------------------------------------

std::vector<TensorType> infer_top_k(const Operation& operation) {
  TensorType values = operation.operands[0];
  values.dims[operation.attributes.ints[0]] = operation.attributes.dims[0];
  return {values, {ElementType::kI32, values.dims}};
}

/// The dim is of `kind`, the result's dim in its place is `tied` to it or stands alone; the others are free.
IterationSpace top_k_space(const Operation& operation, SplitKind kind, bool tied) {
  IterationSpace space;
  for (size_t d = 0; d < operation.results[0].dims.size(); ++d) {
    const auto place = static_cast<int8_t>(d);
    IterationDim dim{.operands = std::vector<int8_t>(operation.operands.size(), place), .results = {place, place}};
    if (static_cast<int64_t>(d) == operation.attributes.ints[0]) {
      dim.kind = kind;
      if (!tied) dim.results = {-1, -1};
    }
    space.dims.push_back(std::move(dim));
  }
  return space;
}

void top_k_kernel(KernelCall& call) {
  call.flops += call.operands[0].size();
  const int64_t count = call.results[0].dims[dim_of(call)].size;
  by_element(call.operands[0].element, [&](auto zero) {
    using T = decltype(zero);
    for_each_line<T, 2>(call, {&call.results[0], &call.results[1]}, [&](auto& line, const Walk<3>& at) {
      keep_first(line, count, true);
      write_line<T>(line, dim_of(call), &call.results[0], at.offset(1), call.results[1], at.offset(2));
    });
  });
}

constexpr int32_t kNoCandidate = -1;

void block_top_k_kernel(KernelCall& call) {
  call.flops += call.operands[0].size();
  const int64_t room = call.results[0].dims[dim_of(call)].size;
  const int64_t count = std::min(call.attributes.ints[1], call.operands[0].dims[dim_of(call)].size);
  MTF_CHECK(room >= count, "{} candidates in a block of {}", count, room);
  by_element(call.operands[0].element, [&](auto zero) {
    using T = decltype(zero);
    for_each_line<T, 2>(call, {&call.results[0], &call.results[1]}, [&](auto& line, const Walk<3>& at) {
      keep_first(line, count, true);
      line.resize(static_cast<size_t>(room), {{}, kNoCandidate});
      write_line<T>(line, dim_of(call), &call.results[0], at.offset(1), call.results[1], at.offset(2));
    });
  });
}

void merge_top_k_kernel(KernelCall& call) {
  call.flops += call.operands[0].size();
  const Block& places = call.operands[1];
  const int64_t count = call.results[0].dims[dim_of(call)].size;
  by_element(call.operands[0].element, [&](auto zero) {
    using T = decltype(zero);
    for_each_line<T, 3>(call, {&call.results[0], &call.results[1], &places}, [&](auto& line, const Walk<4>& at) {
      for (size_t i = 0; i < line.size(); ++i)
        line[i].place = places.as<int32_t>()[at.offset(3) + static_cast<int64_t>(i) * places.dims[dim_of(call)].stride];
      std::erase_if(line, [](const auto& candidate) { return candidate.place == kNoCandidate; });
      MTF_CHECK(static_cast<int64_t>(line.size()) >= count, "{} candidates for {}", line.size(), count);
      keep_first(line, count, true);
      write_line<T>(line, dim_of(call), &call.results[0], at.offset(1), call.results[1], at.offset(2));
    });
  });
}

Values expand_top_k(ExpandCall& call) {
  Builder& builder = call.builder;
  const Operation& operation = call.operation;
  const Value& x = call.operands[0];
  const int64_t dim = operation.attributes.ints[0];
  const Dim& k = operation.attributes.dims[0];
  const Dim candidates{Name(k.name.str() + ".candidates"), call.blocks * k.size};
  const Values best = builder.add_node(ops::kBlockTopK, {x}, {.dims = {candidates}, .ints = {dim, k.size}, .element = x.element()});
  return builder.add_node(ops::kMergeTopK, best, operation.attributes);
}

Values build_top_k(Call& call) {
  const Value& x = call.tensor("x");
  const Dim over = dim_over(call, "x");
  const Dim& k = call.argument("k").dims[0];
  if (over.size > INT32_MAX) fail(Kind::size_overflow, call.span, "{} is too large for places in i32", to_string(over));
  if (k.size > over.size)
    fail(Kind::bad_value, call.span_of("k"), "expected no more than the {} elements of {}, found {}", over.size, to_string(over), to_string(k));
  return call.builder.add_node(call.op, {x}, {.dims = {k}, .ints = {find_dim(x.dims(), over.name)}, .element = x.element()});
}

/// The gradient of each place that was taken goes back to it.
Values scatter_back(GradientCall& call) {
  const Value& x = call.operands[0];
  if (!call.d_results[0]) return {{}};
  return {scatter_add(call.builder, call.d_results[0], call.results[1], x.dims()[call.operation.attributes.ints[0]], x.dims(), gradient_element(x))};
}

}  // namespace

constexpr Op ops::kSort = complete({
    .name = "sort", .signature = "sort(x: tensor, over: dim = the only one, descending: bool = false)", .family = "Order",
    .doc = "The elements along a dimension in order, the smallest first (the largest with `descending`). NaN counts as larger than "
           "every number.",
    .example = "dim a = 4\nprint(sort(tensor([3, 1, 4, 1], [a]), over: a))\n#> [1, 1, 3, 4]\n",
    .samples = "x: [a, b] => sort(x, over: b)\n"
               "x: [a, b] => sort(x, over: a, descending: true)",
    .build = build_sort,
    .infer = [](const Operation& operation) -> std::vector<TensorType> {
      const TensorType& type = operation.operands[0];
      return {type, {ElementType::kI32, type.dims}};
    },
    .space = order_space, .kernel = sort_kernel, .work = Work::kPerOperand, .gradient = scatter_back, .saved_results = 1});

constexpr Op ops::kArgsort = complete({
    .name = "argsort", .signature = "argsort(x: tensor, over: dim = the only one, descending: bool = false)", .family = "Order",
    .doc = "The places (i32) from which `sort` takes its elements; equal elements keep their order.",
    .example = "dim a = 4\nprint(argsort(tensor([3, 1, 4, 1], [a]), over: a))\n#> [1, 3, 0, 2]\n",
    .samples = "x: [a, b] => argsort(x, over: b)\n"
               "i: i32[a, b] in 0..3 => argsort(i, over: a, descending: true)",
    .build = build_sort,
    .infer = [](const Operation& operation) -> std::vector<TensorType> { return {{ElementType::kI32, operation.operands[0].dims}}; },
    .space = order_space, .kernel = argsort_kernel, .work = Work::kPerOperand,
    .no_gradient = "a place does not change smoothly"});

constexpr Op ops::kTopK = complete({
    .name = "top_k", .signature = "top_k(x: tensor, k: dim, over: dim = the only one)", .family = "Order",
    .doc = "The largest elements along a dimension, the largest first, and their places (i32): `let (values, indices) = top_k(x, k, "
           "over: experts)`. `k` replaces the dimension and says how many. Of equal elements the first wins; NaN counts as larger "
           "than every number.",
    .example = "dim a = 5, k = 2\n"
               "let (values, indices) = top_k(tensor([3, 1, 4, 1, 4], [a]), k, over: a)\n"
               "print(values)\n"
               "print(indices)\n"
               "#> [4, 4]\n"
               "#> [2, 4]\n",
    .samples = "dim k = 2; x: [a, b] => top_k(x, k, over: b)[0]\n"
               "dim k = 2; x: [a, b] => top_k(x, k, over: a)[1]\n"
               "dim k = 2; i: i32[a, b] in 0..2 => top_k(i, k, over: b)[1]",
    .build = build_top_k, .infer = infer_top_k,
    .space = [](const Operation& operation) { return top_k_space(operation, SplitKind::kExpand, false); },
    .kernel = top_k_kernel, .expand = expand_top_k, .work = Work::kPerOperand, .gradient = scatter_back});

constexpr Op ops::kBlockTopK = complete({
    .name = "block_top_k", .family = "Order",
    .doc = "Of top_k over a split dimension: the best of each block, with their places in the whole; place -1 where a block has fewer.",
    .infer = infer_top_k,
    // A block of the dim makes a block of candidates.
    .space = [](const Operation& operation) { return top_k_space(operation, SplitKind::kFree, true); },
    .kernel = block_top_k_kernel, .work = Work::kPerOperand,
    .no_gradient = "it stands for a part of top_k, after gradients are made"});

constexpr Op ops::kMergeTopK = complete({
    .name = "merge_top_k", .family = "Order", .doc = "Of top_k over a split dimension: the best of all blocks' candidates, given with their places.",
    .infer = infer_top_k,
    .space = [](const Operation& operation) { return top_k_space(operation, SplitKind::kWhole, false); },
    .kernel = merge_top_k_kernel, .work = Work::kPerOperand,
    .no_gradient = "it stands for a part of top_k, after gradients are made"});

}  // namespace mtf
