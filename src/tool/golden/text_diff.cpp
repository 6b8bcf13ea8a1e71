#include "tool/golden/text_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "support/text.h"

namespace mtf::tool {
namespace {

constexpr std::size_t kContext = 2;
constexpr std::size_t kMostCompared = 2000;  // lines of each side; the table is quadratic

struct DiffLine {
  char mark;
  const std::string* text;
};

// The lines of both in order, the longest common subsequence marked as common.
std::vector<DiffLine> align(const std::vector<std::string>& a, const std::vector<std::string>& b, std::size_t start,
                            const LineFits& fits) {
  const std::size_t n = std::min(a.size() - start, kMostCompared), m = std::min(b.size() - start, kMostCompared);
  std::vector<std::vector<std::uint16_t>> common(n + 1, std::vector<std::uint16_t>(m + 1));
  for (std::size_t i = n; i-- > 0;)
    for (std::size_t j = m; j-- > 0;)
      common[i][j] = fits(a[start + i], b[start + j]) ? static_cast<std::uint16_t>(common[i + 1][j + 1] + 1)
                                                      : std::max(common[i + 1][j], common[i][j + 1]);
  std::vector<DiffLine> lines;
  std::size_t i = 0, j = 0;
  while (i < n || j < m) {
    if (i < n && j < m && fits(a[start + i], b[start + j])) {
      lines.push_back({' ', &a[start + i]});
      ++i, ++j;
    } else if (j == m || (i < n && common[i + 1][j] >= common[i][j + 1])) {
      lines.push_back({'-', &a[start + i++]});
    } else {
      lines.push_back({'+', &b[start + j++]});
    }
  }
  for (i += start; i < a.size(); ++i) lines.push_back({'-', &a[i]});
  for (j += start; j < b.size(); ++j) lines.push_back({'+', &b[j]});
  return lines;
}

}  // namespace

TextDiff diff_lines(const std::vector<std::string>& expected, const std::vector<std::string>& found,
                    const LineFits& fits, std::size_t limit) {
  TextDiff result;
  while (result.first < expected.size() && result.first < found.size() &&
         fits(expected[result.first], found[result.first]))
    ++result.first;
  if (result.first == expected.size() && result.first == found.size()) return result;
  const std::vector<DiffLine> lines = align(expected, found, result.first - std::min(result.first, kContext), fits);
  std::vector<bool> near(lines.size(), false);
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (lines[i].mark != ' ')
      for (std::size_t k = i - std::min(i, kContext); k <= std::min(i + kContext, lines.size() - 1); ++k)
        near[k] = true;
  std::size_t shown = 0, left = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!near[i]) continue;
    if (shown == limit) {
      ++left;
      continue;
    }
    if (i > 0 && !near[i - 1] && shown > 0) result.text += "  ...\n";
    result.text += fmt::format("{} {}\n", lines[i].mark, *lines[i].text);
    ++shown;
  }
  if (left > 0) result.text += fmt::format("... and {}\n", count_text(static_cast<std::int64_t>(left), "more line"));
  return result;
}

}  // namespace mtf::tool
