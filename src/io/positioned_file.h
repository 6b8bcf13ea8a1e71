// Files that are read and written in places, by several processes at once.
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
  /// What was written is on the disk.
  void synchronize() const;

 private:
  PositionedFile(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
  std::string path_;
  int descriptor_ = -1;
};

/// A file that several processes write in places, until it takes the place of what a path names (partial_file.h). One
/// process makes it and says the others its name.
class FileInTheMaking {
 public:
  /// Of `size` bytes, for which the disk has room. The folder is made if there is none.
  FileInTheMaking(const std::string& path, std::uint64_t size);

  const std::string& name() const { return partial_.name(); }
  void write(std::uint64_t place, std::span<const std::byte> bytes) const { file_.write(place, bytes); }
  /// To be called when all have synchronized what they wrote.
  void take_place() { partial_.take_place(); }

 private:
  static const std::string& with_folder(const std::string& path);
  PartialFile partial_;
  PositionedFile file_;
};

}  // namespace mtf::io
