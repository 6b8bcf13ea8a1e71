#pragma once
// Arithmetic for costs that may exceed every integer type, because a plan may be made for tensors that no machine can
// hold. Larger results are kMost, which means "at least this" and is printed so.
#include <cstdint>
#include <limits>

namespace mtf {

inline constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

/// Adds numbers that are not negative.
inline int64_t saturating_add(int64_t a, int64_t b) {
  int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? kMost : sum;
}
inline int64_t saturating_multiply(int64_t a, int64_t b) {
  int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? kMost : product;
}

}  // namespace mtf
