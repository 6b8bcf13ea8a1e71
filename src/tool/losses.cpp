#include "tool/losses.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

#include "support/text.h"

namespace mtf::tool {
namespace {

constexpr std::size_t kMostLosses = 1'000'000;

bool is_blank_or_mark(char letter) { return letter == ' ' || letter == '\t' || letter == ':' || letter == '='; }

// Whether `loss` ends before `at`.
bool ends_in_loss(std::string_view text, std::size_t at) {
  constexpr std::string_view kWord = "loss";
  if (at < kWord.size()) return false;
  for (std::size_t i = 0; i < kWord.size(); ++i)
    if (std::tolower(static_cast<unsigned char>(text[at - kWord.size() + i])) != kWord[i]) return false;
  return true;
}

}  // namespace

void Losses::read(std::string_view text) {
  for (std::size_t at = 4; at < text.size(); ++at) {
    if (!is_blank_or_mark(text[at]) || !ends_in_loss(text, at)) continue;
    while (at < text.size() && is_blank_or_mark(text[at])) ++at;
    double number = 0;
    const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), number);
    if (error != std::errc()) continue;
    last_.assign(text.data() + at, end);
    if (all_.size() < kMostLosses) all_.push_back(number);
    at = static_cast<std::size_t>(end - text.data());
  }
}

std::string plot(const std::vector<double>& numbers, std::size_t columns, std::size_t rows) {
  std::vector<double> finite;
  std::copy_if(numbers.begin(), numbers.end(), std::back_inserter(finite), [](double number) { return std::isfinite(number); });
  if (finite.empty() || rows < 2 || columns < 16) return {};
  const auto [low, high] = std::minmax_element(finite.begin(), finite.end());
  const double least = *low, most = *high;
  std::vector<std::string> marks;
  for (std::size_t row = 0; row < rows; ++row) marks.push_back(fmt::format("{:.4g}", most - (most - least) * static_cast<double>(row) / static_cast<double>(rows - 1)));
  std::size_t width = 0;
  for (const std::string& mark : marks) width = std::max(width, mark.size());
  const std::size_t cells = std::min(columns - width - 3, finite.size());
  std::vector<std::size_t> height(cells);
  for (std::size_t cell = 0; cell < cells; ++cell) {
    const std::size_t first = cell * finite.size() / cells, last = std::max(first + 1, (cell + 1) * finite.size() / cells);
    double sum = 0;
    for (std::size_t i = first; i < last; ++i) sum += finite[i];
    const double mean = sum / static_cast<double>(last - first);
    const double share = most > least ? (most - mean) / (most - least) : 0.5;
    height[cell] = static_cast<std::size_t>(std::lround(share * static_cast<double>(rows - 1)));
  }
  std::string text;
  for (std::size_t row = 0; row < rows; ++row) {
    std::string line = fmt::format("{:>{}} |", row == 0 || row + 1 == rows || row == rows / 2 ? marks[row] : "", width);
    for (std::size_t cell = 0; cell < cells; ++cell) line += height[cell] == row ? '*' : ' ';
    while (line.ends_with(' ')) line.pop_back();
    text += line + "\n";
  }
  const std::string first = "1", last = thousands(static_cast<std::int64_t>(finite.size()));
  text += std::string(width + 1, ' ') + "+" + std::string(cells, '-') + "\n";
  return text + std::string(width + 2, ' ') + first + std::string(cells > first.size() + last.size() ? cells - first.size() - last.size() : 1, ' ') + last + "\n";
}

}  // namespace mtf::tool
