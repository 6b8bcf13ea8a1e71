#pragma once
// Splitting: from the global graph to the local program of one processor.
#include "graph/graph.h"
#include "spmd/local_program.h"

namespace mtf {

/// Lowers what `roots` need and is not computed. Each root ends up in its node's sharding, not partial.
/// Equal nodes are merged first, nodes whose dims are split where the operation cannot bear it are expanded, and each
/// operation takes the cheapest way to its operands and result (fewest wire bytes, then fewest collectives, then a
/// fixed order) that gives up no axis which splits its iteration space. Sums stay partial where their only reader is
/// linear in them. The time it takes and the program it makes do not depend on the number of processors.
LocalProgram split(const Values& roots);

}  // namespace mtf
