#pragma once
// How this process was started: alone, or as one of several ranks by an MPI launcher.
#include <string>
#include <string_view>

#include "support/diagnostics.h"

namespace mtf::tool {

struct Launch {
  int rank = 0;
  int ranks = 1;                   ///< from the launcher
  std::string_view launcher = {};  ///< its name in words; empty: none
  bool says_size = true;           ///< false: only MPI knows the number of ranks
  bool is_one_of_several() const { return ranks > 1 || !says_size; }
  /// True if MPI is needed. A single process does without it, because MPI takes 0.3 s to start.
  bool uses_mpi() const { return is_one_of_several(); }
};

/// Reads the environment of the launcher: Open MPI's mpirun, Hydra (of MPICH and its relatives), Slurm's srun with any
/// of its plugins, and others with PMIx. Does not ask MPI itself. The script of a Slurm job is one process, however
/// many tasks the job has.
Launch launch();

/// Fails (bad_usage) if MPI and the launcher disagree about the ranks. Then the launcher belongs to another MPI, and
/// each process would take itself for the whole job.
void check_ranks(const Launch& launch, int ranks_of_mpi);

/// Prints diagnostics that every rank has found on standard error, once. Another rank than the first waits until mpirun
/// ends it: if it exited first, mpirun would drop rank 0's message. A rank that is not ended has found the diagnostics
/// alone, and prints them.
int report(const Diagnostics& found);
int report(const std::string& message, ExitCode code);

/// Ends a rank other than the first, before it starts MPI. Starting MPI waits for rank 0, unless rank 0 has found the
/// same error and ended the job. If rank 0 arrives, this rank has found the error alone: it prints the message and ends
/// the job.
[[noreturn]] void end_rank(const std::string& message, ExitCode code);

/// The message for a bug of mtf.
std::string bug_message(const std::exception& error);

}  // namespace mtf::tool
