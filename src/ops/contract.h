#pragma once
// Contraction: products of tensors, summed over the dims that the result lacks.
#include <functional>

#include "graph/kernel_call.h"
#include "kernels/matmul.h"
#include "ops/builder.h"

namespace mtf::ops {

/// How an einsum multiplies, and its result type. Sums are computed in f32 or a wider type.
enum class Product : uint8_t {
  kPlain,     ///< the operands' type; for bf16, partial sums of processors are f32
  kAsBf16,    ///< f32 operands are rounded to bf16
  kRounded,   ///< for bf16: partial sums of processors are bf16 too
  kWide,      ///< for bf16: the result is f32
  kIntegers,  ///< f64 operands that hold integers: an inexact sum is an error
};

inline constexpr std::string_view kProductWords[] = {"plain", "as_bf16", "rounded", "wide", "integers"};

/// The attributes of a product of one or two operands.
struct EinsumAttributes {
  Product product = Product::kPlain;
  Names result;
  bool skips_zeros = false;  ///< a product with a factor of 0 is 0, also if the other factor is infinite or NaN
  static constexpr auto members() {
    return std::array{graph::member<&EinsumAttributes::product>("product", kProductWords),
                      graph::member<&EinsumAttributes::skips_zeros>("skips_zeros"),
                      graph::member<&EinsumAttributes::result>("->")};
  }
};

/// The kind of product that the current `precision` gives for operands of `element`.
Product product_in_force(const graph::Context& context, ElementType element);

/// The kind of product that computes the gradient of an operand of a product (gradient_element, ops/spaces.h).
Product gradient_product(Product product, const graph::Value& operand);

/// The names of all dims of an einsum: the result's, then the summed ones.
Names einsum_labels(const graph::Operation& operation);

/// The order in which three or more tensors are multiplied in pairs. It minimises the points of all iteration spaces
/// together. Up to nine tensors, all orders are compared. For more tensors, the cheapest next pair is chosen each time.
/// Each pair names two of the remaining tensors, and their product is appended to the list.
std::vector<std::pair<int, int>> pair_by_flops(const std::vector<Dims>& operands, const Dims& result);

/// The dims of a product of two tensors that the result or another operand needs: the first's, then the second's.
Dims product_dims(const Dims& first, const Dims& second, const std::function<bool(Name)>& is_needed);

/// Computes an einsum on blocks.
void contract_kernel(graph::KernelCall& call);

}  // namespace mtf::ops
