#include "io/unicode.h"

#include <algorithm>
#include <iterator>

namespace mtf::io {
namespace {

struct CategoryRun {
  char32_t first;
  Category category;
};
constexpr CategoryRun kCategoryRuns[] = {
#include "io/unicode_categories.def"
};

/// The bytes of the UTF-8 character at the beginning of a text; 0 if there is none.
std::size_t valid_character(std::string_view text, char32_t& value) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  const std::size_t bytes = first < 0x80   ? 1
                            : first < 0xc2 ? 0
                            : first < 0xe0 ? 2
                            : first < 0xf0 ? 3
                            : first < 0xf5 ? 4
                                           : 0;
  if (bytes == 0 || bytes > text.size()) return 0;
  value = bytes == 1 ? first : first & (0xffU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0U) != 0x80) return 0;
    value = value << 6 | (byte(i) & 0x3fU);
  }
  constexpr char32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = value >= 0xd800 && value < 0xe000;
  return value < kLeast[bytes] || value > 0x10ffff || is_surrogate ? 0 : bytes;
}

}  // namespace

Category category_of(char32_t character) {
  if (character > 0x10ffff) return kC;
  const auto* behind = std::upper_bound(std::begin(kCategoryRuns), std::end(kCategoryRuns), character,
                                        [](char32_t c, const CategoryRun& run) { return c < run.first; });
  return std::prev(behind)->category;
}

bool is_white_space(char32_t c) {
  return (c >= 9 && c <= 13) || c == ' ' || c == 0x85 || c == 0xa0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200a) ||
         c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x205f || c == 0x3000;
}

CharactersOf::CharactersOf(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    char32_t value = kNoCharacter;
    const std::size_t bytes = valid_character(text.substr(at), value);
    values.push_back(bytes == 0 ? kNoCharacter : value);
    begins.push_back(at);
    at += std::max<std::size_t>(1, bytes);
  }
  begins.push_back(text.size());
}

}  // namespace mtf::io
