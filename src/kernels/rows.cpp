#include "kernels/rows.h"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "kernels/copy.h"
#include "kernels/lane_apply.h"
#include "support/integers.h"

namespace mtf::kernels {
namespace {

using lanes::D;
using lanes::F;
using lanes::kBytes;

constexpr std::int64_t kRowsAtOnce = 16;
constexpr std::int64_t kParallelRowElements = 16384;

/// A row in memory, n elements side by side, read and written in whole packets. Sums are kept for each lane of a
/// *block* of 64 bytes, which is one packet or some: so their bits are the same on every processor.
template <class V>
struct Row {
  using T = lanes::Scalar<V>;
  static constexpr std::int64_t kLanes = kBytes / static_cast<std::int64_t>(sizeof(T));
  static constexpr std::int64_t kBlock = 64 / static_cast<std::int64_t>(sizeof(T)), kPackets = kBlock / kLanes;

  /// fn(j, packet) for packet j of each block; the last block is padded with `pad`.
  template <class Fn>
  static void read(const T* x, std::int64_t n, T pad, Fn fn) {
    std::int64_t k = 0;
    for (; k + kBlock <= n; k += kBlock) each_packet(x + k, fn);
    if (k == n) return;
    alignas(64) T rest[kBlock];
    std::fill(std::copy_n(x + k, n - k, rest), rest + kBlock, pad);
    each_packet(rest, fn);
  }
  /// y = fn(x).
  template <class Fn>
  static void map(const T* x, T* y, std::int64_t n, Fn fn) {
    std::int64_t k = 0;
    for (; k + kLanes <= n; k += kLanes) {
      V v;
      std::memcpy(&v, x + k, kBytes);
      v = fn(v);
      std::memcpy(y + k, &v, kBytes);
    }
    if (k < n) {
      V v{};
      std::memcpy(&v, x + k, static_cast<std::size_t>(n - k) * sizeof(T));
      v = fn(v);
      std::memcpy(y + k, &v, static_cast<std::size_t>(n - k) * sizeof(T));
    }
  }
  static T max(const T* x, std::int64_t n) {
    V m[kPackets];
    for (V& each : m) each = lanes::splat<V>(-std::numeric_limits<T>::infinity());
    read(x, n, -std::numeric_limits<T>::infinity(), [&](std::int64_t j, V v) { m[j] = lanes::maximum_of(m[j], v); });
    T result = m[0][0];
    for (std::int64_t k = 1; k < kBlock; ++k) {
      const T next = m[k / kLanes][k % kLanes];
      result = (result > next || result != result) ? result : next;
    }
    return result;
  }
  /// Σ fn(x); fn(pad) must be 0. Four sums side by side, folded into f64 from time to time.
  template <class Fn>
  static double sum(const T* x, std::int64_t n, T pad, Fn fn) {
    constexpr std::int64_t kPart = 64 * kBlock;
    double result = 0;
    for (std::int64_t first = 0; first < n; first += kPart) {
      V sums[4][kPackets] = {};
      int turn = 3;
      read(x + first, std::min(kPart, n - first), pad, [&](std::int64_t j, V v) {
        if (j == 0) turn = (turn + 1) & 3;
        sums[turn][j] = sums[turn][j] + fn(v);
      });
      double part = 0;
      for (std::int64_t j = 0; j < kPackets; ++j) {
        const V all = (sums[0][j] + sums[1][j]) + (sums[2][j] + sums[3][j]);
        for (std::int64_t k = 0; k < kLanes; ++k) part += static_cast<double>(all[k]);
      }
      result += part;
    }
    return result;
  }

 private:
  template <class Fn>
  static void each_packet(const T* x, Fn& fn) {
#pragma GCC unroll 4
    for (std::int64_t j = 0; j < kPackets; ++j) {
      V v;
      std::memcpy(&v, x + j * kLanes, kBytes);
      fn(j, v);
    }
  }
};

template <class V>
struct Softmax {
  using R = Row<V>;
  using T = typename R::T;
  static void softmax(const T* x, T* y, std::int64_t n) {
    const V m = lanes::splat<V>(R::max(x, n));
    R::map(x, y, n, [&](V v) { return lanes::exp_of(v - m); });
    const double total = R::sum(y, n, T(0), [](V v) { return v; });
    const V factor = lanes::splat<V>(static_cast<T>(1.0 / total));
    R::map(y, y, n, [&](V v) { return v * factor; });
  }
  /// log Σ exp(x - greatest).
  static double log_sum(const T* x, std::int64_t n, T greatest) {
    const V m = lanes::splat<V>(greatest);
    return std::log(R::sum(x, n, -std::numeric_limits<T>::infinity(), [&](V v) { return lanes::exp_of(v - m); }));
  }
  static double logsumexp(const T* x, std::int64_t n) {
    const T greatest = R::max(x, n);
    if (greatest == -std::numeric_limits<T>::infinity()) return static_cast<double>(greatest);
    return static_cast<double>(greatest) + log_sum(x, n, greatest);
  }
  static void log_softmax(const T* x, T* y, std::int64_t n) {
    // x - max first: it is exact where it matters, and what is subtracted next is small.
    const T greatest = R::max(x, n);
    const V m = lanes::splat<V>(greatest);
    const V l = lanes::splat<V>(static_cast<T>(log_sum(x, n, greatest)));
    R::map(x, y, n, [&](V v) { return (v - m) - l; });
  }
};

template <class T>
using PacketOf = std::conditional_t<std::is_same_v<T, float>, F, D>;

/// Calls body(x row, y row, outer index, inner index); rows that are not contiguous go through scratch.
template <class T, class Body>
void each_row(Rows rows, RowsIn x, RowsOut y, Threads& threads, Body body) {
  const bool writes = y.data != nullptr;
  const bool direct = (x.stride == 1 || rows.n <= 1) && (!writes || y.stride == 1 || rows.n <= 1);
  const std::int64_t blocks = ceil_div(rows.inner, kRowsAtOnce);
  const std::int64_t per_task = std::max<std::int64_t>(1, rows.n) * std::min(rows.inner, kRowsAtOnce);
  threads.parallel_for(
      rows.outer * blocks, kParallelRowElements / per_task + 1, [&](std::int64_t begin, std::int64_t end) {
        std::vector<T> scratch;
        if (!direct) scratch.resize(static_cast<std::size_t>(rows.n * kRowsAtOnce));
        for (std::int64_t task = begin; task < end; ++task) {
          const std::int64_t o = task / blocks, i0 = task % blocks * kRowsAtOnce;
          const std::int64_t count = std::min(kRowsAtOnce, rows.inner - i0);
          const T* from = static_cast<const T*>(x.data) + o * x.outer_stride + i0 * x.inner_stride;
          T* to = writes ? static_cast<T*>(y.data) + o * y.outer_stride + i0 * y.inner_stride : nullptr;
          if (direct) {
            for (std::int64_t i = 0; i < count; ++i) {
              body(from + i * x.inner_stride, writes ? to + i * y.inner_stride : nullptr, o, i0 + i);
            }
            continue;
          }
          copy_matrix(count, rows.n, sizeof(T), from, x.inner_stride, x.stride, scratch.data(), rows.n, 1);
          for (std::int64_t i = 0; i < count; ++i)
            body(scratch.data() + i * rows.n, scratch.data() + i * rows.n, o, i0 + i);
          if (writes) copy_matrix(count, rows.n, sizeof(T), scratch.data(), rows.n, 1, to, y.inner_stride, y.stride);
        }
      });
}

template <class T>
void put(const RowsOut& out, std::int64_t o, std::int64_t i, double value) {
  if (out.data != nullptr)
    static_cast<T*>(out.data)[o * out.outer_stride + i * out.inner_stride] = static_cast<T>(value);
}

template <class Fn>
void by_type(ElementType type, Fn fn) {
  if (type == ElementType::kF32) return fn(float{});
  if (type == ElementType::kF64) return fn(double{});
  throw std::invalid_argument("row kernels work on f32 and f64");
}

}  // namespace

void softmax_rows(ElementType type, Rows rows, RowsIn x, RowsOut y, Threads& threads) {
  by_type(type, [&](auto zero) {
    using T = decltype(zero);
    each_row<T>(rows, x, y, threads, [&](const T* from, T* to, std::int64_t, std::int64_t) {
      Softmax<PacketOf<T>>::softmax(from, to, rows.n);
    });
  });
}

void log_softmax_rows(ElementType type, Rows rows, RowsIn x, RowsOut y, Threads& threads) {
  by_type(type, [&](auto zero) {
    using T = decltype(zero);
    each_row<T>(rows, x, y, threads, [&](const T* from, T* to, std::int64_t, std::int64_t) {
      Softmax<PacketOf<T>>::log_softmax(from, to, rows.n);
    });
  });
}

void logsumexp_rows(ElementType type, Rows rows, RowsIn x, RowsOut y, Threads& threads) {
  by_type(type, [&](auto zero) {
    using T = decltype(zero);
    each_row<T>(rows, x, RowsOut{}, threads, [&](const T* from, T*, std::int64_t o, std::int64_t i) {
      put<T>(y, o, i, Softmax<PacketOf<T>>::logsumexp(from, rows.n));
    });
  });
}

void log_sum_rows(ElementType type, Rows rows, RowsIn x, RowsOut max, RowsOut log_sum, Threads& threads) {
  by_type(type, [&](auto zero) {
    using T = decltype(zero);
    using S = Softmax<PacketOf<T>>;
    each_row<T>(rows, x, RowsOut{}, threads, [&](const T* from, T*, std::int64_t o, std::int64_t i) {
      const T greatest = S::R::max(from, rows.n);
      put<T>(max, o, i, static_cast<double>(greatest));
      put<T>(log_sum, o, i, S::log_sum(from, rows.n, greatest));
    });
  });
}

void layer_norm_rows(ElementType type, Rows rows, double epsilon, RowsIn x, RowsOut y, RowsOut mean, RowsOut scale,
                     Threads& threads) {
  by_type(type, [&](auto zero) {
    using T = decltype(zero);
    using V = PacketOf<T>;
    using R = Row<V>;
    each_row<T>(rows, x, y, threads, [&](const T* from, T* to, std::int64_t o, std::int64_t i) {
      const double size = static_cast<double>(rows.n);
      const T middle = static_cast<T>(R::sum(from, rows.n, T(0), [](V v) { return v; }) / size);
      const V m = lanes::splat<V>(middle);
      const double squares = R::sum(from, rows.n, middle, [&](V v) { return (v - m) * (v - m); });
      const double factor = 1.0 / std::sqrt(squares / size + epsilon);
      const V f = lanes::splat<V>(static_cast<T>(factor));
      R::map(from, to, rows.n, [&](V v) { return (v - m) * f; });
      put<T>(mean, o, i, static_cast<double>(middle));
      put<T>(scale, o, i, factor);
    });
  });
}

}  // namespace mtf::kernels
