#pragma once
// Contraction: products of tensors, summed over the dims that the result lacks.
//
//   operation  dims          ints
//   einsum     the result's  its Product; then for each dim of the first operand, and of the second, its label: its place in
//                            the result, or the number of the result's dims and up if it is summed
#include <functional>

#include "graph/kernel_call.h"
#include "kernels/matmul.h"
#include "ops/builder.h"

namespace mtf {

/// How an einsum multiplies, and what it gives. Sums are always those of f32, or of a wider type.
enum class Product : int8_t {
  kPlain,    ///< the operands' type; of bf16, the parts that processors add up are f32
  kAsBf16,   ///< f32 is multiplied as bf16
  kRounded,  ///< of bf16: the parts that processors add up are bf16 too
  kWide,     ///< of bf16: the result is f32
};

/// What `precision` makes of a product of `element`.
Product product_in_force(const Context& context, ElementType element);

/// Attributes of an einsum of one or two operands.
Attributes einsum_attributes(const Values& operands, const Dims& result, Product product);

/// Of three or more tensors: which two are multiplied first, then which, so that the points of all iteration spaces
/// together are fewest, found by trying all of up to nine, and of more by taking what is cheapest next. Each pair names two of the tensors there are; their product is appended to them.
std::vector<std::pair<int, int>> pair_by_flops(const std::vector<Dims>& operands, const Dims& result);

/// The dims of a product of two that are needed (by the result or another operand), the first's and then the second's.
Dims product_dims(const Dims& first, const Dims& second, const std::function<bool(Name)>& is_needed);

/// Computes an einsum on blocks.
void contract_kernel(KernelCall& call);

}  // namespace mtf
