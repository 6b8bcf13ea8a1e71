// Operations that look up places along a dim by a tensor of them: gather, and its transpose scatter_add.
#include <algorithm>
#include <memory>

#include "kernels/copy.h"
#include "ops/blocks.h"
#include "ops/index.h"
#include "ops/record.h"
#include "ops/shape.h"

namespace mtf::ops {
namespace {

struct GatherAttributes {
  Name over;
  ElementType element;
  static constexpr auto members() {
    return std::array{graph::member<&GatherAttributes::over>("over"),
                      graph::member<&GatherAttributes::element>("element")};
  }
};

/// The result has the dim `into`, those of the values that the ids lack, and those of both that are not summed.
struct ScatterAttributes {
  Name into;
  TensorType result;
  static constexpr auto members() {
    return std::array{graph::member<&ScatterAttributes::into>("into"), graph::member<&ScatterAttributes::result>("->")};
  }
};

Dims gather_dims(const Dims& table, const Dims& ids, Name over) {
  Dims dims = ids;
  for (const Dim& dim : table)
    if (dim.name != over && !has_dim(ids, dim.name)) dims.push_back(dim);
  return dims;
}

/// Where the dims of a gather's result are in its table and in its ids, or -1: a dim of the ids that is called as the
/// one that is looked up is not that one.
struct GatherPlaces {
  explicit GatherPlaces(const graph::Operation& operation)
      : over(dim_of<GatherAttributes>(operation)),
        table(places_in(operation.results[0].dims, operation.operands[0].dims)),
        ids(places_in(operation.results[0].dims, operation.operands[1].dims)) {
    std::replace(table.begin(), table.end(), over, -1);
  }
  int over;
  std::vector<int> table, ids;  ///< for each dim of the result
};

graph::IterationSpace gather_space(const graph::Operation& operation) {
  graph::IterationSpace space;
  const GatherPlaces places(operation);
  space.dims.push_back({.kind = graph::SplitKind::kReduce,
                        .reduce = joined(operation.operands[0].element),
                        .rounds_parts = true,
                        .operands = {narrow(places.over), -1},
                        .results = {-1}});
  for (size_t d = 0; d < operation.results[0].dims.size(); ++d)
    space.dims.push_back({.operands = {narrow(places.table[d]), narrow(places.ids[d])}, .results = {narrow(d)}});
  return space;
}

int64_t checked_id(int32_t id, int64_t whole, const Dim& dim) {
  if (id < 0 || id >= whole)
    throw graph::ElementError{
        fmt::format("expected an index from 0 to {} for {}, found {}", whole - 1, to_string(dim), id)};
  return id;
}

/// The dims of a row, which all ids share: neighbours that are one run in both blocks are one dim.
struct Row {
  std::vector<int64_t> sizes, from, to;
  int64_t count = 1;
  void add(int64_t size, int64_t from_stride, int64_t to_stride) {
    count *= size;
    if (size == 1) return;
    if (!sizes.empty() && from.back() == from_stride * size && to.back() == to_stride * size) {
      sizes.back() *= size;
      from.back() = from_stride;
      to.back() = to_stride;
    } else if (!sizes.empty() && from_stride == from.back() * sizes.back() && to_stride == to.back() * sizes.back()) {
      sizes.back() *= size;
    } else {
      sizes.push_back(size);
      from.push_back(from_stride);
      to.push_back(to_stride);
    }
  }
};

template <typename From, typename To>
void copy_row(const Row& row, const From* from, To* to) {
  if (row.sizes.size() <= 1) {
    const int64_t n = row.count, from_stride = row.sizes.empty() ? 0 : row.from[0],
                  to_stride = row.sizes.empty() ? 0 : row.to[0];
    for (int64_t i = 0; i < n; ++i) to[i * to_stride] = from_number<To>(to_number(from[i * from_stride]));
    return;
  }
  if constexpr (std::is_same_v<From, To>) {
    kernels::copy_block(row.sizes, sizeof(To), from, row.from, to, row.to);
  } else {
    Walk<2> walk;
    for (size_t d = 0; d < row.sizes.size(); ++d) walk.add(row.sizes[d], {row.from[d], row.to[d]});
    for (int64_t place = 0; place < walk.count(); ++place, walk.next())
      to[walk.offset(1)] = from_number<To>(to_number(from[walk.offset(0)]));
  }
}

/// table [batch.., over, row..], ids [batch.., place..] → result [batch.., place.., row..] in any order. Ids outside
/// the table's block leave nothing, those outside the whole table are refused.
void gather_kernel(graph::KernelCall& call) {
  const kernels::Block& table = call.operands[0];
  const kernels::Block& ids = call.operands[1];
  const kernels::Block& to = call.results[0];
  const GatherPlaces places(call.operation);
  const kernels::BlockDim& over = table.dims[places.over];
  const Dim& looked_up = call.operation.operands[0].dims[places.over];
  Walk<3> walk;  // ids, table, result
  Row row;
  for (size_t d = 0; d < to.dims.size(); ++d) {
    const int t = places.table[d], i = places.ids[d];
    if (i < 0) row.add(to.dims[d].size, table.dims[t].stride, to.dims[d].stride);
    else walk.add(to.dims[d].size, {ids.dims[i].stride, t < 0 ? 0 : table.dims[t].stride, to.dims[d].stride});
  }
  auto run = [&](auto from_zero, auto to_zero) {
    using From = decltype(from_zero);
    using To = decltype(to_zero);
    Row nothing = row;
    nothing.from.assign(nothing.sizes.size(), 0);
    const From zero = to_element<From>(kNothing);
    for_each_place(call.threads, walk, row.count, [&](const Walk<3>& at) {
      const int64_t place = checked_id(ids.as<int32_t>()[at.offset(0)], over.whole, looked_up) - over.first;
      if (row.count == 0) return;
      To* target = to.as<To>() + at.offset(2);
      if (place < 0 || place >= over.size) copy_row(nothing, &zero, target);
      else copy_row(row, table.as<From>() + at.offset(1) + place * over.stride, target);
    });
  };
  if (table.element == to.element) by_element(table.element, [&](auto zero) { run(zero, zero); });
  else if (table.element == ElementType::kBf16) run(Bf16{}, float{});
  else run(float{}, Bf16{});
}

graph::Values build_gather(Call& call) {
  const graph::Value& table = call.tensor("table");
  const graph::Value& ids = call.tensor("ids");
  check_element(call, "ids", ElementType::kI32, "cast the ids: cast(x, i32)");
  check_sizes(call, {table, ids});
  return {gather(call.builder, table, ids, dim_over(call, "table"), used_element(call.builder, table.element()))};
}

// ---- scatter_add ----------------------------------------------------------------------------------------------------

/// Where dims are in the values and in the ids, or -1.
struct ScatterPlaces {
  explicit ScatterPlaces(const graph::Operation& operation) {
    const auto& [name, result] = operation.attributes.get<ScatterAttributes>();
    const Dims &values = operation.operands[0].dims, &ids = operation.operands[1].dims;
    into = find_dim(result.dims, name);
    for (const Dim& dim : result.dims)
      kept.push_back(dim.name == name ? Pair{-1, -1} : Pair{find_dim(values, dim.name), find_dim(ids, dim.name)});
    for (size_t i = 0; i < ids.size(); ++i)
      if (ids[i].name == name || !has_dim(result.dims, ids[i].name))
        summed.push_back({find_dim(values, ids[i].name), static_cast<int>(i)});
  }
  struct Pair {
    int values, ids;
  };
  int into;                ///< in the result
  std::vector<Pair> kept;  ///< for each dim of the result
  std::vector<Pair> summed;
};

graph::IterationSpace scatter_space(const graph::Operation& operation) {
  graph::IterationSpace space;
  const ScatterPlaces places(operation);
  for (size_t d = 0; d < places.kept.size(); ++d)
    space.dims.push_back(
        {.operands = {narrow(places.kept[d].values), narrow(places.kept[d].ids)}, .results = {narrow(d)}});
  for (const auto& [values, ids] : places.summed)
    space.dims.push_back(
        {.kind = graph::SplitKind::kReduce, .operands = {narrow(values), narrow(ids)}, .results = {-1}});
  return space;
}

template <typename From, typename Sum>
void add_row(const Row& row, int64_t begin, int64_t end, const From* from, Sum* to) {
  if (row.sizes.empty()) {
    to[0] = plus(to[0], Sum(to_number(from[0])));
    return;
  }
  // The first dim is the one that threads divide.
  Walk<2> walk;
  for (size_t d = 1; d < row.sizes.size(); ++d) walk.add(row.sizes[d], {row.from[d], row.to[d]});
  for (int64_t place = 0; place < walk.count(); ++place, walk.next())
    for (int64_t i = begin; i < end; ++i) {
      Sum& sum = to[walk.offset(1) + i * row.to[0]];
      sum = plus(sum, Sum(to_number(from[walk.offset(0) + i * row.from[0]])));
    }
}

/// Each place of the result adds up its values in the order of the ids, whatever the threads.
template <typename From, typename Sum>
void scatter(graph::KernelCall& call, Sum* sums) {
  const kernels::Block& values = call.operands[0];
  const kernels::Block& ids = call.operands[1];
  const kernels::Block& to = call.results[0];
  const ScatterPlaces places(call.operation);
  const kernels::BlockDim& into = to.dims[places.into];
  const Dim& named = call.operation.results[0].dims[places.into];
  Walk<3> kept, summed;  // ids, values, result
  Row row;
  for (size_t d = 0; d < to.dims.size(); ++d) {
    const auto [v, i] = places.kept[d];
    if (i >= 0) kept.add(to.dims[d].size, {ids.dims[i].stride, values.dims[v].stride, to.dims[d].stride});
    else if (v >= 0) row.add(to.dims[d].size, values.dims[v].stride, to.dims[d].stride);
  }
  for (const auto& [v, i] : places.summed) summed.add(ids.dims[i].size, {ids.dims[i].stride, values.dims[v].stride, 0});
  auto add_all = [&](const Walk<3>& at, int64_t begin, int64_t end) {
    Walk<3> each = summed;
    for (int64_t n = 0; n < each.count(); ++n, each.next()) {
      const int32_t id = ids.as<int32_t>()[at.offset(0) + each.offset(0)];
      const int64_t place = checked_id(id, into.whole, named) - into.first;
      if (place < 0 || place >= into.size || row.count == 0) continue;
      add_row(row, begin, end, values.as<From>() + at.offset(1) + each.offset(1),
              sums + at.offset(2) + place * into.stride);
    }
  };
  const int64_t length = row.sizes.empty() ? 1 : row.sizes[0];
  if (kept.count() >= call.threads.size() || row.sizes.empty()) {
    for_each_place(call.threads, kept, summed.count() * row.count, [&](const Walk<3>& at) { add_all(at, 0, length); });
    return;
  }
  const int64_t cost = std::max<int64_t>(1, kept.count() * summed.count() * row.count / length);
  call.threads.parallel_for(length, std::max<int64_t>(16, 16384 / cost), [&](int64_t begin, int64_t end) {
    Walk<3> at = kept;
    for (int64_t n = 0; n < at.count(); ++n, at.next()) add_all(at, begin, end);
  });
}

void scatter_kernel(graph::KernelCall& call) {
  const kernels::Block& values = call.operands[0];
  const kernels::Block& to = call.results[0];
  call.flops += values.size();
  by_element(values.element, [&](auto zero) {
    using From = decltype(zero);
    using Sum = Number<From>;
    // Sums of bf16 are rounded once, at the end; a partial result stays f32.
    const bool direct = size_of(to.element) == static_cast<int64_t>(sizeof(Sum));
    if (direct) {
      fill(to, 0);
      if (to.size() != 0) scatter<From>(call, to.as<Sum>());
      return;
    }
    std::vector<Sum> sums(static_cast<size_t>(to.size()));
    if (to.size() != 0) scatter<From>(call, sums.data());
    by_element(to.element, [&](auto to_zero) {
      using To = decltype(to_zero);
      if constexpr (std::is_same_v<Number<To>, Sum>)
        for (size_t i = 0; i < sums.size(); ++i) to.as<To>()[i] = from_number<To>(sums[i]);
    });
  });
}

graph::Values build_scatter(Call& call) {
  const graph::Value& values = call.tensor("values");
  const graph::Value& ids = call.tensor("ids");
  check_element(call, "ids", ElementType::kI32, "cast the ids: cast(x, i32)");
  check_sizes(call, {values, ids});
  const Dim& into = call.argument("into").dims[0];
  for (const Dim& dim : ids.dims())
    if (!has_dim(values.dims(), dim.name))
      fail(Diagnostic(Kind::shape_mismatch, call.span_of("values"),
                      fmt::format("expected a value for each id of {}, found {}, which lacks `{}`", describe(ids),
                                  describe(values), dim.name.text()))
               .help("repeat the values: broadcast(x -> […])"));
  Dims dims = {into};
  for (const Dim& dim : remaining(values.dims(), ids.dims())) dims.push_back(dim);
  if (call.arrow) {
    const Span span = call.arrow_span.is_known() ? call.arrow_span : call.span;
    for (const Dim& dim : dims)
      if (!has_dim(*call.arrow, dim.name))
        fail(Kind::shape_mismatch, span, "expected {} and dimensions of the ids, found {}", to_string(dims),
             to_string(*call.arrow));
    for (const Dim& dim : *call.arrow)
      if (!has_dim(dims, dim.name) && !has_dim(ids.dims(), dim.name))
        fail(Kind::dim_not_in_operands, span, "neither {} nor {} has `{}`", describe(values), describe(ids),
             dim.name.text());
    dims = *call.arrow;
  }
  const graph::Value numbers = call.builder.cast(values, number_element(values.element()));
  return {scatter_add(call.builder, numbers, ids, into, dims, numbers.element())};
}

}  // namespace

graph::Value gather(Builder& builder, const graph::Value& table, const graph::Value& ids, const Dim& over,
                    ElementType element) {
  return builder.add(kGather, {table, ids}, GatherAttributes{over.name, element});
}

graph::Value scatter_add(Builder& builder, const graph::Value& values, const graph::Value& ids, const Dim& into,
                         const Dims& dims, ElementType element) {
  ScatterAttributes attributes{into.name, {element, dims}};
  attributes.result.dims[find_dim(dims, into.name)] = into;
  return builder.add(kScatterAdd, {values, ids}, std::move(attributes));
}

constexpr graph::Op kGather = complete(
    {.name = "gather",
     .signature = "gather(table: tensor, ids: tensor, over: dim)",
     .family = "Indices",
     .doc = "Looks up `ids` (i32) along one dimension of the table. The result has the dimensions of the ids, then the "
            "table's "
            "others; dimensions that both have run together. An id outside the table ends the run with an error.",
     .example = "dim vocab = 3, d = 2, batch = 2\n"
                "let table = tensor([[1, 2], [3, 4], [5, 6]], [vocab, d])\n"
                "print(gather(table, tensor([2, 0], [batch], i32), over: vocab))\n"
                "#> [[5, 6], [1, 2]]\n",
     .samples = "x: [b, c], i: i32[a] in 0..2 => gather(x, i, over: b)\n"
                "x: [a, b], i: i32[a] in 0..2 => gather(x, i, over: b)\n"
                "x: [a, b, c], i: i32[c, a] in 0..2 => gather(x, i, over: b)\n"
                "x: [a, b], i: i32[a, b] in 0..2 => gather(x, i, over: b)",
     .build = build_gather,
     .attributes = &graph::kFormOf<GatherAttributes>,
     .infer = [](const graph::Operation& operation) -> std::vector<TensorType> {
       const auto& [over, element] = operation.attributes.get<GatherAttributes>();
       return {{element, gather_dims(operation.operands[0].dims, operation.operands[1].dims, over)}};
     },
     .space = gather_space,
     .kernel = gather_kernel,
     .gradient = [](graph::GradientCall& call) -> graph::Values {
       const graph::Value& table = call.operands[0];
       const Dim& over = table.dims()[dim_of<GatherAttributes>(call.operation)];
       return {
           scatter_add(call.builder, call.d_results[0], call.operands[1], over, table.dims(), gradient_element(table)),
           {}};
     }});

constexpr graph::Op kScatterAdd = complete(
    {.name = "scatter_add",
     .signature = "scatter_add(values: tensor, ids: tensor, into: dim -> shape?)",
     .family = "Indices",
     .doc = "Adds each value to the place that its id (i32) says along `into`: the transpose of gather. The dimensions "
            "of the ids "
            "are summed, except those that `-> shape` keeps; the result has `into`, then the values' other dimensions. "
            "Places that no id names are 0. An id outside `into` ends the run with an error.",
     .example = "dim vocab = 3, batch = 4\n"
                "let ids = tensor([2, 0, 2, 2], [batch], i32)\n"
                "print(scatter_add(tensor([1, 2, 3, 4], [batch]), ids, into: vocab))\n"
                "#> [2, 0, 8]\n",
     .samples = "dim vocab = 5; x: [a, b], i: i32[a] in 0..5 => scatter_add(x, i, into: vocab)\n"
                "dim vocab = 5; x: [a, b], i: i32[b, a] in 0..5 => scatter_add(x, i, into: vocab -> [a, vocab])\n"
                "x: [a, b], i: i32[b] in 0..2 => scatter_add(x, i, into: b)",
     .build = build_scatter,
     .attributes = &graph::kFormOf<ScatterAttributes>,
     .infer = [](const graph::Operation& operation) -> std::vector<TensorType> {
       return {operation.attributes.get<ScatterAttributes>().result};
     },
     .space = scatter_space,
     .kernel = scatter_kernel,
     .work = graph::Work::kPerOperand,
     .gradient = [](graph::GradientCall& call) -> graph::Values {
       const auto& [into, result] = call.operation.attributes.get<ScatterAttributes>();
       return {gather(call.builder, call.d_results[0], call.operands[1], result.dims[find_dim(result.dims, into)],
                      gradient_element(call.operands[0])),
               {}};
     }});

}  // namespace mtf::ops
