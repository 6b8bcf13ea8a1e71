#pragma once
// The operations on one element that loops are made of, and how elements are folded.
#include <cstdint>
#include <string_view>

#include "kernels/element_type.h"

namespace mtf::kernels {

/// The operations on elements; what each means is said in lane_ops.def.
enum class LaneOp : std::uint8_t {
#define MTF_LANE_OP(enumerator, name, arity, types, result) enumerator,
#include "kernels/lane_ops.def"
#undef MTF_LANE_OP
};

std::string_view name(LaneOp op);
int arity(LaneOp op);

/// Whether `op` can work on operands of `type` (for `where`: its second and third).
bool allows(LaneOp op, ElementType type);

/// What becomes of a loop's output's elements. An empty reduction gives the identity: sum 0, product 1,
/// max -inf or the least i32, min +inf or the greatest i32, and true, or false.
/// max and min give NaN if any element is NaN. Sums of bool count, in i32.
enum class Reduction : std::uint8_t { kStore, kSum, kProd, kMax, kMin, kAnd, kOr };

}  // namespace mtf::kernels
