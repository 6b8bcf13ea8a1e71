#include "io/positioned_file.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "io/io_error.h"

namespace mtf {
namespace {

[[noreturn]] void fail_unwritable(const std::string& path, const std::string& reason) {
  throw IoError(IoError::Kind::kUnwritable, path, "cannot be written: " + reason);
}

[[noreturn]] void fail_unreadable(const std::string& path, const std::string& reason) {
  throw IoError(errno == ENOENT ? IoError::Kind::kNotFound : IoError::Kind::kUnreadable, path, "cannot be read: " + reason);
}

}  // namespace

PositionedFile::~PositionedFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

PositionedFile PositionedFile::to_read(const std::string& path) {
  PositionedFile file(path, open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.descriptor_ < 0) fail_unreadable(path, std::strerror(errno));
  struct stat state {};
  if (fstat(file.descriptor_, &state) != 0 || !S_ISREG(state.st_mode)) throw IoError(IoError::Kind::kUnreadable, path, "expected a regular file");
  return file;
}

PositionedFile PositionedFile::to_write(const std::string& path) {
  PositionedFile file(path, open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW));
  if (file.descriptor_ < 0) fail_unwritable(path, std::strerror(errno));
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
    if (size < 0) fail_unwritable(path_, std::strerror(errno));
    bytes = bytes.subspan(static_cast<std::size_t>(size));
    place += static_cast<std::uint64_t>(size);
  }
}

void PositionedFile::synchronize() const {
  if (fsync(descriptor_) != 0) fail_unwritable(path_, std::strerror(errno));
}

PositionedFile FileInTheMaking::made_beside(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code error;
  if (!folder.empty()) std::filesystem::create_directories(folder, error);
  if (error) fail_unwritable(path, "its folder cannot be made: " + error.message());
  for (int i = 0; i < 100; ++i) {
    std::uint64_t number = 0;
    if (getrandom(&number, sizeof number, 0) != sizeof number) fail_unwritable(path, std::strerror(errno));
    std::string made = (folder / fmt::format(".mtf-{:016x}.partial", number)).string();
    const int descriptor = open(made.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (descriptor >= 0) return PositionedFile(std::move(made), descriptor);
    if (errno != EEXIST) fail_unwritable(path, std::strerror(errno));
  }
  fail_unwritable(path, "no free name was found in its folder");
}

FileInTheMaking::FileInTheMaking(std::string path, std::uint64_t size) : path_(std::move(path)), file_(made_beside(path_)) {
  int error = size == 0 ? 0 : posix_fallocate(file_.descriptor_, 0, static_cast<off_t>(size));
  if (error == EOPNOTSUPP || error == EINVAL) error = ftruncate(file_.descriptor_, static_cast<off_t>(size)) == 0 ? 0 : errno;
  if (error != 0) {
    unlink(file_.path().c_str());
    fail_unwritable(path_, std::strerror(error));
  }
}

FileInTheMaking::~FileInTheMaking() {
  if (!is_in_place_) unlink(file_.path().c_str());
}

void FileInTheMaking::take_place() {
  file_.synchronize();
  if (rename(file_.path().c_str(), path_.c_str()) != 0) fail_unwritable(path_, std::strerror(errno));
  is_in_place_ = true;
  // The renaming itself is on the disk only when the folder is; a file system that cannot do that does without.
  const std::filesystem::path folder = std::filesystem::path(path_).parent_path();
  const int descriptor = open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  fsync(descriptor);
  close(descriptor);
}

}  // namespace mtf
