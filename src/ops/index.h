#pragma once
// Nodes of the operations that look up places: for gradients and expansions of others.
//
//   operation     dims                         ints
//   gather        over                         over's place in the table; for each dim of the result its places in the
//                                              table and in the ids, or -1
//   scatter_add   into, the result's dims      into's place in the result; the number of the result's dims; for each of
//                                              them its places in the values and in the ids, or -1; the same for each dim
//                                              that is summed
//   place_at      the dim                      the result's dim (input: the place)
#include "graph/kernel_call.h"
#include "kernels/lane_op.h"
#include "ops/builder.h"

namespace mtf {

/// What a block that does not hold the place contributes to the sum over all blocks: -0 + x is x, to the last bit.
inline constexpr double kNothing = -0.0;

/// Partial results of bool are joined by `or`: their sum would count.
inline Reduction joined(ElementType element) { return element == ElementType::kBool ? Reduction::kOr : Reduction::kSum; }

/// A host's number as a place of a dim; throws ElementError if it is outside.
int64_t checked_place(const Dim& dim, double place);
/// The place that the first input of an index, place_at or add_at names.
int64_t place_of_input(const KernelCall& call);

/// The table at the places that `ids` say along its dim `over`, as `element`. Dims of both run together; the result has the
/// dims of the ids, then the others of the table.
Value gather(Builder& builder, const Value& table, const Value& ids, const Dim& over, ElementType element);

/// The transpose of gather: adds each value to the place that its id says along `into`. The result has `dims`: into,
/// the dims of the values that the ids lack, and those of both that are not summed. It is `element`.
Value scatter_add(Builder& builder, const Value& values, const Value& ids, const Dim& into, const Dims& dims, ElementType element);

}  // namespace mtf
