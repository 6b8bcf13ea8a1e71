// Positions of extremes among elements that are neighbours in memory. Elements are of any type.
#pragma once

#include <cstdint>

#include "kernels/element_type.h"

namespace mtf::kernels {

/// The position of the first NaN among `count` ≥ 1 elements. If there is none, the first position of the maximum, or of
/// the minimum if `largest` is false.
std::int64_t position_of_extreme(ElementType type, bool largest, const void* x, std::int64_t count);

/// The positions in each of `lines` neighbouring lines, whose elements are `stride` apart. Positions are counted from
/// `first`, and written `apart` from each other. Lines without elements give `first`.
void positions_of_extremes(ElementType type, bool largest, const void* x, std::int64_t stride, std::int64_t count,
                           std::int64_t lines, std::int32_t first, std::int32_t* positions, std::int64_t apart);

/// The first position whose element equals the one at `wanted` or is NaN, or `count`.
std::int64_t position_of(ElementType type, const void* x, std::int64_t count, const void* wanted);

/// The first position whose element is NaN or larger than the one at `bound`, or `count`.
std::int64_t position_above(ElementType type, const void* x, std::int64_t count, const void* bound);

}  // namespace mtf::kernels
