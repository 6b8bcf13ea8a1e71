#include "kernels/matmul_blocked.h"

namespace mtf::kernels {

template <class R>
void multiply_pairs(std::int64_t m, std::int64_t n, std::int64_t pairs, Matrix<const float> a, Matrix<const float> b,
                    Matrix<R> c, bool accumulate, const std::function<void()>& progress) {
  multiply_blocked<float, true>(m, n, pairs, Lines<float>(a.data, a.row, a.column, pairs),
                                Lines<float>(b.data, b.column, b.row, pairs), c, accumulate, progress);
}

template <class R>
void multiply_bf16(std::int64_t m, std::int64_t n, std::int64_t k, Matrix<const Bf16> a, Matrix<const Bf16> b,
                   Matrix<R> c, bool accumulate, const std::function<void()>& progress) {
  if (k % 2 == 0) take_thin<ThinProduct<float, R, Bf16, ThinStep::kPair>>(m, n, k / 2, a, b, c, accumulate, progress);
  if (m == 0 || n == 0) return;
  multiply_blocked<float, true>(m, n, (k + 1) / 2, Lines<float, Bf16>(a.data, a.row, a.column, k),
                                Lines<float, Bf16>(b.data, b.column, b.row, k), c, accumulate, progress);
}

void take_few_rounded(std::int64_t& m, std::int64_t& n, std::int64_t k, Matrix<const float>& a, Matrix<const float>& b,
                      Matrix<float>& c, bool accumulate, const std::function<void()>& progress) {
  if (k % 2 == 0)
    take_thin<ThinProduct<float, float, float, ThinStep::kPair>>(m, n, k / 2, a, b, c, accumulate, progress);
}

template void multiply_pairs(std::int64_t, std::int64_t, std::int64_t, Matrix<const float>, Matrix<const float>,
                             Matrix<float>, bool, const std::function<void()>&);
template void multiply_pairs(std::int64_t, std::int64_t, std::int64_t, Matrix<const float>, Matrix<const float>,
                             Matrix<Bf16>, bool, const std::function<void()>&);
template void multiply_bf16(std::int64_t, std::int64_t, std::int64_t, Matrix<const Bf16>, Matrix<const Bf16>,
                            Matrix<float>, bool, const std::function<void()>&);
template void multiply_bf16(std::int64_t, std::int64_t, std::int64_t, Matrix<const Bf16>, Matrix<const Bf16>,
                            Matrix<Bf16>, bool, const std::function<void()>&);

}  // namespace mtf::kernels
