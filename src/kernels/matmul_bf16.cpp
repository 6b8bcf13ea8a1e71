#include "kernels/matmul_blocked.h"

namespace mtf::kernels {
namespace {

template <class Number, class R = float>
using PairedAsRead = ThinProduct<float, R, Number, ThinStep::kPair>;

}  // namespace

template <class R>
void multiply_pairs(std::int64_t m, std::int64_t n, std::int64_t pairs, Matrix<const float> a, Matrix<const float> b,
                    Matrix<R> c, bool accumulate, const std::function<void()>& progress) {
  multiply_blocked<float, true>(m, n, pairs, Lines<float>(a.data, a.row, a.column, pairs),
                                Lines<float>(b.data, b.column, b.row, pairs), c, accumulate, progress);
}

template <class R>
void multiply_bf16(std::int64_t m, std::int64_t n, std::int64_t k, Matrix<const Bf16> a, Matrix<const Bf16> b,
                   Matrix<R> c, bool accumulate, const std::function<void()>& progress) {
  if (take_thin<PairedAsRead<Bf16, R>>(m, n, k, a, b, c, accumulate, progress)) return;
  multiply_blocked<float, true>(m, n, (k + 1) / 2, Lines<float, Bf16>(a.data, a.row, a.column, k),
                                Lines<float, Bf16>(b.data, b.column, b.row, k), c, accumulate, progress);
}

bool take_few_pairs(std::int64_t m, std::int64_t n, std::int64_t k, Matrix<const float> a, Matrix<const float> b,
                    Matrix<float> c, bool accumulate, const std::function<void()>& progress) {
  return take_thin<PairedAsRead<float>>(m, n, k, a, b, c, accumulate, progress);
}

template <class Number>
bool can_pair_as_read(std::int64_t m, std::int64_t n, std::int64_t k, const Matrix<const Number>& b) {
  return PairedAsRead<Number>::can_take(m, n, k, b);
}

template <class Number>
void multiply_paired_as_read(std::int64_t m, std::int64_t n, std::int64_t k, const Matrix<const float>& a,
                             const Matrix<const Number>& b, const Matrix<float>& c, bool accumulate) {
  PairedAsRead<Number>(m, k, a, b, c).run(n, accumulate, nullptr);
}

template void multiply_pairs(std::int64_t, std::int64_t, std::int64_t, Matrix<const float>, Matrix<const float>,
                             Matrix<float>, bool, const std::function<void()>&);
template void multiply_pairs(std::int64_t, std::int64_t, std::int64_t, Matrix<const float>, Matrix<const float>,
                             Matrix<Bf16>, bool, const std::function<void()>&);
template void multiply_bf16(std::int64_t, std::int64_t, std::int64_t, Matrix<const Bf16>, Matrix<const Bf16>,
                            Matrix<float>, bool, const std::function<void()>&);
template void multiply_bf16(std::int64_t, std::int64_t, std::int64_t, Matrix<const Bf16>, Matrix<const Bf16>,
                            Matrix<Bf16>, bool, const std::function<void()>&);
template bool can_pair_as_read(std::int64_t, std::int64_t, std::int64_t, const Matrix<const float>&);
template bool can_pair_as_read(std::int64_t, std::int64_t, std::int64_t, const Matrix<const Bf16>&);
template void multiply_paired_as_read(std::int64_t, std::int64_t, std::int64_t, const Matrix<const float>&,
                                      const Matrix<const float>&, const Matrix<float>&, bool);
template void multiply_paired_as_read(std::int64_t, std::int64_t, std::int64_t, const Matrix<const float>&,
                                      const Matrix<const Bf16>&, const Matrix<float>&, bool);

}  // namespace mtf::kernels
