#pragma once
// The passes from a captured program to the local program. plan/passes.h lists them in their order.
//
// The time of each pass is proportional to the size of the program, or n log n.
#include <cstdint>
#include <functional>
#include <vector>

#include "graph/program.h"
#include "graph/region.h"
#include "spmd/forms.h"
#include "spmd/local_program.h"

namespace mtf::spmd {

struct Decisions;

/// Removes axes of one processor from the layouts of a program. They split nothing, and without them no operation cuts
/// a block out of a whole value, or gathers one. The axes of a pipeline's stages stay.
///
///     w: f32[d=8/data]     with a mesh of [data: 1]: w: f32[d=8]
void leave_out_axes_of_one(graph::Program& program);

/// Makes a carry that begins at zero, and to which each iteration only adds, a sum over the iterations. Such a sum
/// stays partial until the loop ends, and is then reduced once. Also changes loops in iterations. Returns true if it
/// changed the program.
///
///     scan(fn(total, x) = total + gradient(x), zeros, xs)     reduced in each iteration
///     sum over iterations of gradient(x)                      reduced once
bool sum_carries(graph::Program& program);

/// Carries a split through a rename whose new name has no layout rule, up to the products behind it. Without the
/// split, every processor would do the whole work of those products. Values on the way keep the split until an
/// operation needs them gathered. Gradients copy the layouts of their primal values. Roots keep their own layouts,
/// except roots that are kept for gradients alone (Program::only_history). Values that a loop saves for its gradient
/// keep the split too, also in the loop that reads them.
///
///     m = rename(x, length -> memory)      x [length/p]; m, by its rules, replicated
///     k = einsum(m, wk -> [memory, …])     computed in blocks of memory over p, gathered for the scores
void carry_splits(graph::Program& program);

/// True if some rename loses a split. Then the result of carry_splits depends on which roots are kept for gradients
/// alone.
bool loses_a_split(const graph::Program& program);

/// Moves requested layouts up to the producers of a value. The operand of an assignment or of `@`, and the
/// element-wise operations before it, take the layout that is asked for. There are two conditions: they give up no
/// split, and all consumers need no more than these blocks. So a parameter that is stored in blocks is also
/// initialised in blocks. Each processor gets only its block of a gradient if the optimizer reads blocks.
///
/// A summary, such as a norm or the moments of rows, may also be computed from a partial sum. The summary is then
/// reduced instead of the whole value. A gradient that copies a layout stays in the blocks in which it arrives, if its
/// primal value is computed in them.
///
///     g     a sum over data        g [a/data], reduce_scattered once
///     m     0.9 m + 0.1 g          m [a/data]: m and v need blocks of g
///     v     0.9 v + 0.1 square(g)  v [a/data]
///     norm  sum(square(g))         of the blocks, then all_reduced: one number
void sink_layouts(graph::Program& program, Forms& forms);

/// A program without equal operations, with the number of each operation's form.
struct MergedProgram {
  graph::Program program;
  std::vector<int32_t> forms;
};

/// The loop around an iteration, as the program of the iteration must know it.
struct EnclosingLoop {
  const graph::Region* region = nullptr;  ///< null: the program is no iteration
  /// The sharding in which each tensor of the iteration arrives. The iteration reshards it to its layout.
  std::vector<Sharding> tensors = {};
  std::vector<bool> parameters = {};  ///< for each of them: it is a parameter, or a slice of one
  AxisSet micro = 0;  ///< of a pipeline (spmd/pipeline.h): the axis whose positions are the micro-batches
  std::vector<graph::AlongMicro> along = {};  ///< each root of a stage's iteration along that axis
  Name over = {};                             ///< the dim of the loop
  MeshPtr mesh = nullptr;                     ///< of the loop
  /// For each tensor and each root that is stored in blocks along the loop's dim: the axes of these blocks; otherwise
  /// empty. Only one processor, the owner, holds the slice of an iteration. It sends a tensor's slice, and receives a
  /// root's.
  std::vector<AxisList> tensor_owners = {}, root_owners = {};
  /// For each root: the axes over which it may stay partial, because another partial sum is added to the stacked
  /// result.
  std::vector<AxisSet> root_parts = {};
};

/// No limit for LoweringOptions::most_whole.
constexpr int64_t kUnlimited = INT64_MAX;

/// What `expand` and `split` need besides a program.
struct LoweringOptions {
  /// The limit in bytes for an operand or a sum of a product on a processor. A larger one moves from processor to
  /// processor block by block (spmd/loop_of_permutes.h).
  int64_t most_whole = kUnlimited;
  /// Compiles an iteration of a loop, with the same passes as the program around it up to `leave_out_unread`. Records
  /// the decisions for the iteration in `decisions`, if it is not null.
  std::function<LocalProgram(graph::Program iteration, const EnclosingLoop& loop, Decisions* decisions)> compile;
  /// `split` records its decisions here, if it is not null (spmd/decision.h).
  Decisions* decisions = nullptr;
};

/// Merges operations with equal attributes, numbers, operands and layouts, but never a copy for a backward pass with
/// its original. Roots and inputs keep their positions.
MergedProgram merge(const graph::Program& program, Forms& forms);

/// Joins a pipeline with the schedule 1F1B, its loss and its gradient in one loop over micro-batches
/// (join_pipelines.cpp).
void join_pipelines(MergedProgram& merged, Forms& forms);

/// Returns the flops that one processor alone would need for a merged program.
Cost unique_flops(const MergedProgram& merged);

/// Replaces operations that need a split dim gathered by their expansions, unless gathering costs less
/// (spmd/expand.h). Replaces products that would hold a gathered value of more than `most_whole` bytes by loops of
/// permutes. Merges equal operations again afterwards. Numbers of expansions become inputs after the others.
void expand(MergedProgram& merged, Forms& forms, const LoweringOptions& options);

/// Lowers a merged program from whole tensors to one processor's blocks.
/// - Each root gets the sharding that its operation declares, not partial.
/// - Each operation takes the cheapest resharding of its operands and result: fewest wire bytes, then fewest
/// collectives, then a fixed order. It never gives up an axis that splits its iteration space.
/// - Sums stay partial if their only consumer is linear in them.
/// - Time and program size do not depend on the number of processors.
/// - The inputs of the local program are the captured inputs that it reads, then its own numbers.
///
/// The pass walks over the operations once. For each one it decides, then emits: the decisions are records
/// (spmd/decision.h). The decision for an operation depends on the real shardings of its operands, which are known only
/// after everything before it is lowered. Copies that an earlier operation made and sums that are still partial are
/// examples. So the two steps alternate; a separate first walk would have to repeat what the second one does to the
/// program. partial_sums.h and written_layouts.h tell the decider about later operations.
///
/// `loop`: the loop whose iteration the program is; null: none. Each carry of an iteration ends in the blocks in which
/// it began. Each stacked value ends in the blocks of the loop's result. Sums over iterations stay partial if their
/// terms are partial. Copies of stacked values and of slices of xs follow the roots in the outputs
/// (spmd/loop_copies.h).
LocalProgram split(const MergedProgram& merged, const LoweringOptions& options, const EnclosingLoop* loop = nullptr);

/// Removes unread results if some windows of windows were computed from larger blocks (spmd/halos.h). Inputs stay. In
/// other programs, unread results stay too, resharded to their layouts. Otherwise a gradient that reads them would
/// change the cost of the rest of the program.
void leave_out_unread(LocalProgram& program);

/// Lets a backward loop compute values again that the forward loop has saved for it, as a call of `scan` with
/// `recompute` does, but value by value (rematerialization). Each iteration computes them from the values that are
/// still saved, from the carry, from xs and from constants. `most`: what a byte that is no longer saved may cost, in
/// FLOPs.
///
/// The copies have the instructions of the forward loop, so their results have the same bits. They also read the same
/// numbers of random calls. A value is eligible if one loop alone reads it, in the opposite direction. Pipelines stay
/// as they are. Also changes loops in iterations.
void recompute_in_loops(LocalProgram& program, double most);
/// Returns what a byte of each eligible value costs, in FLOPs, ascending and each cost once.
std::vector<double> costs_in_loops(const LocalProgram& program);

}  // namespace mtf::spmd
