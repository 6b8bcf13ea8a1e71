#include "kernels/matmul_blocked.h"

namespace mtf::kernels {

template void multiply<double>(std::int64_t, std::int64_t, std::int64_t, Matrix<const double>, Matrix<const double>,
                               Matrix<double>, bool, const std::function<void()>&);

}  // namespace mtf::kernels
