#include "tool/shell/launch.h"

#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "run/mpi_runtime.h"
#include "support/expected_end.h"

namespace mtf::tool {
namespace {

int number_in_environment(const char* name, int otherwise) {
  const char* text = std::getenv(name);
  if (text == nullptr) return otherwise;
  int number = otherwise;
  const char* const end = text + std::strlen(text);
  const auto [rest, error] = std::from_chars(text, end, number);
  return error == std::errc() && rest == end && number >= 0 ? number : otherwise;
}

// The seconds in which rank 0 reports an error and mpirun ends the other ranks.
constexpr unsigned kSecondsToWait = 2;

}  // namespace

Launch launch() {
  struct Launcher {
    std::string_view name;
    const char* size;
    const char* rank;
  };
  static constexpr Launcher kLaunchers[] = {
      {"Open MPI's mpirun", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
      {"MVAPICH's mpirun", "MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK"},
      {"MPICH's mpiexec", "PMI_SIZE", "PMI_RANK"},
      {"srun", "SLURM_STEP_NUM_TASKS", "SLURM_PROCID"},
  };
  for (const Launcher& launcher : kLaunchers)
    if (const int ranks = number_in_environment(launcher.size, 0); ranks > 0)
      return {.rank = number_in_environment(launcher.rank, 0), .ranks = ranks, .launcher = launcher.name};
  // Only a task of srun has a number above 0.
  if (const int rank = number_in_environment("SLURM_PROCID", 0); rank > 0)
    return {.rank = rank, .ranks = number_in_environment("SLURM_NTASKS", rank + 1), .launcher = "srun"};
  if (const int rank = number_in_environment("PMIX_RANK", -1); rank >= 0)
    return {.rank = rank, .launcher = "a launcher with PMIx", .says_size = false};
  return {};
}

void check_ranks(const Launch& launch, int ranks_of_mpi) {
  if (!launch.says_size || launch.ranks == ranks_of_mpi) return;
  fail(Diagnostic(
           Kind::bad_usage, {},
           fmt::format(
               "{} started {} processes, and MPI has joined {} of them: each would run the whole program on its own",
               launch.launcher, launch.ranks, ranks_of_mpi))
           .help("start it with the mpirun of the MPI that it was built with, or as one process"));
}

int report(const std::string& message, ExitCode code) {
  std::fflush(stdout);
  const bool first = launch().rank == 0;
  if (!first && code != ExitCode::kSuccess) sleep(kSecondsToWait);
  if (first || code != ExitCode::kSuccess) {
    std::fputs(message.c_str(), stderr);
    std::fflush(stderr);
  }
  return static_cast<int>(code);
}

int report(const Diagnostics& found) { return report(found.render(), found.exit_code()); }

void end_rank(const std::string& message, ExitCode code) {
  try {
    run::MpiRuntime runtime({.use_mpi = true});
    runtime.abort(message, static_cast<int>(code));
  } catch (const UserError&) { end_process(report(message, code)); }  // without MPI each rank ends by itself
}

std::string bug_message(const std::exception& error) {
  return fmt::format(
      "error: this is a bug in mtf, not in your program\n  {}\n  = help: please report it, with the script and this "
      "message\n",
      error.what());
}

}  // namespace mtf::tool
