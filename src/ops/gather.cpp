// Operations that look up positions of a dim by a tensor of ids: gather, its transpose scatter_add, and scatters that
// multiply, take an extreme or set.
//
// scatter_add rounds each sum once or a few times. Long rows are first ordered by their position, by counting. Then
// each position sums its rows in f64. If the result is small, rows are added in memory order, some of them in f32
// before they are added to f64. Single numbers are summed in an array of f64. If the result is large and most
// positions get few numbers, the first few numbers of a position are summed in f32.
#include <algorithm>
#include <memory>
#include <optional>

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

/// The result has the dim `into`, the dims that the values have and the ids lack, and the shared dims that are not
/// summed.
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

/// For each dim of a gather's result, its index in the table and in the ids, or -1. The result may have a dim with the
/// name of the looked-up dim; it comes from the ids.
struct GatherPositions {
  explicit GatherPositions(const graph::Operation& operation)
      : over(dim_of<GatherAttributes>(operation)),
        table(positions_in(operation.results[0].dims, operation.operands[0].dims)),
        ids(positions_in(operation.results[0].dims, operation.operands[1].dims)) {
    std::replace(table.begin(), table.end(), over, -1);
  }
  int over;
  std::vector<int> table, ids;  ///< for each dim of the result
};

graph::IterationSpace gather_space(const graph::Operation& operation) {
  graph::IterationSpace space;
  const GatherPositions positions(operation);
  space.dims.push_back({.kind = graph::SplitKind::kReduce,
                        .reduce = joined(operation.operands[0].element),
                        .rounds_parts = true,
                        .operands = {narrow(positions.over), -1},
                        .results = {-1}});
  for (size_t d = 0; d < operation.results[0].dims.size(); ++d)
    space.dims.push_back({.operands = {narrow(positions.table[d]), narrow(positions.ids[d])}, .results = {narrow(d)}});
  return space;
}

// ---- Ids and rows ---------------------------------------------------------------------------------------------------

/// A dim of the ids, of a row, or of both: its size, and its strides in the ids (0 if they lack it), in the source and
/// in the result.
struct Steps {
  int64_t size, ids, from, to;
  /// True if `next` continues this dim in all arrays, so that both can be joined.
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
  /// Sorts the dims by their stride in the result.
  void sort() {
    std::vector<Steps> sorted = std::exchange(dims, {});
    std::stable_sort(sorted.begin(), sorted.end(), [](const Steps& a, const Steps& b) { return a.to > b.to; });
    const int64_t all = count;
    for (const Steps& dim : sorted) add(dim);
    count = all;
  }
  Steps last() const { return dims.empty() ? Steps{1, 0, 0, 0} : dims.back(); }
  /// All dims except the last.
  Walk<3> outer() const {
    Walk<3> walk;
    for (size_t d = 0; d + 1 < dims.size(); ++d) walk.add(dims[d].size, {dims[d].ids, dims[d].from, dims[d].to});
    return walk;
  }
};

/// The part that a block holds of the dim that ids look up.
struct LookedUp {
  int64_t first, size, stride;
  uint64_t whole;  ///< valid ids are smaller, as unsigned 32-bit numbers
  bool is_masked;  ///< valid ids outside the block are in other blocks
  explicit LookedUp(const kernels::BlockDim& dim)
      : first(dim.first),
        size(dim.size),
        stride(dim.stride),
        whole(static_cast<uint64_t>(std::min<int64_t>(dim.whole, int64_t{1} << 31))),
        is_masked(dim.first != 0 || dim.size != dim.whole) {}
  /// True if the id is valid.
  bool has(int32_t id) const { return static_cast<uint32_t>(id) < whole; }
  /// The position of an id in the block, which may be outside.
  int64_t position(int32_t id) const { return id - first; }
  bool holds(int64_t position) const { return static_cast<uint64_t>(position) < static_cast<uint64_t>(size); }
};

/// The number of ids that are checked together, before the first of them is looked up.
constexpr int64_t kIdsAtOnce = 256;

/// Throws an error about the first invalid id of the block, so that the message does not depend on threads.
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

/// The positions of a row, of which each id has one: a number, a run of neighbours in memory, or several dims.
struct Row {
  explicit Row(Box box)
      : dims(std::move(box)), last(dims.last()), is_run(last.from == 1 && last.to == 1), outer(dims.outer()) {}
  bool is_number() const { return dims.count == 1; }
  Box dims;
  Steps last;
  bool is_run;    ///< the last dim is a run of neighbours in both blocks
  Walk<3> outer;  ///< the other dims; returns to the first position after the last
};

// ---- gather ---------------------------------------------------------------------------------------------------------

/// to[i] = from[ids[i]], or `missing` if another block holds the id.
template <typename From, typename To>
void gather_numbers(const LookedUp& over, const int32_t* ids, const From* from, To* to, const Steps& steps,
                    int64_t count, To missing) {
  const auto convert = [](From number) {
    if constexpr (std::is_same_v<From, To>) return number;
    else return from_number<To>(to_number(number));
  };
  if (over.is_masked) {
    for (int64_t i = 0; i < count; ++i) {
      const int64_t position = over.position(ids[i * steps.ids]);
      to[i * steps.to] = over.holds(position) ? convert(from[i * steps.from + position * over.stride]) : missing;
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

/// Rows of this length or more are transposed in blocks that fit a cache.
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
  // If rows are contiguous in the result, goes row by row. Otherwise goes number by number through all rows.
  if (!row.is_run && count > 1 && steps.to < row.last.to) {
    for (int64_t n = 0; n < row.outer.count(); ++n, row.outer.next())
      for (int64_t i = 0; i < row.last.size; ++i)
        gather_numbers(over, ids, from + row.outer.offset(1) + i * row.last.from,
                       to + row.outer.offset(2) + i * row.last.to, steps, count, missing);
    return;
  }
  for (int64_t i = 0; i < count; ++i) {
    const int64_t position = over.position(ids[i * steps.ids]);
    if (over.holds(position)) copy_row(row, from + i * steps.from + position * over.stride, to + i * steps.to);
    else fill_row(row, missing, to + i * steps.to);
  }
}

/// table [batch.., over, row..], ids [batch.., position..] → result [batch.., position.., row..] in any storage order.
/// An id outside the table's block contributes nothing. An id outside the gathered table is an error.
void gather_kernel(graph::KernelCall& call) {
  const kernels::Block& table = call.operands[0];
  const kernels::Block& ids = call.operands[1];
  const kernels::Block& to = call.results[0];
  const GatherPositions positions(call.operation);
  const LookedUp over(table.dims[positions.over]);
  const Dim& looked_up = call.operation.operands[0].dims[positions.over];
  Box each_id, of_row;
  for (size_t d = 0; d < to.dims.size(); ++d) {
    const int t = positions.table[d], i = positions.ids[d];
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
        if (!kernels::table().ids_below(over.whole, some, steps.ids, count))
          refuse(ids, table.dims[positions.over].whole, looked_up);
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

/// The indices of dims in the values and in the ids, or -1.
struct ScatterPositions {
  explicit ScatterPositions(const graph::Operation& operation) {
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
  const ScatterPositions positions(operation);
  for (size_t d = 0; d < positions.kept.size(); ++d)
    space.dims.push_back(
        {.operands = {narrow(positions.kept[d].values), narrow(positions.kept[d].ids)}, .results = {narrow(d)}});
  for (const auto& [values, ids] : positions.summed)
    space.dims.push_back(
        {.kind = graph::SplitKind::kReduce, .operands = {narrow(values), narrow(ids)}, .results = {-1}});
  return space;
}

/// Sums numbers by position, with a few roundings at most. Integers are summed in f64, which holds their sums exactly.
template <typename From, typename To>
class PositionSums {
 public:
  /// `count` is the number of added numbers.
  PositionSums(const LookedUp& into, int64_t count) : into_(into) {
    if (std::is_same_v<To, double> || count <= kFew) way_ = Way::kDirect;
    else way_ = into.size <= std::max(kInCache, count / 2) ? Way::kWide : Way::kByNumber;
    if (way_ == Way::kByNumber) {
      numbers_.resize(into.size);
      page_of_.assign(into.size / kPage + 1, -1);
    }
  }

  /// Starts the sums of the line `to`.
  void begin(To* to) {
    to_ = to;
    if (way_ != Way::kWide) fill();
    else sums_.assign(into_.size, 0);
  }
  /// Adds from[i] at ids[i]. All ids are valid.
  void add(const int32_t* ids, const From* from, const Steps& steps, int64_t count) {
    const auto each = [&](auto add_at) {
      if (into_.is_masked) {
        for (int64_t i = 0; i < count; ++i)
          if (const int64_t position = into_.position(ids[i * steps.ids]); into_.holds(position))
            add_at(position, to_number(from[i * steps.from]), int64_t{-1});
      } else {
        for (int64_t i = 0; i < count; ++i)
          add_at(ids[i * steps.ids], to_number(from[i * steps.from]),
                 i + kAhead < count ? ids[(i + kAhead) * steps.ids] : int64_t{-1});
      }
    };
    if (way_ == Way::kWide && into_.size <= kInCache) {
      each([sums = sums_.data()](int64_t position, auto number, int64_t /*next*/) {
        sums[position] += static_cast<double>(number);
      });
    } else if (way_ == Way::kWide) {
      double* const sums = sums_.data();
      each([&](int64_t position, auto number, int64_t next) {
        if (next >= 0) __builtin_prefetch(&sums[next], 1);
        sums[position] += static_cast<double>(number);
      });
    } else if (way_ == Way::kDirect) {
      each([&](int64_t position, auto number, int64_t next) {
        if (next >= 0) __builtin_prefetch(&to_[next * into_.stride], 1);
        To& sum = to_[position * into_.stride];
        sum = from_number<To>(to_number(sum) + static_cast<Number<To>>(number));
      });
    } else {
      // Local copies, because a written byte may alias any member of this object.
      each([this, to = to_, stride = into_.stride, numbers = numbers_.data()](int64_t position, auto number,
                                                                              int64_t next) {
        if (next >= 0) {
          __builtin_prefetch(&numbers[next], 1);
          __builtin_prefetch(&to[next * stride], 1);
        }
        To& sum = to[position * stride];
        const uint8_t before = numbers[position];
        if (before < kFew) {
          numbers[position] = before + 1;
          sum = from_number<To>(to_number(sum) + static_cast<Number<To>>(number));
        } else {
          add_further(position, static_cast<double>(number));
        }
      });
    }
  }
  void end() {
    if (way_ == Way::kWide) return write(sums_.data(), 0, into_.size);
    for (size_t p = 0; p < pages_.size(); ++p) {
      page_of_[pages_[p]] = -1;
      for (int64_t k = 0; k < kPage; ++k)
        if (const int64_t position = pages_[p] * kPage + k; position < into_.size && numbers_[position] > kFew)
          write(&sums_[p * kPage + k], position, 1);
    }
    if (way_ == Way::kByNumber) std::fill(numbers_.begin(), numbers_.end(), 0);
    pages_.clear();
    sums_.clear();
  }

 private:
  /// kDirect: sums in the result. kWide: sums in f64 for all positions. kByNumber: the first few numbers of a position
  /// are summed in the result, the following ones in f64.
  enum class Way : uint8_t { kDirect, kWide, kByNumber };
  /// The number of terms that are summed in f32. Sums in bf16 would be rounded at each term, so for bf16 it is 0.
  static constexpr int64_t kFew = sizeof(To) < sizeof(float) ? 0 : 8;
  /// The number of f64 sums that fit into a cache.
  static constexpr int64_t kInCache = 16384;
  static constexpr int64_t kPage = 16, kAhead = 16;

  void fill() {
    if (into_.stride == 1) std::fill_n(to_, into_.size, To{});
    else
      for (int64_t k = 0; k < into_.size; ++k) to_[k * into_.stride] = To{};
  }
  /// Adds a number to a position that already has kFew numbers.
  [[gnu::noinline]] void add_further(int64_t position, double number) {
    double& sum = wide(position);
    if (numbers_[position] == kFew) {
      numbers_[position] = kFew + 1;
      sum = static_cast<double>(to_number(to_[position * into_.stride]));
    }
    sum += number;
  }
  double& wide(int64_t position) {
    int32_t& page = page_of_[position / kPage];
    if (page < 0) {
      page = static_cast<int32_t>(pages_.size());
      pages_.push_back(position / kPage);
      sums_.resize(sums_.size() + kPage);
    }
    return sums_[page * kPage + position % kPage];
  }
  void write(const double* sums, int64_t first, int64_t count) {
    const auto element = [&](int64_t k) { return from_number<To>(static_cast<Number<To>>(sums[k])); };
    To* const to = to_ + first * into_.stride;
    if (into_.stride == 1)
      for (int64_t k = 0; k < count; ++k) to[k] = element(k);
    else
      for (int64_t k = 0; k < count; ++k) to[k * into_.stride] = element(k);
  }

  const LookedUp& into_;
  Way way_ = Way::kDirect;
  To* to_ = nullptr;
  std::vector<double> sums_;
  std::vector<uint8_t> numbers_;  ///< the number of terms of each position, up to kFew + 1
  std::vector<int32_t> page_of_;  ///< for each kPage positions, the index of the page of their sums; -1: none
  std::vector<int64_t> pages_;    ///< the pages, with kPage positions each
};

/// The lines of values that are summed at each position, ordered by position, then by the order of the ids.
struct LinesByPosition {
  std::vector<int64_t> lines;  ///< their starts, in elements
  std::vector<int64_t> ends;   ///< for each position: the end of its lines
};

/// scatter_add on one processor's blocks. Each position of the result sums its values in the order of the ids, for any
/// number of threads.
template <typename From, typename To>
class Scatter {
 public:
  explicit Scatter(graph::KernelCall& call)
      : call_(call),
        positions_(call.operation),
        values_(call.operands[0]),
        ids_(call.operands[1]),
        to_(call.results[0]),
        into_(to_.dims[positions_.into]) {
    for (size_t d = 0; d < to_.dims.size(); ++d) {
      const auto [v, i] = positions_.kept[d];
      if (i >= 0) kept_.add(to_.dims[d].size, {ids_.dims[i].stride, values_.dims[v].stride, to_.dims[d].stride});
      else if (v >= 0) of_row_.add({to_.dims[d].size, 0, values_.dims[v].stride, to_.dims[d].stride});
    }
    for (const auto& [v, i] : positions_.summed)
      summed_.add({ids_.dims[i].size, ids_.dims[i].stride, values_.dims[v].stride, 0});
    of_row_.sort();
  }

  void run() {
    const Steps line = of_row_.last();
    const bool by_lines = line.from == 1 && line.size >= kShortestLine;
    const int64_t cost = std::max<int64_t>(1, (summed_.count + into_.size) * of_row_.count);
    by_rows_ = by_lines && sizeof(From) <= sizeof(float) && is_float(kElementOf<From>) &&
               of_row_.count * into_.size <= kInCache;
    if (kept_.count() < call_.threads.size() && by_lines) return divide_rows();
    call_.threads.parallel_for(kept_.count(), std::max<int64_t>(1, 16384 / cost), [&](int64_t begin, int64_t end) {
      Walk<3> at = kept_;
      Row row(of_row_);
      std::optional<PositionSums<From, To>> sums;
      if (!by_lines) sums.emplace(into_, summed_.count);
      at.seek(begin);
      for (int64_t n = begin; n < end; ++n, at.next()) {
        if (by_rows_) add_rows(at, row, 0);
        else if (by_lines) add_lines(lines_by_position(at), at, row, 0);
        else add_numbers(*sums, at, row);
      }
    });
  }

 private:
  /// Shorter lines are added number by number.
  static constexpr int64_t kShortestLine = 8;
  /// The number of sums that fit into a cache. With that many, rows are added in memory order. kRowsAtOnce rows of a
  /// position are summed in f32 at once.
  static constexpr int64_t kInCache = 32768, kRowsAtOnce = 16;

  /// Calls `fn` with runs of ids along the summed dims: the ids, their number, and the start of their values.
  template <typename Fn>
  void for_some_ids(const Walk<3>& at, Fn fn) const {
    const Steps steps = summed_.last();
    Walk<3> each = summed_.outer();
    for (int64_t n = 0; summed_.count > 0 && n < each.count(); ++n, each.next()) {
      for (int64_t first = 0, count; first < steps.size; first += count) {
        count = std::min(kIdsAtOnce, steps.size - first);
        const int32_t* some = ids_.as<int32_t>() + at.offset(0) + each.offset(0) + first * steps.ids;
        if (!kernels::table().ids_below(into_.whole, some, steps.ids, count))
          refuse(ids_, to_.dims[positions_.into].whole, call_.operation.results[0].dims[positions_.into]);
        fn(some, count, at.offset(1) + each.offset(1) + first * steps.from);
      }
    }
  }

  void add_numbers(PositionSums<From, To>& sums, const Walk<3>& at, Row& row) const {
    const Steps steps = summed_.last();
    for (int64_t n = 0; n < row.outer.count(); ++n, row.outer.next())
      for (int64_t k = 0; k < row.last.size; ++k) {
        const From* const from = values_.as<From>() + row.outer.offset(1) + k * row.last.from;
        sums.begin(to_.as<To>() + at.offset(2) + row.outer.offset(2) + k * row.last.to);
        for_some_ids(
            at, [&](const int32_t* ids, int64_t count, int64_t first) { sums.add(ids, from + first, steps, count); });
        sums.end();
      }
  }

  /// Adds row after row in memory order to sums of f32, which are added to sums of f64 from time to time. The row is a
  /// part of the whole row. It begins at `first` along the first dim.
  void add_rows(const Walk<3>& at, Row& row, int64_t first) const {
    const Steps steps = summed_.last();
    const Steps& divided = row.dims.dims.front();
    const int64_t count = row.dims.count, length = row.last.size;
    const From* const from = values_.as<From>() + first * divided.from;
    To* const to = to_.as<To>() + at.offset(2) + first * divided.to;
    std::vector<float> some(count * into_.size);
    std::vector<double> sums(count * into_.size);
    std::vector<uint8_t> rows(into_.size);
    const auto fold = [&](int64_t position) {
      for (int64_t j = position * count; j < (position + 1) * count; ++j) sums[j] += some[j], some[j] = 0;
      rows[position] = 0;
    };
    for_some_ids(at, [&](const int32_t* ids, int64_t many, int64_t begin) {
      for (int64_t i = 0; i < many; ++i) {
        const int64_t position = into_.position(ids[i * steps.ids]);
        if (!into_.holds(position)) continue;
        float* target = some.data() + position * count;
        for (int64_t n = 0; n < row.outer.count(); ++n, row.outer.next(), target += length)
          kernels::table().add_elements(kElementOf<From>, from + begin + i * steps.from + row.outer.offset(1), 1,
                                        ElementType::kF32, target, 1, length);
        if (++rows[position] == kRowsAtOnce) fold(position);
      }
    });
    for (int64_t position = 0; position < into_.size; ++position) {
      fold(position);
      const double* sum = sums.data() + position * count;
      for (int64_t n = 0; n < row.outer.count(); ++n, row.outer.next())
        for (int64_t j = 0; j < length; ++j)
          to[position * into_.stride + row.outer.offset(2) + j * row.last.to] =
              from_number<To>(static_cast<Number<To>>(*sum++));
    }
  }

  LinesByPosition lines_by_position(const Walk<3>& at) const {
    const Steps steps = summed_.last();
    LinesByPosition result;
    result.ends.assign(into_.size + 1, 0);
    for_some_ids(at, [&](const int32_t* ids, int64_t count, int64_t) {
      for (int64_t i = 0; i < count; ++i)
        if (const int64_t position = into_.position(ids[i * steps.ids]); into_.holds(position))
          ++result.ends[position + 1];
    });
    for (int64_t position = 0; position < into_.size; ++position) result.ends[position + 1] += result.ends[position];
    result.lines.resize(result.ends[into_.size]);
    for_some_ids(at, [&](const int32_t* ids, int64_t count, int64_t first) {
      for (int64_t i = 0; i < count; ++i)
        if (const int64_t position = into_.position(ids[i * steps.ids]); into_.holds(position))
          result.lines[result.ends[position]++] = first + i * steps.from;
    });
    result.ends.pop_back();
    return result;
  }

  /// Sums the lines of each position. The row is a part of the whole row. It begins at `first` along the first dim.
  void add_lines(const LinesByPosition& by_position, const Walk<3>& at, Row& row, int64_t first) const {
    const Steps& divided = row.dims.dims.front();
    const From* const from = values_.as<From>() + first * divided.from;
    To* const to = to_.as<To>() + at.offset(2) + first * divided.to;
    for (int64_t n = 0; n < row.outer.count(); ++n, row.outer.next())
      kernels::table().sum_line_groups(kElementOf<From>, from + row.outer.offset(1),
                                       {by_position.lines.data(), by_position.ends, row.last.size}, kElementOf<To>,
                                       to + row.outer.offset(2), {row.last.to, into_.stride});
  }

  /// Divides the first dim of the rows among threads.
  void divide_rows() const {
    const int64_t length = of_row_.dims[0].size;
    Walk<3> at = kept_;
    for (int64_t n = 0; n < at.count(); ++n, at.next()) {
      const LinesByPosition by_position = by_rows_ ? LinesByPosition() : lines_by_position(at);
      const int64_t cost = std::max<int64_t>(1, summed_.count * of_row_.count / length);
      call_.threads.parallel_for(length, std::max<int64_t>(16, 16384 / cost), [&](int64_t begin, int64_t end) {
        Box part = of_row_;
        part.dims[0].size = end - begin;
        part.count = of_row_.count / length * (end - begin);
        Row row(part);
        if (by_rows_) add_rows(at, row, begin);
        else add_lines(by_position, at, row, begin);
      });
    }
  }

  graph::KernelCall& call_;
  ScatterPositions positions_;
  const kernels::Block &values_, &ids_, &to_;
  LookedUp into_;
  Walk<3> kept_;  ///< ids, values, result
  Box of_row_, summed_;
  bool by_rows_ = false;
};

void scatter_kernel(graph::KernelCall& call) {
  const kernels::Block& values = call.operands[0];
  const kernels::Block& to = call.results[0];
  call.flops += values.size();
  if (to.size() == 0) return;
  by_element(values.element, [&](auto zero) {
    using From = decltype(zero);
    // A partial result of bf16 is f32, and each partial result of i32 is f64.
    if constexpr (is_float(kElementOf<From>)) {
      if (to.element == values.element) return Scatter<From, From>(call).run();
      if constexpr (std::is_same_v<From, Bf16>) return Scatter<From, float>(call).run();
    } else if (to.element == ElementType::kF64) {
      return Scatter<From, double>(call).run();
    }
    MTF_CHECK(false, "a sum of {} as {}", name(values.element), name(to.element));
  });
}

// ---- other scatters -------------------------------------------------------------------------------------------------

/// Each position of the result folds its values in the order of the ids, for any number of threads.
template <kernels::Reduction kHow>
void scatter_fold_kernel(graph::KernelCall& call) {
  const kernels::Block &values = call.operands[0], &ids = call.operands[1], &to = call.results[0];
  call.flops += values.size();
  if (to.size() == 0) return;
  const ScatterPositions positions(call.operation);
  const LookedUp into(to.dims[positions.into]);
  Walk<3> kept, summed;  // ids, values, result
  for (size_t d = 0; d < to.dims.size(); ++d) {
    const auto [v, i] = positions.kept[d];
    if (v >= 0) kept.add(to.dims[d].size, {i >= 0 ? ids.dims[i].stride : 0, values.dims[v].stride, to.dims[d].stride});
  }
  for (const auto& [v, i] : positions.summed)
    summed.add(ids.dims[i].size, {ids.dims[i].stride, values.dims[v].stride, 0});
  by_element(values.element, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (!std::is_same_v<T, uint8_t>) {
      const T nothing = from_number<T>(kernels::identity_of<Number<T>>(kHow));
      kernels::by_reduction<Number<T>>(kHow, [&](auto fold) {
        for_each_position(call.threads, kept, summed.count() + into.size, [&](const Walk<3>& at) {
          T* const line = to.as<T>() + at.offset(2);
          for (int64_t k = 0; k < into.size; ++k) line[k * into.stride] = nothing;
          Walk<3> each = summed;
          for (int64_t n = 0; n < each.count(); ++n, each.next()) {
            const int32_t id = ids.as<int32_t>()[at.offset(0) + each.offset(0)];
            if (!into.has(id))
              refuse(ids, to.dims[positions.into].whole, call.operation.results[0].dims[positions.into]);
            const int64_t position = into.position(id);
            if (!into.holds(position)) continue;
            T& so_far = line[position * into.stride];
            const T value = values.as<T>()[at.offset(1) + each.offset(1)];
            so_far = from_number<T>(fold(to_number(value), to_number(so_far)));  // of equal values the first stays
          }
        });
      });
    }
  });
}

template <kernels::Reduction kHow>
graph::IterationSpace scatter_fold_space(const graph::Operation& operation) {
  graph::IterationSpace space = scatter_space(operation);
  for (graph::IterationDim& dim : space.dims)
    if (dim.kind == graph::SplitKind::kReduce) dim.reduce = kHow;
  return space;
}

/// For each value, the element of `table` at its id along the dim `into`.
graph::Value at_ids(graph::GradientCall& call, const graph::Value& table) {
  const auto& [into, result] = call.operation.attributes.get<ScatterAttributes>();
  return gather(call.builder, table, call.operands[1], result.dims[find_dim(result.dims, into)], table.element());
}

/// Sums `numbers`, one for each value, by position. Returns for each value the sum of its position.
graph::Value summed_at_ids(graph::GradientCall& call, const graph::Value& numbers) {
  const auto& [into, result] = call.operation.attributes.get<ScatterAttributes>();
  return at_ids(call, scatter_add(call.builder, numbers, call.operands[1], result.dims[find_dim(result.dims, into)],
                                  result.dims, numbers.element()));
}

/// Gives an equal share to each value that equals the extreme of its position.
graph::Values scatter_extreme_gradient(graph::GradientCall& call) {
  Builder& b = call.builder;
  const graph::Value d = at_ids(call, call.d_results[0]);
  const graph::Value equal = b.map(kEq, call.operands[0], at_ids(call, call.results[0]));
  const graph::Value count = summed_at_ids(call, b.cast(equal, promote(d.element(), ElementType::kF32)));
  return {b.where(equal, b.cast(b.map(kDiv, d, count), d.element()), b.number(0, d.element())), {}};
}

/// Multiplies by the product of the position's other values. Divides if none is 0. Otherwise leaves out the zero.
graph::Values scatter_mul_gradient(graph::GradientCall& call) {
  Builder& b = call.builder;
  const graph::Value& x = call.operands[0];
  const graph::Value is_zero = b.map(kEq, x, 0.0);
  const graph::Value one = b.number(1, x.element()), zero = b.number(0, x.element());
  const graph::Value others = b.where(is_zero, one, x);
  const graph::Value product = at_ids(call, b.add(kScatterMul, {others, call.operands[1]}, call.operation.attributes));
  const graph::Value zeros = summed_at_ids(call, b.cast(is_zero, ElementType::kF32));
  const graph::Value left = b.map(kSub, zeros, b.cast(is_zero, ElementType::kF32));
  const graph::Value rest = b.where(b.map(kEq, left, 0.0), b.map(kDiv, product, others), zero);
  return {b.map(kZeroProduct, rest, at_ids(call, call.d_results[0])), {}};
}

consteval graph::Op scatter_fold(graph::Op op) {
  op.family = "Indices";
  op.attributes = &graph::kFormOf<ScatterAttributes>;
  op.infer = [](const graph::Operation& operation) -> std::vector<TensorType> {
    return {operation.attributes.get<ScatterAttributes>().result};
  };
  op.work = graph::Work::kPerOperand;
  return complete(op);
}

/// The dims of a scatter's result: the shape that the call asks for, or `into` and the dims that the ids lack.
Dims scattered_dims(Call& call, const graph::Value& values, const graph::Value& ids, const Dim& into) {
  check_element(call, "ids", ElementType::kI32, "cast the ids: cast(x, i32)");
  check_sizes(call, {values, ids});
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
  dims[find_dim(dims, into.name)] = into;
  return dims;
}

graph::Values build_scatter(Call& call) {
  const graph::Value &values = call.tensor("values"), &ids = call.tensor("ids");
  const Dim& into = call.argument("into").dims[0];
  const Dims dims = scattered_dims(call, values, ids, into);
  const graph::Value numbers = call.builder.cast(values, number_element(values.element()));
  return {scatter_add(call.builder, numbers, ids, into, dims, numbers.element())};
}

graph::Values build_scatter_fold(Call& call) {
  const graph::Value &values = call.tensor("values"), &ids = call.tensor("ids");
  const Dim& into = call.argument("into").dims[0];
  const Dims dims = scattered_dims(call, values, ids, into);
  const graph::Value numbers = call.builder.cast(values, number_element(values.element()));
  return {call.builder.add(call.op, {numbers, ids}, ScatterAttributes{into.name, {numbers.element(), dims}})};
}

/// Finds for each position the last id that names it, then takes the value of that id.
graph::Values build_scatter_set(Call& call) {
  Builder& b = call.builder;
  const graph::Value& ids = call.tensor("ids");
  const graph::Value& x = call.tensor("x");
  if (ids.dims().size() != 1)
    fail(Kind::shape_mismatch, call.span_of("ids"), "expected ids along one dimension, found {}", describe(ids));
  const int over = position_of(x, call.argument("over").dims[0], call.span_of("over"));
  const Dim& into = x.dims()[over];
  const Dim& listed = ids.dims()[0];
  const graph::Values both = {x, call.tensor("values")};
  const graph::Values same = as_element(b, both, common_element(b, both), call.span);
  scattered_dims(call, same[1], ids, into);
  Dims wanted = same[0].dims();
  wanted[over] = listed;
  if (!is_subset(same[1].dims(), wanted))
    fail(Kind::shape_mismatch, call.span_of("values"), "expected {}, found {}", to_string(wanted), describe(same[1]));
  const graph::Value last =
      b.add(kScatterMax, {b.range(listed), ids}, ScatterAttributes{into.name, {ElementType::kI32, {into}}});
  const graph::Value is_named = b.map(kGe, last, 0.0);
  const graph::Value set =
      gather(b, same[1], b.map(kMaximum, last, b.number(0, ElementType::kI32)), listed, same[1].element());
  return {b.broadcast(b.where(is_named, set, same[0]), x.dims())};
}

}  // namespace

graph::Value gather(Builder& builder, const graph::Value& table, const graph::Value& ids, const Dim& over,
                    ElementType element) {
  return builder.add(kGather, {table, ids}, GatherAttributes{over.name, element});
}

graph::Value scatter_add(Builder& builder, const graph::Value& values, const graph::Value& ids, const Dim& into,
                         const Dims& dims, ElementType element) {
  ScatterAttributes attributes{into.name, {added_element(element), dims}};
  attributes.result.dims[find_dim(dims, into.name)] = into;
  return as_summed(builder, builder.add(kScatterAdd, {values, ids}, std::move(attributes)), element);
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
                "x: [a, b], i: i32[b] in 0..2 => scatter_add(x, i, into: b)\n"
                "dim vocab = 5; x: i32[a, b] in -9..9, i: i32[a] in 0..5 => scatter_add(x, i, into: vocab)",
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

constexpr graph::Op kScatterMul = scatter_fold(
    {.name = "scatter_mul",
     .signature = "scatter_mul(values: tensor, ids: tensor, into: dim -> shape?)",
     .doc = "The product of the values whose ids (i32) name each place along `into`; otherwise as scatter_add. Places "
            "that no id names are 1. Its gradients are right where values are 0.",
     .example = "dim vocab = 3, batch = 4\n"
                "let ids = tensor([2, 0, 2, 2], [batch], i32)\n"
                "print(scatter_mul(tensor([1, 2, 3, 4], [batch]), ids, into: vocab))\n"
                "#> [2, 1, 12]\n",
     .samples = "dim vocab = 5; x: [a, b] in 0.5..2, i: i32[a] in 0..5 => scatter_mul(x, i, into: vocab)\n"
                "dim vocab = 5; x: [a, b] in 0.5..2, i: i32[b, a] in 0..5 => scatter_mul(x, i, into: vocab -> [a, "
                "vocab])\n"
                "dim vocab = 5; x: i32[a, b] in -3..3, i: i32[a] in 0..5 => scatter_mul(x, i, into: vocab)",
     .build = build_scatter_fold,
     .space = scatter_fold_space<kernels::Reduction::kProd>,
     .kernel = scatter_fold_kernel<kernels::Reduction::kProd>,
     .gradient = scatter_mul_gradient});

constexpr graph::Op kScatterMax = scatter_fold(
    {.name = "scatter_max",
     .signature = "scatter_max(values: tensor, ids: tensor, into: dim -> shape?)",
     .doc = "The largest of the values whose ids (i32) name each place along `into`; NaN if any is; otherwise as "
            "scatter_add. Places that no id names are minus infinity, or the least i32. Values that equal it share its "
            "gradient equally.",
     .example = "dim vocab = 3, batch = 4\n"
                "let ids = tensor([2, 0, 2, 2], [batch], i32)\n"
                "print(scatter_max(tensor([1, 2, 3, 4], [batch]), ids, into: vocab))\n"
                "#> [2, -inf, 4]\n",
     .samples = "x: [a, b], i: i32[b] in 0..2 => maximum(scatter_max(x, i, into: b), -9)\n"
                "x: [b, a, c], i: i32[b] in 0..2 => maximum(scatter_max(x, i, into: b), -9)\n"
                "dim vocab = 5; x: i32[a, b] in -9..9, i: i32[a] in 0..5 => maximum(scatter_max(x, i, into: vocab), 0)",
     .build = build_scatter_fold,
     .space = scatter_fold_space<kernels::Reduction::kMax>,
     .kernel = scatter_fold_kernel<kernels::Reduction::kMax>,
     .gradient = scatter_extreme_gradient});

constexpr graph::Op kScatterMin = scatter_fold(
    {.name = "scatter_min",
     .signature = "scatter_min(values: tensor, ids: tensor, into: dim -> shape?)",
     .doc = "The least of the values whose ids (i32) name each place along `into`; NaN if any is; otherwise as "
            "scatter_add. Places that no id names are infinity, or the largest i32. Values that equal it share its "
            "gradient equally.",
     .example = "dim vocab = 3, batch = 4\n"
                "let ids = tensor([2, 0, 2, 2], [batch], i32)\n"
                "print(scatter_min(tensor([1, 2, 3, 4], [batch]), ids, into: vocab))\n"
                "#> [2, inf, 1]\n",
     .samples = "x: [a, b], i: i32[b] in 0..2 => minimum(scatter_min(x, i, into: b), 9)\n"
                "x: [b, a, c], i: i32[b] in 0..2 => minimum(scatter_min(x, i, into: b), 9)\n"
                "dim vocab = 5; x: i32[a, b] in -9..9, i: i32[a] in 0..5 => minimum(scatter_min(x, i, into: vocab), 9)",
     .build = build_scatter_fold,
     .space = scatter_fold_space<kernels::Reduction::kMin>,
     .kernel = scatter_fold_kernel<kernels::Reduction::kMin>,
     .gradient = scatter_extreme_gradient});

constexpr graph::Op kScatterSet = complete(
    {.name = "scatter_set",
     .signature = "scatter_set(x: tensor, values: tensor, ids: tensor, over: dim)",
     .family = "Indices",
     .doc = "`x` with the values in the places along `over` that their ids (i32) name; of several values for one place "
            "the last is taken. An id outside `over` ends the run with an error.",
     .example = "dim n = 4, batch = 3\n"
                "let ids = tensor([2, 0, 2], [batch], i32)\n"
                "print(scatter_set(zeros([n]), tensor([1, 2, 3], [batch]), ids, over: n))\n"
                "#> [2, 0, 3, 0]\n",
     .samples = "x: [b, c], v: [a, c], i: i32[a] in 0..2 => scatter_set(x, v, i, over: b)\n"
                "x: [c, b], v: [a], i: i32[a] in 0..2 => scatter_set(x, v, i, over: b)",
     .build = build_scatter_set});

}  // namespace mtf::ops
