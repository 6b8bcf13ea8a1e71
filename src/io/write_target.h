// What a path names that is to be written to.
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

/// Ends in the path that was asked for, whatever file it leads to: IoError of kind kUnwritable.
class WriteFailure {
 public:
  explicit WriteFailure(const std::string& path) : path_(path) {}
  [[noreturn]] void because(std::string_view reason) const;
  [[noreturn]] void because_of_errno() const;

 private:
  const std::string& path_;
};

/// A link is followed, also where the last of several points to nothing yet. What is no regular file, a device or a
/// pipe, and what the process has open already (`/dev/stdout`, wherever it leads) is a stream: it is written to, never
/// replaced.
struct WriteTarget {
  std::filesystem::path path;
  std::optional<struct stat> before;  ///< of a regular file that is there, and may be written
  bool is_stream = false;
  int descriptor = -1;  ///< of a stream that this process has open
};

WriteTarget find_write_target(const std::string& path, const WriteFailure& failure);

/// Whether what is written should wait until somebody reads a pipe.
enum class NoReader { kWait, kFail };

/// A descriptor of a stream, to be closed after use. What the process printed before stands before it.
int open_stream(const WriteTarget& target, NoReader no_reader, const WriteFailure& failure);

void write_all(int file, std::span<const std::byte> bytes, const WriteFailure& failure);

}  // namespace mtf::io
