// Text files, and the characters that occur in them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mtf {

/// A whole text file, compressed or not. Throws IoError if it has more than `limit` bytes (nothing is allocated for it
/// then) or is not UTF-8; the message of the latter names the line and the byte.
std::string read_text(const std::string& path, std::uint64_t limit = std::uint64_t{1} << 31);

/// The place of the first byte that is not part of valid UTF-8 (no overlong forms, surrogates, or values above
/// U+10FFFF); nothing if all of it is valid.
std::optional<std::size_t> find_invalid_utf8(std::string_view text);

/// The characters (code points) of valid UTF-8, each once, in the order of their code points: a vocabulary in which the
/// place of a character is its id.
std::vector<std::string> distinct_characters(std::string_view text);

/// The byte values that occur, each once, ascending.
std::vector<std::uint8_t> distinct_bytes(std::string_view text);

/// The code points of valid UTF-8, one after the other.
std::vector<char32_t> code_points(std::string_view text);

}  // namespace mtf
