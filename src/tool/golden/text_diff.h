#pragma once
// The difference of two lists of lines, for people.
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace mtf::tool {

struct TextDiff {
  std::size_t first = 0;  ///< the index of the first different line; the size of equal lists
  std::string text;       ///< lines with `- ` (expected only), `+ ` (found only) and `  ` (both, near a difference)
};

/// True if a line that was found is as an expected one says.
using LineFits = std::function<bool(const std::string& expected, const std::string& found)>;

/// At most `limit` lines are shown, then how many more there are.
TextDiff diff_lines(const std::vector<std::string>& expected, const std::vector<std::string>& found,
                    const LineFits& fits = std::equal_to<std::string>(), std::size_t limit = 40);

}  // namespace mtf::tool
