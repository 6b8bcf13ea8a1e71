#include "support/printable.h"

#include <fmt/format.h>

#include "support/text.h"

namespace mtf {
namespace {

// The bytes of the first character of valid UTF-8.
std::size_t character_size(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  return lead < 0xC0 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
}

// C0, DEL, C1, and the marks that change the direction of writing (U+202A to U+202E, U+2066 to U+2069).
bool is_control(std::string_view character) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(character[i]); };
  if (character.size() == 1) return byte(0) < 0x20 || byte(0) == 0x7F;
  if (character.size() == 2) return byte(0) == 0xC2 && byte(1) < 0xA0;
  if (character.size() != 3 || byte(0) != 0xE2) return false;
  return (byte(1) == 0x80 && byte(2) >= 0xAA && byte(2) <= 0xAE) ||
         (byte(1) == 0x81 && byte(2) >= 0xA6 && byte(2) <= 0xA9);
}

}  // namespace

std::string printable(std::string_view text, bool keeps_lines) {
  std::string out;
  const auto escape = [&](std::string_view bytes) {
    for (const char c : bytes) out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  };
  while (!text.empty()) {
    std::string_view valid = text.substr(0, first_invalid_utf8(text).value_or(text.size()));
    text.remove_prefix(valid.size());
    while (!valid.empty()) {
      const std::string_view character = valid.substr(0, character_size(valid));
      if (is_control(character) && !(keeps_lines && character == "\n")) escape(character);
      else out += character;
      valid.remove_prefix(character.size());
    }
    if (text.empty()) break;
    escape(text.substr(0, 1));
    text.remove_prefix(1);
  }
  return out;
}

}  // namespace mtf
