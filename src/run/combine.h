#pragma once
// Element-wise reduction of what two processors hold, and of what a group holds.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/element_type.h"
#include "kernels/fused_loop.h"

namespace mtf::run {

/// result[i] = reduction(a[i], b[i]); `result` may be `a` or `b`. max and min give NaN if either is; i32 wraps.
void combine(ElementType type, kernels::Reduction reduction, const void* a, const void* b, void* result, int64_t count);

/// What is added up, and how.
struct ReduceElements {
  ElementType type;
  kernels::Reduction reduction;
  int64_t size() const { return size_of(type); }
};

/// Combines as many arrays as `tree` (spmd/reduction_tree.h) has leaves, in its order. `result` may be one of them.
void combine_all(ReduceElements elements, std::span<const int64_t> tree, std::span<const std::byte* const> terms,
                 std::byte* result, int64_t count);

}  // namespace mtf::run
