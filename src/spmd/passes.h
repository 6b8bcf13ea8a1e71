#pragma once
// The passes from a captured program to the local program; plan/passes.h lists them in the order in which they run.
//
// Each takes time in proportion to the program, or n log n.
#include <cstdint>
#include <vector>

#include "graph/program.h"
#include "spmd/forms.h"
#include "spmd/local_program.h"

namespace mtf::spmd {

/// Carries a split that a rename loses, because no rule speaks of the new name, to the products behind it, whose work
/// it divides; they would be done on every processor. What lies on the way, up to where a value is needed whole, keeps
/// the split, and gradients follow what they are the gradients of. Roots lie where their layouts say, but for those
/// that are kept for gradients alone (Program::only_history). What turns of a loop save for its gradient keeps the
/// split too, also in the turns that read it.
///
///     m = rename(x, length -> memory)      x [length/p]; m, by its rules, whole
///     k = einsum(m, wk -> [memory, …])     computed in blocks of memory over p, gathered where scores need it whole
void carry_splits(graph::Program& program);

/// Some rename loses a split: what the pass above does depends on which roots are kept for gradients alone.
bool loses_a_split(const graph::Program& program);

/// Lets what a program wrote no layout for be computed where it is going to lie: the operand of an assignment or of
/// `@`, and the element-wise operations before it, take over the layout that is asked for, if no split is given up and
/// all that read it need no more than these blocks. A parameter that is stored in blocks is then made in blocks,
/// whatever its initial value, and of a gradient of which optimizers read blocks each processor gets its own.
///
/// Of a sum over processors a number may be taken besides, such as a norm: it is then reduced instead of the whole.
///
///     g     a sum over data        g [a/data], reduce_scattered once
///     m     0.9 m + 0.1 g          m [a/data]: they need blocks of g
///     v     0.9 v + 0.1 square(g)  v [a/data]
///     norm  sum(square(g))         of the blocks, then all_reduced: one number
void sink_layouts(graph::Program& program, Forms& forms);

/// A program in which equal operations are one, with the number of each operation's form.
struct MergedProgram {
  static constexpr int64_t kAll = INT64_MAX;
  graph::Program program;
  std::vector<int32_t> forms;
  /// Bytes: an operand, or a sum, of a product that would be larger on a processor goes from one to the next block by
  /// block (spmd/loop_of_permutes.h).
  int64_t most_whole = kAll;
};

/// Operations with equal attributes, numbers, operands and layouts become one (never a copy for a backward pass with
/// its original). Roots and inputs keep their places.
MergedProgram merge(const graph::Program& program, Forms& forms, int64_t most_whole = MergedProgram::kAll);

/// What one processor alone would compute of a merged program.
Cost unique_flops(const MergedProgram& merged);

/// An operation of which a dim is split that it needs whole becomes its expansion, unless it is less to bring that dim
/// whole (spmd/expand.h); a product of which something would be whole that is larger than `most_whole` becomes a loop
/// of permutes. Equal operations are one again afterwards. Numbers of expansions are inputs behind the others.
void expand(MergedProgram& merged, Forms& forms);

/// Lowers a merged program from whole tensors to one processor's blocks. Each root ends up in the sharding that its
/// operation says, not partial. Each operation takes the cheapest way to its operands and result (fewest wire bytes,
/// then fewest collectives, then a fixed order) that gives up no axis which splits its iteration space. Sums stay
/// partial where their only reader is linear in them. The time it takes and the program it makes do not depend on the
/// number of processors. The inputs that the local program lists are those of the captured one that it reads, then
/// numbers of its own.
///
/// It is one walk over the operations, and not several rewrites of the program: how an operation is split depends on
/// where its operands really are (blocks that an earlier one has brought, sums that are still partial), which is known
/// once what stands before it is lowered. So partial sums, ways between shardings (reshard), halos and what is kept for
/// gradients are decided on this walk; partial_sums.h and written_layouts.h tell it what comes behind.
LocalProgram split(const MergedProgram& merged);

/// Lowers one turn of a loop from whole tensors to one processor's blocks, with all passes up to here. What is carried
/// ends in the blocks in which it began, what is stacked in those of the loop's result; sums over turns stay partial
/// where the turn's are. `tensors`: where each of the turn's tensors lies, which brings it from there to where its
/// layout says. `owners`: of each of these that is a place of what is stored in blocks along the loop's dim, over which
/// axes, so that it comes from the processor that has it; of results that are stored so the place goes to that one.
/// `parts`: for each result the axes over which its place may stay a sum in parts. `copies`: of each of these, in what
/// other shardings the turn can have it. `parameters`: which are places of parameters. `micro`: the axis of
/// micro-batches, if it is that of a pipeline's stage. `most_whole` is that of the program around it.
/// Copies of stacked values and of values at the turn's place follow the roots in the outputs (spmd/loop_copies.h).
LocalProgram split_turn(const graph::LaidOutOperation& loop, const std::vector<Sharding>& tensors,
                        const std::vector<AxisList>& owners, const std::vector<AxisSet>& parts,
                        const std::vector<std::vector<graph::InputCopy>>& copies, const std::vector<bool>& parameters,
                        AxisSet micro, int64_t most_whole);

/// Leaves out what nothing reads where there are windows of which only windows are taken, which were computed from
/// larger blocks (spmd/halos.h). Inputs stay. Elsewhere results that are not read stay too, brought where their layouts
/// say: whether a gradient comes, which reads them, must not change what the rest of a program costs.
void leave_out_unread(LocalProgram& program);

}  // namespace mtf::spmd
