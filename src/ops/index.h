#pragma once
// Operations that look up positions, for gradients and expansions of others.
#include "graph/kernel_call.h"
#include "kernels/lane_op.h"
#include "ops/builder.h"

namespace mtf::ops {

/// The attributes of place_at and add_at: the dim that the part lacks, and its index among the result's dims. The first
/// input is the position in that dim.
struct PositionAttributes {
  Dim dim;
  int64_t position;
  static constexpr auto members() {
    return std::array{graph::member<&PositionAttributes::dim>("dim"),
                      graph::member<&PositionAttributes::position>("position")};
  }
};

/// The contribution of a block that does not hold the position to the sum over all blocks: -0 + x is x, bit for bit.
inline constexpr double kNothing = -0.0;

/// The reduction that joins partial results. bool uses `or`, because a sum would count.
inline kernels::Reduction joined(ElementType element) {
  return element == ElementType::kBool ? kernels::Reduction::kOr : kernels::Reduction::kSum;
}

/// Converts a host number to a position in a dim. Throws ElementError if it is outside.
int64_t checked_position(const Dim& dim, double index);

/// The table's rows at the positions `ids` in its dim `over`, as `element`. Dims that both have correspond. The result
/// has the dims of the ids, then the remaining ones of the table.
graph::Value gather(Builder& builder, const graph::Value& table, const graph::Value& ids, const Dim& over,
                    ElementType element);

/// The transpose of gather: adds each value to the position in `into` that its id names. The result has `dims`: `into`,
/// the dims that the values have and the ids lack, and those shared dims that are not summed. Its type is `element`.
graph::Value scatter_add(Builder& builder, const graph::Value& values, const graph::Value& ids, const Dim& into,
                         const Dims& dims, ElementType element);

}  // namespace mtf::ops
