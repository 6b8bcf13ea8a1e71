#include "kernels/rows.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <stdexcept>
#include <vector>

#include "kernels/copy.h"
#include "kernels/elements.h"
#include "kernels/lane_apply.h"
#include "kernels/lane_memory.h"
#include "support/integers.h"

namespace mtf::kernels {
namespace {

using lanes::D;
using lanes::F;
using lanes::kBytes;

constexpr std::int64_t kRowsAtOnce = 16;
constexpr std::int64_t kParallelRowElements = 16384;
/// A power of 2 above the number of elements that are summed in their own type.
constexpr float kMostTerms = 0x1p10F;

template <class T>
using PacketOf = std::conditional_t<std::is_same_v<T, float>, F, D>;

/// Common to the two forms of rows. A kernel works on a *group* of kRows rows at once. A packet has a value for each
/// row of the group, in lanes. If the group is one row, all lanes have that row's value.
template <class Element>
struct RowTypes {
  using T = Element;
  using V = PacketOf<T>;
  static constexpr std::int64_t kLanes = kBytes / static_cast<std::int64_t>(sizeof(T));
  static constexpr std::int64_t kBlock = 64 / static_cast<std::int64_t>(sizeof(T)), kPackets = kBlock / kLanes;
  static constexpr T kLeast = -std::numeric_limits<T>::infinity();
};

/// One packet of lanes of elements in memory. bf16 is widened, and rounded when it is written.
template <class S, class V = PacketOf<Number<S>>>
V load_packet(const S* from) {
  return lanes::from_memory<kElementOf<S>, V>(reinterpret_cast<const char*>(from));
}
template <class S, class V>
void store_packet(S* to, V value) {
  if constexpr (std::is_same_v<S, Bf16>) value = lanes::round_bf16(value);
  lanes::to_memory<kElementOf<S>>(reinterpret_cast<char*>(to), value);
}

/// A group of one row: n contiguous elements of type S in memory, read and written in whole packets. Sums are kept for
/// each lane of a *block* of 16 numbers of 4 bytes or 8 of 8 bytes, which is one or more packets. So their bits are the
/// same on every processor.
template <class S>
struct LongRow : RowTypes<Number<S>> {
  using Types = RowTypes<Number<S>>;
  using typename Types::T;
  using typename Types::V;
  using Types::kBlock, Types::kLanes, Types::kLeast, Types::kPackets;
  static constexpr std::int64_t kRows = 1;
  using Totals = std::array<double, 1>;

  S* data = nullptr;
  std::int64_t n = 0;

  /// The packet whose lanes have the value of their row.
  static V spread(const Totals& totals) { return lanes::splat<V>(static_cast<T>(totals[0])); }
  static double row(V value, std::int64_t) { return static_cast<double>(value[0]); }

  V max() const {
    V m[kPackets];
    for (V& each : m) each = lanes::splat<V>(kLeast);
    read(data, n, kLeast, [&](std::int64_t j, V v) { m[j] = lanes::maximum_of(m[j], v); });
    T result = m[0][0];
    for (std::int64_t k = 1; k < kBlock; ++k) {
      const T next = m[k / kLanes][k % kLanes];
      result = (result > next || result != result) ? result : next;
    }
    return lanes::splat<V>(result);
  }
  /// Σ fn(x). fn(pad) must be 0. Keeps four sums, which are folded into f64 from time to time.
  template <class Fn>
  Totals sum(V pad, Fn fn) const {
    constexpr std::int64_t kPart = 64 * kBlock;
    double result = 0;
    for (std::int64_t first = 0; first < n; first += kPart) {
      V sums[4][kPackets] = {};
      int iteration = 3;
      read(data + first, std::min(kPart, n - first), pad[0], [&](std::int64_t j, V v) {
        if (j == 0) iteration = (iteration + 1) & 3;
        sums[iteration][j] = sums[iteration][j] + fn(v);
      });
      double part = 0;
      for (std::int64_t j = 0; j < kPackets; ++j) {
        const V all = (sums[0][j] + sums[1][j]) + (sums[2][j] + sums[3][j]);
        for (std::int64_t k = 0; k < kLanes; ++k) part += static_cast<double>(all[k]);
      }
      result += part;
    }
    return {result};
  }
  /// y = fn(x).
  template <class Fn>
  void map(LongRow y, Fn fn) const {
    std::int64_t k = 0;
    for (; k + kLanes <= n; k += kLanes) store_packet(y.data + k, fn(load_packet(data + k)));
    if (k < n) {
      S rest[kLanes] = {};
      std::copy_n(data + k, n - k, rest);
      store_packet(rest, fn(load_packet(rest)));
      std::copy_n(rest, n - k, y.data + k);
    }
  }

 private:
  /// fn(j, packet) for packet j of each block. The last block is padded with `pad`.
  template <class Fn>
  static void read(const S* x, std::int64_t n, T pad, Fn fn) {
    std::int64_t k = 0;
    for (; k + kBlock <= n; k += kBlock) each_packet(x + k, fn);
    if (k == n) return;
    alignas(64) T rest[kBlock];
    std::fill(std::transform(x + k, x + n, rest, to_number<S>), rest + kBlock, pad);
    each_packet(rest, fn);
  }
  template <class From, class Fn>
  static void each_packet(const From* x, Fn& fn) {
#pragma GCC unroll 4
    for (std::int64_t j = 0; j < kPackets; ++j) fn(j, load_packet(x + j * kLanes));
  }
};

/// A group of kLanes rows of at most a block each. Packet k holds element k of every row. Sums have the order of a
/// LongRow's, whose block has each element in a lane of its own. So the bits are the same.
template <class Element>
struct ShortRows : RowTypes<Element> {
  using Types = RowTypes<Element>;
  using typename Types::T;
  using typename Types::V;
  using Types::kLanes, Types::kLeast;
  static constexpr std::int64_t kRows = kLanes;
  using Totals = std::array<double, static_cast<std::size_t>(kLanes)>;

  V* data = nullptr;
  std::int64_t n = 0;

  static V spread(const Totals& totals) {
    V value;
    for (std::int64_t row = 0; row < kLanes; ++row) value[row] = static_cast<T>(totals[static_cast<std::size_t>(row)]);
    return value;
  }
  static double row(V value, std::int64_t row) { return static_cast<double>(value[row]); }

  V max() const {
    V m = lanes::splat<V>(kLeast);
    for (std::int64_t k = 0; k < n; ++k) m = lanes::maximum_of(m, data[k]);
    return m;
  }
  template <class Fn>
  Totals sum(V, Fn fn) const {
    Totals totals{};
    for (std::int64_t k = 0; k < n; ++k) {
      const V v = fn(data[k]);
      for (std::int64_t row = 0; row < kLanes; ++row)
        totals[static_cast<std::size_t>(row)] += static_cast<double>(v[row]);
    }
    return totals;
  }
  template <class Fn>
  void map(ShortRows y, Fn fn) const {
    for (std::int64_t k = 0; k < n; ++k) y.data[k] = fn(data[k]);
  }
};

template <class Totals, class Fn>
Totals each_of(Totals totals, Fn fn) {
  for (double& each : totals) each = fn(each);
  return totals;
}

template <class R>
struct Softmax {
  using T = typename R::T;
  using V = typename R::V;
  using Totals = typename R::Totals;
  /// Calls fn(shift). shift(v) is v - `greatest`; for infinities see lanes::shifted.
  template <class Fn>
  static auto with_shift(V greatest, Fn fn) {
    constexpr T kInf = std::numeric_limits<T>::infinity();
    if (lanes::any_of((lanes::I)(lanes::abs_of(greatest) == kInf)))
      return fn([&](V v) { return lanes::shifted(v, greatest); });
    return fn([&](V v) { return v - greatest; });
  }
  static void softmax(R x, R y) {
    with_shift(x.max(), [&](auto shift) { x.map(y, [&](V v) { return lanes::exp_of(shift(v)); }); });
    const Totals total = y.sum(V{}, [](V v) { return v; });
    const V factor = R::spread(each_of(total, [](double each) { return 1.0 / each; }));
    y.map(y, [&](V v) { return v * factor; });
  }
  /// log Σ exp(x - greatest).
  static Totals log_sum(R x, V greatest) {
    const Totals total = with_shift(greatest, [&](auto shift) {
      return x.sum(lanes::splat<V>(R::kLeast), [&](V v) { return lanes::exp_of(shift(v)); });
    });
    return each_of(total, [](double each) { return std::log(each); });
  }
  static Totals logsumexp(R x) {
    const V greatest = x.max();
    Totals result = log_sum(x, greatest);
    for (std::int64_t row = 0; row < R::kRows; ++row) {
      double& each = result[static_cast<std::size_t>(row)];
      const double most = R::row(greatest, row);
      each = most == -std::numeric_limits<double>::infinity() ? most : most + each;
    }
    return result;
  }
  static void log_softmax(R x, R y) {
    // Subtracts the maximum first: x - max is exact where it matters, and the second subtrahend is small.
    const V greatest = x.max();
    const V l = R::spread(log_sum(x, greatest));
    with_shift(greatest, [&](auto shift) { x.map(y, [&](V v) { return shift(v) - l; }); });
  }
};

/// Sets packet k to element k of `count` rows. Lanes beyond them keep their values. Elements in memory are of type S.
template <class S>
void load_columns(const S* from, std::int64_t row_stride, std::int64_t stride, std::int64_t count, std::int64_t n,
                  PacketOf<Number<S>>* packets) {
  using T = Number<S>;
  T* lanes = reinterpret_cast<T*>(packets);
  constexpr std::int64_t kLanes = ShortRows<T>::kLanes;
  if (row_stride == 1 && count == kLanes) {
    for (std::int64_t k = 0; k < n; ++k) packets[k] = load_packet(from + k * stride);
    return;
  }
  for (std::int64_t row = 0; row < count; ++row)
    for (std::int64_t k = 0; k < n; ++k) lanes[k * kLanes + row] = to_number(from[row * row_stride + k * stride]);
}

template <class S>
void store_columns(const PacketOf<Number<S>>* packets, std::int64_t count, std::int64_t n, S* to,
                   std::int64_t row_stride, std::int64_t stride) {
  using T = Number<S>;
  const T* lanes = reinterpret_cast<const T*>(packets);
  constexpr std::int64_t kLanes = ShortRows<T>::kLanes;
  if (row_stride == 1 && count == kLanes) {
    for (std::int64_t k = 0; k < n; ++k) store_packet(to + k * stride, packets[k]);
    return;
  }
  for (std::int64_t row = 0; row < count; ++row)
    for (std::int64_t k = 0; k < n; ++k) to[row * row_stride + k * stride] = from_number<S>(lanes[k * kLanes + row]);
}

/// A group of rows: the position of its first row, and its number of rows.
struct RowGroup {
  std::int64_t outer = 0, inner = 0, count = 1;
};

template <class T>
void put(const RowsOut& out, RowGroup group, std::span<const double> values) {
  if (out.data == nullptr) return;
  T* to = static_cast<T*>(out.data) + group.outer * out.outer_stride + group.inner * out.inner_stride;
  for (std::int64_t row = 0; row < group.count; ++row)
    to[row * out.inner_stride] = static_cast<T>(values[static_cast<std::size_t>(row)]);
}

/// Calls body(x, y, group) for each group of rows. Elements in memory are of type S. Rows whose elements are not
/// contiguous go through scratch. Short rows share packets, because a short row alone would leave most lanes empty.
template <class S, class Body>
void each_group(Rows rows, RowsIn x, RowsOut y, Threads& threads, Body body) {
  using Short = ShortRows<Number<S>>;
  using Long = LongRow<S>;
  const bool writes = y.data != nullptr;
  const bool is_short = rows.n <= Long::kBlock && rows.inner > 1;
  const bool direct = (x.stride == 1 || rows.n <= 1) && (!writes || y.stride == 1 || rows.n <= 1);
  const std::int64_t blocks = ceil_div(rows.inner, kRowsAtOnce);
  const std::int64_t per_task = std::max<std::int64_t>(1, rows.n) * std::min(rows.inner, kRowsAtOnce);
  const auto tasks = [&](std::int64_t begin, std::int64_t end) {
    std::vector<S> scratch;
    if (!is_short && !direct) scratch.resize(static_cast<std::size_t>(rows.n * kRowsAtOnce));
    typename Long::V packets[Long::kBlock] = {};
    for (std::int64_t task = begin; task < end; ++task) {
      const std::int64_t o = task / blocks, i0 = task % blocks * kRowsAtOnce;
      const std::int64_t count = std::min(kRowsAtOnce, rows.inner - i0);
      const S* from = static_cast<const S*>(x.data) + o * x.outer_stride + i0 * x.inner_stride;
      S* to = writes ? static_cast<S*>(y.data) + o * y.outer_stride + i0 * y.inner_stride : nullptr;
      if (is_short) {
        for (std::int64_t i = 0; i < count; i += Short::kLanes) {
          const std::int64_t some = std::min(Short::kLanes, count - i);
          load_columns(from + i * x.inner_stride, x.inner_stride, x.stride, some, rows.n, packets);
          const Short group{{}, packets, rows.n};
          body(group, group, RowGroup{o, i0 + i, some});
          if (writes) store_columns(packets, some, rows.n, to + i * y.inner_stride, y.inner_stride, y.stride);
        }
        continue;
      }
      if (!direct) copy_matrix(count, rows.n, sizeof(S), from, x.inner_stride, x.stride, scratch.data(), rows.n, 1);
      for (std::int64_t i = 0; i < count; ++i) {
        // A row is only read through x. `to` is the address to which it is written.
        S* row = direct ? const_cast<S*>(from + i * x.inner_stride) : scratch.data() + i * rows.n;
        S* result = !direct ? row : writes ? to + i * y.inner_stride : nullptr;
        body(Long{{}, row, rows.n}, Long{{}, result, rows.n}, RowGroup{o, i0 + i, 1});
      }
      if (!direct && writes)
        copy_matrix(count, rows.n, sizeof(S), scratch.data(), rows.n, 1, to, y.inner_stride, y.stride);
    }
  };
  threads.parallel_for(rows.outer * blocks, kParallelRowElements / per_task + 1, tasks);
}

template <class Fn>
void by_type(ElementType type, Fn fn) {
  if (type == ElementType::kF32) return fn(float{});
  if (type == ElementType::kF64) return fn(double{});
  throw std::invalid_argument("this row kernel works on f32 and f64");
}
template <class Fn>
void by_type_or_bf16(ElementType type, Fn fn) {
  if (type == ElementType::kBf16) return fn(Bf16{});
  by_type(type, fn);
}

}  // namespace

void softmax_rows(ElementType type, Rows rows, RowsIn x, RowsOut y, Threads& threads) {
  by_type(type, [&](auto zero) {
    each_group<decltype(zero)>(rows, x, y, threads,
                               [&](auto from, auto to, RowGroup) { Softmax<decltype(from)>::softmax(from, to); });
  });
}

void log_softmax_rows(ElementType type, Rows rows, RowsIn x, RowsOut y, Threads& threads) {
  by_type(type, [&](auto zero) {
    each_group<decltype(zero)>(rows, x, y, threads,
                               [&](auto from, auto to, RowGroup) { Softmax<decltype(from)>::log_softmax(from, to); });
  });
}

void logsumexp_rows(ElementType type, Rows rows, RowsIn x, RowsOut y, Threads& threads) {
  by_type(type, [&](auto zero) {
    using T = decltype(zero);
    each_group<T>(rows, x, RowsOut{}, threads,
                  [&](auto from, auto, RowGroup at) { put<T>(y, at, Softmax<decltype(from)>::logsumexp(from)); });
  });
}

void log_sum_rows(ElementType type, Rows rows, RowsIn x, RowsOut max, RowsOut log_sum, Threads& threads) {
  by_type_or_bf16(type, [&](auto zero) {
    using T = Number<decltype(zero)>;
    each_group<decltype(zero)>(rows, x, RowsOut{}, threads, [&](auto from, auto, RowGroup at) {
      using R = decltype(from);
      const auto greatest = from.max();
      typename R::Totals most{};
      for (std::int64_t row = 0; row < R::kRows; ++row) most[static_cast<std::size_t>(row)] = R::row(greatest, row);
      put<T>(max, at, most);
      put<T>(log_sum, at, Softmax<R>::log_sum(from, greatest));
    });
  });
}

void layer_norm_rows(ElementType type, Rows rows, double epsilon, RowsIn x, RowsOut y, RowsOut mean, RowsOut scale,
                     Threads& threads) {
  by_type_or_bf16(type, [&](auto zero) {
    using T = Number<decltype(zero)>;
    each_group<decltype(zero)>(rows, x, y, threads, [&](auto from, auto to, RowGroup at) {
      using R = decltype(from);
      using V = typename R::V;
      const double size = static_cast<double>(rows.n);
      // The mean is rounded to T before it is subtracted and saved.
      auto middle = each_of(from.sum(V{}, [](V v) { return v; }), [&](double sum) { return sum / size; });
      if (!std::all_of(middle.begin(), middle.end(), [](double each) { return std::isfinite(each); })) {
        // The sum of elements may have overflowed. The sum of smaller numbers does not.
        const V less = lanes::splat<V>(1 / kMostTerms);
        const auto sums = from.sum(V{}, [&](V v) { return v * less; });
        for (std::size_t k = 0; k < sums.size(); ++k)
          if (!std::isfinite(middle[k])) middle[k] = sums[k] / size * kMostTerms;
      }
      const V m = R::spread(middle);
      const auto squares = from.sum(m, [&](V v) { return (v - m) * (v - m); });
      const auto factor = each_of(squares, [&](double sum) { return 1.0 / std::sqrt(sum / size + epsilon); });
      const V f = R::spread(factor);
      // Where squares overflow the factor is 0, and v - m may be infinite.
      if (std::count(factor.begin(), factor.end(), 0.0) == 0) from.map(to, [&](V v) { return (v - m) * f; });
      else from.map(to, [&](V v) { return lanes::number_or_zero_where<V>(f == 0, (v - m) * f); });
      put<T>(mean, at, middle);
      put<T>(scale, at, factor);
    });
  });
}

}  // namespace mtf::kernels
