#pragma once
// Element-wise reduction of what two processors hold.
#include <cstdint>

#include "kernels/element_type.h"
#include "kernels/fused_loop.h"

namespace mtf {

/// result[i] = reduction(a[i], b[i]); `result` may be `a` or `b`. max and min give NaN if either is; i32 wraps.
void combine(ElementType type, Reduction reduction, const void* a, const void* b, void* result, int64_t count);

}  // namespace mtf
