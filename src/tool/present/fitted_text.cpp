#include "tool/present/fitted_text.h"

#include <algorithm>

#include "support/text.h"
#include "tool/golden/golden_file.h"

namespace mtf::tool {
namespace {

std::size_t columns_of(std::string_view text) { return count_code_points(text); }

// Returns the start of a row's last column: after the first gap of two or more blanks between words. If the line is no
// row, returns its indentation plus four.
std::size_t hanging_indent(std::string_view line) {
  if (line.starts_with("- ")) return 2;
  const std::size_t first = std::min(line.find_first_not_of(' '), line.size());
  if (first > 20) return first;  // the last column of a row, alone on its line
  const std::size_t gap = line.find("  ", first);
  const std::size_t behind = gap == std::string_view::npos ? gap : line.find_first_not_of(' ', gap);
  return behind == std::string_view::npos ? first + 4 : columns_of(line.substr(0, behind));
}

// Adds one line, broken between words; the following lines are indented by `hanging`.
void add_line(std::string& out, std::string_view line, std::size_t width, std::string_view indent,
              std::size_t hanging) {
  const std::size_t room = width == 0                   ? std::string_view::npos
                           : width > indent.size() + 20 ? width - indent.size()
                                                        : 20;
  if (width > 0 && hanging + 20 > room) hanging = std::min<std::size_t>(hanging, 4);
  std::string before;  // the indentation of the following lines
  while (columns_of(line) + before.size() > room) {
    std::size_t end = 0, columns = before.size();  // the longest prefix that fits
    while (end < line.size() && columns <= room) {
      ++end;
      while (end < line.size() && (static_cast<unsigned char>(line[end]) & 0xC0) == 0x80) ++end;
      ++columns;
    }
    const std::size_t first = line.find_first_not_of(' ');
    std::size_t blank = line.rfind(' ', end - 1);
    if (blank == std::string_view::npos || blank <= first) blank = line.find(' ', std::max(end, first));
    if (blank == std::string_view::npos) break;  // a word that is too long
    // Does not break code between backticks, unless the line would become less than half full.
    const std::size_t tick = line.rfind('`', blank);
    const bool in_code = tick != std::string_view::npos &&
                         std::count(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(blank), '`') % 2 == 1;
    const std::size_t earlier = in_code ? line.rfind(' ', tick) : std::string_view::npos;
    if (earlier != std::string_view::npos && earlier > first && columns_of(line.substr(0, earlier)) * 2 > room)
      blank = earlier;
    out += std::string(indent) + before + std::string(trim_right(line.substr(0, blank))) + "\n";
    line.remove_prefix(std::min(line.find_first_not_of(' ', blank), line.size()));
    before = std::string(hanging, ' ');
  }
  if (!line.empty()) out += std::string(indent) + before + std::string(line) + "\n";
}

// True for `Usage: …`, which is a line of its own.
bool has_heading(std::string_view line) {
  const std::size_t colon = line.find(':');
  return line.front() >= 'A' && line.front() <= 'Z' && colon < 20 &&
         line.find_first_not_of("abcdefghijklmnopqrstuvwxyz ", 1) == colon;
}

bool is_of_paragraph(std::string_view line) {
  return !line.empty() && line.front() != ' ' && line.front() != '|' && line.find("  ") == std::string_view::npos &&
         !line.starts_with("- ");
}

}  // namespace

std::string fitted(std::string_view text, std::size_t width, std::string_view indent) {
  std::string out, paragraph;
  const auto end_paragraph = [&] {
    if (!paragraph.empty()) add_line(out, paragraph, width, indent, 0);
    paragraph.clear();
  };
  for (const std::string& whole : printed_lines(text)) {
    const std::string_view line = trim_right(whole);
    if (is_of_paragraph(line)) {
      if (has_heading(line)) end_paragraph();
      paragraph += (paragraph.empty() ? "" : " ") + std::string(line);
      continue;
    }
    end_paragraph();
    if (line.empty()) out += "\n";
    else add_line(out, line, width, indent, hanging_indent(line));
  }
  end_paragraph();
  return out;
}

std::string fitted_line(std::string_view line, std::size_t width, std::size_t hanging) {
  std::string out;
  add_line(out, line, width, "", hanging);
  return out;
}

std::string fitted_names(const std::vector<std::string>& names, std::size_t width, std::string_view indent) {
  std::string out, line(indent);
  for (const std::string& name : names) {
    if (width > 0 && line.size() > indent.size() && line.size() + name.size() > width) {
      out += std::string(trim_right(line)) + "\n";
      line = indent;
    }
    line += name + "  ";
  }
  return out + std::string(trim_right(line)) + "\n";
}

}  // namespace mtf::tool
