#pragma once
// The element types and dims that operands may have, and their promotion.
//
// Promotion is bool < i32 < bf16 < f32 < f64. A host number takes the tensors' type, except that a float with i32 or
// bool gives f32. Every operation works on operands of one type: casts are nodes of their own. `precision mixed` adds
// three rules, all of them here: common_element, used_element, summed_element. In addition, the gradient of a value
// that was narrowed to bf16 is f32, for every use of the value (gradient_element, ops/spaces.h). So no rule has to know
// which values are params.
#include <string>
#include <string_view>

#include "ops/call.h"

namespace mtf::ops {

/// True for an operand that is a host number (a node `number`), not a tensor.
bool is_host_number(const graph::Value& value);

/// The common type of operands. Under `precision mixed`, f32 that meets bf16 is used as bf16.
ElementType common_element(const Builder& builder, const graph::Values& operands);

/// The type in which a product reads an operand of `element`: under `precision bf16` and `mixed` f32 is rounded to
/// bf16.
ElementType multiplied_element(const Builder& builder, ElementType element);

/// The type in which operands of the common type `element` are multiplied or looked up. Under `precision mixed` f32 is
/// used as bf16.
ElementType used_element(const Builder& builder, ElementType element);

/// The type of a sum of elements of `element` (also of softmax and losses). Under `precision mixed` bf16 is summed in
/// f32.
ElementType summed_element(const Builder& builder, ElementType element);

/// Converts `value` to `element`. A host number is converted at once, a tensor by `cast`. Fails at `span` if an integer
/// does not fit in i32.
graph::Value as_element(Builder& builder, const graph::Value& value, ElementType element, Span span);

/// True for f32 and bf16 under `precision mixed`: a name of one type may be assigned the other.
bool are_one_when_mixed(const Builder& builder, ElementType a, ElementType b);

/// Converts all `operands` to `element`.
graph::Values as_element(Builder& builder, const graph::Values& operands, ElementType element, Span span);

/// The type in which numbers are computed: bool becomes i32.
ElementType number_element(ElementType element);

/// The type in which numbers of `element` are summed. i32 is summed in f64, so that no sum wraps around and partial
/// sums are exact under every layout. Sums up to 2^53 are exact. Only the complete sum must fit in i32. `cumsum` sums
/// in i64 instead, and fails at a running sum that does not fit.
ElementType added_element(ElementType element);
/// Converts a sum in added_element(element) back to `element`. If a sum of i32 does not fit, the run ends with an
/// error.
graph::Value as_summed(Builder& builder, const graph::Value& sum, ElementType element);

/// The type in which functions of real numbers are computed: bool and i32 become f32.
ElementType real_element(ElementType element);

/// Fails if a dim has two sizes in the operands (size_conflict).
void check_sizes(const Call& call, const graph::Values& operands);

/// Fails unless one operand has all dims of the others (no_broadcast, size_conflict).
void check_broadcast(const Call& call, const graph::Values& operands);

/// Fails if an argument's element type is not `expected` (wrong_element_type).
void check_element(const Call& call, std::string_view argument, ElementType expected, std::string_view help);

/// A call's tensor arguments in the signature's order, without absent ones.
graph::Values tensor_arguments(const Call& call);

/// The dims of the call's tensor `argument` that `over` names, in the tensor's order. Without `over`, all of them.
/// Fails if the tensor lacks a dim, or a dim is named twice.
Dims dims_over(const Call& call, std::string_view argument);

/// The one dim of `argument` that `over: dim` names. It may be left out if the tensor has one dim only.
Dim dim_over(const Call& call, std::string_view argument);

/// Fails if a dim of `-> shape` is in no operand (dim_not_in_operands), or is repeated (dim_twice).
void check_arrow(const Call& call, const graph::Values& operands);

/// A value as messages show it, with its name in the program if it has one: `` `x`: f32[a=2, b=3] ``.
std::string describe(const graph::Value& value);

}  // namespace mtf::ops
