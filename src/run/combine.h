#pragma once
// Element-wise reductions of two arrays, and of the arrays of a group.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/element_type.h"
#include "kernels/fused_loop.h"

namespace mtf::run {

/// Computes result[i] = reduction(a[i], b[i]). `result` may be `a` or `b`. max and min give NaN if either operand is
/// NaN; i32 wraps.
void combine(ElementType type, kernels::Reduction reduction, const void* a, const void* b, void* result, int64_t count);

/// Element type and reduction.
struct ReduceElements {
  ElementType type;
  kernels::Reduction reduction;
  int64_t size() const { return size_of(type); }
};

/// Combines one array for each leaf of `tree` (spmd/reduction_tree.h), in the order of the tree. `result` may be one of
/// the arrays.
void combine_all(ReduceElements elements, std::span<const int64_t> tree, std::span<const std::byte* const> terms,
                 std::byte* result, int64_t count);

}  // namespace mtf::run
