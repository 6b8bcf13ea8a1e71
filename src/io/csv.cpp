#include "io/csv.h"

#include <algorithm>

#include "io/io_error.h"
#include "support/text.h"

namespace mtf::io {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

/// Reads a text row by row.
class RowReader {
 public:
  RowReader(std::string_view text, const std::string& path, char separator)
      : text_(text), path_(path), separator_(separator) {}

  /// The line where the row of the last call begins.
  std::int64_t line() const { return line_; }

  /// Reads the next row that is not empty. False at the end.
  bool next(std::vector<std::string>& cells) {
    while (at_ < text_.size()) {
      line_ = next_line_;
      cells.clear();
      bool is_quoted = false;
      do {
        bool quotes = false;
        cells.push_back(cell(quotes));
        is_quoted = is_quoted || quotes;
      } while (passes(separator_));
      passes('\r');
      passes('\n');
      ++next_line_;
      if (cells.size() > 1 || is_quoted || !cells[0].empty()) return true;
    }
    return false;
  }

 private:
  bool passes(char c) {
    const bool is_here = at_ < text_.size() && text_[at_] == c;
    at_ += is_here ? 1 : 0;
    return is_here;
  }

  bool ends_cell(std::size_t at) const {
    return at == text_.size() || text_[at] == separator_ || text_[at] == '\n' ||
           (text_[at] == '\r' && (at + 1 == text_.size() || text_[at + 1] == '\n'));
  }

  std::string cell(bool& quotes) {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    quotes = passes('"');
    if (quotes) return quoted();
    const std::size_t begin = at_;
    while (!ends_cell(at_)) ++at_;
    std::size_t end = at_;
    while (end > begin && text_[end - 1] == ' ') --end;
    return std::string(text_.substr(begin, end - begin));
  }

  std::string quoted() {
    const std::int64_t begins = next_line_;
    std::string cell;
    while (true) {
      if (at_ == text_.size()) fail_bad_file(path_, "line {}: expected `\"` at the end of a cell, found none", begins);
      const char c = text_[at_++];
      if (c == '"' && !passes('"')) break;
      if (c == '\n') ++next_line_;
      cell += c;
    }
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    if (!ends_cell(at_)) {
      fail_bad_file(path_, "line {}: expected `{}` or the line's end after a cell in quotes, found `{}`", next_line_,
                    separator_, printable(text_.substr(at_, 1)));
    }
    return cell;
  }

  std::string_view text_;
  const std::string& path_;
  const char separator_;
  std::size_t at_ = 0;
  std::int64_t line_ = 1, next_line_ = 1;
};

}  // namespace

CsvTable::CsvTable(const std::string& text, const std::string& path, char separator) {
  if (const auto place = first_invalid_utf8(text))
    fail_bad_file(path, "expected UTF-8 text, found another byte at {}", *place);
  std::string_view rest = text;
  if (rest.starts_with(kByteOrderMark)) rest.remove_prefix(kByteOrderMark.size());
  RowReader reader(rest, path, separator);
  if (!reader.next(columns_)) fail_bad_file(path, "expected a line with the names of columns, found no line");
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i].empty()) fail_bad_file(path, "line {}: column {} has no name", reader.line(), i + 1);
    if (std::find(columns_.begin(), columns_.begin() + static_cast<std::ptrdiff_t>(i), columns_[i]) !=
        columns_.begin() + static_cast<std::ptrdiff_t>(i))
      fail_bad_file(path, "line {}: two columns are named `{}`", reader.line(), printable(columns_[i]));
  }
  std::vector<std::string> cells;
  while (reader.next(cells)) {
    if (cells.size() != columns_.size()) {
      fail_bad_file(path, "line {}: expected {}, as many as the columns, found {}", reader.line(),
                    count_text(static_cast<std::int64_t>(columns_.size()), "cell"), cells.size());
    }
    lines_.push_back(reader.line());
    std::move(cells.begin(), cells.end(), std::back_inserter(cells_));
  }
}

}  // namespace mtf::io
