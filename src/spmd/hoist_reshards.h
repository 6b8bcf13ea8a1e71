#pragma once
// Hoists the resharding of a loop's constants out of its iterations.
#include <vector>

#include "graph/region.h"
#include "spmd/local_builder.h"

namespace mtf::spmd {

/// Reshards constants once before the loop if every iteration would reshard them. The resharded values become further
/// operands of the loop. Uses copies of the enclosing program with the same sharding if there are any. Returns the
/// resharded values.
std::vector<int> hoist_reshards(LocalProgram& iteration, const graph::Region& region, std::vector<int>& operands,
                                LocalBuilder& around);

}  // namespace mtf::spmd
