#pragma once
// Aligned columns of text.
#include <cstddef>
#include <string>
#include <vector>

namespace mtf::tool {

/// Returns at most `width` letters of a text. If letters are missing, the last one is `…`.
std::string cut_off(const std::string& text, std::size_t width);

/// Rows of cells. A column is as wide as its widest cell. Other lines, such as headings, may come between rows.
class Table {
 public:
  /// One letter for each column: `l` left, `r` right.
  explicit Table(std::string alignment) : alignment_(std::move(alignment)) {}
  /// `tail` follows the last cell, which is cut to make room for it.
  void row(std::vector<std::string> cells, std::string tail = {}) {
    rows_.push_back({std::move(cells), std::move(tail), false});
  }
  void line(std::string text) { rows_.push_back({{std::move(text)}, {}, true}); }
  /// Returns the lines with their line ends, without blanks at their ends; `indent` precedes each row. If a row is
  /// wider than `width` (0: no limit), its left-aligned columns are cut, the last one first. If that is not enough, the
  /// row itself is cut.
  std::string text(const std::string& indent = "", const std::string& gap = "  ", std::size_t width = 0) const;
  /// Returns the width of the widest row if none is cut.
  std::size_t width(const std::string& indent = "", const std::string& gap = "  ") const;

 private:
  struct Row {
    std::vector<std::string> cells;
    std::string tail;
    bool is_line;
  };
  std::vector<std::size_t> widths() const;
  std::string alignment_;
  std::vector<Row> rows_;
};

}  // namespace mtf::tool
