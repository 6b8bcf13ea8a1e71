#pragma once
#include "exec/counters.h"
#include "schedule/schedule.h"

namespace mtf {

/// What a run of the schedule will count on the largest processor, from its costs alone. peak_bytes is what the run
/// needs beside what is live before it.
Counters predict(const Schedule& schedule);

/// Each instruction that computes or communicates, with its cost.
std::vector<StatementCost> costs_of(const Schedule& schedule);

}  // namespace mtf
