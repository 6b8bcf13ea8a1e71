// One matrix product of one element type (internal to matmul*.cpp).
#pragma once

#include <cstdint>
#include <functional>

namespace mtf {

template <class T>
struct Matrix {
  T* data;
  std::int64_t row, column;  ///< strides
};

/// c = a · b or c += a · b for m × k and k × n, m and n positive; k = 0 gives zeros. Calls `progress`, if it is one, about
/// every millisecond. The order in which the terms of an element are added depends on k alone.
template <class T>
void multiply(std::int64_t m, std::int64_t n, std::int64_t k, Matrix<const T> a, Matrix<const T> b, Matrix<T> c,
              bool accumulate, const std::function<void()>& progress);

/// The processor multiplies bf16 by itself (AVX512_BF16), about twice as fast as f32.
#ifdef __AVX512BF16__
inline constexpr bool kMultipliesBf16 = true;
#else
inline constexpr bool kMultipliesBf16 = false;
#endif

/// The same of bf16, summed in f32: each element of a and b is two numbers, neighbours along k, the second 0 at an odd end;
/// `pairs` is how many there are. Only where kMultipliesBf16.
void multiply_pairs(std::int64_t m, std::int64_t n, std::int64_t pairs, Matrix<const float> a, Matrix<const float> b, Matrix<float> c,
                    bool accumulate, const std::function<void()>& progress);

extern template void multiply<float>(std::int64_t, std::int64_t, std::int64_t, Matrix<const float>, Matrix<const float>,
                                     Matrix<float>, bool, const std::function<void()>&);
extern template void multiply<double>(std::int64_t, std::int64_t, std::int64_t, Matrix<const double>,
                                      Matrix<const double>, Matrix<double>, bool, const std::function<void()>&);
extern template void multiply<std::int32_t>(std::int64_t, std::int64_t, std::int64_t, Matrix<const std::int32_t>,
                                            Matrix<const std::int32_t>, Matrix<std::int32_t>, bool,
                                            const std::function<void()>&);

}  // namespace mtf
