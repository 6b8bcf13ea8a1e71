// Files that several processes read and write at any position at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "io/partial_file.h"

namespace mtf::io {

/// An open regular file. Every function throws IoError.
class PositionedFile {
 public:
  static PositionedFile to_read(const std::string& path);
  static PositionedFile to_write(const std::string& path);
  PositionedFile(PositionedFile&& other) noexcept
      : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}
  PositionedFile& operator=(PositionedFile&&) = delete;
  ~PositionedFile();

  const std::string& path() const { return path_; }
  std::uint64_t size() const;
  void read(std::uint64_t place, std::span<std::byte> bytes) const;
  void write(std::uint64_t place, std::span<const std::byte> bytes) const;
  /// Ensures that all writes are on the disk.
  void synchronize() const;

 private:
  PositionedFile(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
  std::string path_;
  int descriptor_ = -1;
};

/// A file that several processes write at any position, until it replaces the target of a path (partial_file.h). One
/// process makes it, and sends its name to the others.
class FileInTheMaking {
 public:
  /// Makes a file of `size` bytes, for which space is reserved on the disk. Creates the folder if necessary.
  FileInTheMaking(const std::string& path, std::uint64_t size);

  const std::string& name() const { return partial_.name(); }
  void write(std::uint64_t place, std::span<const std::byte> bytes) const { file_.write(place, bytes); }
  /// To be called after all processes have synchronized their writes.
  void take_place() { partial_.take_place(); }

 private:
  static const std::string& with_folder(const std::string& path);
  PartialFile partial_;
  PositionedFile file_;
};

}  // namespace mtf::io
