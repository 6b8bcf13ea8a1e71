// Text files, as the numbers of their characters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/array.h"

namespace mtf::io {

/// Bytes of an id where there are `vocabulary` of them: 1, 2 or 4.
int id_bytes(std::int64_t vocabulary);
/// One of ids of so many bytes each, in this machine's byte order.
std::int32_t id_at(std::span<const std::byte> ids, int bytes, std::int64_t index);

/// A text whose characters (code points) stand as their places in a vocabulary, each in as few bytes as all ids fit in.
class CharacterText {
 public:
  /// Reads a file, compressed or not, a piece at a time: what is kept is all the memory that it takes. Without
  /// `with_ids` only the vocabulary and the number of characters are found out. Throws IoError if the file is not UTF-8
  /// (the message names the line and the byte), or before its ids take more than `most_memory` bytes.
  static CharacterText read(const std::string& path, bool with_ids, std::uint64_t most_memory = kAnyMemory);

  /// The characters that occur, in the order of their code points: the place of one is its id.
  std::vector<char32_t> vocabulary;
  std::int64_t count = 0;
  /// `count` ids of id_bytes() each, in this machine's byte order; none if they were not asked for.
  std::vector<std::byte> ids;

  int id_bytes() const { return io::id_bytes(static_cast<std::int64_t>(vocabulary.size())); }
  std::int32_t id(std::int64_t index) const { return id_at(ids, id_bytes(), index); }
};

/// The code points of valid UTF-8, one after the other.
std::vector<char32_t> code_points(std::string_view text);

/// One code point as UTF-8.
std::string utf8(char32_t character);

}  // namespace mtf::io
