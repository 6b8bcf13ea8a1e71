#include "tool/shell/output.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace mtf::tool {

OutputError::OutputError(int error)
    : UserError(Diagnostic(Kind::cannot_write, {}, fmt::format("standard output: {}", std::strerror(error)))) {}

void write_output(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) throw OutputError(errno);
}

ScreenSize screen_size(int file) {
  winsize size{};
  if (ioctl(file, TIOCGWINSZ, &size) != 0) return {};
  return {size.ws_col, size.ws_row};
}

std::size_t terminal_columns(std::size_t otherwise) {
  const std::size_t columns = screen_size(STDOUT_FILENO).columns;
  return columns > 0 ? columns : otherwise;
}

void flush_output() {
  errno = 0;
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) throw OutputError(errno != 0 ? errno : EIO);
}

void occupy_standard_files() {
  for (const int file : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    // open takes the lowest free number.
    if (fcntl(file, F_GETFD) < 0 && errno == EBADF) open("/dev/null", file == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

}  // namespace mtf::tool
