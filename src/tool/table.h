#pragma once
// Columns of text that line up.
#include <cstddef>
#include <string>
#include <vector>

namespace mtf::tool {

/// Rows of cells; a column is as wide as its widest cell. Lines that are no rows (headings) may stand between.
class Table {
 public:
  /// A letter a column: `l` left, `r` right.
  explicit Table(std::string alignment) : alignment_(std::move(alignment)) {}
  void row(std::vector<std::string> cells) { rows_.push_back({std::move(cells), false}); }
  void line(std::string text) { rows_.push_back({{std::move(text)}, true}); }
  /// Every line ends in a line end and has no blanks before it; `indent` stands before each row.
  std::string text(const std::string& indent = "", const std::string& gap = "  ") const;

 private:
  struct Row {
    std::vector<std::string> cells;
    bool is_line;
  };
  std::string alignment_;
  std::vector<Row> rows_;
};

}  // namespace mtf::tool
