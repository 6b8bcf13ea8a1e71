#include "kernels/matmul_thin.h"

namespace mtf::kernels {
namespace {

template <class Number, ThinStep kStep>
std::int64_t multiply_columns(std::int64_t m, std::int64_t n, std::int64_t k, const Matrix<const float>& a,
                              const Matrix<const Number>& b, const Matrix<float>& c, bool accumulate,
                              const std::function<void()>& progress) {
  using Thin = ThinProduct<float, float, Number, kStep>;
  const std::int64_t columns = Thin::columns(m, n, k, b);
  if (columns > 0) Thin(m, k, a, b, c).run(columns, accumulate, progress);
  return columns;
}

}  // namespace

std::int64_t multiply_few(std::int64_t m, std::int64_t n, std::int64_t k, Matrix<const float> a, Matrix<const Bf16> b,
                          Matrix<float> c, bool accumulate, const std::function<void()>& progress) {
  return multiply_columns<Bf16, ThinStep::kNumber>(m, n, k, a, b, c, accumulate, progress);
}

std::int64_t multiply_few_rounded(std::int64_t m, std::int64_t n, std::int64_t k, Matrix<const float> a,
                                  Matrix<const float> b, Matrix<float> c, bool accumulate,
                                  const std::function<void()>& progress) {
  return multiply_columns<float, ThinStep::kRoundedNumber>(m, n, k, a, b, c, accumulate, progress);
}

}  // namespace mtf::kernels
