#include "io/write_target.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "io/io_error.h"
#include "support/platform.h"

namespace mtf::io {
void WriteFailure::because(std::string_view reason) const {
  throw IoError(IoError::Kind::kUnwritable, path_, fmt::format("cannot be written: {}", reason));
}

void WriteFailure::because_of_errno() const { because(std::strerror(errno)); }

WriteTarget find_write_target(const std::string& path, const WriteFailure& failure) {
  if (path.empty()) failure.because("expected the name of a file, found none");
  if (path.find('\0') != std::string::npos) failure.because("no file's name has the character 0");
  constexpr int kMostLinks = 40;  // the system's own limit
  WriteTarget target{.path = path, .before = std::nullopt};
  for (int links = 0;; ++links) {
    std::error_code error;
    if (!std::filesystem::is_symlink(std::filesystem::symlink_status(target.path, error))) break;
    const std::filesystem::path folder = target.path.has_parent_path() ? target.path.parent_path() : ".";
    if (lists_open_files(folder)) {  // its target need not have a name
      target.is_stream = true;
      target.descriptor = descriptor_of_link(target.path);
      return target;
    }
    if (links == kMostLinks) failure.because(std::strerror(ELOOP));
    const std::filesystem::path next = std::filesystem::read_symlink(target.path, error);
    if (error) failure.because(error.message());
    target.path = target.path.parent_path() / next;  // an absolute target replaces the path
  }
  struct stat before {};
  if (stat(target.path.c_str(), &before) != 0) {
    if (errno != ENOENT) failure.because_of_errno();
    return target;
  }
  if (S_ISDIR(before.st_mode)) failure.because("it is a directory");
  target.is_stream = !S_ISREG(before.st_mode);
  if (target.is_stream) return target;
  if (faccessat(AT_FDCWD, target.path.c_str(), W_OK, AT_EACCESS) != 0) failure.because_of_errno();
  target.before = before;
  return target;
}

int open_stream(const WriteTarget& target, const WriteFailure& failure) {
  std::fflush(stdout);
  int file = -1;
  if (target.descriptor >= 0) {
    file = fcntl(target.descriptor, F_DUPFD_CLOEXEC, 0);
  } else {
    // A reader that was started together with this process may come a moment later.
    for (int iteration = 0; iteration < 20; ++iteration) {
      file = open(target.path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY | O_APPEND | O_NONBLOCK);
      if (file >= 0 || errno != ENXIO) break;
      usleep(10'000);
      errno = ENXIO;
    }
    if (file < 0 && errno == ENXIO) failure.because("nobody reads it");
    if (file >= 0) fcntl(file, F_SETFL, fcntl(file, F_GETFL) & ~O_NONBLOCK);
  }
  if (file < 0) failure.because_of_errno();
  return file;
}

void write_all(int file, std::span<const std::byte> bytes, const WriteFailure& failure) {
  while (!bytes.empty()) {
    const ssize_t size = write(file, bytes.data(), bytes.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) failure.because_of_errno();
    bytes = bytes.subspan(static_cast<std::size_t>(size));
  }
}

}  // namespace mtf::io
