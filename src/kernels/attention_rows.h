// What attention does to the rows of a tile, in packets (internal to attention.cpp). Rows are whole packets long.
#pragma once

#include "kernels/lane_apply.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "kernels/attention.h"

namespace mtf {

/// Packets of T.
template <class T>
struct TileRow {
  using V = std::conditional_t<std::is_same_v<T, float>, lanes::F, lanes::D>;
  static constexpr std::int64_t kLanes = lanes::kBytes / static_cast<std::int64_t>(sizeof(T));

  static V at(const T* x) {
    V v;
    std::memcpy(&v, x, lanes::kBytes);
    return v;
  }
  static void put(T* x, V v) { std::memcpy(x, &v, lanes::kBytes); }

  static T max(const T* x, std::int64_t n, T least) {
    V m = lanes::splat<V>(least);
    for (std::int64_t k = 0; k < n; k += kLanes) m = lanes::maximum_of(m, at(x + k));
    T result = m[0];
    for (std::int64_t k = 1; k < kLanes; ++k) result = (result > m[k] || result != result) ? result : m[k];
    return result;
  }

  /// x = exp(x - shift); their sum.
  static double exp(T* x, std::int64_t n, T shift) {
    const V m = lanes::splat<V>(shift);
    V sums[2] = {};
    for (std::int64_t k = 0; k < n; k += kLanes) {
      const V v = lanes::exp_of(at(x + k) - m);
      put(x + k, v);
      sums[(k / kLanes) & 1] = sums[(k / kLanes) & 1] + v;
    }
    const V all = sums[0] + sums[1];
    double sum = 0;
    for (std::int64_t k = 0; k < kLanes; ++k) sum += static_cast<double>(all[k]);
    return sum;
  }

  /// x = x y; without y, x stays.
  static void multiply(T* x, const T* y, std::int64_t n) {
    if (!y) return;
    for (std::int64_t k = 0; k < n; k += kLanes) put(x + k, at(x + k) * at(y + k));
  }

  /// slopes = weights (slopes - delta)
  static void softmax_gradient(const T* weights, T* slopes, std::int64_t n, T delta) {
    const V d = lanes::splat<V>(delta);
    for (std::int64_t k = 0; k < n; k += kLanes) put(slopes + k, at(weights + k) * (at(slopes + k) - d));
  }
};

/// Rounds to bf16 what is to be multiplied so.
inline void round_to_bf16(float* x, std::int64_t n) {
  for (std::int64_t k = 0; k < n; ++k) x[k] = to_float(to_bf16(x[k]));
}
inline void round_to_bf16(double*, std::int64_t) {}

/// Calls `fn` with the matrix's elements, as a pointer of their type.
template <class Fn>
void by_type(const MatrixPlace& place, Fn fn) {
  switch (place.element) {
    case ElementType::kBool: return fn(static_cast<std::uint8_t*>(place.data));
    case ElementType::kI32: return fn(static_cast<std::int32_t*>(place.data));
    case ElementType::kBf16: return fn(static_cast<Bf16*>(place.data));
    case ElementType::kF32: return fn(static_cast<float*>(place.data));
    case ElementType::kF64: return fn(static_cast<double*>(place.data));
  }
}

template <class T, class S>
T from_stored(S x) {
  if constexpr (std::is_same_v<S, Bf16>) return static_cast<T>(to_float(x));
  else return static_cast<T>(x);
}
template <class S, class T>
S to_stored(T x) {
  if constexpr (std::is_same_v<S, Bf16>) return to_bf16(static_cast<float>(x));
  else return static_cast<S>(x);
}

/// A number a row.
template <class T>
T number_at(const MatrixPlace& from, std::int64_t row) {
  T value{};
  by_type(from, [&](auto* data) { value = from_stored<T>(data[row * from.row]); });
  return value;
}

/// to[row * row_stride + column * column_stride] = factor from[first + row, column], rounded to bf16 if so asked.
template <class T>
void load_matrix(const MatrixPlace& from, std::int64_t first, std::int64_t rows, std::int64_t columns, T factor, bool round, T* to, std::int64_t row_stride,
                 std::int64_t column_stride) {
  constexpr std::int64_t kLines = 16;  // of a transpose: what is written lies together, and what is read stays in a cache
  by_type(from, [&](const auto* data) {
    const auto one = [&](std::int64_t r, std::int64_t c) {
      T value = from_stored<T>(data[(first + r) * from.row + c * from.column]) * factor;
      if (round) round_to_bf16(&value, 1);
      to[r * row_stride + c * column_stride] = value;
    };
    if (row_stride == 1) {
      for (std::int64_t lines = 0; lines < rows; lines += kLines)
        for (std::int64_t c = 0; c < columns; ++c)
          for (std::int64_t r = lines; r < std::min(lines + kLines, rows); ++r) one(r, c);
      return;
    }
    for (std::int64_t r = 0; r < rows; ++r)
      for (std::int64_t c = 0; c < columns; ++c) one(r, c);
  });
}

/// to[first + row, column] = factor from[row * columns + column].
template <class T>
void store_matrix(const T* from, std::int64_t rows, std::int64_t columns, T factor, const MatrixPlace& to, std::int64_t first) {
  by_type(to, [&]<class S>(S* data) {
    for (std::int64_t r = 0; r < rows; ++r)
      for (std::int64_t c = 0; c < columns; ++c) data[(first + r) * to.row + c * to.column] = to_stored<S>(from[r * columns + c] * factor);
  });
}

}  // namespace mtf
