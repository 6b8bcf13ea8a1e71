#pragma once
// The floating-point operations of an operation, as its record counts them.
#include <functional>

#include "graph/graph.h"
#include "spmd/local_program.h"
#include "types/cost.h"

namespace mtf::spmd {

/// Returns the work on global sizes: what one processor alone would need.
Cost work_of_whole(const graph::LaidOutOperation& operation);

/// Returns the work on the blocks of the largest processor.
Cost work_of(const LocalProgram& program, const Instruction& instruction);

/// Returns the size of the largest block of a dim, as a factor of a cost.
BlockSize block_factor(const LocalDim& dim, const Mesh& mesh);

/// Returns the elements of the largest block of a value.
Product block_elements(const LocalValue& value);

}  // namespace mtf::spmd
