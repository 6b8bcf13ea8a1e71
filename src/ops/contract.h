#pragma once
// Contraction: products of tensors, summed over the dims that the result lacks.
//
//   operation  dims          ints
//   einsum     the result's  1 if f32 is multiplied as bf16; then for each dim of the first operand, and of the second,
//                            its label: its place in the result, or the number of the result's dims and up if it is summed
#include <functional>

#include "graph/kernel_call.h"
#include "kernels/matmul.h"
#include "ops/builder.h"

namespace mtf {

/// Attributes of an einsum of one or two operands.
Attributes einsum_attributes(const Values& operands, const Dims& result, bool bf16_product);

/// Of three or more tensors: which two are multiplied first, then which, so that the points of all iteration spaces
/// together are fewest, found by trying all of up to nine, and of more by taking what is cheapest next. Each pair names two of the tensors there are; their product is appended to them.
std::vector<std::pair<int, int>> pair_by_flops(const std::vector<Dims>& operands, const Dims& result);

/// The dims of a product of two that are needed (by the result or another operand), the first's and then the second's.
Dims product_dims(const Dims& first, const Dims& second, const std::function<bool(Name)>& is_needed);

/// Computes an einsum on blocks.
void contract_kernel(KernelCall& call);

}  // namespace mtf
