// The target of a path that is to be written.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace mtf::io {

/// Throws IoError of kind kUnwritable with the path that the user gave, even if links lead elsewhere.
class WriteFailure {
 public:
  explicit WriteFailure(const std::string& path) : path_(path) {}
  [[noreturn]] void because(std::string_view reason) const;
  [[noreturn]] void because_of_errno() const;

 private:
  const std::string& path_;
};

/// Links are followed, even if the last one points to nothing yet. A target is a stream if it is a device or a pipe, or
/// if the process has it open already (for instance `/dev/stdout`). A stream is written to, never replaced.
struct WriteTarget {
  std::filesystem::path path;
  std::optional<struct stat> before;  ///< for an existing writable regular file
  bool is_stream = false;
  int descriptor = -1;  ///< for a stream that this process has open
};

WriteTarget find_write_target(const std::string& path, const WriteFailure& failure);

/// Opens a descriptor of a stream, which the caller closes. Earlier output of the process precedes it. Fails for a pipe
/// that nobody reads within a fifth of a second.
int open_stream(const WriteTarget& target, const WriteFailure& failure);

void write_all(int file, std::span<const std::byte> bytes, const WriteFailure& failure);

}  // namespace mtf::io
