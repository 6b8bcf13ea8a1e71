#include "on_ranks.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>

namespace mtf::properties {
namespace {

constexpr int kHangs = 97;  // exit status of a rank that watch() has ended

std::array<char, 200> watched{};

void end_of_watch(int) {
  const char* head = "\nthis rank waits or computes for ever: ";
  [[maybe_unused]] ssize_t ignored = write(2, head, std::strlen(head));
  ignored = write(2, watched.data(), strnlen(watched.data(), watched.size()));
  ignored = write(2, "\n", 1);
  _exit(kHangs);
}

std::string quoted(const std::string& word) {
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

}  // namespace

ChildResult on_ranks(int ranks, const std::vector<std::string>& arguments) {
  setenv("OMPI_MCA_mpi_yield_when_idle", "1", 0);                 // there may be more ranks than cores
  setenv("OMPI_MCA_btl_vader_single_copy_mechanism", "none", 0);  // containers often forbid it
  std::string command = fmt::format("exec mpirun -q -n {} --oversubscribe --allow-run-as-root {}", ranks,
                                    quoted(std::filesystem::read_symlink("/proc/self/exe").string()));
  for (const std::string& word : arguments) command += " " + quoted(word);
  std::fflush(nullptr);
  FILE* out = popen((command + " </dev/null").c_str(), "r");
  if (!out) throw std::runtime_error("no mpirun");
  ChildResult result;
  char buffer[4096];
  for (size_t got; (got = std::fread(buffer, 1, sizeof buffer, out)) > 0;) result.said.append(buffer, got);
  const int status = pclose(out);
  const int exit = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (exit == kHangs) result.ended = "hangs";
  else if (exit > 128) result.ended = fmt::format("crash (signal {})", exit - 128);
  else if (exit != 0) result.ended = fmt::format("exit status {}", exit);
  return result;
}

bool under_mpi() { return std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr; }

void watch(unsigned seconds, const std::string& what) {
  std::signal(SIGALRM, end_of_watch);
  const size_t size = std::min(what.size(), watched.size() - 1);
  std::memcpy(watched.data(), what.data(), size);
  watched[size] = 0;
  alarm(seconds);
}

}  // namespace mtf::properties
