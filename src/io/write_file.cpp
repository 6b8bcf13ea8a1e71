#include "io/write_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>

#include "io/partial_file.h"

namespace mtf {
namespace {

using Parts = std::span<const std::span<const std::byte>>;

class Descriptor {
 public:
  explicit Descriptor(int descriptor) : descriptor_(descriptor) {}
  ~Descriptor() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  Descriptor(Descriptor&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  int get() const { return descriptor_; }
  /// Whether closing, in which some file systems write, went well.
  bool close_now() { return close(std::exchange(descriptor_, -1)) == 0; }

 private:
  int descriptor_;
};

/// Removes the file again unless it has taken its place.
struct Partial {
  std::filesystem::path path;
  Descriptor file;
  bool is_in_place = false;

  explicit Partial(NewFile made) : path(std::move(made.path)), file(made.descriptor) {}
  Partial(const Partial&) = delete;
  Partial& operator=(const Partial&) = delete;
  ~Partial() {
    if (!is_in_place) unlink(path.c_str());
  }
};

/// Where a path leads through links, also where the last of them points to nothing yet.
std::filesystem::path followed(const std::string& path, const WriteFailure& failure) {
  constexpr int kMostLinks = 40;  // as the system itself
  std::filesystem::path at = path;
  for (int i = 0; i < kMostLinks; ++i) {
    std::error_code error;
    if (!std::filesystem::is_symlink(std::filesystem::symlink_status(at, error))) return at;
    const std::filesystem::path target = std::filesystem::read_symlink(at, error);
    if (error) failure.because(error.message());
    at = at.parent_path() / target;  // an absolute target stands alone
  }
  failure.because(std::strerror(ELOOP));
}

void write_all(int file, Parts parts, const WriteFailure& failure) {
  for (std::span<const std::byte> part : parts) {
    while (!part.empty()) {
      const ssize_t size = write(file, part.data(), part.size());
      if (size < 0 && errno == EINTR) continue;
      if (size < 0) failure.because_of_errno();
      part = part.subspan(static_cast<std::size_t>(size));
    }
  }
}

void write_to_special(const std::filesystem::path& path, Parts parts, const WriteFailure& failure) {
  Descriptor file(open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
  if (file.get() < 0) failure.because_of_errno();
  write_all(file.get(), parts, failure);
  if (!file.close_now()) failure.because_of_errno();
}

void keep_owner_and_mode(int file, const struct stat& before, const WriteFailure& failure) {
  if (fchown(file, before.st_uid, before.st_gid) != 0 && errno != EPERM && errno != EINVAL && errno != ENOSYS) failure.because_of_errno();
  if (fchmod(file, before.st_mode & 07777) != 0) failure.because_of_errno();
}

}  // namespace

void write_file_atomically(const std::string& path, Parts parts, const std::function<void()>& before_replacing) {
  const WriteFailure failure(path);
  if (path.find('\0') != std::string::npos) failure.because("no file's name has the character 0");
  const std::filesystem::path target = followed(path, failure);
  struct stat before {};
  const bool exists = stat(target.c_str(), &before) == 0;
  if (!exists && errno != ENOENT) failure.because_of_errno();
  if (exists && S_ISDIR(before.st_mode)) failure.because("it is a directory");
  if (exists && !S_ISREG(before.st_mode)) {
    if (before_replacing) before_replacing();
    return write_to_special(target, parts, failure);
  }
  if (exists && faccessat(AT_FDCWD, target.c_str(), W_OK, AT_EACCESS) != 0) failure.because_of_errno();

  const std::filesystem::path folder = target.has_parent_path() ? target.parent_path() : ".";
  Partial partial(make_partial(folder, exists ? 0600 : 0666, failure));
  if (exists) keep_owner_and_mode(partial.file.get(), before, failure);
  write_all(partial.file.get(), parts, failure);
  if (fsync(partial.file.get()) != 0 || !partial.file.close_now()) failure.because_of_errno();
  if (before_replacing) before_replacing();
  if (rename(partial.path.c_str(), target.c_str()) != 0) failure.because_of_errno();
  partial.is_in_place = true;
  synchronize_folder(folder);
}

void write_file_atomically(const std::string& path, std::string_view text, const std::function<void()>& before_replacing) {
  const std::array<std::span<const std::byte>, 1> parts = {std::as_bytes(std::span(text))};
  write_file_atomically(path, parts, before_replacing);
}

}  // namespace mtf
