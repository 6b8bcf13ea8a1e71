#include "io/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <utility>

#include "io/io_error.h"

namespace mtf::io {
namespace {

// Deflate cannot compress better than this (zlib's technical notes, "Maximum Compression Factor").
constexpr std::uint64_t kGreatestCompression = 1032;

template <typename Handle>
gzFile as_gz(const Handle& handle) {
  return static_cast<gzFile>(handle.get());
}

std::string reason() { return std::strerror(errno); }

}  // namespace

void InputFile::Close::operator()(void* handle) const { gzclose_r(static_cast<gzFile>(handle)); }

InputFile::InputFile(InputFile&&) noexcept = default;
InputFile& InputFile::operator=(InputFile&&) noexcept = default;
InputFile::~InputFile() = default;

InputFile::InputFile(std::string path) : path_(std::move(path)) {
  if (path_.find('\0') != std::string::npos)
    throw IoError(IoError::Kind::kNotFound, path_, "no file's name has the character 0");
  // Without O_NONBLOCK, opening a pipe without a writer would wait for ever.
  const int descriptor = open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) {
    if (errno == ENOENT || errno == ENOTDIR) throw IoError(IoError::Kind::kNotFound, path_, "there is no such file");
    throw IoError(IoError::Kind::kUnreadable, path_, "cannot be read: " + reason());
  }
  struct stat status {};
  if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
    close(descriptor);
    throw IoError(IoError::Kind::kUnreadable, path_,
                  S_ISDIR(status.st_mode) ? "expected a file, found a directory" : "expected a regular file");
  }
  stored_size_ = static_cast<std::uint64_t>(status.st_size);
  gzFile file = gzdopen(descriptor, "rb");
  if (file == nullptr) {
    close(descriptor);
    throw IoError(IoError::Kind::kUnreadable, path_, "cannot be read: " + reason());
  }
  handle_.reset(file);
  gzbuffer(file, 1U << 17);
  is_compressed_ = gzdirect(file) == 0 && stored_size_ > 0;
}

void InputFile::fail_unreadable() const {
  int code = Z_OK;
  const char* message = gzerror(as_gz(handle_), &code);
  if (code == Z_ERRNO) throw IoError(IoError::Kind::kUnreadable, path_, "cannot be read: " + reason());
  if (code == Z_BUF_ERROR) fail_bad_file(path_, "the compressed file is truncated");
  fail_bad_file(path_, "the compressed file is damaged ({})", message);
}

std::size_t InputFile::read_some(std::span<std::byte> bytes) {
  const auto part = static_cast<unsigned>(std::min<std::size_t>(bytes.size(), INT_MAX));
  const int count = gzread(as_gz(handle_), bytes.data(), part);
  if (count < 0) fail_unreadable();
  if (static_cast<unsigned>(count) < part) {
    int code = Z_OK;
    gzerror(as_gz(handle_), &code);
    if (code != Z_OK) fail_unreadable();  // the result at the end of a truncated compressed file
  }
  position_ += static_cast<std::uint64_t>(count);
  return static_cast<std::size_t>(count);
}

void InputFile::seek(std::uint64_t position) {
  if (gzseek(as_gz(handle_), static_cast<z_off_t>(position), SEEK_SET) < 0) fail_unreadable();
  position_ = position;
}

std::uint64_t InputFile::content_size(std::uint64_t limit) {
  if (!is_compressed_) return stored_size_;
  const std::uint64_t before = position_;
  std::array<std::byte, 1U << 16> scratch;
  while (position_ <= limit) {
    const std::size_t room = std::min<std::uint64_t>(scratch.size(), limit + 1 - position_);
    if (read_some(std::span(scratch).first(room)) == 0) break;
  }
  const std::uint64_t size = position_;
  seek(before);
  return size;
}

void InputFile::expect_content(std::uint64_t size, std::string_view what) {
  expect_possible_content(size, what);
  if (!is_compressed_) return;
  const std::uint64_t found = content_size(size);
  if (found > size) fail_bad_file(path_, "{} promises {} bytes in all, the file has more", what, size);
  if (found < size) fail_bad_file(path_, "{} promises {} bytes in all, the file has {}", what, size, found);
}

void InputFile::expect_possible_content(std::uint64_t size, std::string_view what) const {
  if (!is_compressed_) {
    if (size != stored_size_) {
      fail_bad_file(path_, "{} promises {} bytes in all, the file has {}", what, size, stored_size_);
    }
  } else if (size / kGreatestCompression > stored_size_) {
    fail_bad_file(path_, "{} promises {} bytes in all, more than the {} compressed bytes of the file can hold", what,
                  size, stored_size_);
  }
}

void InputFile::read(std::span<std::byte> bytes, std::string_view what) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const std::size_t count = read_some(bytes.subspan(done));
    if (count == 0) {
      fail_bad_file(path_, "the file ends within {}: expected {} bytes from byte {} on, found {}", what, bytes.size(),
                    position_ - done, done);
    }
    done += count;
  }
}

}  // namespace mtf::io
