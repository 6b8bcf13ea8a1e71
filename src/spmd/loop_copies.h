#pragma once
// Keeps copies that iterations of a loop make by resharding, for later consumers. This applies to stacked values and
// to slices of xs, and it equals the reuse of copies in the unrolled loop.
//
//     forward    h' = all_gather(h)   y   = einsum(h', w)       stacks h' as well as h
//     backward                        d_w = einsum(h', d_y)     reads its slice of h' and gathers nothing
//
// No copies of parameters are kept. The backward pass reshards them again, so that only the slice of one iteration is
// gathered at a time, or in a pipeline the slices of one stage.
#include <vector>

#include "graph/region.h"
#include "spmd/local_builder.h"
#include "spmd/local_program.h"

namespace mtf::spmd {

/// A loop under construction: its operation, the program of an iteration, and the values around it.
struct LocalLoop {
  graph::OperationRef node;
  LocalProgram iteration;
  std::vector<int> operands, results;
  std::vector<std::vector<Sharding>> copies;  ///< the copies of each operand that the iteration may use
  std::vector<bool> parameters;               ///< for each operand
};

/// Returns the shardings, around a loop, of the copies of an operand that iterations can read slice by slice. `value`
/// is the operand's local value.
std::vector<Sharding> copies_to_read(const graph::LaidOutOperation& loop, size_t operand, const LocalBuilder& around,
                                     int value);
/// Returns the sharding of such a copy in an iteration.
Sharding copy_in_iteration(const graph::LaidOutOperation& loop, size_t operand, Sharding around);

/// Makes the splitter keep copies (Program::for_gradients) of stacked values, then of slices of xs.
void keep_copies_of_iteration(graph::Program& iteration, const graph::Region& region);

/// Makes `values` operands of the loop, after the other xs. `reads`: the inputs of the iteration that are their slices.
void add_placed(LocalLoop& loop, const std::vector<Instruction*>& reads, const std::vector<int>& values,
                const LocalBuilder& around);

/// A copy of an operand or a result of a loop.
struct LoopCopy {
  bool of_operand = false;
  size_t of = 0;
  int value = -1;
  int under_another_name = -1;           ///< the result that the copy is but for the names of dims; -1: there is none
  graph::OperationRef rename = nullptr;  ///< makes the copy of it
};

/// Makes the copies that the iteration reads operands of the loop, and the copies that it keeps results. Returns the
/// latter. `of` is an index among the operands or results that were there before.
std::vector<LoopCopy> add_copies(LocalLoop& loop, LocalBuilder& around);

/// Removes stacked results that nothing reads, and operands that no iteration reads.
void leave_out_unread_of_loops(LocalProgram& program);

}  // namespace mtf::spmd
