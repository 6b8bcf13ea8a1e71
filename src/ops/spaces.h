#pragma once
// Iteration spaces that many operations share, and helpers for gradients through them.
#include "graph/iteration_space.h"
#include "ops/builder.h"

namespace mtf::ops {

/// The dims of a result that is broadcast from operands: those of the operand with the most dims (the first, if several
/// have as many), then the remaining ones of the others in their order. Only gradients and expansions have remaining
/// ones.
Dims broadcast_dims(std::span<const TensorType> operands);

/// Each dim of the result corresponds to the dim of that name in every operand that has it. All are free.
graph::IterationSpace elementwise_space(const graph::Operation& operation);

/// The first operand's dims that the result keeps are free. `reduction` folds the others.
graph::IterationSpace reduction_space(const graph::Operation& operation, kernels::Reduction reduction);

/// The first operand's dims are free, except that `ruled` ones have the kind `kind`. Dims correspond by name.
graph::IterationSpace ruled_space(const graph::Operation& operation, graph::SplitKind kind, const Dims& ruled);

/// The dims of every operand and result correspond by index. All are free, except that `special` has the kind `kind`.
graph::IterationSpace space_by_position(const graph::Operation& operation, int special, graph::SplitKind kind);

/// The index of a dim as an iteration space stores it.
inline int8_t narrow(int64_t position) { return static_cast<int8_t>(position); }

/// The attributes of an operation along one dim of its first operand, if that dim is the only attribute.
struct OverAttributes {
  Name over;
  static constexpr auto members() { return std::array{graph::member<&OverAttributes::over>("over")}; }
};

/// The attributes of an operation that makes one element of each block of a dim. `blocks` replaces that dim.
struct BlocksAttributes {
  Name over;
  Dim blocks;
  static constexpr auto members() {
    return std::array{graph::member<&BlocksAttributes::over>("over"),
                      graph::member<&BlocksAttributes::blocks>("blocks")};
  }
};
/// One result with `blocks` instead of the dim; the element type of bf16 becomes f32.
std::vector<TensorType> infer_of_blocks(const graph::Operation& operation);

/// The attributes of an operation that makes a tensor: its type.
struct TypeAttributes {
  TensorType type;
  static constexpr auto members() { return std::array{graph::member<&TypeAttributes::type>("->")}; }
};
std::vector<TensorType> infer_type(const graph::Operation& operation);

/// The index in the first operand of the dim that the attribute `over` names.
template <typename T>
int dim_of(const graph::Operation& operation) {
  return find_dim(operation.operands[0].dims, operation.attributes.get<T>().over);
}

/// The dims with these names. Each is a dim of an operand.
Dims operand_dims(const graph::Operation& operation, const Names& names);

/// The element type of the gradient of `value`: that of `value`, but f32 if `value` is a bf16 copy of a wider value.
/// Such a gradient is thus never rounded before it arrives.
ElementType gradient_element(const graph::Value& value);

/// Sums `gradient` over the dims that `operand` lacks, to undo a broadcast. The result is at least as wide as
/// gradient_element.
graph::Value sum_to_operand(Builder& builder, const graph::Value& gradient, const graph::Value& operand);

/// The dims of `dims` that are not in `without`, in their order.
Dims remaining(const Dims& dims, const Dims& without);

/// For each of `dims` its index in `in`, or -1.
std::vector<int> positions_in(const Dims& dims, const Dims& in);

/// The mean of `x` over the dims that are not in `kept`. Its flops are those of a sum.
graph::Value mean_to(Builder& builder, const graph::Value& x, const Dims& kept);

}  // namespace mtf::ops
