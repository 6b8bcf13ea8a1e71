#pragma once
// Contraction: products of tensors, summed over the dims that the result lacks.
#include <functional>

#include "graph/kernel_call.h"
#include "kernels/matmul.h"
#include "ops/builder.h"

namespace mtf::ops {

/// How an einsum multiplies, and what it gives. Sums are always those of f32, or of a wider type.
enum class Product : uint8_t {
  kPlain,     ///< the operands' type; of bf16, the parts that processors add up are f32
  kAsBf16,    ///< f32 is multiplied as bf16
  kRounded,   ///< of bf16: the parts that processors add up are bf16 too
  kWide,      ///< of bf16: the result is f32
  kIntegers,  ///< of f64 that are integers: what cannot be added up exactly is an error
};

inline constexpr std::string_view kProductWords[] = {"plain", "as_bf16", "rounded", "wide", "integers"};

/// Of a product of one or two operands.
struct EinsumAttributes {
  Product product = Product::kPlain;
  Names result;
  bool skips_zeros = false;  ///< a product with a factor of 0 is 0, whatever the other factor is
  static constexpr auto members() {
    return std::array{graph::member<&EinsumAttributes::product>("product", kProductWords),
                      graph::member<&EinsumAttributes::skips_zeros>("skips_zeros"),
                      graph::member<&EinsumAttributes::result>("->")};
  }
};

/// What `precision` makes of a product of `element`.
Product product_in_force(const graph::Context& context, ElementType element);

/// The product that gives the gradient of an operand of a product (gradient_element, ops/spaces.h).
Product gradient_product(Product product, const graph::Value& operand);

/// The names of all dims of an einsum: the result's, then those that are summed.
Names einsum_labels(const graph::Operation& operation);

/// Of three or more tensors: which two are multiplied first, then which, so that the points of all iteration spaces
/// together are fewest, found by trying all of up to nine, and of more by taking what is cheapest next. Each pair names
/// two of the tensors there are; their product is appended to them.
std::vector<std::pair<int, int>> pair_by_flops(const std::vector<Dims>& operands, const Dims& result);

/// The dims of a product of two that are needed (by the result or another operand), the first's and then the second's.
Dims product_dims(const Dims& first, const Dims& second, const std::function<bool(Name)>& is_needed);

/// Computes an einsum on blocks.
void contract_kernel(graph::KernelCall& call);

}  // namespace mtf::ops
