// Operations that look up places along a dim by a tensor of them: gather, and its transpose scatter_add.
#include <algorithm>
#include <memory>

#include "kernels/kernel_table.h"
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

// ---- Ids and rows ---------------------------------------------------------------------------------------------------

/// A dim of the ids, of a row, or of both: how many places, and the strides in the ids (0 where they lack it), in what
/// is read and in what is written.
struct Steps {
  int64_t size, ids, from, to;
  /// `next` goes on where this one ends, everywhere: both are one dim.
  bool is_outside_of(const Steps& next) const {
    return ids == next.ids * next.size && from == next.from * next.size && to == next.to * next.size;
  }
};

/// Dims that are counted through together, the last one fastest.
struct Box {
  std::vector<Steps> dims;
  int64_t count = 1;
  void add(const Steps& dim) {
    count *= dim.size;
    if (dim.size == 1) return;
    if (!dims.empty() && dims.back().is_outside_of(dim))
      dims.back() = {dims.back().size * dim.size, dim.ids, dim.from, dim.to};
    else dims.push_back(dim);
  }
  /// Puts the dims in the order in which the result is written.
  void sort() {
    std::vector<Steps> sorted = std::exchange(dims, {});
    std::stable_sort(sorted.begin(), sorted.end(), [](const Steps& a, const Steps& b) { return a.to > b.to; });
    const int64_t all = count;
    for (const Steps& dim : sorted) add(dim);
    count = all;
  }
  Steps last() const { return dims.empty() ? Steps{1, 0, 0, 0} : dims.back(); }
  /// All dims but the last.
  Walk<3> outer() const {
    Walk<3> walk;
    for (size_t d = 0; d + 1 < dims.size(); ++d) walk.add(dims[d].size, {dims[d].ids, dims[d].from, dims[d].to});
    return walk;
  }
};

/// The dim whose places the ids are, as a block holds it.
struct LookedUp {
  int64_t first, size, stride;
  uint64_t whole;  ///< ids are below it, as unsigned numbers of 32 bits
  bool is_masked;  ///< ids outside the block are in other blocks
  explicit LookedUp(const kernels::BlockDim& dim)
      : first(dim.first),
        size(dim.size),
        stride(dim.stride),
        whole(static_cast<uint64_t>(std::min<int64_t>(dim.whole, int64_t{1} << 31))),
        is_masked(dim.first != 0 || dim.size != dim.whole) {}
  /// Of an id: the place in the block, which may be outside.
  int64_t place(int32_t id) const { return id - first; }
  bool holds(int64_t place) const { return static_cast<uint64_t>(place) < static_cast<uint64_t>(size); }
};

/// Ids that are checked at once, before any of them is looked up.
constexpr int64_t kIdsAtOnce = 256;

bool are_below(uint64_t whole, const int32_t* ids, int64_t stride, int64_t count) {
  uint32_t largest = 0;
  if (stride == 1)
    for (int64_t i = 0; i < count; ++i) largest = std::max(largest, static_cast<uint32_t>(ids[i]));
  else
    for (int64_t i = 0; i < count; ++i) largest = std::max(largest, static_cast<uint32_t>(ids[i * stride]));
  return largest < whole;
}

/// Throws of the first id of the block that is outside, whichever thread has found one.
[[noreturn]] void refuse(const kernels::Block& ids, int64_t whole, const Dim& dim) {
  Walk<1> walk;
  for (const kernels::BlockDim& each : ids.dims) walk.add(each.size, {each.stride});
  for (int64_t n = 0; n < walk.count(); ++n, walk.next()) {
    const int32_t id = ids.as<int32_t>()[walk.offset(0)];
    if (id < 0 || id >= whole)
      throw graph::ElementError{
          fmt::format("expected an index from 0 to {} for {}, found {}", whole - 1, to_string(dim), id)};
  }
  MTF_CHECK(false, "an id outside {} is not in its block", to_string(dim));
}

/// The places of a row, of which each id has one: a number, a run of numbers in memory, or several dims.
struct Row {
  explicit Row(Box box)
      : dims(std::move(box)), last(dims.last()), is_run(last.from == 1 && last.to == 1), outer(dims.outer()) {}
  bool is_number() const { return dims.count == 1; }
  Box dims;
  Steps last;
  bool is_run;    ///< of neighbours in both blocks, along the last dim
  Walk<3> outer;  ///< the other dims; after all of its places it is at the first again
};

// ---- gather ---------------------------------------------------------------------------------------------------------

/// to[i] = from[ids[i]]; `missing` where another block has the id.
template <typename From, typename To>
void gather_numbers(const LookedUp& over, const int32_t* ids, const From* from, To* to, const Steps& steps,
                    int64_t count, To missing) {
  const auto convert = [](From number) {
    if constexpr (std::is_same_v<From, To>) return number;
    else return from_number<To>(to_number(number));
  };
  if (over.is_masked) {
    for (int64_t i = 0; i < count; ++i) {
      const int64_t place = over.place(ids[i * steps.ids]);
      to[i * steps.to] = over.holds(place) ? convert(from[i * steps.from + place * over.stride]) : missing;
    }
  } else if (steps.ids == 1 && steps.from == 0 && steps.to == 1 && over.stride == 1) {
    for (int64_t i = 0; i < count; ++i) to[i] = convert(from[ids[i]]);
  } else {
    for (int64_t i = 0; i < count; ++i)
      to[i * steps.to] = convert(from[i * steps.from + ids[i * steps.ids] * over.stride]);
  }
}

template <typename From, typename To>
void copy_run(const From* __restrict from, int64_t from_stride, To* __restrict to, int64_t to_stride, int64_t count) {
  if constexpr (std::is_same_v<From, To>) {
    if (from_stride == 1 && to_stride == 1 && count >= 16) {
      std::memcpy(to, from, static_cast<size_t>(count) * sizeof(To));
      return;
    }
    for (int64_t i = 0; i < count; ++i) to[i * to_stride] = from[i * from_stride];
  } else {
    kernels::table().convert_elements(kElementOf<From>, from, from_stride, kElementOf<To>, to, to_stride, count);
  }
}

/// Rows so long are transposed in blocks of a cache.
constexpr int64_t kTransposed = 256;

template <typename From, typename To>
void copy_row(Row& row, const From* from, To* to) {
  if constexpr (std::is_same_v<From, To>) {
    if (!row.is_run && row.dims.dims.size() > 1 && row.dims.count >= kTransposed) {
      std::vector<int64_t> sizes, from_strides, to_strides;
      for (const Steps& dim : row.dims.dims) {
        sizes.push_back(dim.size);
        from_strides.push_back(dim.from);
        to_strides.push_back(dim.to);
      }
      kernels::table().copy_block(sizes, sizeof(To), from, from_strides, to, to_strides);
      return;
    }
  }
  for (int64_t n = 0; n < row.outer.count(); ++n, row.outer.next())
    copy_run(from + row.outer.offset(1), row.last.from, to + row.outer.offset(2), row.last.to, row.last.size);
}

template <typename To>
void fill_row(Row& row, To value, To* to) {
  for (int64_t n = 0; n < row.outer.count(); ++n, row.outer.next())
    for (int64_t i = 0; i < row.last.size; ++i) to[row.outer.offset(2) + i * row.last.to] = value;
}

template <typename From, typename To>
void gather_rows(const LookedUp& over, const int32_t* ids, const From* from, To* to, const Steps& steps, int64_t count,
                 Row& row) {
  const To missing = to_element<To>(kNothing);
  // Row after row if rows are written together; else number after number of all rows.
  if (!row.is_run && count > 1 && steps.to < row.last.to) {
    for (int64_t n = 0; n < row.outer.count(); ++n, row.outer.next())
      for (int64_t i = 0; i < row.last.size; ++i)
        gather_numbers(over, ids, from + row.outer.offset(1) + i * row.last.from,
                       to + row.outer.offset(2) + i * row.last.to, steps, count, missing);
    return;
  }
  for (int64_t i = 0; i < count; ++i) {
    const int64_t place = over.place(ids[i * steps.ids]);
    if (over.holds(place)) copy_row(row, from + i * steps.from + place * over.stride, to + i * steps.to);
    else fill_row(row, missing, to + i * steps.to);
  }
}

/// table [batch.., over, row..], ids [batch.., place..] → result [batch.., place.., row..] in any order. Ids outside
/// the table's block leave nothing, those outside the whole table are refused.
void gather_kernel(graph::KernelCall& call) {
  const kernels::Block& table = call.operands[0];
  const kernels::Block& ids = call.operands[1];
  const kernels::Block& to = call.results[0];
  const GatherPlaces places(call.operation);
  const LookedUp over(table.dims[places.over]);
  const Dim& looked_up = call.operation.operands[0].dims[places.over];
  Box each_id, of_row;
  for (size_t d = 0; d < to.dims.size(); ++d) {
    const int t = places.table[d], i = places.ids[d];
    const Steps dim{to.dims[d].size, i < 0 ? 0 : ids.dims[i].stride, t < 0 ? 0 : table.dims[t].stride,
                    to.dims[d].stride};
    (i < 0 ? of_row : each_id).add(dim);
  }
  if (each_id.count == 0) return;
  each_id.sort();
  of_row.sort();
  const Row row(of_row);
  const Steps steps = each_id.last();
  const Walk<3> outer = each_id.outer();
  auto run = [&](auto from_zero, auto to_zero) {
    using From = decltype(from_zero);
    using To = decltype(to_zero);
    const int64_t grain = std::max<int64_t>(1, 16384 / std::max<int64_t>(1, row.dims.count));
    call.threads.parallel_for(each_id.count, grain, [&](int64_t begin, int64_t end) {
      Walk<3> at = outer;
      Row mine = row;
      at.seek(begin / steps.size);
      for (int64_t first = begin % steps.size, count; begin < end; begin += count) {
        count = std::min({kIdsAtOnce, steps.size - first, end - begin});
        const int32_t* some = ids.as<int32_t>() + at.offset(0) + first * steps.ids;
        if (!are_below(over.whole, some, steps.ids, count)) refuse(ids, table.dims[places.over].whole, looked_up);
        const From* from = table.as<From>() + at.offset(1) + first * steps.from;
        To* target = to.as<To>() + at.offset(2) + first * steps.to;
        if (mine.is_number()) gather_numbers(over, some, from, target, steps, count, to_element<To>(kNothing));
        else if (mine.dims.count > 0) gather_rows(over, some, from, target, steps, count, mine);
        first += count;
        if (first < steps.size) continue;
        first = 0;
        at.next();
      }
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

/// to[ids[i]] += from[i], one after the other.
template <typename From, typename Sum>
void add_numbers(const LookedUp& into, const int32_t* ids, const From* from, Sum* to, const Steps& steps,
                 int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    const int64_t place = into.place(ids[i * steps.ids]);
    if (into.is_masked && !into.holds(place)) continue;
    Sum& sum = to[place * into.stride];
    sum = plus(sum, Sum(to_number(from[i * steps.from])));
  }
}

template <typename From, typename Sum>
void add_rows(const LookedUp& into, const int32_t* ids, const From* from, Sum* to, const Steps& steps, int64_t count,
              Row& row) {
  // Row after row if rows are read together; else number after number of all rows.
  if (!row.is_run && count > 1 && steps.from < row.last.from) {
    for (int64_t n = 0; n < row.outer.count(); ++n, row.outer.next())
      for (int64_t i = 0; i < row.last.size; ++i)
        add_numbers(into, ids, from + row.outer.offset(1) + i * row.last.from,
                    to + row.outer.offset(2) + i * row.last.to, steps, count);
    return;
  }
  for (int64_t i = 0; i < count; ++i) {
    const int64_t place = into.place(ids[i * steps.ids]);
    if (!into.holds(place)) continue;
    for (int64_t n = 0; n < row.outer.count(); ++n, row.outer.next())
      kernels::table().add_elements(kElementOf<From>, from + i * steps.from + row.outer.offset(1), row.last.from,
                                    kElementOf<Sum>, to + place * into.stride + row.outer.offset(2), row.last.to,
                                    row.last.size);
  }
}

/// Each place of the result adds up its values in the order of the ids, whatever the threads.
template <typename From, typename Sum>
void scatter(graph::KernelCall& call, Sum* sums) {
  const kernels::Block& values = call.operands[0];
  const kernels::Block& ids = call.operands[1];
  const kernels::Block& to = call.results[0];
  const ScatterPlaces places(call.operation);
  const LookedUp into(to.dims[places.into]);
  const Dim& named = call.operation.results[0].dims[places.into];
  Walk<3> kept;  // ids, values, result
  Box of_row, summed;
  for (size_t d = 0; d < to.dims.size(); ++d) {
    const auto [v, i] = places.kept[d];
    if (i >= 0) kept.add(to.dims[d].size, {ids.dims[i].stride, values.dims[v].stride, to.dims[d].stride});
    else if (v >= 0) of_row.add({to.dims[d].size, 0, values.dims[v].stride, to.dims[d].stride});
  }
  for (const auto& [v, i] : places.summed) summed.add({ids.dims[i].size, ids.dims[i].stride, values.dims[v].stride, 0});
  of_row.sort();
  const Steps steps = summed.last();
  const Walk<3> outer = summed.outer();
  auto add_all = [&](const Walk<3>& at, int64_t first_in_row, Row& row) {
    Walk<3> each = outer;
    for (int64_t n = 0; summed.count > 0 && n < each.count(); ++n, each.next()) {
      for (int64_t first = 0, count; first < steps.size; first += count) {
        count = std::min(kIdsAtOnce, steps.size - first);
        const int32_t* some = ids.as<int32_t>() + at.offset(0) + each.offset(0) + first * steps.ids;
        if (!are_below(into.whole, some, steps.ids, count)) refuse(ids, to.dims[places.into].whole, named);
        const Steps& divided = row.dims.dims.empty() ? row.last : row.dims.dims.front();
        const From* from =
            values.as<From>() + at.offset(1) + each.offset(1) + first * steps.from + first_in_row * divided.from;
        Sum* target = sums + at.offset(2) + first_in_row * divided.to;
        if (row.is_number()) add_numbers(into, some, from, target, steps, count);
        else if (row.dims.count > 0) add_rows(into, some, from, target, steps, count, row);
      }
    }
  };
  if (kept.count() >= call.threads.size() || of_row.dims.empty()) {
    const int64_t cost = std::max<int64_t>(1, summed.count * of_row.count);
    call.threads.parallel_for(kept.count(), std::max<int64_t>(1, 16384 / cost), [&](int64_t begin, int64_t end) {
      Walk<3> at = kept;
      Row row(of_row);
      at.seek(begin);
      for (int64_t n = begin; n < end; ++n, at.next()) add_all(at, 0, row);
    });
    return;
  }
  // Threads divide the first dim of the rows.
  const int64_t length = of_row.dims[0].size;
  const int64_t cost = std::max<int64_t>(1, kept.count() * summed.count * of_row.count / length);
  call.threads.parallel_for(length, std::max<int64_t>(16, 16384 / cost), [&](int64_t begin, int64_t end) {
    Box part = of_row;
    part.dims[0].size = end - begin;
    part.count = of_row.count / length * (end - begin);
    Row row(part);
    Walk<3> at = kept;
    for (int64_t n = 0; n < at.count(); ++n, at.next()) add_all(at, begin, row);
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
