#pragma once
// An all_reduce among ranks that share memory. Each lays out the slices that others add up, adds up its own slice of
// all ranks where they lie, lays out the sum beside, and takes the others' sums. What lies in shared memory as it is
// (the operand of a plan, where that can be) is read there, and its own slice becomes the sum. The bits are those of
// messages, and so are the bytes that are counted: what a rank lays out, as often as it is read.
//
//   2 ranks        0                1
//     begun      . a1             b0 .
//     added     Σ0 a1             b0 Σ1     Σ0 = a0 + b0, of its own a0 and the other's b0
//     ended     Σ0 Σ1             Σ0 Σ1     in the results
//
// Of a small array three ranks and more each add up all slices, as reading them takes less time than waiting for sums;
// the bytes are counted as if they had waited.
#include <memory>

#include "run/reduce_task.h"

namespace mtf::run {

/// Whether the ranks of a group can: all share memory with this one, and each hosts one member.
bool can_share(const ReduceGroup& group, const SharedMemory* memory);

/// Of `count` elements; its staging lies in this rank's part of `memory`.
std::unique_ptr<ReduceTask> make_shared_all_reduce(const ReduceGroup& group, ReduceElements elements, int64_t count,
                                                   SharedMemory& memory);

}  // namespace mtf::run
