#pragma once
// The difference of two lists of lines, as people read it.
#include <cstddef>
#include <string>
#include <vector>

namespace mtf::tool {

struct TextDiff {
  std::size_t first = 0;  ///< the index of the first line that differs; equal lists have none (their size)
  std::string text;       ///< lines with `- ` (expected only), `+ ` (found only) and `  ` (both, near a difference)
};

/// At most `limit` lines are shown, then how many more there are.
TextDiff diff_lines(const std::vector<std::string>& expected, const std::vector<std::string>& found,
                    std::size_t limit = 40);

}  // namespace mtf::tool
