#pragma once
// Sums that are scattered over the outer axes of a dim whose inner axes divide the work.
//
// The operands of a product are split over `rows` along the summed dim, and hold replicas over `cols`. Its result wants
// a dim split over rows, and then over cols. Processors divide the product over cols. Their blocks of the dim are then
// not the blocks that they want after the sum, as rows come first. So the dim is cut into two factors, which need no
// data to move:
//
//     z[c/rows+cols] = Σ u[k/rows, c]        u[k/rows, c]      reshaped   u[k/rows, p, q/cols]
//                                            z[p/rows, q/cols] = Σ u      reduce_scattered over rows
//                                            z[c/rows+cols]    reshaped, each processor's own block
#include <optional>

#include "spmd/expand.h"

namespace mtf::spmd {

/// True if the operation is a sum, and some dim of its result is split over several axes.
bool may_have_factors(const graph::LaidOutOperation& operation);

/// Returns the program that replaces such a sum. Returns nothing if no dim needs factors, or does not divide into equal
/// blocks.
std::optional<graph::Program> sum_in_factors(const graph::LaidOutOperation& sum,
                                             const std::vector<ExpandedOperand>& operands);

}  // namespace mtf::spmd
