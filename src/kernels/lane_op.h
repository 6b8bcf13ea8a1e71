#pragma once
// The operations on one element in loops, and the reductions of elements.
#include <cstdint>
#include <string_view>

#include "kernels/element_type.h"

namespace mtf::kernels {

/// The operations on elements. lane_ops.def defines each.
enum class LaneOp : std::uint8_t {
#define MTF_LANE_OP(enumerator, name, arity, types, result) enumerator,
#include "kernels/lane_ops.def"
#undef MTF_LANE_OP
};

std::string_view name(LaneOp op);
int arity(LaneOp op);

/// True if `op` allows operands of `type` (for `where`: its second and third).
bool allows(LaneOp op, ElementType type);

/// True if computing `op` in a loop takes about as long as reading its result from memory.
bool is_cheap(LaneOp op);

/// How the elements of a loop's output are combined. An empty reduction gives the identity: sum 0, product 1, max -inf
/// or the least i32, min +inf or the greatest i32, and true, or false. max and min give NaN if any element is NaN. A
/// sum of bool counts in i32.
enum class Reduction : std::uint8_t { kStore, kSum, kProd, kMax, kMin, kAnd, kOr };

}  // namespace mtf::kernels
