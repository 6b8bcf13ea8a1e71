// Tokens of a file, read at any position. So a file of any length takes no memory.
//
//   an npy file      integers along one dimension, of any type, in either byte order
//   any other file   unsigned numbers of 16 or 32 bits, little-endian, without a header
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "io/array.h"
#include "io/positioned_file.h"

namespace mtf::io {

/// An open file of ids below `vocab`. Every function throws IoError. Any thread may read.
class TokenFile {
 public:
  /// `type` is the type of the numbers, unless the file is an npy file.
  TokenFile(const std::string& path, std::int64_t vocab, StoredType type);

  std::int64_t count() const { return count_; }
  /// Reads the tokens [first, first + ids.size()). Fails if one of them is no id.
  void read(std::int64_t first, std::span<std::int32_t> ids) const;

 private:
  PositionedFile file_;
  std::int64_t vocab_;
  StoredType type_;
  bool big_endian_ = false;
  std::uint64_t begin_ = 0;  ///< the offset of the first number
  std::int64_t count_ = 0;
};

}  // namespace mtf::io
