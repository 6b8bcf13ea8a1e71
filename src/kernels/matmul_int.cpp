#include "kernels/matmul_blocked.h"

namespace mtf::kernels {

template void multiply<std::int32_t>(std::int64_t, std::int64_t, std::int64_t, Matrix<const std::int32_t>,
                                     Matrix<const std::int32_t>, Matrix<std::int32_t>, bool,
                                     const std::function<void()>&);

}  // namespace mtf::kernels
