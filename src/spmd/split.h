#pragma once
// Splitting: from a captured program on whole tensors to the local program of one processor.
#include "graph/program.h"
#include "spmd/local_program.h"

namespace mtf {

/// Lowers a captured program. Each root ends up in the sharding that its operation says, not partial.
/// Equal operations are merged first, those whose dims are split where they cannot bear it are expanded, and each
/// takes the cheapest way to its operands and result (fewest wire bytes, then fewest collectives, then a
/// fixed order) that gives up no axis which splits its iteration space. Sums stay partial where their only reader is
/// linear in them. The time it takes and the program it makes do not depend on the number of processors.
/// The inputs that the local program lists are those of the captured one that it reads, then numbers of its own.
LocalProgram split(const Program& program);

/// The same of a program of which nothing is to be merged or expanded.
LocalProgram split_as_it_is(Program program);

}  // namespace mtf
