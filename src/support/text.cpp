#include "support/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>
#include <numeric>

namespace mtf {

std::string thousands(std::int64_t number) {
  if (number == std::numeric_limits<std::int64_t>::max()) return "at least " + thousands(number - 1);
  std::string digits = std::to_string(number);
  const std::size_t first = number < 0 ? 1 : 0;
  for (std::size_t i = digits.size(); i > first + 3;) {
    i -= 3;
    digits.insert(i, 1, ',');
  }
  return digits;
}

std::string bytes_text(std::int64_t bytes) {
  if (bytes == std::numeric_limits<std::int64_t>::max()) return "at least " + bytes_text(bytes - 1);
  if (bytes > -1024 && bytes < 1024) return fmt::format("{} B", bytes);
  static constexpr std::array kUnits = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  // 1023.95 would print as 1024.0.
  while (std::abs(value) >= 1023.95 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  return fmt::format("{:.1f} {}", value, kUnits[unit]);
}

std::string count_text(std::int64_t count, std::string_view singular, std::string_view plural) {
  if (count == 1) return fmt::format("1 {}", singular);
  if (plural.empty()) return fmt::format("{} {}s", thousands(count), singular);
  return fmt::format("{} {}", thousands(count), plural);
}

double without_sign_of_nan(double number) {
  return std::isnan(number) ? std::numeric_limits<double>::quiet_NaN() : number;
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  return fmt::format("{}", fmt::join(parts, separator));
}

std::string join_words(const std::vector<std::string>& parts, std::string_view word) {
  if (parts.empty()) return {};
  if (parts.size() == 1) return parts.front();
  const auto last = parts.end() - 1;
  return fmt::format("{} {} {}", fmt::join(parts.begin(), last, ", "), word, *last);
}

std::string quote(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    switch (c) {
      case '\n': out += "\\n"; break;
      case '\t': out += "\\t"; break;
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '{': out += "{{"; break;
      case '}': out += "}}"; break;
      default: out += c;
    }
  }
  return out + '"';
}

std::string code(std::string_view text) { return fmt::format("`{}`", text); }

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return lower;
}

bool mentions_all(std::string_view text, const std::vector<std::string>& words) {
  const std::string lower = lower_case(text);
  return std::all_of(words.begin(), words.end(),
                     [&](const std::string& word) { return lower.find(lower_case(word)) != std::string::npos; });
}

std::string_view trim(std::string_view text) {
  const auto is_space = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (true) {
    const std::size_t end = text.find(separator, begin);
    parts.emplace_back(text.substr(begin, end - begin));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

bool matches(std::string_view text, std::string_view pattern) {
  const std::vector<std::string> pieces = split(pattern, '*');
  if (pieces.size() == 1) return text == pattern;
  if (!text.starts_with(pieces.front())) return false;
  text.remove_prefix(pieces.front().size());
  // Each piece between stars is matched as far to the left as possible, the last one at the end.
  for (std::size_t i = 1; i + 1 < pieces.size(); ++i) {
    const std::size_t at = text.find(pieces[i]);
    if (at == std::string_view::npos) return false;
    text.remove_prefix(at + pieces[i].size());
  }
  return text.ends_with(pieces.back());
}

namespace {

bool differs_only_in_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

// The optimal string alignment distance: insert, delete, replace, swap neighbours.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  std::iota(above.begin(), above.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + change});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, above);
    std::swap(above, row);
  }
  return above[b.size()];
}

}  // namespace

std::optional<std::string> suggest(std::string_view name, const std::vector<std::string>& candidates) {
  constexpr std::size_t kLongestName = 100;
  if (name.empty() || name.size() > kLongestName) return std::nullopt;
  const std::string* best = nullptr;
  std::size_t best_distance = std::max<std::size_t>(1, name.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t lengths_differ =
        std::max(name.size(), candidate.size()) - std::min(name.size(), candidate.size());
    if (lengths_differ >= best_distance || candidate == name) continue;
    const std::size_t distance = differs_only_in_case(name, candidate) ? 0 : edit_distance(name, candidate);
    // One letter instead of another is not a misspelling.
    if (distance > 0 && std::min(name.size(), candidate.size()) <= 1) continue;
    if (distance < best_distance) {
      best = &candidate;
      best_distance = distance;
    }
  }
  if (best == nullptr) return std::nullopt;
  return *best;
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates) {
  const auto best = suggest(name, candidates);
  return best ? fmt::format("did you mean `{}`?", *best) : std::string();
}

std::size_t count_code_points(std::string_view text) {
  std::size_t count = 0;
  for (const char c : text) {
    const bool continues = (static_cast<unsigned char>(c) & 0xC0) == 0x80;
    if (!continues) ++count;
  }
  return count;
}

std::optional<std::size_t> first_invalid_utf8(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  for (std::size_t i = 0; i < text.size();) {
    const unsigned char first = byte(i);
    if (first < 0x80) {
      ++i;
      continue;
    }
    std::size_t length = 0;
    std::uint32_t point = 0, least = 0;
    if ((first & 0xE0) == 0xC0) {
      length = 2;
      point = first & 0x1F;
      least = 0x80;
    } else if ((first & 0xF0) == 0xE0) {
      length = 3;
      point = first & 0x0F;
      least = 0x800;
    } else if ((first & 0xF8) == 0xF0) {
      length = 4;
      point = first & 0x07;
      least = 0x10000;
    } else return i;
    if (i + length > text.size()) return i;
    for (std::size_t k = 1; k < length; ++k) {
      if ((byte(i + k) & 0xC0) != 0x80) return i;
      point = (point << 6) | (byte(i + k) & 0x3Fu);
    }
    const bool surrogate = point >= 0xD800 && point <= 0xDFFF;
    if (point < least || point > 0x10FFFF || surrogate) return i;
    i += length;
  }
  return std::nullopt;
}

std::string uri_path(std::string_view path) {
  std::string uri;
  for (const char c : path)
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || std::string_view("-._~/").find(c) != std::string_view::npos)
      uri += c;
    else uri += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  return uri;
}

}  // namespace mtf
