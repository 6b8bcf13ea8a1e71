// Elements as C++ numbers.
#pragma once

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <type_traits>

#include "kernels/element_type.h"
#include "kernels/lane_op.h"

namespace mtf::kernels {

/// Calls `fn` with a zero of the C++ type of `element`: uint8_t, int32_t, Bf16, float or double.
template <typename Fn>
void by_element(ElementType element, Fn fn) {
  switch (element) {
    case ElementType::kBool: return fn(std::uint8_t{});
    case ElementType::kI32: return fn(std::int32_t{});
    case ElementType::kBf16: return fn(Bf16{});
    case ElementType::kF32: return fn(float{});
    case ElementType::kF64: return fn(double{});
  }
}

template <typename T>
inline constexpr ElementType kElementOf = std::is_same_v<T, std::uint8_t>   ? ElementType::kBool
                                          : std::is_same_v<T, std::int32_t> ? ElementType::kI32
                                          : std::is_same_v<T, Bf16>         ? ElementType::kBf16
                                          : std::is_same_v<T, float>        ? ElementType::kF32
                                                                            : ElementType::kF64;

/// The type for arithmetic on elements of type T, and the conversions.
template <typename T>
using Number = std::conditional_t<std::is_same_v<T, Bf16>, float,
                                  std::conditional_t<std::is_same_v<T, std::uint8_t>, std::int32_t, T>>;
template <typename T>
Number<T> to_number(T value) {
  if constexpr (std::is_same_v<T, Bf16>) return to_float(value);
  else return value;
}
template <typename T>
T from_number(Number<T> value) {
  if constexpr (std::is_same_v<T, Bf16>) return to_bf16(value);
  else return static_cast<T>(value);
}
/// a + b; integers wrap around.
template <typename N>
N plus(N a, N b) {
  if constexpr (std::is_same_v<N, std::int32_t>)
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
  else return a + b;
}
/// The result of a reduction of no elements.
template <typename N>
N identity_of(Reduction reduction) {
  using Limits = std::numeric_limits<N>;
  switch (reduction) {
    case Reduction::kProd: return N(1);
    case Reduction::kMax: return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
    case Reduction::kMin: return Limits::has_infinity ? Limits::infinity() : Limits::max();
    case Reduction::kAnd: return N(-1);
    default: return N(0);
  }
}
/// Calls `fn` with the binary function of a reduction.
template <typename N, typename Fn>
void by_reduction(Reduction reduction, Fn fn) {
  switch (reduction) {
    case Reduction::kSum: return fn([](N x, N y) { return plus(x, y); });
    case Reduction::kProd:
      return fn([](N x, N y) {
        if constexpr (std::is_same_v<N, std::int32_t>)
          return static_cast<N>(static_cast<std::uint32_t>(x) * static_cast<std::uint32_t>(y));
        else return x * y;
      });
    // x != x is true for NaN only.
    case Reduction::kMax: return fn([](N x, N y) { return x != x ? x : y != y ? y : x > y ? x : y; });
    case Reduction::kMin: return fn([](N x, N y) { return x != x ? x : y != y ? y : x < y ? x : y; });
    default: throw std::invalid_argument("numbers are not reduced by and, or");
  }
}

}  // namespace mtf::kernels
