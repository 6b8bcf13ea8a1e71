#include "io/unicode.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>

#include "io/text.h"

namespace mtf::io {
namespace {

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
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(character))) {
    case UTF8PROC_CATEGORY_LU: return kLu;
    case UTF8PROC_CATEGORY_LL: return kLl;
    case UTF8PROC_CATEGORY_LT: return kLt;
    case UTF8PROC_CATEGORY_LM: return kLm;
    case UTF8PROC_CATEGORY_LO: return kLo;
    case UTF8PROC_CATEGORY_MN: return kMn;
    case UTF8PROC_CATEGORY_MC: return kMc;
    case UTF8PROC_CATEGORY_ME: return kMe;
    case UTF8PROC_CATEGORY_ND: return kNd;
    case UTF8PROC_CATEGORY_NL: return kNl;
    case UTF8PROC_CATEGORY_NO: return kNo;
    case UTF8PROC_CATEGORY_PC: return kPc;
    case UTF8PROC_CATEGORY_PD:
    case UTF8PROC_CATEGORY_PS:
    case UTF8PROC_CATEGORY_PE:
    case UTF8PROC_CATEGORY_PI:
    case UTF8PROC_CATEGORY_PF:
    case UTF8PROC_CATEGORY_PO: return kP;
    case UTF8PROC_CATEGORY_SM:
    case UTF8PROC_CATEGORY_SC:
    case UTF8PROC_CATEGORY_SK:
    case UTF8PROC_CATEGORY_SO: return kS;
    case UTF8PROC_CATEGORY_ZS:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP: return kZ;
    default: return kC;
  }
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

std::vector<char32_t> first_character(std::string_view text) {
  std::vector<char32_t> values = CharactersOf(text.substr(0, 4)).values;
  if (!values.empty()) values.resize(1);
  return values;
}

std::vector<char32_t> last_character(std::string_view text) {
  std::size_t begin = text.size();
  while (begin > 0 && text.size() - begin < 4) {
    --begin;
    if ((static_cast<unsigned char>(text[begin]) & 0xc0U) != 0x80) break;
  }
  std::vector<char32_t> values = CharactersOf(text.substr(begin)).values;
  if (values.size() > 1) values.assign(1, values.back());
  return values;
}

std::string_view without_spaces_before(std::string_view text) {
  for (std::vector<char32_t> c; !(c = first_character(text)).empty() && is_white_space(c[0]);)
    text.remove_prefix(utf8(c[0]).size());
  return text;
}

std::string_view without_spaces_behind(std::string_view text) {
  for (std::vector<char32_t> c; !(c = last_character(text)).empty() && is_white_space(c[0]);)
    text.remove_suffix(utf8(c[0]).size());
  return text;
}

namespace {

std::string valid_in_normal_form(std::string_view text, NormalForm form) {
  const bool composes = form == NormalForm::kNfc || form == NormalForm::kNfkc;
  const bool is_compatible = form == NormalForm::kNfkc || form == NormalForm::kNfkd;
  const int options =
      UTF8PROC_STABLE | (composes ? UTF8PROC_COMPOSE : UTF8PROC_DECOMPOSE) | (is_compatible ? UTF8PROC_COMPAT : 0);
  utf8proc_uint8_t* result = nullptr;
  const utf8proc_ssize_t size =
      utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()), static_cast<utf8proc_ssize_t>(text.size()),
                   &result, static_cast<utf8proc_option_t>(options));
  if (size < 0) throw std::bad_alloc();  // the only error of valid texts
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(result, &std::free);
  return {reinterpret_cast<const char*>(result), static_cast<std::size_t>(size)};
}

}  // namespace

std::string in_normal_form(std::string_view text, NormalForm form) {
  const CharactersOf characters(text);
  std::string result;
  const std::size_t count = characters.values.size();
  const auto is_valid = [&](std::size_t i) { return characters.values[i] != CharactersOf::kNoCharacter; };
  for (std::size_t first = 0, last = 0; first < count; first = last) {
    while (last < count && is_valid(last) == is_valid(first)) ++last;
    const std::string_view part =
        text.substr(characters.begins[first], characters.begins[last] - characters.begins[first]);
    result += is_valid(first) ? valid_in_normal_form(part, form) : std::string(part);
  }
  return result;
}

std::string with_each_character(std::string_view text, const std::function<std::string(char32_t)>& replace) {
  const CharactersOf characters(text);
  std::string result;
  for (std::size_t i = 0; i < characters.values.size(); ++i) {
    if (characters.values[i] == CharactersOf::kNoCharacter) result += text[characters.begins[i]];
    else result += replace(characters.values[i]);
  }
  return result;
}

std::string in_lower_case(char32_t character) {
  constexpr char32_t kDottedI = 0x130, kDotAbove = 0x307;
  if (character == kDottedI) return "i" + utf8(kDotAbove);
  return utf8(static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(character))));
}

}  // namespace mtf::io
