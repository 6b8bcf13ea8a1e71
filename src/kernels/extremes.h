// Places of extremes among elements that lie side by side. Elements are of any type.
#pragma once

#include <cstdint>

#include "kernels/element_type.h"

namespace mtf::kernels {

/// The place of the first NaN among `count` ≥ 1 elements; if there is none, of the first that no other exceeds, or
/// with `largest` false of the first that no other is below.
std::int64_t place_of_extreme(ElementType type, bool largest, const void* x, std::int64_t count);

/// The same of each of `lines` lines side by side, whose elements lie `stride` apart, each counted from `first`; what
/// is found lies `apart` from each other. Lines without elements give `first`.
void places_of_extremes(ElementType type, bool largest, const void* x, std::int64_t stride, std::int64_t count,
                        std::int64_t lines, std::int32_t first, std::int32_t* places, std::int64_t apart);

/// The first place whose element equals the one at `wanted` or is NaN, or `count`.
std::int64_t place_of(ElementType type, const void* x, std::int64_t count, const void* wanted);

/// The first place whose element is larger than the one at `bound` or NaN, or `count`.
std::int64_t place_above(ElementType type, const void* x, std::int64_t count, const void* bound);

}  // namespace mtf::kernels
