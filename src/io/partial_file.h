// Files in the making: what is written goes under a name of its own, and takes its place when it is whole.
//
// Whatever ends the process, none of them stays for ever. An error removes it with its object; a signal that ends the
// process calls remove_partial_files(); what was killed leaves it, and whoever makes the next one in the folder removes
// it. A writer locks its file as long as it lives, so that others see whether it does. Locks may not be seen from other
// hosts (file systems differ), so that the file of one is only removed when nobody has written to it for a day.
#pragma once

#include <filesystem>
#include <string>

#include "io/write_target.h"

namespace mtf::io {

/// A file that will take the place of what `path` names: that is then there whole, or as it was before. A file that
/// exists must be writable, and keeps its mode and, where that is allowed, its owner; a new one is made as any other
/// (0666 without the umask). What goes to a stream is made among the temporary files. Every function throws IoError of
/// kind kUnwritable.
class PartialFile {
 public:
  explicit PartialFile(const std::string& path);
  /// Removes it, unless it has taken its place.
  ~PartialFile();
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;

  /// Where it lies until then: for others that write it too.
  const std::string& name() const { return name_; }
  /// Open for reading and writing.
  int descriptor() const { return descriptor_; }
  /// When it is whole and on the disk. A stream is given its bytes.
  void take_place();

 private:
  void make();
  void copy_to_stream() const;
  void forget();

  const std::string path_;
  WriteTarget target_;
  std::filesystem::path folder_;
  std::string name_;
  int descriptor_ = -1;
  int slot_ = -1;  ///< among those that signals remove
};

/// Removes this process's partial files, and lets it make no more. For handlers of signals that end it.
void remove_partial_files() noexcept;

}  // namespace mtf::io
