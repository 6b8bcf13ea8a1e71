#pragma once
// Hoists the resharding of a loop's constants out of its iterations.
//
// In a pipeline the weights of a stage are constants of the loop over micro-batches, and xs of the loop over the
// stage's layers. Their resharding leaves both loops. So a stage holds its resharded weights until its last
// micro-batch, and does not communicate for each micro-batch. The backward pass reshards them again
// (spmd/loop_copies.h).
#include <vector>

#include "graph/region.h"
#include "spmd/local_builder.h"
#include "spmd/loop_copies.h"

namespace mtf::spmd {

/// Reshards constants once before the loop if every iteration would reshard them. The resharded values become further
/// operands of the loop. Uses copies of the enclosing program with the same sharding if there are any. Returns the
/// resharded values.
std::vector<int> hoist_reshards(LocalProgram& iteration, const graph::Region& region, std::vector<int>& operands,
                                LocalBuilder& around);

/// For a loop in a stage of a pipeline: reshards the xs that lack the dim `micro` before the loop, instead of their
/// slices in each iteration.
void hoist_from_stage(LocalLoop& loop, Name micro, LocalBuilder& around);

}  // namespace mtf::spmd
