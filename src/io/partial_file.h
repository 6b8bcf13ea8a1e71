// Files in the making: what is written goes under a name of its own, and takes its place when it is whole.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <string_view>

namespace mtf {

/// Ends in the path that was asked for, whatever file it leads to: IoError of kind kUnwritable.
class WriteFailure {
 public:
  explicit WriteFailure(const std::string& path) : path_(path) {}
  [[noreturn]] void because(std::string_view reason) const;
  [[noreturn]] void because_of_errno() const;

 private:
  const std::string& path_;
};

struct NewFile {
  std::filesystem::path path;
  int descriptor = -1;  ///< open for writing
};

/// A new file of a folder, under a name that nobody can foresee.
NewFile make_partial(const std::filesystem::path& folder, mode_t mode, const WriteFailure& failure);

/// A renaming is on the disk only when its folder is; a file system that cannot do that does without.
void synchronize_folder(const std::filesystem::path& folder);

}  // namespace mtf
