#pragma once
// The counters of a plan, from what the ranks did in its first run.
//
// If each rank hosts one processor, wire_bytes are the bytes that a rank gave to others, as the transport counted them.
// Else the processors of a rank exchange in memory, in fewer copies than there are messages between processors. Then
// wire_bytes are the sum of the messages that the collective's program has its busiest processor send.
//
// Each rank has figures: for each step its operations, its collective's counts and the bytes it sent; for each loop its
// iterations and the figures of its body. The maximum over all ranks counts, so all ranks have the same counters.
#include "plan/counters.h"
#include "run/step_executor.h"

namespace mtf::run {

struct RunCounts {
  plan::Counters counters;  ///< on the largest processor, except unique_flops
  int64_t sent = 0;         ///< bytes that collectives sent to other ranks; for each the maximum over ranks
};

/// Counts the first run, which has ended. All ranks call it together.
RunCounts count_run(const StepExecutor& steps, Transport& transport);

}  // namespace mtf::run
