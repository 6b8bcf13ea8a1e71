#include "support/bleu.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <sstream>

namespace mtf {
namespace {

constexpr size_t kMost = 4;

void replace_all(std::string& text, const std::string& what, const std::string& by) {
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_point(char c) { return c == '.' || c == ','; }
/// Signs that count as words: all of ASCII except letters, digits and the four signs -.,'
bool is_sign(char c) {
  return (c >= '{' && c <= '~') || (c >= '[' && c <= '`') || (c >= ' ' && c <= '&') || (c >= '(' && c <= '+') ||
         (c >= ':' && c <= '@') || c == '/';
}

/// Writes blanks between and around two neighbouring signs that satisfy `first` and `second`. Pairs do not overlap.
template <class First, class Second>
std::string split_pairs(const std::string& text, First first, Second second, bool blank_before, bool blank_after) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    if (i + 1 == text.size() || !first(text[i]) || !second(text[i + 1])) {
      result += text[i];
      continue;
    }
    if (blank_before) result += ' ';
    result += text[i], result += ' ', result += text[i + 1];
    if (blank_after) result += ' ';
    ++i;
  }
  return result;
}

using Counts = std::map<std::vector<std::string>, int64_t>;

Counts sequences(const std::vector<std::string>& words, size_t size) {
  Counts counts;
  for (size_t i = 0; i + size <= words.size(); ++i)
    ++counts[{words.begin() + static_cast<std::ptrdiff_t>(i), words.begin() + static_cast<std::ptrdiff_t>(i + size)}];
  return counts;
}

}  // namespace

std::vector<std::string> mteval_words(std::string text) {
  replace_all(text, "<skipped>", "");
  replace_all(text, "-\n", "");
  replace_all(text, "\n", " ");
  replace_all(text, "&quot;", "\"");
  replace_all(text, "&amp;", "&");
  replace_all(text, "&lt;", "<");
  replace_all(text, "&gt;", ">");
  std::string apart = " ";
  for (const char c : text) {
    if (is_sign(c)) apart += ' ', apart += c, apart += ' ';
    else apart += c;
  }
  apart += ' ';
  const auto no_digit = [](char c) { return !is_digit(c); };
  apart = split_pairs(apart, no_digit, is_point, false, true);
  apart = split_pairs(apart, is_point, no_digit, true, false);
  apart = split_pairs(
      apart, is_digit, [](char c) { return c == '-'; }, false, true);
  std::istringstream stream(apart);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

double bleu(const std::vector<std::string>& translations, const std::vector<std::string>& references) {
  std::array<int64_t, kMost> right{}, total{};
  int64_t length = 0, reference_length = 0;
  for (size_t i = 0; i < translations.size(); ++i) {
    const std::vector<std::string> words = mteval_words(translations[i]), reference = mteval_words(references[i]);
    length += static_cast<int64_t>(words.size());
    reference_length += static_cast<int64_t>(reference.size());
    for (size_t n = 0; n < kMost; ++n) {
      const Counts there = sequences(reference, n + 1);
      for (const auto& [sequence, count] : sequences(words, n + 1)) {
        total[n] += count;
        if (const auto found = there.find(sequence); found != there.end()) right[n] += std::min(count, found->second);
      }
    }
  }
  if (std::all_of(right.begin(), right.end(), [](int64_t count) { return count == 0; })) return 0;
  double logarithms = 0, smooth = 1;
  for (size_t n = 0; n < kMost; ++n) {
    if (total[n] == 0) return 0;
    if (right[n] == 0) smooth *= 2;
    logarithms +=
        std::log((right[n] == 0 ? 1 / smooth : static_cast<double>(right[n])) / static_cast<double>(total[n]));
  }
  const double penalty =
      length < reference_length ? std::exp(1 - static_cast<double>(reference_length) / static_cast<double>(length)) : 1;
  return 100 * penalty * std::exp(logarithms / kMost);
}

}  // namespace mtf
