// Operations on the rows of a tile, in packets (internal to attention.cpp). The length of a row is a multiple of 64
// bytes, a block of one or more packets. Sums are kept for each lane of a block, so that their bits are the same on
// every processor.
#pragma once

#include "kernels/lane_apply.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <type_traits>

#include "kernels/attention.h"

namespace mtf::kernels {

/// Packets of T.
template <class T>
struct TileRow {
  using V = std::conditional_t<std::is_same_v<T, float>, lanes::F, lanes::D>;
  static constexpr std::int64_t kLanes = lanes::kBytes / static_cast<std::int64_t>(sizeof(T));

  static constexpr std::int64_t kBlock = 64 / static_cast<std::int64_t>(sizeof(T));
  static constexpr std::size_t kPackets = kBlock / kLanes;

  /// The lanes of a block.
  struct Block {
    std::array<V, kPackets> packets;
    /// Joins all lanes, by halves.
    template <class Join>
    T joined(Join join) const {
      alignas(64) std::array<T, kBlock> all;
      std::memcpy(all.data(), packets.data(), sizeof(all));
      for (std::size_t half = kBlock / 2; half > 0; half /= 2)
        for (std::size_t k = 0; k < half; ++k) all[k] = join(all[k], all[k + half]);
      return all[0];
    }
  };
  /// Calls fn(j, k) for packet j of each block. k is the index of the packet's first element.
  template <class Fn>
  static void each_block(std::int64_t n, Fn fn) {
    for (std::int64_t k = 0; k < n; k += kBlock)
#pragma GCC unroll 4
      for (std::size_t j = 0; j < kPackets; ++j) fn(j, k + static_cast<std::int64_t>(j) * kLanes);
  }

  static V at(const T* x) {
    V v;
    std::memcpy(&v, x, lanes::kBytes);
    return v;
  }
  static void put(T* x, V v) { std::memcpy(x, &v, lanes::kBytes); }

  static T max(const T* x, std::int64_t n, T least) {
    Block m;
    m.packets.fill(lanes::splat<V>(least));
    Block nan{};  // 0, or NaN in a lane that has seen one
    each_block(n, [&](std::size_t j, std::int64_t k) { m.packets[j] = lanes::maximum_of(m.packets[j], at(x + k)); });
    for (std::size_t j = 0; j < kPackets; ++j) nan.packets[j] = m.packets[j] - m.packets[j];
    return m.joined([](T a, T b) { return a > b ? a : b; }) + nan.joined(std::plus<T>());
  }

  /// Sets x to exp(x - shift), and returns the sum.
  static T exp(T* x, std::int64_t n, T shift) {
    const V m = lanes::splat<V>(shift);
    Block sum{};
    each_block(n, [&](std::size_t j, std::int64_t k) {
      const V v = lanes::exp_of(at(x + k) - m);
      put(x + k, v);
      sum.packets[j] = sum.packets[j] + v;
    });
    return sum.joined(std::plus<T>());
  }

  /// x = x y. Does nothing if y is null.
  static void multiply(T* x, const T* y, std::int64_t n) {
    if (!y) return;
    for (std::int64_t k = 0; k < n; k += kLanes) put(x + k, at(x + k) * at(y + k));
  }

  /// weights = exp(weights - shift); slopes = weights (slopes - delta), and 0 where a factor is 0
  static void softmax_gradient(T* weights, T* slopes, std::int64_t n, T shift, T delta) {
    const V m = lanes::splat<V>(shift), d = lanes::splat<V>(delta);
    for (std::int64_t k = 0; k < n; k += kLanes) {
      const V v = lanes::exp_of(at(weights + k) - m);
      put(weights + k, v);
      const V more = at(slopes + k) - d;
      put(slopes + k, lanes::number_or_zero_where((v == 0) | (more == 0), v * more));
    }
  }

  /// x = factor x
  static void scale(T* x, std::int64_t n, T factor) {
    for (std::int64_t k = 0; k < n; ++k) x[k] *= factor;
  }
};

/// Rounds to bf16 before a bf16 product.
inline void round_to_bf16(float* x, std::int64_t n) {
  for (std::int64_t k = 0; k < n; ++k) x[k] = to_float(mtf::to_bf16(x[k]));
}
inline void round_to_bf16(double*, std::int64_t) {}

/// Calls `fn` with a pointer to the matrix's elements, in their type.
template <class Fn>
void by_type(const StridedMatrix& position, Fn fn) {
  switch (position.element) {
    case ElementType::kBool: return fn(static_cast<std::uint8_t*>(position.data));
    case ElementType::kI32: return fn(static_cast<std::int32_t*>(position.data));
    case ElementType::kBf16: return fn(static_cast<Bf16*>(position.data));
    case ElementType::kF32: return fn(static_cast<float*>(position.data));
    case ElementType::kF64: return fn(static_cast<double*>(position.data));
  }
}

template <class T, class S>
T from_stored(S x) {
  if constexpr (std::is_same_v<S, Bf16>) return static_cast<T>(mtf::to_float(x));
  else return static_cast<T>(x);
}
template <class S, class T>
S to_stored(T x) {
  if constexpr (std::is_same_v<S, Bf16>) return mtf::to_bf16(static_cast<float>(x));
  else return static_cast<S>(x);
}

/// The number of a row, from a matrix of one column.
template <class T>
T number_at(const StridedMatrix& from, std::int64_t row) {
  T value{};
  by_type(from, [&](auto* data) { value = from_stored<T>(data[row * from.row]); });
  return value;
}

/// to[row * columns + column] = factor from[first + row, column], rounded to bf16 if `round` is set.
template <class T>
void load_rows(const StridedMatrix& from, std::int64_t first, std::int64_t rows, std::int64_t columns, T factor,
               bool round, T* to) {
  // Rows of a cache of keys are far apart in memory, so the hardware does not prefetch the next ones.
  constexpr std::int64_t kAhead = 6, kLine = 64;
  by_type(from, [&](const auto* data) {
    for (std::int64_t r = 0; r < rows; ++r) {
      const auto* const row = data + (first + r) * from.row;
      if (from.column == 1) {
        if (r + kAhead < rows)
          for (std::int64_t c = 0; c < columns; c += kLine / static_cast<std::int64_t>(sizeof *row))
            __builtin_prefetch(row + kAhead * from.row + c);
        for (std::int64_t c = 0; c < columns; ++c) to[r * columns + c] = from_stored<T>(row[c]) * factor;  // in packets
      } else {
        for (std::int64_t c = 0; c < columns; ++c) to[r * columns + c] = from_stored<T>(row[c * from.column]) * factor;
      }
    }
  });
  if (round) round_to_bf16(to, rows * columns);
}

/// to[first + row, column] = factor from[row * columns + column].
template <class T>
void store_matrix(const T* from, std::int64_t rows, std::int64_t columns, T factor, const StridedMatrix& to,
                  std::int64_t first) {
  by_type(to, [&]<class S>(S* data) {
    for (std::int64_t r = 0; r < rows; ++r) {
      S* const row = data + (first + r) * to.row;
      if (to.column == 1)  // in packets
        for (std::int64_t c = 0; c < columns; ++c) row[c] = to_stored<S>(from[r * columns + c] * factor);
      else
        for (std::int64_t c = 0; c < columns; ++c) row[c * to.column] = to_stored<S>(from[r * columns + c] * factor);
    }
  });
}

}  // namespace mtf::kernels
