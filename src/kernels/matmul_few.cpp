#include "kernels/matmul_thin.h"

namespace mtf::kernels {
namespace {

template <class Number, ThinStep kStep>
bool take_few(std::int64_t m, std::int64_t n, std::int64_t k, const Matrix<const float>& a,
              const Matrix<const Number>& b, const Matrix<float>& c, bool accumulate,
              const std::function<void()>& progress) {
  using Thin = ThinProduct<float, float, Number, kStep>;
  if (!Thin::takes(m, n, k, b)) return false;
  Thin(m, k, a, b, c).run(n, accumulate, progress);
  return true;
}

}  // namespace

bool take_few_widened(std::int64_t m, std::int64_t n, std::int64_t k, Matrix<const float> a, Matrix<const Bf16> b,
                      Matrix<float> c, bool accumulate, const std::function<void()>& progress) {
  return take_few<Bf16, ThinStep::kNumber>(m, n, k, a, b, c, accumulate, progress);
}

bool take_few_rounded(std::int64_t m, std::int64_t n, std::int64_t k, Matrix<const float> a, Matrix<const float> b,
                      Matrix<float> c, bool accumulate, const std::function<void()>& progress) {
  return take_few<float, ThinStep::kRoundedNumber>(m, n, k, a, b, c, accumulate, progress);
}

}  // namespace mtf::kernels
