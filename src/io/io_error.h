// Errors of files. The user's file is at fault, not our code.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#include "support/printable.h"

namespace mtf::io {

/// Thrown for a file that is missing, unreadable, malformed, truncated, different from its header, too large for the
/// memory, or another run's. `message` says the expected and the found. `what()` puts the path before it.
struct IoError : std::runtime_error {
  enum class Kind { kNotFound, kUnreadable, kBadFile, kUnwritable, kTooLarge, kOfAnotherRun };

  IoError(Kind kind, std::string path, std::string message)
      : std::runtime_error(printable(path) + ": " + message),
        kind(kind),
        path(std::move(path)),
        message(std::move(message)) {}

  Kind kind;
  std::string path;
  std::string message;
};

/// Throws the error for a file with wrong contents.
template <typename... Args>
[[noreturn]] void fail_bad_file(const std::string& path, fmt::format_string<Args...> format, Args&&... args) {
  throw IoError(IoError::Kind::kBadFile, path, fmt::format(format, std::forward<Args>(args)...));
}

/// Throws the error for a file that needs more memory than there is.
[[noreturn]] inline void fail_too_large(const std::string& path, std::uint64_t needed, std::uint64_t most) {
  throw IoError(IoError::Kind::kTooLarge, path,
                fmt::format("reading it takes {} bytes of memory, {} can be had", needed, most));
}

}  // namespace mtf::io
