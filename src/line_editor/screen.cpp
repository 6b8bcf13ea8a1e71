#include "line_editor/screen.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "line_editor/characters.h"

namespace mtf::line_editor {

bool has_styles() {
  static const bool has = [] {
    const char* none = std::getenv("NO_COLOR");
    return none == nullptr || *none == '\0';
  }();
  return has;
}

bool Row::add(std::string_view text, Style style, int room) {
  if (!has_styles()) style = {};
  for (std::size_t at = 0; at < text.size();) {
    const Character character = character_at(text, at);
    if (character.width > room - width) return false;
    if (character.width == 0 && !cells.empty()) {
      cells.back().shown += text.substr(at, character.size);
    } else {
      cells.push_back({shown(text, at, character), style, character.width});
      width += character.width;
    }
    at += character.size;
  }
  return true;
}

void Screen::forget() {
  drawn_.clear();
  existing_ = 1;
  row_ = 0;
  column_ = 0;
}

void Screen::move(std::string& out, std::size_t row, int column) {
  const auto step = [&](std::size_t count, char way) {
    if (count > 0) out += "\x1b[" + (count > 1 ? std::to_string(count) : "") + way;
  };
  if (row < row_) step(row_ - row, 'A');
  if (row > row_) step(std::min(row, existing_ - 1) - row_, 'B');
  if (row != row_ || column < column_) {
    out += '\r';
    column_ = 0;
  }
  for (; existing_ <= row; ++existing_) out += '\n';  // a new row, which may scroll the others up
  if (column > column_) step(static_cast<std::size_t>(column - column_), 'C');
  row_ = row;
  column_ = column;
}

std::string Screen::draw(std::vector<Row> rows, std::size_t cursor_row, int cursor_column) {
  std::string out;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    static const Row kNothing;
    const Row &row = rows[r], &old = r < drawn_.size() ? drawn_[r] : kNothing;
    const auto [begin, old_begin] =
        std::mismatch(row.cells.begin(), row.cells.end(), old.cells.begin(), old.cells.end());
    if (begin == row.cells.end() && old_begin == old.cells.end() && r < existing_) continue;
    auto end = row.cells.end();
    if (row.cells.size() == old.cells.size() && row.width == old.width) {
      auto old_end = old.cells.end();
      while (end != begin && *(end - 1) == *(old_end - 1)) --end, --old_end;
    }
    int column = 0;
    for (auto cell = row.cells.begin(); cell != begin; ++cell) column += cell->width;
    move(out, r, column);
    Style style;
    for (auto cell = begin; cell != end; ++cell) {
      if (cell->style != style) (out += "\x1b[0") += cell->style.empty() ? "m" : ";" + std::string(cell->style) + "m";
      style = cell->style;
      out += cell->shown;
      column_ += cell->width;
    }
    if (!style.empty()) out += "\x1b[0m";
    if (row.width < old.width) out += "\x1b[K";
  }
  if (rows.size() < drawn_.size()) {
    move(out, rows.size(), 0);
    out += "\x1b[J";
  }
  drawn_ = std::move(rows);
  const bool has_changed = !out.empty();
  move(out, cursor_row, cursor_column);
  return has_changed ? "\x1b[?25l" + out + "\x1b[?25h" : out;
}

std::string Screen::clear(std::size_t columns) {
  // A terminal that has become narrower has wrapped the rows that no longer fit.
  std::size_t above = static_cast<std::size_t>(column_) / columns;
  for (std::size_t r = 0; r < std::min(row_, drawn_.size()); ++r)
    above += static_cast<std::size_t>(std::max(drawn_[r].width - 1, 0)) / columns + 1;
  forget();
  return (above > 0 ? "\x1b[" + std::to_string(above) + "A" : "") + "\r\x1b[J";
}

}  // namespace mtf::line_editor
