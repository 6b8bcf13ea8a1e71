#pragma once
// Quotients of integers that are rounded up.
#include <cstdint>

namespace mtf {

/// The least integer that is not below a / b, of either sign of `a`; b > 0.
constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return a / b + (a % b > 0); }

/// The least multiple of `to` that is not below `size`; to > 0.
constexpr std::int64_t round_up(std::int64_t size, std::int64_t to) { return ceil_div(size, to) * to; }

}  // namespace mtf
