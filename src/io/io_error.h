// What went wrong with a file: the user's file is at fault, not our code.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace mtf {

/// A file that is missing, unreadable, malformed, truncated or not what its header promises.
/// `message` says what was expected and what was found; `what()` puts the path before it.
struct IoError : std::runtime_error {
  enum class Kind { kNotFound, kUnreadable, kBadFile, kUnwritable };

  IoError(Kind kind, std::string path, std::string message)
      : std::runtime_error(path + ": " + message), kind(kind), path(std::move(path)), message(std::move(message)) {}

  Kind kind;
  std::string path;
  std::string message;
};

/// Throws the error of a file whose bytes are not what they should be.
template <typename... Args>
[[noreturn]] void fail_bad_file(const std::string& path, fmt::format_string<Args...> format, Args&&... args) {
  throw IoError(IoError::Kind::kBadFile, path, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace mtf
