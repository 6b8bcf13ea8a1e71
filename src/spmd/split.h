#pragma once
// Splitting: from the global graph to the local program of one processor.
#include "graph/graph.h"
#include "spmd/local_program.h"

namespace mtf {

/// Lowers what `roots` need and is not computed. Each root ends up in its node's sharding, whole (not partial).
/// Equal nodes are merged first, dims that are split where an operation cannot bear it are expanded, and each
/// operation takes the cheapest way to its operands (fewest wire bytes, then fewest collectives, then a fixed order)
/// that gives up no axis which splits its iteration space. The time it takes and the program it makes do not depend
/// on the number of processors.
LocalProgram split(const Values& roots);

/// The instructions that bring `value` from its sharding to `wanted` (partial axes that `wanted` keeps stay partial):
/// the cheapest sequence of slice, all_reduce, reduce_scatter, all_gather, all_to_all and transpose.
int reshard(LocalProgram& program, int value, const Sharding& wanted, const MeshPtr& mesh, const Node* node,
            const std::string& reason);

}  // namespace mtf
