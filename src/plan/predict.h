#pragma once
#include "plan/counters.h"
#include "schedule/schedule.h"

namespace mtf::plan {

struct Prediction {
  Counters counters;  ///< peak_bytes: the memory that a run needs in addition to what is live before it
  std::vector<spmd::InstructionCost> costs;  ///< for each instruction of the program
};

/// Predicts the counters of the largest processor for one run of the schedule, from its costs alone.
Prediction predict(const schedule::Schedule& schedule);
/// Predicts all counters except peak_bytes, which is 0. The schedule needs no buffers.
Prediction predict_without_memory(const schedule::Schedule& schedule);

/// Returns the padded bytes of a buffer, on the processor with the largest blocks.
int64_t buffer_bytes(const schedule::Schedule& schedule, const schedule::Buffer& buffer);

/// Returns the peak_bytes of a schedule whose steps stay as they are and get buffers: a schedule after any pass.
int64_t peak_as_ordered(const schedule::Schedule& schedule);

}  // namespace mtf::plan
