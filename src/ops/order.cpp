// Operations that order the elements along a dim: sort, argsort, top_k.
//
// NaN counts as larger than every number, and -0 equals 0. Equal elements keep their order in both directions. If the
// dim of top_k is sharded, each block offers its best k as candidates, and top_k takes the best of the candidates.
#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>

#include "kernels/kernel_table.h"
#include "ops/blocks.h"
#include "ops/index.h"
#include "ops/record.h"
#include "ops/shape.h"

namespace mtf::ops {
namespace {

struct SortAttributes {
  Name over;
  bool descending = false;
  static constexpr auto members() {
    return std::array{graph::member<&SortAttributes::over>("over"),
                      graph::member<&SortAttributes::descending>("descending")};
  }
};

/// The attributes of top_k and merge_top_k: `k` replaces the dim `over`.
struct TopKAttributes {
  Dim k;
  Name over;
  static constexpr auto members() {
    return std::array{graph::member<&TopKAttributes::k>("k"), graph::member<&TopKAttributes::over>("over")};
  }
};

/// The attributes of block_top_k: `candidates` replaces the dim `over`, with `count` candidates for each block.
struct BlockTopKAttributes {
  Dim candidates;
  int64_t count;
  Name over;
  static constexpr auto members() {
    return std::array{graph::member<&BlockTopKAttributes::candidates>("candidates"),
                      graph::member<&BlockTopKAttributes::count>("count"),
                      graph::member<&BlockTopKAttributes::over>("over")};
  }
};

template <typename N>
struct Ranked {
  N value;
  int32_t position;
};

template <typename N>
bool less(N a, N b) {
  if constexpr (std::is_floating_point_v<N>)
    if (std::isnan(a) || std::isnan(b)) return !std::isnan(a);
  return a < b;
}

/// True if `a` precedes `b` in the result: by value, then by position.
template <typename N>
bool comes_first(const Ranked<N>& a, const Ranked<N>& b, bool descending) {
  if (is_nan(a.value) && is_nan(b.value)) return a.position < b.position;
  if (less(a.value, b.value)) return !descending;
  if (less(b.value, a.value)) return descending;
  return a.position < b.position;
}

/// Calls `row(line, first)` for every line along `dim`. `line` holds the elements with their positions in the gathered
/// dim. `first` is the index of the line's first element in each result, whose dims correspond by index.
template <typename T, int N, typename Row>
void for_each_ranked_line(graph::KernelCall& call, int dim, std::array<const kernels::Block*, N> results, Row row) {
  const kernels::Block& x = call.operands[0];
  Walk<N + 1> walk;
  for (size_t d = 0; d < x.dims.size(); ++d) {
    if (static_cast<int>(d) == dim) continue;
    std::array<int64_t, N + 1> strides{x.dims[d].stride};
    for (int k = 0; k < N; ++k) strides[k + 1] = results[k]->dims[d].stride;
    walk.add(x.dims[d].size, strides);
  }
  const kernels::BlockDim& along = x.dims[dim];
  for_each_position(call.threads, walk, along.size * 8, [&](const Walk<N + 1>& at) {
    std::vector<Ranked<Number<T>>> line(static_cast<size_t>(along.size));
    for (int64_t i = 0; i < along.size; ++i)
      line[i] = {to_number(x.as<T>()[at.offset(0) + i * along.stride]), static_cast<int32_t>(along.first + i)};
    row(line, at);
  });
}

/// Keeps the first `count` elements in the result's order, sorted.
template <typename N>
void keep_first(std::vector<Ranked<N>>& line, int64_t count, bool descending) {
  const auto comes_before = [&](const auto& a, const auto& b) { return comes_first(a, b, descending); };
  if (count < static_cast<int64_t>(line.size())) {
    std::nth_element(line.begin(), line.begin() + count, line.end(), comes_before);
    line.resize(static_cast<size_t>(count));
  }
  std::sort(line.begin(), line.end(), comes_before);
}

/// Packs a number of up to 4 bytes and its index into one number. Smaller keys come first.
template <typename N>
uint64_t order_key(N value, int64_t index, bool descending) {
  constexpr uint32_t kSign = 0x80000000;
  uint32_t rises = ~0U;  // grows with the value; NaN has the largest
  if constexpr (std::is_floating_point_v<N>) {
    if (!is_nan(value)) {
      const uint32_t bits = std::bit_cast<uint32_t>(value + 0.0F);  // -0 becomes 0
      rises = bits ^ (bits & kSign ? ~0U : kSign);
    }
  } else {
    rises = static_cast<uint32_t>(static_cast<int32_t>(value)) ^ kSign;
  }
  return uint64_t{descending ? ~rises : rises} << 32 | static_cast<uint32_t>(index);
}
int64_t index_of(uint64_t key) { return static_cast<int64_t>(key & UINT32_MAX); }

/// Sorts a line whose elements are in the order of their positions.
template <typename N>
void sort_line(std::vector<Ranked<N>>& line, bool descending) {
  if constexpr (sizeof(N) <= 4) {
    std::vector<uint64_t> keys(line.size());
    for (size_t i = 0; i < line.size(); ++i) keys[i] = order_key(line[i].value, static_cast<int64_t>(i), descending);
    std::sort(keys.begin(), keys.end());
    std::vector<Ranked<N>> sorted;
    sorted.reserve(line.size());
    for (const uint64_t key : keys) sorted.push_back(line[static_cast<size_t>(index_of(key))]);
    line = std::move(sorted);
  } else {
    std::sort(line.begin(), line.end(), [&](const auto& a, const auto& b) { return comes_first(a, b, descending); });
  }
}

/// Writes the values (unless null) and positions of a line, from `first` on along the dim of both results.
template <typename T>
void write_line(const std::vector<Ranked<Number<T>>>& line, int dim, const kernels::Block* values, int64_t values_first,
                const kernels::Block& positions, int64_t positions_first) {
  for (size_t i = 0; i < line.size(); ++i) {
    if (values)
      values->as<T>()[values_first + static_cast<int64_t>(i) * values->dims[dim].stride] =
          from_number<T>(line[i].value);
    positions.as<int32_t>()[positions_first + static_cast<int64_t>(i) * positions.dims[dim].stride] = line[i].position;
  }
}

// ---- sort and argsort -----------------------------------------------------------------------------------------------

void sort_kernel(graph::KernelCall& call) {
  const int dim = dim_of<SortAttributes>(call.operation);
  const bool descending = call.operation.attributes.get<SortAttributes>().descending;
  call.flops += call.operands[0].size();
  by_element(call.operands[0].element, [&](auto zero) {
    using T = decltype(zero);
    for_each_ranked_line<T, 2>(call, dim, {&call.results[0], &call.results[1]}, [&](auto& line, const Walk<3>& at) {
      sort_line(line, descending);
      write_line<T>(line, dim, &call.results[0], at.offset(1), call.results[1], at.offset(2));
    });
  });
}

void argsort_kernel(graph::KernelCall& call) {
  const int dim = dim_of<SortAttributes>(call.operation);
  const bool descending = call.operation.attributes.get<SortAttributes>().descending;
  call.flops += call.operands[0].size();
  by_element(call.operands[0].element, [&](auto zero) {
    using T = decltype(zero);
    for_each_ranked_line<T, 1>(call, dim, {&call.results[0]}, [&](auto& line, const Walk<2>& at) {
      sort_line(line, descending);
      write_line<T>(line, dim, nullptr, 0, call.results[0], at.offset(1));
    });
  });
}

graph::IterationSpace order_space(const graph::Operation& operation) {
  return ruled_space(operation, graph::SplitKind::kWhole,
                     {operation.operands[0].dims[dim_of<SortAttributes>(operation)]});
}

graph::Values build_sort(Call& call) {
  const graph::Value& x = call.tensor("x");
  const Dim over = dim_over(call, "x");
  if (over.size > INT32_MAX) fail(Kind::size_overflow, call.span, "{} is too large for places in i32", to_string(over));
  return {call.builder.add_node(call.op, {x}, SortAttributes{over.name, call.flag("descending", false)})[0]};
}

// ---- top_k ----------------------------------------------------------------------------------------------------------

/// The types of the values and of their positions, with one dim replaced.
std::vector<TensorType> values_and_positions(const graph::Operation& operation, int dim, const Dim& replacement) {
  TensorType values = operation.operands[0];
  values.dims[dim] = replacement;
  return {values, {ElementType::kI32, values.dims}};
}

std::vector<TensorType> infer_top_k(const graph::Operation& operation) {
  return values_and_positions(operation, dim_of<TopKAttributes>(operation),
                              operation.attributes.get<TopKAttributes>().k);
}

/// Dims correspond by index and are free, except `along`. That dim has the kind `kind`, and another dim replaces it in
/// the results.
graph::IterationSpace top_k_space(const graph::Operation& operation, int along, graph::SplitKind kind) {
  graph::IterationSpace space;
  for (size_t d = 0; d < operation.results[0].dims.size(); ++d) {
    const auto position = static_cast<int8_t>(d);
    graph::IterationDim dim{.operands = std::vector<int8_t>(operation.operands.size(), position),
                            .results = {position, position}};
    if (static_cast<int>(d) == along) {
      dim.kind = kind;
      dim.results = {-1, -1};
    }
    space.dims.push_back(std::move(dim));
  }
  return space;
}

constexpr int64_t kFewOfLine = 64;  // a heap is faster up to one of so many elements

/// The keys of the `count` largest elements of a line, in order, larger ones first. `key_at` returns the key at a
/// position, `before` compares two keys. If `count` is small, the keys are in a heap whose top is the last in order. A
/// later element comes after the top if it is not larger.
template <typename T, typename KeyAt, typename Before, typename PositionOf>
auto keys_of_largest(const T* x, int64_t size, int64_t count, KeyAt key_at, Before before, PositionOf position_of) {
  const bool few = count <= size / kFewOfLine;
  std::vector<std::invoke_result_t<KeyAt, int64_t>> keys;
  keys.reserve(static_cast<size_t>(few ? count : size));
  for (int64_t i = 0; i < (few ? count : size); ++i) keys.push_back(key_at(i));
  if (!few) {
    if (count < size) std::nth_element(keys.begin(), keys.begin() + count, keys.end(), before);
    keys.resize(static_cast<size_t>(count));
    std::sort(keys.begin(), keys.end(), before);
    return keys;
  }
  std::make_heap(keys.begin(), keys.end(), before);
  for (int64_t i = count; i < size; ++i) {
    if (!before(key_at(i), keys.front())) {
      const T& bound = x[position_of(keys.front())];
      if (is_nan(to_number(bound))) break;
      i += kernels::table().position_above(kElementOf<T>, x + i, size - i, &bound);
      if (i == size) break;
    }
    std::pop_heap(keys.begin(), keys.end(), before);
    keys.back() = key_at(i);
    std::push_heap(keys.begin(), keys.end(), before);
  }
  std::sort_heap(keys.begin(), keys.end(), before);
  return keys;
}

/// The `count` largest elements of a line, in order.
template <typename T>
std::vector<Ranked<Number<T>>> largest_of(const T* x, int64_t size, int64_t first_place, int64_t count) {
  using N = Number<T>;
  std::vector<Ranked<N>> best;
  count = std::min(count, size);
  if (count == 0) return best;
  if constexpr (sizeof(N) <= 4) {
    const auto keys = keys_of_largest(
        x, size, count, [&](int64_t i) { return order_key(to_number(x[i]), i, true); }, std::less<uint64_t>(),
        index_of);
    best.reserve(keys.size());
    for (const uint64_t key : keys) best.push_back({to_number(x[index_of(key)]), static_cast<int32_t>(index_of(key))});
  } else {
    best = keys_of_largest(
        x, size, count,
        [&](int64_t i) {
          return Ranked<N>{to_number(x[i]), static_cast<int32_t>(i)};
        },
        [](const Ranked<N>& a, const Ranked<N>& b) { return comes_first(a, b, true); },
        [](const Ranked<N>& key) { return key.position; });
  }
  for (Ranked<N>& each : best) each.position += static_cast<int32_t>(first_place);
  return best;
}

constexpr int32_t kNoCandidate = -1;

/// Writes the `count` largest elements of every line and their positions. Fills the rest of the results with
/// kNoCandidate.
void write_largest(graph::KernelCall& call, int dim, int64_t count) {
  const kernels::Block &x = call.operands[0], &values = call.results[0], &positions = call.results[1];
  const kernels::BlockDim& along = x.dims[dim];
  Walk<3> walk;
  for (size_t d = 0; d < x.dims.size(); ++d)
    if (static_cast<int>(d) != dim)
      walk.add(x.dims[d].size, {x.dims[d].stride, values.dims[d].stride, positions.dims[d].stride});
  by_element(x.element, [&](auto zero) {
    using T = decltype(zero);
    for_each_position(call.threads, walk, along.size * 8, [&](const Walk<3>& at) {
      const T* line = x.as<T>() + at.offset(0);
      std::vector<T> copy;
      if (along.stride != 1) {
        copy.resize(static_cast<size_t>(along.size));
        for (int64_t i = 0; i < along.size; ++i) copy[i] = line[i * along.stride];
        line = copy.data();
      }
      auto best = largest_of(line, along.size, along.first, count);
      best.resize(static_cast<size_t>(values.dims[dim].size), {{}, kNoCandidate});
      write_line<T>(best, dim, &values, at.offset(1), positions, at.offset(2));
    });
  });
}

void top_k_kernel(graph::KernelCall& call) {
  call.flops += call.operands[0].size();
  const int dim = dim_of<TopKAttributes>(call.operation);
  write_largest(call, dim, call.results[0].dims[dim].size);
}

void block_top_k_kernel(graph::KernelCall& call) {
  call.flops += call.operands[0].size();
  const int dim = dim_of<BlockTopKAttributes>(call.operation);
  const int64_t room = call.results[0].dims[dim].size;
  const int64_t count =
      std::min(call.operation.attributes.get<BlockTopKAttributes>().count, call.operands[0].dims[dim].size);
  MTF_CHECK(room >= count, "{} candidates in a block of {}", count, room);
  write_largest(call, dim, count);
}

void merge_top_k_kernel(graph::KernelCall& call) {
  call.flops += call.operands[0].size();
  const kernels::Block& positions = call.operands[1];
  const int dim = dim_of<TopKAttributes>(call.operation);
  const int64_t count = call.results[0].dims[dim].size;
  by_element(call.operands[0].element, [&](auto zero) {
    using T = decltype(zero);
    for_each_ranked_line<T, 3>(
        call, dim, {&call.results[0], &call.results[1], &positions}, [&](auto& line, const Walk<4>& at) {
          for (size_t i = 0; i < line.size(); ++i)
            line[i].position =
                positions.as<int32_t>()[at.offset(3) + static_cast<int64_t>(i) * positions.dims[dim].stride];
          std::erase_if(line, [](const auto& candidate) { return candidate.position == kNoCandidate; });
          MTF_CHECK(static_cast<int64_t>(line.size()) >= count, "{} candidates for {}", line.size(), count);
          keep_first(line, count, true);
          write_line<T>(line, dim, &call.results[0], at.offset(1), call.results[1], at.offset(2));
        });
  });
}

graph::Values expand_top_k(graph::ExpandCall& call) {
  Builder& builder = call.builder;
  const auto& [k, over] = call.operation.attributes.get<TopKAttributes>();
  const Dim candidates{k.name.followed_by(".candidates"), call.blocks * k.size};
  const graph::Values best =
      builder.add_node(kBlockTopK, {call.operands[0]}, BlockTopKAttributes{candidates, k.size, over});
  return builder.add_node(kMergeTopK, best, TopKAttributes{k, candidates.name});
}

graph::Values build_top_k(Call& call) {
  const graph::Value& x = call.tensor("x");
  const Dim over = dim_over(call, "x");
  const Dim& k = call.argument("k").dims[0];
  if (over.size > INT32_MAX) fail(Kind::size_overflow, call.span, "{} is too large for places in i32", to_string(over));
  if (k.size > over.size)
    fail(Kind::bad_value, call.span_of("k"), "expected no more than the {} elements of {}, found {}", over.size,
         to_string(over), to_string(k));
  return call.builder.add_node(call.op, {x}, TopKAttributes{k, over.name});
}

/// Adds the gradient of each taken element at its position.
template <typename T>
graph::Values scatter_back(graph::GradientCall& call) {
  const graph::Value& x = call.operands[0];
  if (!call.d_results[0]) return {{}};
  return {scatter_add(call.builder, call.d_results[0], call.results[1], x.dims()[dim_of<T>(call.operation)], x.dims(),
                      gradient_element(x))};
}

}  // namespace

constexpr graph::Op kSort =
    complete({.name = "sort",
              .signature = "sort(x: tensor, over: dim = the only one, descending: bool = false)",
              .family = "Order",
              .doc = "The elements along a dimension in order, the smallest first (the largest with `descending`). NaN "
                     "counts as larger than "
                     "every number.",
              .example = "dim a = 4\nprint(sort(tensor([3, 1, 4, 1], [a]), over: a))\n#> [1, 1, 3, 4]\n",
              .samples = "x: [a, b] => sort(x, over: b)\n"
                         "x: [a, b] => sort(x, over: a, descending: true)",
              .build = build_sort,
              .attributes = &graph::kFormOf<SortAttributes>,
              .infer = [](const graph::Operation& operation) -> std::vector<TensorType> {
                const TensorType& type = operation.operands[0];
                return {type, {ElementType::kI32, type.dims}};
              },
              .space = order_space,
              .kernel = sort_kernel,
              .work = graph::Work::kPerOperand,
              .gradient = scatter_back<SortAttributes>,
              .saved_results = 1});

constexpr graph::Op kArgsort =
    complete({.name = "argsort",
              .signature = "argsort(x: tensor, over: dim = the only one, descending: bool = false)",
              .family = "Order",
              .doc = "The places (i32) from which `sort` takes its elements; equal elements keep their order.",
              .example = "dim a = 4\nprint(argsort(tensor([3, 1, 4, 1], [a]), over: a))\n#> [1, 3, 0, 2]\n",
              .samples = "x: [a, b] => argsort(x, over: b)\n"
                         "i: i32[a, b] in 0..3 => argsort(i, over: a, descending: true)",
              .build = build_sort,
              .attributes = &graph::kFormOf<SortAttributes>,
              .infer = [](const graph::Operation& operation) -> std::vector<TensorType> {
                return {{ElementType::kI32, operation.operands[0].dims}};
              },
              .space = order_space,
              .kernel = argsort_kernel,
              .work = graph::Work::kPerOperand,
              .no_gradient = "a place does not change smoothly"});

constexpr graph::Op kTopK =
    complete({.name = "top_k",
              .signature = "top_k(x: tensor, k: dim, over: dim = the only one)",
              .family = "Order",
              .doc = "The largest elements along a dimension, the largest first, and their places (i32): `let (values, "
                     "indices) = top_k(x, k, "
                     "over: experts)`. `k` replaces the dimension and says how many. Of equal elements the first wins; "
                     "NaN counts as larger "
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
              .build = build_top_k,
              .attributes = &graph::kFormOf<TopKAttributes>,
              .infer = infer_top_k,
              .space =
                  [](const graph::Operation& operation) {
                    return top_k_space(operation, dim_of<TopKAttributes>(operation), graph::SplitKind::kExpand);
                  },
              .kernel = top_k_kernel,
              .expand = expand_top_k,
              .work = graph::Work::kPerOperand,
              .gradient = scatter_back<TopKAttributes>});

constexpr graph::Op kBlockTopK = complete(
    {.name = "block_top_k",
     .family = "Order",
     .doc = "Of top_k over a split dimension: the best of each block, with their places in the whole; place -1 where a "
            "block has fewer.",
     .attributes = &graph::kFormOf<BlockTopKAttributes>,
     .infer =
         [](const graph::Operation& operation) {
           return values_and_positions(operation, dim_of<BlockTopKAttributes>(operation),
                                       operation.attributes.get<BlockTopKAttributes>().candidates);
         },
     // Each block of the dim makes a block of candidates.
     .space = [](const graph::Operation& operation) { return top_k_space(operation, -1, graph::SplitKind::kFree); },
     .kernel = block_top_k_kernel,
     .work = graph::Work::kPerOperand,
     .no_gradient = "it stands for a part of top_k, after gradients are made"});

constexpr graph::Op kMergeTopK =
    complete({.name = "merge_top_k",
              .family = "Order",
              .doc = "Of top_k over a split dimension: the best of all blocks' candidates, given with their places.",
              .attributes = &graph::kFormOf<TopKAttributes>,
              .infer = infer_top_k,
              .space =
                  [](const graph::Operation& operation) {
                    return top_k_space(operation, dim_of<TopKAttributes>(operation), graph::SplitKind::kWhole);
                  },
              .kernel = merge_top_k_kernel,
              .work = graph::Work::kPerOperand,
              .no_gradient = "it stands for a part of top_k, after gradients are made"});

}  // namespace mtf::ops
