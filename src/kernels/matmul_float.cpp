#include "kernels/matmul_eigen.h"

namespace mtf {

template void multiply<float>(std::int64_t, std::int64_t, std::int64_t, Matrix<const float>, Matrix<const float>, Matrix<float>,
                           bool);

}  // namespace mtf
