#pragma once
// The rows of a terminal below the start of the entry. Only differences are sent.
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace mtf::line_editor {

/// The style of characters: the parameters of a terminal's `ESC [ … m`, such as "1;34"; empty: normal. Must outlive its
/// use.
using Style = std::string_view;

/// True if styles are used: the environment has no NO_COLOR, or an empty one.
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

  /// Adds as much of the text as fits, and returns false if that is not all. Without has_styles() the style is normal.
  bool add(std::string_view text, Style style, int room);
};

class Screen {
 public:
  /// Returns the bytes that change the terminal from the previous rows to these, with the cursor at this row and
  /// column. There must be no more rows than the terminal has, and each must leave the last column free.
  std::string draw(std::vector<Row> rows, std::size_t cursor_row, int cursor_column);
  /// Moves to the beginning of the drawn rows, for the terminal's present width, and clears everything from there.
  std::string clear(std::size_t columns);
  /// Forgets the drawn rows, because other output has replaced them. Drawing begins at the cursor.
  void forget();

 private:
  void move(std::string& out, std::size_t row, int column);

  std::vector<Row> drawn_;
  std::size_t existing_ = 1, row_ = 0;  // existing rows; the cursor's row
  int column_ = 0;
};

}  // namespace mtf::line_editor
