#pragma once
// What element types and dims the operands of a call may have, and what becomes of them.
//
// Promotion is bool < i32 < bf16 < f32 < f64. A number of the host takes the tensors' type, except that a float with
// i32 or bool gives f32. Every operation works on operands of one type: the casts are nodes of their own.
// `precision mixed` adds three rules, which stand here alone: common_element, used_element, summed_element.
#include <string>
#include <string_view>

#include "ops/call.h"

namespace mtf::ops {

/// True of an operand that is a number of the host (a node `number`), not a tensor.
bool is_host_number(const graph::Value& value);

/// The type that operands meet in. Under `precision mixed`, f32 that meets bf16 is used as bf16.
ElementType common_element(const Builder& builder, const graph::Values& operands);

/// The type in which products read what has `element`: under `precision bf16` and `mixed` f32 is rounded to bf16.
ElementType multiplied_element(const Builder& builder, ElementType element);

/// The type in which operands that meet in `element` are multiplied or looked up: under `precision mixed` f32 is used
/// as bf16.
ElementType used_element(const Builder& builder, ElementType element);

/// The type of what is summed up from `element`, such as sums, softmax and losses: under `precision mixed` f32 for
/// bf16.
ElementType summed_element(const Builder& builder, ElementType element);

/// `value` as `element`: a number of the host is taken as that type at once, a tensor by `cast`. An integer that does
/// not fit in i32 is an error at `span`.
graph::Value as_element(Builder& builder, const graph::Value& value, ElementType element, Span span);

/// True of f32 and bf16 under `precision mixed`: a name that has one may be given the other.
bool are_one_when_mixed(const Builder& builder, ElementType a, ElementType b);

/// All `operands` as `element`.
graph::Values as_element(Builder& builder, const graph::Values& operands, ElementType element, Span span);

/// The type in which numbers are handled: bool counts as i32.
ElementType number_element(ElementType element);

/// The type in which numbers of `element` are added up: f64 for i32, so that no sum wraps around and parts of one are
/// exact under every layout. Sums up to 2^53 are exact.
ElementType added_element(ElementType element);
/// A sum of numbers of `element`, which was added up in added_element(element), as `element`. A sum of i32 that does
/// not fit ends the run with an error.
graph::Value as_summed(Builder& builder, const graph::Value& sum, ElementType element);

/// The type in which functions of real numbers are computed: bool and i32 count as f32.
ElementType real_element(ElementType element);

/// Refuses operands in which one dim name has two sizes (size_conflict).
void check_sizes(const Call& call, const graph::Values& operands);

/// Refuses operands of which none has all dims of the others (no_broadcast, size_conflict).
void check_broadcast(const Call& call, const graph::Values& operands);

/// Refuses an argument whose element type is not `expected` (wrong_element_type).
void check_element(const Call& call, std::string_view argument, ElementType expected, std::string_view help);

/// A call's tensor arguments, in the signature's order; those left out are skipped.
graph::Values tensor_arguments(const Call& call);

/// The dims of the call's tensor `argument` that `over` names, in the tensor's order; without `over`, all of them.
/// A dim that the tensor lacks, or one that is named twice, is an error.
Dims dims_over(const Call& call, std::string_view argument);

/// The one dim of `argument` that `over: dim` names; it may be left out where there is only one.
Dim dim_over(const Call& call, std::string_view argument);

/// Refuses a dim of `-> shape` that no operand has (dim_not_in_operands), or that stands there twice (dim_twice).
void check_arrow(const Call& call, const graph::Values& operands);

/// A value in messages, with its name where the program gave it one: `` `x`: f32[a=2, b=3] ``.
std::string describe(const graph::Value& value);

}  // namespace mtf::ops
