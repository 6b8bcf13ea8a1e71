#pragma once
// An all_reduce among ranks that share memory:
//
// - Each rank copies the slices that others add up into its part of shared memory.
// - Each rank adds its own slice of all ranks, and copies the sum into its part.
// - Each rank takes the other ranks' sums.
//
// If the operand is already in shared memory (BoundCollective::lends_operand), others read it there, and the sum
// overwrites this rank's slice. So no operand is copied first: writing memory that another processor has read is slow.
// MPI would copy all data into its own memory and out again. The bits are those of messages. A rank counts what it
// reads of others: as many bytes as messages would have.
//
//   2 ranks        0                1
//     begun      . a1             b0 .
//     added     Σ0 a1             b0 Σ1     Σ0 = a0 + b0, of its own a0 and the other's b0
//     ended     Σ0 Σ1             Σ0 Σ1     in the results
//
// If three or more ranks reduce a small array, each rank adds all slices itself. Reading them takes less time than
// waiting for sums. It counts the slices that it would have read otherwise.
#include <memory>

#include "run/reduce_task.h"

namespace mtf::run {

/// True if the ranks of a group share memory with this rank and each hosts one member.
bool can_share(const ReduceGroup& group, const SharedMemory* memory);

/// Makes an all_reduce of `count` elements. Its staging memory is in this rank's part of `memory`.
std::unique_ptr<ReduceTask> make_shared_all_reduce(const ReduceGroup& group, ReduceElements elements, int64_t count,
                                                   SharedMemory& memory);

}  // namespace mtf::run
