#pragma once
// Text as a terminal shows it: which bytes are one character, how many columns it takes, and what stands for those that
// a terminal must not be given.
#include <cstddef>
#include <string>
#include <string_view>

namespace mtf::line_editor {

/// The character that begins at a place of a text. A byte that is not UTF-8 is a character of its own.
struct Character {
  std::size_t size = 1;  ///< bytes
  char32_t code = 0;     ///< code point, or the byte that is not UTF-8
  int width = 1;         ///< columns of what `shown` makes of it; 0 for a mark that stands over the one before
  bool escaped = false;  ///< control characters, those that turn the direction of writing, bytes that are not UTF-8
};
Character character_at(std::string_view text, std::size_t at);

/// What a terminal is given for it: itself, two blanks for a tab, or an escape such as `\x1b` or `\u{202e}`.
std::string shown(std::string_view text, std::size_t at, const Character& character);

/// Where the next character begins, marks over the one at `at` included; the end at the end.
std::size_t next(std::string_view text, std::size_t at);
/// Where the character before `at` begins; 0 at the beginning.
std::size_t previous(std::string_view text, std::size_t at);

}  // namespace mtf::line_editor
