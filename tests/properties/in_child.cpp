#include "in_child.h"

#include <fmt/format.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <stdexcept>

namespace mtf::properties {
namespace {

void write_all(int file, const std::string& text) {
  for (size_t done = 0; done < text.size();) {
    const ssize_t written = write(file, text.data() + done, text.size() - done);
    if (written <= 0) return;
    done += static_cast<size_t>(written);
  }
}

std::string how_it_ended(int status) {
  if (WIFEXITED(status)) return WEXITSTATUS(status) == 0 ? "" : fmt::format("exit status {}", WEXITSTATUS(status));
  return WTERMSIG(status) == SIGALRM || WTERMSIG(status) == SIGPROF
             ? "hangs"
             : fmt::format("crash (signal {})", WTERMSIG(status));
}

/// Ends this process after `seconds` of computing, or ten times as long of waiting.
void limit(unsigned seconds) {
  const itimerval computing{{0, 0}, {static_cast<time_t>(seconds), 0}};
  setitimer(ITIMER_PROF, &computing, nullptr);
  alarm(10 * seconds);
}

}  // namespace

ChildResult in_child(const std::function<void(const std::function<void(const std::string&)>& say)>& work,
                     unsigned seconds) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("no pipe");
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("no process");
  if (child == 0) {
    close(ends[0]);
    for (int signal : {SIGALRM, SIGPROF, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT})
      std::signal(signal, SIG_DFL);  // the parent reports
    limit(seconds);
    work([&](const std::string& text) {
      write_all(ends[1], text);
      limit(seconds);
    });
    _exit(0);
  }
  close(ends[1]);
  ChildResult result;
  char buffer[4096];
  for (ssize_t got; (got = read(ends[0], buffer, sizeof buffer)) > 0;)
    result.said.append(buffer, static_cast<size_t>(got));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  result.ended = how_it_ended(status);
  return result;
}

}  // namespace mtf::properties
