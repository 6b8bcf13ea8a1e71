#pragma once
// How this process was started: alone, or as one of several ranks by a launcher of MPI programs.
#include <string>
#include <string_view>

#include "support/diagnostics.h"

namespace mtf::tool {

struct Launch {
  int rank = 0;
  int ranks = 1;                   ///< as the launcher says
  std::string_view launcher = {};  ///< in words; empty: none
  bool says_size = true;           ///< false: only MPI knows how many ranks there are
  bool is_one_of_several() const { return ranks > 1 || !says_size; }
  /// MPI is needed: it costs 0.3 s, so a single process does without.
  bool uses_mpi() const { return is_one_of_several(); }
};

/// From the environment that launchers give: Open MPI's mpirun, Hydra (of MPICH and its relatives), Slurm's srun with
/// any of its plugins, and others that speak PMIx. MPI itself is not asked. A Slurm job's script is one process,
/// however many tasks the job has.
Launch launch();

/// Fails (bad_usage) if MPI has found other ranks than the launcher has started: then it is the launcher of another
/// MPI, and each process would take itself for the whole job.
void check_ranks(const Launch& launch, int ranks_of_mpi);

/// Prints diagnostics that every rank has found on standard error, once. On other ranks than the first it waits to be
/// ended by mpirun, because a rank that exits first would take rank 0's message with it; one that is not ended has
/// found them alone, and prints them.
int report(const Diagnostics& found);
int report(const std::string& message, ExitCode code);

/// Of a rank other than the first of a job that starts MPI, before it is started: there rank 0 is met, unless it has
/// found the same and ended the job. Then this rank has found it alone, says it and ends the job.
[[noreturn]] void end_rank(const std::string& message, ExitCode code);

/// What is said of our own bug.
std::string bug_message(const std::exception& error);

}  // namespace mtf::tool
