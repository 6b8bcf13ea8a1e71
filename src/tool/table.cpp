#include "tool/table.h"

#include <algorithm>

#include "support/text.h"

namespace mtf::tool {

std::string Table::text(const std::string& indent, const std::string& gap) const {
  std::vector<std::size_t> widths(alignment_.size(), 0);
  for (const Row& row : rows_)
    for (std::size_t i = 0; !row.is_line && i < row.cells.size(); ++i) widths[i] = std::max(widths[i], count_code_points(row.cells[i]));
  std::string out;
  for (const Row& row : rows_) {
    std::string line = row.is_line ? row.cells[0] : indent;
    for (std::size_t i = 0; !row.is_line && i < row.cells.size(); ++i) {
      const std::string blanks(widths[i] - count_code_points(row.cells[i]), ' ');
      if (i > 0 && widths[i] > 0) line += gap;
      line += alignment_[i] == 'r' ? blanks + row.cells[i] : row.cells[i] + blanks;
    }
    while (!line.empty() && line.back() == ' ') line.pop_back();
    out += line + "\n";
  }
  return out;
}

}  // namespace mtf::tool
