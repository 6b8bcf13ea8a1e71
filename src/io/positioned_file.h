// Files that are read and written in places, by several processes at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

namespace mtf {

/// An open regular file. Every function throws IoError.
class PositionedFile {
 public:
  static PositionedFile to_read(const std::string& path);
  static PositionedFile to_write(const std::string& path);
  PositionedFile(PositionedFile&& other) noexcept : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}
  PositionedFile& operator=(PositionedFile&&) = delete;
  ~PositionedFile();

  const std::string& path() const { return path_; }
  std::uint64_t size() const;
  void read(std::uint64_t place, std::span<std::byte> bytes) const;
  void write(std::uint64_t place, std::span<const std::byte> bytes) const;
  /// What was written is on the disk.
  void synchronize() const;

 private:
  friend class FileInTheMaking;
  PositionedFile(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
  std::string path_;
  int descriptor_ = -1;
};

/// A file that several processes write, under a name of its own in the folder of the one whose place it will take: that
/// is then there whole, or as it was before. One process makes it and says the others its name.
class FileInTheMaking {
 public:
  /// Of `size` bytes, for which the disk has room. The folder is made if there is none.
  FileInTheMaking(std::string path, std::uint64_t size);
  /// Removes it, unless it has taken its place.
  ~FileInTheMaking();
  FileInTheMaking(const FileInTheMaking&) = delete;
  FileInTheMaking& operator=(const FileInTheMaking&) = delete;

  const PositionedFile& file() const { return file_; }
  /// To be called when all have synchronized what they wrote.
  void take_place();

 private:
  static PositionedFile made_beside(const std::string& path);
  std::string path_;
  PositionedFile file_;
  bool is_in_place_ = false;
};

}  // namespace mtf
