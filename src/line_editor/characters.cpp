#include "line_editor/characters.h"

#include <clocale>
#include <cstdio>
#include <cwchar>

namespace mtf::line_editor {
namespace {

// wcwidth uses the thread's locale, which may be ASCII only, while terminals show UTF-8.
int width_in_utf8(char32_t code) {
  static const locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  if (utf8 == nullptr) return 1;
  const locale_t before = uselocale(utf8);
  const int width = wcwidth(static_cast<wchar_t>(code));
  uselocale(before);
  return width;
}

// Characters without a shape that change the display of others: joiners, marks of direction, the byte order mark.
bool is_format(char32_t code) {
  return code == 0xad || (code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
         (code >= 0x2060 && code <= 0x206f) || code == 0x61c || code == 0xfeff || (code >= 0xfff9 && code <= 0xfffb) ||
         (code >= 0xe0000 && code <= 0xe007f);
}

std::string escape(char32_t code) {
  char out[16];
  std::snprintf(out, sizeof out, code < 0x100 ? "\\x%02x" : "\\u{%x}", static_cast<unsigned>(code));
  return out;
}

}  // namespace

Character character_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
  Character found{1, byte(0)};
  if (found.code >= 0x20 && found.code < 0x7f) return found;
  if (found.code == '\t') return {1, found.code, 2};
  const std::size_t size = found.code >= 0xf0 ? 4 : found.code >= 0xe0 ? 3 : 2;
  bool is_utf8 = found.code >= 0xc2 && found.code <= 0xf4 && at + size <= text.size();
  if (is_utf8) {
    char32_t code = found.code & (0xff >> (size + 1));
    for (std::size_t i = 1; i < size; ++i) {
      is_utf8 = is_utf8 && (byte(i) & 0xc0) == 0x80;
      code = code << 6 | (byte(i) & 0x3f);
    }
    const bool is_shortest =
        size == 2 || (size == 3 && code >= 0x800) || (size == 4 && code >= 0x10000 && code < 0x110000);
    is_utf8 = is_utf8 && is_shortest && (code < 0xd800 || code > 0xdfff);
    if (is_utf8) found = {size, code};
  }
  found.width = is_utf8 && !is_format(found.code) ? width_in_utf8(found.code) : -1;
  found.escaped = found.width < 0;
  if (found.escaped) found.width = static_cast<int>(escape(found.code).size());
  return found;
}

std::string shown(std::string_view text, std::size_t at, const Character& character) {
  if (character.escaped) return escape(character.code);
  return character.code == '\t' ? "  " : std::string(text.substr(at, character.size));
}

std::size_t next(std::string_view text, std::size_t at) {
  if (at >= text.size()) return text.size();
  at += character_at(text, at).size;
  while (at < text.size()) {
    const Character mark = character_at(text, at);
    if (mark.width > 0) break;
    at += mark.size;
  }
  return at;
}

std::size_t previous(std::string_view text, std::size_t at) {
  while (at > 0) {
    std::size_t size = 1;
    for (std::size_t tried = 2; tried <= 4 && tried <= at; ++tried)
      if (character_at(text, at - tried).size == tried) size = tried;
    at -= size;
    if (character_at(text, at).width > 0) break;
  }
  return at;
}

}  // namespace mtf::line_editor
