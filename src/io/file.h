// Reading whole files, plain or compressed with gzip.
//
// Nothing here trusts a header: a reader asks `expect_content` whether the file holds what its header promises before
// it allocates anything for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace mtf::io {

/// An open file, read from its beginning. Content is what it holds after decompression; whether it is compressed is
/// told by its first bytes, not by its name. Every function throws IoError.
class InputFile {
 public:
  /// Opens a regular file; a directory, a pipe or a device is an error.
  explicit InputFile(std::string path);
  InputFile(InputFile&&) noexcept;
  InputFile& operator=(InputFile&&) noexcept;
  ~InputFile();

  const std::string& path() const { return path_; }
  bool is_compressed() const { return is_compressed_; }
  /// Bytes of content read so far.
  std::uint64_t position() const { return position_; }

  /// Bytes of content. A compressed file is decompressed for it, but never beyond `limit` + 1 bytes: a greater result
  /// means "more than limit". The position stays.
  std::uint64_t content_size(std::uint64_t limit = std::numeric_limits<std::uint64_t>::max() - 1);

  /// Throws unless there are exactly `size` bytes of content; `what` names what promises them ("the header").
  void expect_content(std::uint64_t size, std::string_view what);

  /// The same without decompressing anything: for a compressed file, throws only if `size` cannot be true.
  void expect_possible_content(std::uint64_t size, std::string_view what) const;

  /// Reads what there is, at most to fill `bytes`; gives its size, 0 at the end.
  std::size_t read_some(std::span<std::byte> bytes);

  /// Fills `bytes`; `what` names them in the error if the file ends before.
  void read(std::span<std::byte> bytes, std::string_view what);

 private:
  struct Close {
    void operator()(void* handle) const;
  };

  void seek(std::uint64_t position);
  [[noreturn]] void fail_unreadable() const;

  std::string path_;
  std::uint64_t stored_size_ = 0;
  std::uint64_t position_ = 0;
  bool is_compressed_ = false;
  std::unique_ptr<void, Close> handle_;
};

}  // namespace mtf::io
