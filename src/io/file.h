// Reading whole files, plain or compressed with gzip.
//
// Headers are not trusted. Before a reader allocates memory, it asks `expect_content` whether the file holds the amount
// that its header promises.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace mtf::io {

/// An open file, read from its beginning. Its content is the bytes after decompression. The first bytes tell whether it
/// is compressed, not its name. Every function throws IoError.
class InputFile {
 public:
  /// Opens a regular file. Fails for a directory, a pipe or a device.
  explicit InputFile(std::string path);
  InputFile(InputFile&&) noexcept;
  InputFile& operator=(InputFile&&) noexcept;
  ~InputFile();

  const std::string& path() const { return path_; }
  bool is_compressed() const { return is_compressed_; }
  /// The number of bytes of content read so far.
  std::uint64_t position() const { return position_; }

  /// The number of bytes of content. Decompresses a compressed file to find out, but never more than `limit` + 1 bytes:
  /// a larger result means "more than limit". The position does not change.
  std::uint64_t content_size(std::uint64_t limit = std::numeric_limits<std::uint64_t>::max() - 1);

  /// Throws unless there are exactly `size` bytes of content. `what` names the source of that number ("the header").
  void expect_content(std::uint64_t size, std::string_view what);

  /// The same without decompression. For a compressed file, throws only if `size` is impossible.
  void expect_possible_content(std::uint64_t size, std::string_view what) const;

  /// Reads at most enough to fill `bytes`. Returns the number of bytes read, 0 at the end.
  std::size_t read_some(std::span<std::byte> bytes);

  /// Fills `bytes`. If the file ends earlier, the error names them by `what`.
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
