#pragma once
// Operations that look up places, for gradients and expansions of others.
#include "graph/kernel_call.h"
#include "kernels/lane_op.h"
#include "ops/builder.h"

namespace mtf::ops {

/// Of place_at and add_at: the dim that the part lacks, and its place among the result's. The first input is the place
/// in it.
struct PlaceAttributes {
  Dim dim;
  int64_t position;
  static constexpr auto members() {
    return std::array{graph::member<&PlaceAttributes::dim>("dim"),
                      graph::member<&PlaceAttributes::position>("position")};
  }
};

/// What a block that does not hold the place contributes to the sum over all blocks: -0 + x is x, to the last bit.
inline constexpr double kNothing = -0.0;

/// Partial results of bool are joined by `or`: their sum would count.
inline kernels::Reduction joined(ElementType element) {
  return element == ElementType::kBool ? kernels::Reduction::kOr : kernels::Reduction::kSum;
}

/// A host's number as a place of a dim; throws ElementError if it is outside.
int64_t checked_place(const Dim& dim, double place);

/// The table at the places that `ids` say along its dim `over`, as `element`. Dims of both run together; the result has
/// the dims of the ids, then the others of the table.
graph::Value gather(Builder& builder, const graph::Value& table, const graph::Value& ids, const Dim& over,
                    ElementType element);

/// The transpose of gather: adds each value to the place that its id says along `into`. The result has `dims`: into,
/// the dims of the values that the ids lack, and those of both that are not summed. It is `element`.
graph::Value scatter_add(Builder& builder, const graph::Value& values, const graph::Value& ids, const Dim& into,
                         const Dims& dims, ElementType element);

}  // namespace mtf::ops
