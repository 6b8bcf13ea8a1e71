#pragma once
// Resharding: from any sharding of a value to any other, at the least cost.
//
// One function for all: several axes on one dim, dims that trade axes, uneven blocks and partial values included. The
// cheapest sequence has the fewest bytes on the wire, then the fewest collectives, then comes first in a fixed order;
// never a measured time, so that counters are the same on every machine.
#include <string>

#include "spmd/local_program.h"
#include "spmd/reshard_search.h"

namespace mtf::spmd {

/// Adds the instructions that bring `value` to `wanted`, on its own mesh, and returns the value that is there. Partial
/// axes that `wanted` keeps stay partial. `reason` says why a partial value is to be reduced.
int reshard(LocalProgram& program, ReshardWays& ways, int value, const Sharding& wanted,
            const graph::OperationRef& node, const ReasonRef& reason);

}  // namespace mtf::spmd
