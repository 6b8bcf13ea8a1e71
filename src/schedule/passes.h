#pragma once
// The passes from a local program to a schedule; plan/passes.h lists them in the order in which they run.
//
// Each takes time in proportion to the program, or n log n. Where the best result would take more, a bound is stated.
#include "schedule/schedule.h"

namespace mtf::schedule {

/// Afterwards every value has a storage order: element-wise results that of their largest operand, contractions one
/// that lets the product run without copies, others their first operand's as far as it goes.
void choose_orders(Schedule& schedule);

/// Afterwards there is one step for each instruction that computes or moves anything, in program order; alias_of names
/// the memory of those that do neither, and steps that only find a part of their operand are windows.
void share_views(Schedule& schedule);

/// Part of share_views. Instructions that are one step: a loop, merged all_reduces, or one instruction.
Step step_of(const spmd::LocalProgram& program, std::vector<int> instructions);

/// Afterwards element-wise instructions over the same blocks that feed each other, or read the same, are one step, with
/// the reductions of what they compute; steps are in an order that respects what they read. A loop is compared with
/// those that make what it reads, and with the latest 64 that read the same; it joins one if that makes no cycle as far
/// as a bounded search tells (contraction.h), and, across steps of other kinds, if no more is kept than is not read
/// again. Each loop repeats a number along dims for itself, so that the number joins no loops.
void fuse_loops(Schedule& schedule);

/// Afterwards each step that is a loop has its program, and writes what is read outside of it alone; loops that nothing
/// reads are left out.
void make_loops(Schedule& schedule);

/// Part of make_loops. `kept`, of each value: it is read outside of the step, which is a loop; `is_number`: it is a
/// number of the host.
void make_loop(const Schedule& schedule, Step& step, const std::vector<bool>& kept, const std::vector<bool>& is_number);

/// Afterwards small all_reduces over the same axes that do not need each other's results are one step. n log n for each
/// kind of all_reduce that there is (axes, reduction, element type), one after the other: what merging those of one
/// kind orders binds the next.
void merge_all_reduces(Schedule& schedule);

/// Afterwards Step::calls is set: 1, or for an all_reduce one for each 4 MiB.
void cut_all_reduces(Schedule& schedule);

/// Afterwards an all_reduce or reduce_scatter comes right after the last step that makes what it reads, if nothing else
/// reads that, and so do loops that are for it alone: gradients are summed while the backward pass goes on, and no more
/// memory is taken. And what a turn of a loop gets from others of what it was given, for the next turn alone, comes
/// first, as in Cannon's product: it is on its way while the turn computes.
void start_collectives(Schedule& schedule);

/// Afterwards Step::finish is set: a collective goes on until the step before the first that reads its result, or until
/// kCollectivesAtOnce others have begun after it, as what it needs while it runs takes memory.
void overlap_collectives(Schedule& schedule);

/// Afterwards a step that computes, and is the last to read more of the arena than it writes, comes right behind those
/// that make what it reads and that read the same: a gradient makes room as soon as its parameter has been updated. It
/// waits for no collective earlier than the schedule did, and runs beside those beside which it ran.
void free_early(Schedule& schedule);

/// Afterwards each value that is in memory has a buffer, and each buffer its lifetime. How buffers are packed: pack.h.
void plan_buffers(Schedule& schedule);

/// Part of plan_buffers. Afterwards values of the arena that are done with before an output of the same memory is first
/// written lie where that output will: a chain of updates ends in the memory in which it began, copies in between too.
void lend_outputs(Schedule& schedule);

/// For each value: it is a number of the host.
std::vector<bool> host_numbers(const spmd::LocalProgram& program);

}  // namespace mtf::schedule
