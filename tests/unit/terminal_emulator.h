#pragma once
// A terminal without a window: it turns a program's output into a screen of cells for tests.
#include <clocale>
#include <cwchar>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

/// Interprets the output of line editors and programs of lines: UTF-8 text with wide and combining characters,
/// automatic line breaks, scrolling, and the sequences that move the cursor, erase, style, and set modes. Keeps the
/// rows that scroll off.
class TerminalEmulator {
 public:
  struct Cell {
    std::string text = " ";  // empty: the right half of a wide character
    std::string style;       // as in `ESC [ 1;34 m`; empty: as usual
  };

  TerminalEmulator(std::size_t rows, std::size_t columns) : columns_(columns), screen_(rows, blank()) {}

  void feed(std::string_view bytes) {
    pending_ += bytes;
    while (const std::size_t size = take()) pending_.erase(0, size);
  }

  void resize(std::size_t rows, std::size_t columns) {  // cuts what no longer fits, as most terminals do
    std::vector<Row> old = screen_;
    const std::size_t old_row = row_;
    old.resize(std::max(old_row + 1, last_used(old) + 1));
    columns_ = columns;
    std::vector<Row> broken;
    for (std::size_t r = 0; r < old.size(); ++r) {
      std::size_t used = old[r].size();
      while (used > 0 && is_blank(old[r][used - 1])) --used;
      const std::size_t begin = broken.size();
      if (r == old_row) used = std::max(used, column_);
      for (std::size_t at = 0; at == 0 || at < used; at += columns) {
        Row row(old[r].begin() + static_cast<std::ptrdiff_t>(std::min(at, old[r].size())),
                old[r].begin() + static_cast<std::ptrdiff_t>(std::min({at + columns, used, old[r].size()})));
        row.resize(columns);
        broken.push_back(std::move(row));
      }
      if (r == old_row) {
        row_ = begin + column_ / columns;
        column_ %= columns;
      }
    }
    while (broken.size() > rows) {
      scrolled_.push_back(text_of(broken.front()));
      broken.erase(broken.begin());
      row_ -= std::min<std::size_t>(row_, 1);
    }
    broken.resize(rows, blank());
    screen_ = std::move(broken);
    wraps_ = false;
  }

  /// Returns the rows up to the last one that is not blank, without blanks at their ends.
  std::vector<std::string> rows() const {
    std::vector<std::string> texts;
    for (std::size_t r = 0; r <= last_used(screen_); ++r) texts.push_back(text_of(screen_[r]));
    if (texts.back().empty()) texts.pop_back();  // the screen is blank
    return texts;
  }
  std::string text() const {
    std::string all;
    for (const std::string& row : rows()) all += row + "\n";
    return all;
  }
  const std::vector<std::string>& scrolled() const { return scrolled_; }
  const Cell& cell(std::size_t row, std::size_t column) const { return screen_.at(row).at(column); }
  /// Returns the characters of a row in this style.
  std::string in_style(std::size_t row, const std::string& style) const {
    std::string text;
    for (const Cell& cell : screen_.at(row))
      if (cell.style == style) text += cell.text;
    return text;
  }
  std::size_t row() const { return row_; }
  std::size_t column() const { return column_; }
  bool shows_cursor() const { return shows_cursor_; }
  bool brackets_paste() const { return brackets_paste_; }
  std::size_t bells() const { return bells_; }
  /// The number of times that a style was set, with or without text.
  std::size_t styled() const { return styled_; }

 private:
  using Row = std::vector<Cell>;

  Row blank() const { return Row(columns_); }
  static bool is_blank(const Cell& cell) { return cell.text == " " && cell.style.empty(); }
  static std::size_t last_used(const std::vector<Row>& rows) {
    for (std::size_t r = rows.size(); r-- > 0;)
      if (!std::all_of(rows[r].begin(), rows[r].end(), is_blank)) return r;
    return 0;
  }
  static std::string text_of(const Row& row) {
    std::string text;
    for (const Cell& cell : row) text += cell.text;
    return text.substr(0, text.find_last_not_of(' ') + 1);
  }

  void line_feed() {
    if (row_ + 1 < screen_.size()) {
      ++row_;
      return;
    }
    scrolled_.push_back(text_of(screen_.front()));
    screen_.erase(screen_.begin());
    screen_.push_back(blank());
  }

  // Returns how many waiting bytes were understood; 0: more are needed.
  std::size_t take() {
    if (pending_.empty()) return 0;
    const auto byte = static_cast<unsigned char>(pending_[0]);
    if (byte == 27) return sequence();
    if (byte >= 0x20 && byte != 127) return character();
    if (byte == '\r') column_ = 0;
    if (byte == '\n') line_feed();
    if (byte == '\b' && column_ > 0) --column_;
    if (byte == '\t') column_ = std::min(column_ / 8 * 8 + 8, columns_ - 1);
    if (byte == 7) ++bells_;
    wraps_ = false;
    return 1;
  }

  std::size_t character() {
    const auto byte = static_cast<unsigned char>(pending_[0]);
    const std::size_t size = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    if (pending_.size() < size) return 0;
    wchar_t code = byte;
    if (size > 1) code = byte & (0xff >> (size + 1));
    for (std::size_t i = 1; i < size; ++i) code = code << 6 | (pending_[i] & 0x3f);
    static const locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
    const locale_t before = uselocale(utf8);
    const int width = wcwidth(code);
    uselocale(before);
    put(pending_.substr(0, size), width);
    return size;
  }

  void put(const std::string& text, int width) {
    if (width <= 0) {
      if (column_ > 0) screen_[row_][column_ - (wraps_ ? 0 : 1)].text += text;
      return;
    }
    if (wraps_ || column_ + static_cast<std::size_t>(width) > columns_) {
      column_ = 0;
      line_feed();
    }
    screen_[row_][column_] = {text, style_};
    if (width == 2) screen_[row_][column_ + 1] = {"", style_};
    column_ += static_cast<std::size_t>(width);
    wraps_ = column_ >= columns_;
    if (wraps_) column_ = columns_ - 1;
  }

  std::size_t sequence() {
    if (pending_.size() < 2) return 0;
    if (pending_[1] != '[') return 2;
    std::size_t end = 2;
    while (end < pending_.size() && (pending_[end] < 0x40 || pending_[end] > 0x7e)) ++end;
    if (end == pending_.size()) return 0;
    obey(pending_[end], pending_.substr(2, end - 2));
    return end + 1;
  }

  void obey(char what, const std::string& given) {
    wraps_ = false;
    const bool has_number = !given.empty() && given[0] >= '0' && given[0] <= '9';
    const std::size_t number = has_number ? std::stoul(given) : 0, count = std::max<std::size_t>(number, 1);
    const auto erase = [&](std::size_t row, std::size_t from, std::size_t to) {
      for (std::size_t c = from; c < to; ++c) screen_[row][c] = Cell{};
    };
    switch (what) {
      case 'A': row_ -= std::min(row_, count); break;
      case 'B': row_ = std::min(row_ + count, screen_.size() - 1); break;
      case 'C': column_ = std::min(column_ + count, columns_ - 1); break;
      case 'D': column_ -= std::min(column_, count); break;
      case 'G': column_ = std::min(count, columns_) - 1; break;
      case 'H': row_ = column_ = 0; break;
      case 'K': erase(row_, column_, columns_); break;
      case 'J':
        erase(row_, number == 2 ? 0 : column_, columns_);
        for (std::size_t r = 0; r < screen_.size(); ++r)
          if (r > row_ || number == 2) erase(r, 0, columns_);
        break;
      case 'm':
        ++styled_;
        style_ = given;
        if (style_.starts_with("0;")) style_.erase(0, 2);
        if (style_ == "0") style_.clear();
        break;
      case 'h':
      case 'l':
        if (given == "?25") shows_cursor_ = what == 'h';
        if (given == "?2004") brackets_paste_ = what == 'h';
        break;
      default: break;
    }
  }

  std::size_t columns_;
  std::vector<Row> screen_;
  std::vector<std::string> scrolled_;
  std::string pending_, style_;
  std::size_t row_ = 0, column_ = 0, bells_ = 0, styled_ = 0;
  bool wraps_ = false, shows_cursor_ = true, brackets_paste_ = false;
};
