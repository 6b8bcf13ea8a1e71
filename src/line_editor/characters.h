#pragma once
// Text on a terminal: the bytes of a character, its width in columns, and escapes for characters that a terminal must
// not receive.
#include <cstddef>
#include <string>
#include <string_view>

namespace mtf::line_editor {

/// The character at a position of a text. A byte of invalid UTF-8 is a character of its own.
struct Character {
  std::size_t size = 1;  ///< bytes
  char32_t code = 0;     ///< code point, or the byte of invalid UTF-8
  int width = 1;         ///< columns of the result of `shown`; 0 for a combining mark
  bool escaped = false;  ///< control characters, marks of direction, and invalid UTF-8
};
Character character_at(std::string_view text, std::size_t at);

/// The text for the terminal: the character, two blanks for a tab, or an escape such as `\x1b` or `\u{202e}`.
std::string shown(std::string_view text, std::size_t at, const Character& character);

/// The beginning of the next character, behind combining marks of the one at `at`. The end at the end.
std::size_t next(std::string_view text, std::size_t at);
/// The beginning of the character before `at`; 0 at the beginning.
std::size_t previous(std::string_view text, std::size_t at);

}  // namespace mtf::line_editor
