// bf16 in pairs: two numbers that are neighbours along k, in the bits of one float, the first in the lower half. The
// processor multiplies a pair at once (multiply_pairs, matmul_product.h). A line of bf16 in memory already is a line of
// pairs.
#pragma once

#include <bit>
#include <cstdint>

#include "kernels/element_type.h"

namespace mtf::kernels {

/// The pair of two numbers, rounded to bf16.
inline float pair(Bf16 first, Bf16 second) {
  return std::bit_cast<float>(first.bits | static_cast<std::uint32_t>(second.bits) << 16);
}
inline float pair(float first, float second) { return pair(mtf::to_bf16(first), mtf::to_bf16(second)); }

/// to[i] = the pair (first[i], second[i]), rounded to bf16; without `second` (first[i], 0). Turns two lines that are
/// neighbours along k into pairs.
void pair_lines(const float* first, const float* second, std::int64_t n, float* to);
void pair_lines(const Bf16* first, const Bf16* second, std::int64_t n, float* to);

/// to[p] = the pair (line[2 p], line[2 p + 1]), rounded to bf16. The last number of an odd line is paired with 0.
void pair_along(const float* line, std::int64_t n, float* to);
void pair_along(const Bf16* line, std::int64_t n, float* to);

}  // namespace mtf::kernels
