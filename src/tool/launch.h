#pragma once
// How this process was started: alone, or by mpirun as one of several ranks.
#include <string>

#include "support/diagnostics.h"

namespace mtf::tool {

struct Launch {
  int rank = 0;
  int ranks = 1;
  bool by_mpirun = false;
  /// MPI is needed: it costs 0.3 s, so a single process does without.
  bool uses_mpi() const { return ranks > 1; }
};

/// From the environment that mpirun gives; MPI itself is not asked.
Launch launch();

/// Prints diagnostics that every rank has found on standard error, once. On other ranks than the first it waits to be
/// ended by mpirun, because a rank that exits first would take rank 0's message with it; one that is not ended has found
/// them alone, and prints them.
int report(const Diagnostics& found);
int report(const std::string& message, ExitCode code);

/// Of a rank other than the first of a job that starts MPI, before it is started: there rank 0 is met, unless it has found
/// the same and ended the job. Then this rank has found it alone, says it and ends the job.
[[noreturn]] void end_rank(const std::string& message, ExitCode code);

/// What is said of our own bug.
std::string bug_message(const std::exception& error);

}  // namespace mtf::tool
