#include "tool/shell/rank_guard.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

#include "support/blocked_signals.h"
#include "support/expected_end.h"

namespace mtf::tool {

RankGuard::RankGuard(int rank) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return;  // the launcher's own words must do
  char machine[256] = "this machine";
  gethostname(machine, sizeof machine - 1);
  const std::string message = fmt::format(
      "error: rank {} on {} has ended without a message: it was killed, or it crashed\n"
      "  = help: start the program again, also on fewer ranks; `checkpoint.resume` goes on from the latest checkpoint",
      rank, machine);
  fcntl(ends[1], F_SETFD, FD_CLOEXEC);
  // A signal that ends this rank must find the guard told of, else the guard would speak.
  std::optional<BlockedSignals> blocked(std::in_place);
  process_ = fork();
  if (process_ == 0) {
    setsid();  // who ends the rank's processes leaves this one
    dup2(ends[0], STDIN_FILENO);
    dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
    for (int file = STDERR_FILENO + 1; file < 64; ++file) close(file);
    execl("/bin/sh", "sh", "-c", "trap '' TERM INT HUP; read -r end || echo \"$0\" >&2", message.c_str(), nullptr);
    _exit(1);
  }
  close(ends[0]);
  if (process_ > 0) {
    told_ = ends[1];
    tell_expected_end(told_);
  } else {
    close(ends[1]);
  }
  blocked.reset();
  if (told_ < 0) return;
  std::atexit(expect_end);  // MPI ends a rank whose peer is gone, and says so
}

RankGuard::~RankGuard() {
  if (told_ < 0) return;
  expect_end();
  forget_expected_end(told_);
  close(told_);
  waitpid(process_, nullptr, 0);
}

}  // namespace mtf::tool
