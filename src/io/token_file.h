// Tokens that stand in a file, read in places: a file of any length takes no memory.
//
//   an npy file      integers along one dimension, of any type, in either byte order
//   any other file   numbers of 16 or 32 bits without a sign, little-endian, one after the other from the first byte on
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "io/array.h"
#include "io/positioned_file.h"

namespace mtf::io {

/// An open file of ids from 0 up to `vocab`. Every function throws IoError; any thread may read.
class TokenFile {
 public:
  /// `type`: of the numbers of a file that is no npy file.
  TokenFile(const std::string& path, std::int64_t vocab, StoredType type);

  std::int64_t count() const { return count_; }
  /// Tokens [first, first + ids.size()). Fails where one of them is no id.
  void read(std::int64_t first, std::span<std::int32_t> ids) const;

 private:
  PositionedFile file_;
  std::int64_t vocab_;
  StoredType type_;
  bool big_endian_ = false;
  std::uint64_t begin_ = 0;  ///< the place of the first number
  std::int64_t count_ = 0;
};

}  // namespace mtf::io
