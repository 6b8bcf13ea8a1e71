#pragma once
#include "plan/counters.h"
#include "schedule/schedule.h"

namespace mtf::plan {

struct Prediction {
  Counters counters;                         ///< peak_bytes: what the run needs beside what is live before it
  std::vector<spmd::InstructionCost> costs;  ///< of each instruction of the program
};

/// What a run of the schedule will count on the largest processor, from its costs alone.
Prediction predict(const schedule::Schedule& schedule);
/// The same but for peak_bytes, which is 0; the schedule needs no buffers.
Prediction predict_without_memory(const schedule::Schedule& schedule);

/// Returns the peak_bytes of a schedule whose steps stay as they are and get buffers: a schedule after any pass.
int64_t peak_as_ordered(const schedule::Schedule& schedule);

}  // namespace mtf::plan
