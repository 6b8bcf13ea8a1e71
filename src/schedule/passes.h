#pragma once
// The passes from a local program to a schedule. plan/passes.h lists them in their order.
//
// The time of each pass is proportional to the size of the program, or n log n. If the best result would take longer,
// the pass states a bound.
#include "schedule/schedule.h"

namespace mtf::schedule {

/// Gives every value a storage order. An element-wise result has the order of its largest operand. A contraction's
/// result has an order in which the product needs no copies. Other results have their first operand's order as far as
/// it applies.
void choose_orders(Schedule& schedule);

/// Makes one step, in program order, for each instruction that computes or moves data. The results of other
/// instructions share the memory that alias_of names. Steps that only select a part of their operand's memory become
/// windows.
void share_views(Schedule& schedule);

/// Makes a step of instructions that run together: a fusion, merged all_reduces, or a single instruction. Part of
/// share_views.
Step step_of(const spmd::LocalProgram& program, std::vector<int> instructions);

/// Fuses element-wise instructions over the same blocks that feed each other or read the same values, together with
/// the reductions of their results. Steps stay in an order in which operands come first. The pass compares a fusion
/// with the producers of its operands, and with the latest 64 fusions that read the same values. It joins two fusions
/// if a bounded search shows that this makes no cycle (contraction.h). If steps of other kinds run between them, the
/// join must also keep fewer bytes than it saves reads of. Each fusion repeats a number along dims by itself, so the
/// number does not connect fusions. It also widens its operands by itself, so that memory holds the smaller type.
void fuse_loops(Schedule& schedule);

/// Lets fusions compute a value again instead of reading it, if steps that are no fusions run before them, and if that
/// keeps fewer bytes while these run. The value must be a few cheap instructions away from values that are in memory
/// anyway, or that are smaller. So of a norm its operand and one number a row are kept for the backward pass. The
/// results have the same bits, and the counters count no repeated instruction.
void repeat_in_loops(Schedule& schedule);

/// Gives each fusion its loop program, which writes only the values that are read outside the fusion. Removes fusions
/// without readers.
void make_loops(Schedule& schedule);

/// Makes the loop program of one fusion. `kept`, for each value: it is read outside the step. `is_number`, for each
/// value: it is a number of the host. Part of make_loops.
void make_loop(const Schedule& schedule, Step& step, const std::vector<bool>& kept, const std::vector<bool>& is_number);

/// Merges small, independent all_reduces with the same axes, reduction and element type. Takes O(n log n) for each
/// such kind. Merges one kind after another, because each merge adds order constraints for the next.
void merge_all_reduces(Schedule& schedule);

/// Sets Step::calls: 1, or for an all_reduce one call for each 4 MiB.
void cut_all_reduces(Schedule& schedule);

/// Moves each all_reduce or reduce_scatter directly behind the last producer of its operands, if it is their only
/// consumer. Fusions that only serve such a reduction move with it. So gradients are reduced during the backward pass,
/// without more memory.
///
/// In an iteration of a loop, a collective runs first under two conditions: it only reads inputs of the iteration, and
/// its result is only for the next iteration. Cannon's product has such a collective. It then runs while the iteration
/// computes.
void start_collectives(Schedule& schedule);

/// Sets Step::finish: a collective continues until the first step that reads its result. It ends earlier if
/// kCollectivesAtOnce others have started after it, because a running collective needs memory.
void overlap_collectives(Schedule& schedule);

/// Moves a computing step forward if it frees more of the arena than it writes. The step then directly follows its
/// producers and the other readers of the freed operands. For instance, an update of a parameter frees the gradient's
/// memory early. A moved step waits for no collective earlier than before, and runs beside the same collectives.
void free_early(Schedule& schedule);

/// Computes values again before their late readers, if more than `limit` bytes are in use besides the inputs: for
/// instance the activations that a backward pass reads (rematerialization; Jain et al. 2020, Checkmate). The pass works
/// on steps in their final order, where the bytes of blocks, the collectives and the live ranges are known.
///
/// Each step is copied at most once. A copy runs just before the first late reader of its results, or just before the
/// first copy that reads them. So the flops of a choice are the sum over its steps, and its peak takes one walk
/// (repeat_facts.h). The pass compares about 300 choices:
/// - the values whose bytes cost least to make again, up to one of a few costs in flops a byte
/// - in segments of one of several sizes, of which only the values that cross their ends are kept (Chen et al. 2016)
/// - of each, the shortest beginning of the program that must take the more expensive choice
/// It then takes steps out of the cheapest choice that fits, the dearest first, as long as it still fits. It repeats
/// this with cheap candidates added, which make room for dearer values. If no choice fits, it takes the one with the
/// smallest peak. Copies of collectives send again. Windows, loops and what they read as windows are never copied.
/// Takes O(n log n) for each of a bounded number of choices.
void rematerialize(Schedule& schedule, int64_t limit);
/// Fails on our own bugs: a value that is made again by another operation, or of other operands.
void verify_remade(const Schedule& schedule);

/// Assigns a buffer to each value in memory, and a lifetime to each buffer, also in the bodies of loops. pack.h packs
/// the buffers. A scan over xs that nothing reads later writes ys over them, slice by slice: a stack of caches or of
/// weights is updated in place.
void plan_buffers(Schedule& schedule);

/// Moves values of the arena into the memory of an output that is first written after their last use. So a chain of
/// updates ends in the memory in which it began, including copies in between. Part of plan_buffers.
void lend_outputs(Schedule& schedule);

/// Returns, for each value, whether it is a number of the host.
std::vector<bool> host_numbers(const spmd::LocalProgram& program);

}  // namespace mtf::schedule
