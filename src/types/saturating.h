#pragma once
// Arithmetic of costs, which can be larger than any number that there is: a plan may be made for tensors that nobody
// could hold. What does not fit is kMost, which means "at least so much" and is printed so.
#include <cstdint>
#include <limits>

namespace mtf {

inline constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

/// Of numbers that are not negative.
inline int64_t saturating_add(int64_t a, int64_t b) {
  int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? kMost : sum;
}
inline int64_t saturating_multiply(int64_t a, int64_t b) {
  int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? kMost : product;
}

}  // namespace mtf
