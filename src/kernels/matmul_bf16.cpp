#include "kernels/matmul_blocked.h"

namespace mtf {

void multiply_pairs(std::int64_t m, std::int64_t n, std::int64_t pairs, Matrix<const float> a, Matrix<const float> b, Matrix<float> c,
                    bool accumulate, const std::function<void()>& progress) {
  multiply_blocked<float, true>(m, n, pairs, a, b, c, accumulate, progress);
}

}  // namespace mtf
