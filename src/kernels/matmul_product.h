// One matrix product of one element type (internal to matmul*.cpp).
#pragma once

#include <cstdint>

namespace mtf {

template <class T>
struct Matrix {
  T* data;
  std::int64_t row, column;  ///< strides; one of them is 1, or the dim it belongs to has one element
};

/// c = a · b or c += a · b for m × k and k × n.
template <class T>
void multiply(std::int64_t m, std::int64_t n, std::int64_t k, Matrix<const T> a, Matrix<const T> b, Matrix<T> c,
              bool accumulate);

extern template void multiply<float>(std::int64_t, std::int64_t, std::int64_t, Matrix<const float>, Matrix<const float>,
                                     Matrix<float>, bool);
extern template void multiply<double>(std::int64_t, std::int64_t, std::int64_t, Matrix<const double>,
                                      Matrix<const double>, Matrix<double>, bool);
extern template void multiply<std::int32_t>(std::int64_t, std::int64_t, std::int64_t, Matrix<const std::int32_t>,
                                            Matrix<const std::int32_t>, Matrix<std::int32_t>, bool);

}  // namespace mtf
