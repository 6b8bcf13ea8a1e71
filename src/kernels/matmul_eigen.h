// The products by Eigen; each matmul_*.cpp instantiates one type.
#pragma once

// g++ 12 warns of its own AVX-512 intrinsics (PR 105593).
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"

#include <Eigen/Core>

#include "kernels/matmul_product.h"

namespace mtf {

template <class T, int kOrder>
using EigenMap = Eigen::Map<std::conditional_t<std::is_const_v<T>,
                                               const Eigen::Matrix<std::remove_const_t<T>, Eigen::Dynamic, Eigen::Dynamic, kOrder>,
                                               Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, kOrder>>,
                            0, Eigen::OuterStride<>>;

template <class T>
bool is_column_major(const Matrix<T>& x, std::int64_t rows, std::int64_t columns) {
  return (x.row == 1 && columns != 1) || rows == 1;
}

template <int kOrder, class T>
EigenMap<T, kOrder> map_of(const Matrix<T>& x, std::int64_t rows, std::int64_t columns) {
  return {x.data, rows, columns, Eigen::OuterStride<>(kOrder == Eigen::ColMajor ? x.column : x.row)};
}

/// C column-major.
template <class T>
void multiply_columns(std::int64_t m, std::int64_t n, std::int64_t k, const Matrix<const T>& a, const Matrix<const T>& b,
                      const Matrix<T>& c, bool accumulate) {
  constexpr int kC = Eigen::ColMajor, kR = Eigen::RowMajor;
  auto result = map_of<kC>(c, m, n);
  auto go = [&](const auto& x, const auto& y) {
    if (accumulate) result.noalias() += x * y;
    else result.noalias() = x * y;
  };
  const bool a_columns = is_column_major(a, m, k), b_columns = is_column_major(b, k, n);
  if (a_columns && b_columns) go(map_of<kC>(a, m, k), map_of<kC>(b, k, n));
  else if (a_columns) go(map_of<kC>(a, m, k), map_of<kR>(b, k, n));
  else if (b_columns) go(map_of<kR>(a, m, k), map_of<kC>(b, k, n));
  else go(map_of<kR>(a, m, k), map_of<kR>(b, k, n));
}

/// k = 1: a column times a row, by columns of the result.
template <class T>
void multiply_outer(std::int64_t m, std::int64_t n, const Matrix<const T>& a, const Matrix<const T>& b,
                    const Matrix<T>& c, bool accumulate) {
  using Vector = Eigen::Matrix<T, Eigen::Dynamic, 1>;
  const Eigen::Map<const Vector, 0, Eigen::InnerStride<>> column(a.data, m, Eigen::InnerStride<>(m == 1 ? 1 : a.row));
  Vector packed;
  const bool pack = m > 1 && a.row != 1;
  if (pack) packed = column;
  const Eigen::Map<const Vector> x(pack ? packed.data() : a.data, m);
  for (std::int64_t j = 0; j < n; ++j) {
    Eigen::Map<Vector> y(c.data + j * c.column, m);
    if (accumulate) y += x * b.data[j * b.column];
    else y = x * b.data[j * b.column];
  }
}

template <class T>
void multiply(std::int64_t m, std::int64_t n, std::int64_t k, Matrix<const T> a, Matrix<const T> b, Matrix<T> c,
              bool accumulate) {
  // A row-major result is the column-major result of the transposes.
  if (!is_column_major(c, m, n)) {
    std::swap(m, n);
    std::swap(a, b);
    std::swap(a.row, a.column);
    std::swap(b.row, b.column);
    std::swap(c.row, c.column);
  }
  if (k == 1) multiply_outer(m, n, a, b, c, accumulate);
  else multiply_columns(m, n, k, a, b, c, accumulate);
}

}  // namespace mtf
