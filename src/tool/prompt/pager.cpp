#include "tool/prompt/pager.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string_view>

#include "support/text.h"

namespace mtf::tool {
namespace {

// Returns the number of lines on the screen; a wide line counts as several.
std::size_t lines_of(std::string_view text, std::size_t columns) {
  std::size_t lines = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::size_t width = count_code_points(std::string(text.substr(0, end)));
    lines += width == 0 ? 1 : (width + columns - 1) / columns;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// During its lifetime the pager gets Ctrl-C, and a pager that ends early does not end this process.
class LeavesSignalsToPager {
 public:
  LeavesSignalsToPager() {
    struct sigaction ignore = {};
    ignore.sa_handler = SIG_IGN;
    sigaction(SIGINT, &ignore, &interrupt_);
    sigaction(SIGPIPE, &ignore, &pipe_);
  }
  ~LeavesSignalsToPager() {
    sigaction(SIGINT, &interrupt_, nullptr);
    sigaction(SIGPIPE, &pipe_, nullptr);
  }
  LeavesSignalsToPager(const LeavesSignalsToPager&) = delete;
  LeavesSignalsToPager& operator=(const LeavesSignalsToPager&) = delete;

 private:
  struct sigaction interrupt_ = {}, pipe_ = {};
};

}  // namespace

bool page(const std::string& text, std::size_t rows, std::size_t columns) {
  if (lines_of(text, columns) < rows) return false;
  const char* const chosen = std::getenv("PAGER");
  const std::string_view program = chosen == nullptr ? "less" : chosen;
  if (program.empty() || program == "cat") return false;
  int ends[2];
  if (pipe(ends) != 0) return false;
  const LeavesSignalsToPager leaves;
  const pid_t pager = fork();
  if (pager == 0) {
    signal(SIGINT, SIG_DFL);
    signal(SIGPIPE, SIG_DFL);
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    close(ends[1]);
    setenv("LESS", "FRSX", 0);
    execl("/bin/sh", "sh", "-c", program.data(), nullptr);
    _exit(127);
  }
  close(ends[0]);
  if (pager < 0) {
    close(ends[1]);
    return false;
  }
  std::string_view left = text;
  while (!left.empty()) {
    const ssize_t size = write(ends[1], left.data(), left.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) break;  // the user has left the pager
    left.remove_prefix(static_cast<std::size_t>(size));
  }
  close(ends[1]);
  int status = 0;
  while (waitpid(pager, &status, 0) < 0 && errno == EINTR) {}
  return !(WIFEXITED(status) && WEXITSTATUS(status) == 127);
}

}  // namespace mtf::tool
