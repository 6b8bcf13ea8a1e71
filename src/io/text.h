// Text files as the numbers of their characters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/array.h"

namespace mtf::io {

/// The bytes of an id in a vocabulary of this size: 1, 2 or 4.
int id_bytes(std::int64_t vocabulary);
/// The id at `index` among ids of `bytes` bytes each, in this machine's byte order.
std::int32_t id_at(std::span<const std::byte> ids, int bytes, std::int64_t index);

/// A text as ids: the positions of its characters (code points) in a vocabulary. Ids have as few bytes as possible.
class CharacterText {
 public:
  /// Reads a file, compressed or not, piece by piece, and keeps only the result in memory. Without `with_ids`, finds
  /// only the vocabulary and the number of characters. Throws IoError if the file is not UTF-8 (the message names the
  /// line and the byte), and before its ids take more than `most_memory` bytes.
  static CharacterText read(const std::string& path, bool with_ids, std::uint64_t most_memory = kAnyMemory);

  /// The occurring characters in the order of their code points. The id of a character is its index.
  std::vector<char32_t> vocabulary;
  std::int64_t count = 0;
  /// `count` ids of id_bytes() each, in this machine's byte order. Empty without `with_ids`.
  std::vector<std::byte> ids;

  int id_bytes() const { return io::id_bytes(static_cast<std::int64_t>(vocabulary.size())); }
  std::int32_t id(std::int64_t index) const { return id_at(ids, id_bytes(), index); }
};

/// The code points of valid UTF-8.
std::vector<char32_t> code_points(std::string_view text);

/// One code point as UTF-8.
std::string utf8(char32_t character);

}  // namespace mtf::io
