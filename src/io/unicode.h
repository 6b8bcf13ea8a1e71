// Characters: their general categories (Unicode), and texts as characters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace mtf::io {

/// General categories; kP are all marks but kPc, kS all symbols, kZ all separators, kC all others.
enum Category : std::uint8_t { kLu, kLl, kLt, kLm, kLo, kMn, kMc, kMe, kNd, kNl, kNo, kPc, kP, kS, kZ, kC };

Category category_of(char32_t character);
/// True for what Unicode calls white space.
bool is_white_space(char32_t character);

/// A text as characters. Each byte that is part of no UTF-8 character is one of its own, kNoCharacter, of category kC.
struct CharactersOf {
  static constexpr char32_t kNoCharacter = 0x110000;
  explicit CharactersOf(std::string_view text);
  std::vector<char32_t> values;
  std::vector<std::size_t> begins;  ///< the byte where each begins, and the end of the text
};

}  // namespace mtf::io
