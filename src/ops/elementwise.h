#pragma once
// Shared by the records of element-wise operations.
#include "ops/record.h"

namespace mtf::ops {

struct CastAttributes {
  ElementType to;
  static constexpr auto members() { return std::array{graph::member<&CastAttributes::to>("to")}; }
};

/// One result with the broadcast dims of the operands, of the first operand's element type.
std::vector<TensorType> infer_same(const graph::Operation& operation);
/// One result of bool with the broadcast dims of the operands.
std::vector<TensorType> infer_truth(const graph::Operation& operation);

/// A call's tensor arguments, broadcast to `-> shape` if the call has one, otherwise as check_broadcast demands.
graph::Values broadcast_arguments(const Call& call);

/// Broadcasts the arguments, casts them to the type that `rule` returns for them, and adds one node.
template <ElementType (*rule)(const Builder&, const graph::Values&)>
graph::Values build_map(Call& call) {
  const graph::Values operands = broadcast_arguments(call);
  return call.builder.add_node(call.op, as_element(call.builder, operands, rule(call.builder, operands), call.span));
}

inline ElementType meet_as_numbers(const Builder& builder, const graph::Values& operands) {
  return number_element(common_element(builder, operands));
}
inline ElementType meet_as_reals(const Builder& builder, const graph::Values& operands) {
  return real_element(common_element(builder, operands));
}

/// No gradient flows to any operand: the operation is constant wherever it is smooth.
graph::Values zero_gradient(graph::GradientCall& call);

/// Fills in the members that a record leaves out and that all element-wise operations share.
consteval graph::Op element_wise(graph::Op op) {
  if (op.family.empty()) op.family = "Element-wise";
  if (op.build == nullptr && !op.signature.empty()) op.build = build_map<meet_as_numbers>;
  if (op.infer == nullptr) op.infer = infer_same;
  op.space = elementwise_space;
  op.work = graph::Work::kPerResult;
  return complete(op);
}

/// The record of a function of real numbers: integers and bools are cast to f32.
consteval graph::Op real_function(graph::Op op) {
  if (op.build == nullptr && !op.signature.empty()) op.build = build_map<meet_as_reals>;
  return element_wise(op);
}

}  // namespace mtf::ops
