#pragma once
// What turns of a loop bring elsewhere, kept for whoever needs the same later, as copies are in the loop written out:
// of what is stacked, and of what lies at the place of a turn.
//
//     forward    h' = all_gather(h)   y   = einsum(h', w)       gives h', stacked, besides h
//     backward                        d_w = einsum(h', d_y)     reads h' at its place, and gathers nothing
//
// Of parameters none are kept: the backward pass brings them again, so that no place of them is whole but that of a
// turn.
#include <vector>

#include "graph/region.h"
#include "spmd/local_builder.h"
#include "spmd/local_program.h"

namespace mtf::spmd {

/// A loop in the making: its operation, a turn of it, and the values around it.
struct LocalLoop {
  graph::OperationRef node;
  LocalProgram turn;
  std::vector<int> operands, results;
  std::vector<std::vector<Sharding>> copies;  ///< of each operand, those that the turn was offered (copies_to_read)
  std::vector<bool> parameters;               ///< of each operand
};

/// The sharding, around a loop, of each copy of an operand that its turns can read at their places; `value` holds it.
std::vector<Sharding> copies_to_read(const graph::LaidOutOperation& loop, size_t operand, const LocalBuilder& around,
                                     int value);
/// Where such a copy lies in a turn.
Sharding copy_in_turn(const graph::LaidOutOperation& loop, size_t operand, Sharding around);

/// Has the splitter keep copies (Program::for_gradients) of what a turn stacks, then of what lies at its place.
void keep_copies_of_turn(graph::Program& turn, const graph::Region& region);

/// A copy of an operand or a result of a loop.
struct LoopCopy {
  bool of_operand = false;
  size_t of = 0;
  int value = -1;
};

/// Copies that the turn reads become operands of the loop, those that it has kept become results. Gives the latter;
/// `of` counts those operands and results that there were before.
std::vector<LoopCopy> add_copies(LocalLoop& loop, LocalBuilder& around);

/// Loops give no more of what they stack than is read, and have no operand that no turn reads.
void leave_out_unread_of_loops(LocalProgram& program);

}  // namespace mtf::spmd
