#include "kernels/matmul_blocked.h"

namespace mtf::kernels {

template void multiply<float>(std::int64_t, std::int64_t, std::int64_t, Matrix<const float>, Matrix<const float>,
                              Matrix<float>, bool, const std::function<void()>&);
template void multiply<float>(std::int64_t, std::int64_t, std::int64_t, Matrix<const float>, Matrix<const float>,
                              Matrix<Bf16>, bool, const std::function<void()>&);

}  // namespace mtf::kernels
