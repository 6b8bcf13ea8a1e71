#pragma once
#include <span>

#include "exec/bound_step.h"
#include "exec/counters.h"
#include "exec/transport.h"

namespace mtf {

struct CountedRun {
  Counters counters;
  int64_t sent = 0;  ///< bytes that collectives gave to other ranks
};

/// What the steps of a plan did in its first run, each as much as on the rank that did most: what its collectives counted and
/// sent, and `flops`. All ranks come here together.
CountedRun count_run(const LocalProgram& program, std::span<const BoundStep> steps, std::span<const int64_t> flops, Transport& transport);

}  // namespace mtf
