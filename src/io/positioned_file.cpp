#include "io/positioned_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "io/io_error.h"
#include "support/platform.h"

namespace mtf::io {
namespace {

[[noreturn]] void fail_unreadable(const std::string& path, const std::string& reason) {
  throw IoError(errno == ENOENT ? IoError::Kind::kNotFound : IoError::Kind::kUnreadable, path,
                "cannot be read: " + reason);
}

}  // namespace

PositionedFile::~PositionedFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

PositionedFile PositionedFile::to_read(const std::string& path) {
  PositionedFile file(path, open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.descriptor_ < 0) fail_unreadable(path, std::strerror(errno));
  struct stat state {};
  if (fstat(file.descriptor_, &state) != 0 || !S_ISREG(state.st_mode))
    throw IoError(IoError::Kind::kUnreadable, path, "expected a regular file");
  return file;
}

PositionedFile PositionedFile::to_write(const std::string& path) {
  PositionedFile file(path, open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW));
  if (file.descriptor_ < 0) WriteFailure(path).because_of_errno();
  return file;
}

std::uint64_t PositionedFile::size() const {
  struct stat state {};
  if (fstat(descriptor_, &state) != 0) fail_unreadable(path_, std::strerror(errno));
  return static_cast<std::uint64_t>(state.st_size);
}

void PositionedFile::read(std::uint64_t place, std::span<std::byte> bytes) const {
  while (!bytes.empty()) {
    const ssize_t size = pread(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(place));
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) fail_unreadable(path_, std::strerror(errno));
    if (size == 0) fail_bad_file(path_, "it ends at {}, {} bytes too early", place, bytes.size());
    bytes = bytes.subspan(static_cast<std::size_t>(size));
    place += static_cast<std::uint64_t>(size);
  }
}

void PositionedFile::write(std::uint64_t place, std::span<const std::byte> bytes) const {
  while (!bytes.empty()) {
    const ssize_t size = pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(place));
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) WriteFailure(path_).because_of_errno();
    bytes = bytes.subspan(static_cast<std::size_t>(size));
    place += static_cast<std::uint64_t>(size);
  }
}

void PositionedFile::synchronize() const {
  if (fsync(descriptor_) != 0) WriteFailure(path_).because_of_errno();
}

const std::string& FileInTheMaking::with_folder(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code error;
  if (!folder.empty()) std::filesystem::create_directories(folder, error);
  if (error) WriteFailure(path).because("its folder cannot be made: " + error.message());
  return path;
}

FileInTheMaking::FileInTheMaking(const std::string& path, std::uint64_t size)
    : partial_(with_folder(path)), file_(PositionedFile::to_write(partial_.name())) {
  int error = set_space_aside(partial_.descriptor(), static_cast<std::int64_t>(size));
  if (error == EOPNOTSUPP || error == EINVAL)
    error = ftruncate(partial_.descriptor(), static_cast<off_t>(size)) == 0 ? 0 : errno;
  if (error != 0) WriteFailure(path).because(std::strerror(error));
}

}  // namespace mtf::io
