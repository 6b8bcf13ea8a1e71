#include "io/text.h"

#include <algorithm>
#include <array>
#include <span>
#include <unordered_set>

#include "io/file.h"
#include "io/io_error.h"

namespace mtf {
namespace {

struct CodePoint {
  char32_t value = 0;
  std::size_t bytes = 0;  // 0: not valid UTF-8
};

/// The character at the beginning of a text that is not empty.
CodePoint first_code_point(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < bytes) return {};
  char32_t value = lead & (0xFFU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0U) != 0x80) return {};
    value = value << 6 | (byte(i) & 0x3FU);
  }
  const bool overlong = (bytes == 3 && value < 0x800) || (bytes == 4 && value < 0x10000);
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (overlong || surrogate || value > 0x10FFFF) return {};
  return {value, bytes};
}

}  // namespace

std::string read_text(const std::string& path, std::uint64_t limit) {
  InputFile file(path);
  const std::uint64_t size = file.content_size(limit);
  if (size > limit) fail_bad_file(path, "the text is longer than the {} bytes that are allowed", limit);
  std::string text(size, '\0');
  file.read(std::as_writable_bytes(std::span(text)), "the text");
  if (const auto place = find_invalid_utf8(text)) {
    const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(*place), '\n');
    fail_bad_file(path, "expected UTF-8 text, found the byte {:02x} in line {} (byte {} of the file)",
                  static_cast<unsigned char>(text[*place]), line, *place);
  }
  return text;
}

std::optional<std::size_t> find_invalid_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const CodePoint next = first_code_point(text.substr(i));
    if (next.bytes == 0) return i;
    i += next.bytes;
  }
  return std::nullopt;
}

std::vector<char32_t> code_points(std::string_view text) {
  std::vector<char32_t> result;
  for (std::size_t i = 0; i < text.size();) {
    const CodePoint next = first_code_point(text.substr(i));
    result.push_back(next.value);
    i += std::max<std::size_t>(next.bytes, 1);
  }
  return result;
}

std::vector<std::string> distinct_characters(std::string_view text) {
  std::unordered_set<std::string_view> seen;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t bytes = std::max<std::size_t>(first_code_point(text.substr(i)).bytes, 1);
    seen.insert(text.substr(i, bytes));
    i += bytes;
  }
  std::vector<std::string> result(seen.begin(), seen.end());
  std::sort(result.begin(), result.end());  // bytes of UTF-8 sort as their code points do
  return result;
}

std::vector<std::uint8_t> distinct_bytes(std::string_view text) {
  std::array<bool, 256> seen{};
  for (const char c : text) seen[static_cast<unsigned char>(c)] = true;
  std::vector<std::uint8_t> result;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    if (seen[i]) result.push_back(static_cast<std::uint8_t>(i));
  }
  return result;
}

}  // namespace mtf
