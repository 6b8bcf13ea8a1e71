#pragma once
// The rows of a terminal that the editor draws on, from the row where it began: only what differs is sent.
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace mtf::line_editor {

/// How characters look: the parameters of a terminal's `ESC [ … m`, such as "1;34"; empty: as usual. Must outlive its
/// use.
using Style = std::string_view;

/// Whether a terminal is given styles: not where the environment has a NO_COLOR that is not empty.
bool has_styles();

struct Cell {
  std::string shown;
  Style style;
  int width = 1;
  bool operator==(const Cell&) const = default;
};

struct Row {
  std::vector<Cell> cells = {};
  int width = 0;

  /// Adds as much of the text as there is room for; false if that is not all. Without styles (has_styles) it is as
  /// usual.
  bool add(std::string_view text, Style style, int room);
};

class Screen {
 public:
  /// What brings the terminal from what was drawn last to these rows, with the cursor in this row and column. There
  /// must be no more rows than the terminal has, and each must leave the last column free.
  std::string draw(std::vector<Row> rows, std::size_t cursor_row, int cursor_column);
  /// Moves to the beginning of what was drawn, now that the terminal is so wide, and clears everything from there.
  std::string clear(std::size_t columns);
  /// What is on the terminal is not ours any more: drawing begins where the cursor is.
  void forget();

 private:
  void move(std::string& out, std::size_t row, int column);

  std::vector<Row> drawn_;
  std::size_t existing_ = 1, row_ = 0;  // rows that can be moved to; where the cursor is
  int column_ = 0;
};

}  // namespace mtf::line_editor
