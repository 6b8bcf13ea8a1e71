#pragma once
// Iteration spaces that many operations share, and the gradient's way back through them.
#include "graph/iteration_space.h"
#include "ops/builder.h"

namespace mtf::ops {

/// The dims of a result that is broadcast from operands: those of the operand with the most dims (the first if
/// several), then the others' remaining ones in their order. Only where no program wrote the operation are there any.
Dims broadcast_dims(std::span<const TensorType> operands);

/// Each dim of the result runs with the dim of the same name of every operand that has it; all are free.
graph::IterationSpace elementwise_space(const graph::Operation& operation);

/// The first operand's dims that a result has are free, the others are folded by `reduction`.
graph::IterationSpace reduction_space(const graph::Operation& operation, kernels::Reduction reduction);

/// The first operand's dims: free, except that `kind` holds for those of which `ruled` says so. Operands and results
/// have dims by name.
graph::IterationSpace ruled_space(const graph::Operation& operation, graph::SplitKind kind, const Dims& ruled);

/// The dims of every operand and result run together by place: free, but of `special`, which is of another kind.
graph::IterationSpace space_by_place(const graph::Operation& operation, int special, graph::SplitKind kind);

/// The place of a dim, as an iteration space has it.
inline int8_t narrow(int64_t place) { return static_cast<int8_t>(place); }

/// Of an operation along one dim of its first operand, of which there is no more to say.
struct OverAttributes {
  Name over;
  static constexpr auto members() { return std::array{graph::member<&OverAttributes::over>("over")}; }
};

/// Of a helper that makes one element of each block of a dim: `blocks` stands in its place.
struct BlocksAttributes {
  Name over;
  Dim blocks;
  static constexpr auto members() {
    return std::array{graph::member<&BlocksAttributes::over>("over"),
                      graph::member<&BlocksAttributes::blocks>("blocks")};
  }
};
/// Of bf16 it is f32.
std::vector<TensorType> infer_of_blocks(const graph::Operation& operation);

/// Of an operation that makes a tensor: its type.
struct TypeAttributes {
  TensorType type;
  static constexpr auto members() { return std::array{graph::member<&TypeAttributes::type>("->")}; }
};
std::vector<TensorType> infer_type(const graph::Operation& operation);

/// The place in the first operand of the dim that attributes with a member `over` say.
template <typename T>
int dim_of(const graph::Operation& operation) {
  return find_dim(operation.operands[0].dims, operation.attributes.get<T>().over);
}

/// The dims of these names, each of which an operand has.
Dims operand_dims(const graph::Operation& operation, const Names& names);

/// The type of the gradient that flows to `value`: its own, but f32 where it is a copy in bf16 of something wider,
/// whose gradient is thus never rounded on its way.
ElementType gradient_element(const graph::Value& value);

/// Sums `gradient` over the dims that `operand` lacks, so that it fits what was broadcast, in gradient_element at
/// least.
graph::Value sum_to_operand(Builder& builder, const graph::Value& gradient, const graph::Value& operand);

/// The dims of `dims` that are not in `without`, in their order.
Dims remaining(const Dims& dims, const Dims& without);

/// For each of `dims` its index in `in`, or -1.
std::vector<int> places_in(const Dims& dims, const Dims& in);

/// The mean of `x` that keeps `kept`. Counted as its sum.
graph::Value mean_to(Builder& builder, const graph::Value& x, const Dims& kept);

}  // namespace mtf::ops
