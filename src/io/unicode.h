// Characters: their general categories and normal forms (Unicode), and texts as characters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
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

/// The first or last character of a text; none of an empty one.
std::vector<char32_t> first_character(std::string_view text);
std::vector<char32_t> last_character(std::string_view text);

std::string_view without_spaces_before(std::string_view text);
std::string_view without_spaces_behind(std::string_view text);

/// The normal forms of Unicode: whether they compose, and whether compatible characters become one.
enum class NormalForm { kNfc, kNfd, kNfkc, kNfkd };

/// A text in a normal form. Bytes that are part of no character stay.
std::string in_normal_form(std::string_view text, NormalForm form);

/// A text whose characters are those that `replace` returns for each; bytes that are part of no character stay.
std::string with_each_character(std::string_view text, const std::function<std::string(char32_t)>& replace);

/// A character in lower case: two for the capital I with a dot.
std::string in_lower_case(char32_t character);

}  // namespace mtf::io
