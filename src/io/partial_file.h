// Partial files: output is written under a temporary name, and replaces the target when it is complete.
//
// No partial file stays for ever, however the process ends. After an error, the destructor removes it. For a signal
// that ends the process, remove_partial_files() does. If the process is killed, the file is left, and the next writer
// in the folder removes it. A writer locks its file, so that others see that it is alive. Locks may be invisible to
// other hosts, depending on the file system. So a file of another host is removed only after a day without writes.
#pragma once

#include <filesystem>
#include <string>

#include "io/write_target.h"

namespace mtf::io {

/// A file that will replace the target of `path`. The target is then complete, or unchanged. An existing file must be
/// writable, and keeps its mode and, if permitted, its owner. A new one gets the usual mode (0666 without the umask).
/// For a stream, the partial file is among the temporary files. Every function throws IoError of kind kUnwritable.
class PartialFile {
 public:
  explicit PartialFile(const std::string& path);
  /// Removes the partial file, unless it has replaced the target.
  ~PartialFile();
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;

  /// The temporary name, for other processes that write to the file too.
  const std::string& name() const { return name_; }
  /// Open for reading and writing.
  int descriptor() const { return descriptor_; }
  /// Replaces the target, after the contents are on the disk. Copies the bytes to a stream.
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
  int slot_ = -1;  ///< index of the list for signals
};

/// Removes this process's partial files, and prevents new ones. For handlers of signals that end the process.
void remove_partial_files() noexcept;

}  // namespace mtf::io
