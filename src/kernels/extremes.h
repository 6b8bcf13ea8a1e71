// Places of extremes among elements that lie side by side.
#pragma once

#include <cstdint>

#include "kernels/element_type.h"

namespace mtf::kernels {

// For `T` one of std::uint8_t (bool), std::int32_t, Bf16, float and double.

/// The place of the first NaN among `count` ≥ 1 elements; if there is none, of the first that no other exceeds, or
/// with `largest` false of the first that no other is below.
template <bool largest, class T>
std::int64_t place_of_extreme(const T* x, std::int64_t count);

/// The first place whose element equals `wanted` or is NaN, or `count`.
template <class T>
std::int64_t place_of(const T* x, std::int64_t count, T wanted);

/// The first place whose element is larger than `bound` or NaN, or `count`.
template <class T>
std::int64_t place_above(const T* x, std::int64_t count, T bound);

}  // namespace mtf::kernels
