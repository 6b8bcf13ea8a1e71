#pragma once
// Columns of text that line up.
#include <cstddef>
#include <string>
#include <vector>

namespace mtf::tool {

/// At most so many letters of a text; where there are more, the last is `…`.
std::string cut_off(const std::string& text, std::size_t width);

/// Rows of cells; a column is as wide as its widest cell. Lines that are no rows (headings) may stand between.
class Table {
 public:
  /// A letter a column: `l` left, `r` right.
  explicit Table(std::string alignment) : alignment_(std::move(alignment)) {}
  /// `tail` stands behind the last cell, off which more is cut for it.
  void row(std::vector<std::string> cells, std::string tail = {}) {
    rows_.push_back({std::move(cells), std::move(tail), false});
  }
  void line(std::string text) { rows_.push_back({{std::move(text)}, {}, true}); }
  /// Every line ends in a line end and has no blanks before it; `indent` stands before each row. What makes a row wider
  /// than `width` (0: none is) is cut off the columns that stand left, the last one first, and where that is not enough
  /// off the row.
  std::string text(const std::string& indent = "", const std::string& gap = "  ", std::size_t width = 0) const;
  /// How wide its widest row is where none is cut.
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
