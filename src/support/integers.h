#pragma once
// Integer quotients that are rounded up.
#include <cstdint>

namespace mtf {

/// The smallest integer that is at least a / b, for b > 0. `a` may be negative.
constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return a / b + (a % b > 0); }

/// The largest integer that is at most a / b.
constexpr std::int64_t floor_div(std::int64_t a, std::int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

/// The smallest multiple of `to` that is at least `size`, for to > 0.
constexpr std::int64_t round_up(std::int64_t size, std::int64_t to) { return ceil_div(size, to) * to; }

}  // namespace mtf
