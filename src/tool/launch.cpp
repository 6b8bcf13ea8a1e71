#include "tool/launch.h"

#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "exec/engine.h"

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

// How long a rank waits for rank 0 to say what is wrong, and for mpirun to end it then.
constexpr unsigned kSecondsToWait = 2;

}  // namespace

Launch launch() {
  Launch result;
  result.by_mpirun = std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr;
  result.ranks = std::max(1, number_in_environment("OMPI_COMM_WORLD_SIZE", 1));
  result.rank = number_in_environment("OMPI_COMM_WORLD_RANK", 0);
  return result;
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
  Engine engine({.use_mpi = true});
  engine.abort(message, static_cast<int>(code));
}

std::string bug_message(const std::exception& error) {
  return fmt::format("error: this is a bug in mtf, not in your program\n  {}\n  = help: please report it, with the script and this message\n", error.what());
}

}  // namespace mtf::tool
