#include "tool/present/table.h"

#include <algorithm>
#include <numeric>

#include "support/text.h"

namespace mtf::tool {
namespace {

/// The least width to which a column is cut.
constexpr std::size_t kNarrowest = 12;

std::size_t end_of_letter(const std::string& text, std::size_t at) {
  do ++at;
  while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80);
  return at;
}

}  // namespace

std::string cut_off(const std::string& text, std::size_t width) {
  if (count_code_points(text) <= width) return text;
  std::size_t end = 0;
  for (std::size_t letters = 1; letters < width; ++letters) end = end_of_letter(text, end);
  return text.substr(0, end) + "…";
}

std::vector<std::size_t> Table::widths() const {
  std::vector<std::size_t> widths(alignment_.size(), 0);
  for (const Row& row : rows_)
    for (std::size_t i = 0; !row.is_line && i < row.cells.size(); ++i)
      widths[i] = std::max(
          widths[i], count_code_points(row.cells[i]) + (i + 1 == row.cells.size() ? count_code_points(row.tail) : 0));
  return widths;
}

std::size_t Table::width(const std::string& indent, const std::string& gap) const {
  const std::vector<std::size_t> widths = this->widths();
  const auto gaps = std::count_if(widths.begin(), widths.end(), [](std::size_t each) { return each > 0; }) - 1;
  return std::accumulate(widths.begin(), widths.end(), indent.size()) +
         static_cast<std::size_t>(std::max<std::ptrdiff_t>(gaps, 0)) * gap.size();
}

std::string Table::text(const std::string& indent, const std::string& gap, std::size_t width) const {
  std::vector<std::size_t> widths = this->widths();
  std::size_t all = this->width(indent, gap);
  for (std::size_t i = widths.size(); width > 0 && i-- > 0 && all > width;) {
    if (alignment_[i] != 'l' || widths[i] <= kNarrowest) continue;
    const std::size_t less = std::min(all - width, widths[i] - kNarrowest);
    widths[i] -= less;
    all -= less;
  }
  std::string out;
  for (const Row& row : rows_) {
    std::string line = row.is_line ? row.cells[0] : indent;
    for (std::size_t i = 0; !row.is_line && i < row.cells.size(); ++i) {
      const std::string tail = i + 1 == row.cells.size() ? row.tail : "";
      const std::size_t room = widths[i] - std::min(widths[i], count_code_points(tail));
      const std::string cell = cut_off(row.cells[i], std::max(room, kNarrowest)) + tail;
      const std::string blanks(widths[i] - std::min(widths[i], count_code_points(cell)), ' ');
      if (i > 0 && widths[i] > 0) line += gap;
      line += alignment_[i] == 'r' ? blanks + cell : cell + blanks;
    }
    while (!line.empty() && line.back() == ' ') line.pop_back();
    out += (width > 0 && !row.is_line ? cut_off(line, width) : line) + "\n";
  }
  return out;
}

}  // namespace mtf::tool
