// Diagnostic::render, the one printer of diagnostics.

#include <algorithm>

#include "support/diagnostics.h"
#include "support/printable.h"
#include "support/text.h"

namespace mtf {
namespace {

// The maximal number of columns of a source line that are shown.
constexpr std::size_t kMaxColumns = 160;

// The text of a label: printable, and shortened in the middle if it is very long.
std::string words_of(std::string_view text) {
  constexpr std::size_t kMostBytes = 4000;
  if (text.size() <= kMostBytes) return printable(text, true);
  std::size_t begin = kMostBytes / 2, end = text.size() - kMostBytes / 2;
  const auto continues = [&](std::size_t i) { return (static_cast<unsigned char>(text[i]) & 0xC0) == 0x80; };
  while (begin > 0 && continues(begin)) --begin;
  while (end < text.size() && continues(end)) ++end;
  return printable(text.substr(0, begin), true) + " … " + printable(text.substr(end), true);
}

struct Mark {
  std::size_t begin;  // columns, from 0
  std::size_t end;    // after begin
  std::string label;
};

// One shown line and its marks.
struct Shown {
  const SourceFile* file;
  std::size_t line;
  std::vector<Mark> marks;
};

// The part of a line from the column `first` on, at most `count` columns.
std::string_view part_of(std::string_view line, std::size_t first, std::size_t count) {
  const auto bytes_of = [](std::string_view text, std::size_t columns) {
    std::size_t seen = 0, i = 0;
    for (; i < text.size(); ++i) {
      if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80 && seen++ == columns) break;
    }
    return i;
  };
  line.remove_prefix(bytes_of(line, first));
  return line.substr(0, bytes_of(line, count));
}

// The line's code points, each printable and one column wide. A tab becomes a space; a control character or broken byte
// becomes a question mark.
std::vector<std::string> columns_of(std::string_view line) {
  std::vector<std::string> columns;
  const bool valid = !first_invalid_utf8(line);
  for (const char c : line) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte == '\t') columns.emplace_back(" ");
    else if (byte < 0x20 || byte == 0x7F) columns.emplace_back("?");
    else if (byte < 0x80) columns.emplace_back(1, c);
    else if ((byte & 0xC0) != 0x80) columns.emplace_back(valid ? std::string(1, c) : "?");
    else if (valid) columns.back() += c;
    else if (columns.empty()) columns.emplace_back("?");
  }
  for (std::string& column : columns) {
    if (column.size() > 1 && printable(column) != column) column = "?";
  }
  return columns;
}

Mark mark_of(const LabeledSpan& place, std::size_t line) {
  const SourceFile& file = *place.span.file;
  const std::string_view text = file.line(line);
  const std::size_t start = file.line_start(line);
  const std::size_t from = std::min<std::size_t>(place.span.begin - start, text.size());
  const std::size_t to = std::clamp<std::size_t>(std::max(place.span.end, place.span.begin) - start, from, text.size());
  const std::size_t begin = count_code_points(text.substr(0, from));
  const std::size_t width = count_code_points(text.substr(from, to - from));
  return {begin, begin + std::max<std::size_t>(1, width), words_of(place.label)};
}

bool overlaps(const Mark& a, const Mark& b) { return a.begin < b.end && b.begin < a.end; }

// Consecutive positions on one line are shown together, unless they overlap.
std::vector<Shown> shown_lines(const std::vector<LabeledSpan>& places) {
  std::vector<Shown> shown;
  for (const LabeledSpan& place : places) {
    if (!place.span.is_known()) continue;
    const std::size_t line = place.span.position().line;
    const Mark mark = mark_of(place, line);
    const bool same = !shown.empty() && shown.back().file == place.span.file && shown.back().line == line;
    const bool fits = same && std::none_of(shown.back().marks.begin(), shown.back().marks.end(),
                                           [&](const Mark& other) { return overlaps(mark, other); });
    if (fits) shown.back().marks.push_back(mark);
    else shown.push_back({place.span.file, line, {mark}});
  }
  for (Shown& one : shown) {
    std::sort(one.marks.begin(), one.marks.end(), [](const Mark& a, const Mark& b) { return a.begin < b.begin; });
  }
  return shown;
}

std::string trimmed_right(std::string text) {
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

using Part = MessagePart;

// Renders the source line, the underlines with the last label, and below them the labels of earlier marks.
void render_line(const Shown& shown, std::size_t gutter, std::vector<RenderedPart>& out) {
  const std::string margin = std::string(gutter + 1, ' ') + "|";
  const std::string_view line = shown.file->line(shown.line);
  const std::size_t width = count_code_points(line);
  const std::size_t begin = shown.marks.front().begin;
  const std::size_t first = width <= kMaxColumns || begin < kMaxColumns / 2 ? 0 : begin - kMaxColumns / 4;
  std::vector<std::string> columns = columns_of(part_of(line, first, kMaxColumns));
  if (first > 0 && !columns.empty()) columns.front() = "…";
  if (first + columns.size() < width && !columns.empty()) columns.back() = "…";
  std::string text = " ";
  for (const std::string& column : columns) text += column;
  out.push_back({Part::kMargin, fmt::format("{:>{}} |", shown.line, gutter)});
  out.push_back({Part::kSource, trimmed_right(text)});

  const auto clip = [&](std::size_t column) { return std::clamp(column, first, first + kMaxColumns) - first; };
  const auto add_marks = [&](const std::string& marks) {
    out.push_back({Part::kPlain, "\n"});
    out.push_back({Part::kMargin, margin});
    out.push_back({Part::kMarks, marks});
  };
  std::string underline;
  for (const Mark& mark : shown.marks) {
    underline.resize(std::max(underline.size(), clip(mark.begin)), ' ');
    underline += std::string(std::max<std::size_t>(1, clip(mark.end) - clip(mark.begin)), '^');
  }
  add_marks(trimmed_right(" " + underline + " " + shown.marks.back().label));
  for (std::size_t i = shown.marks.size() - 1; i-- > 0;) {
    const Mark& mark = shown.marks[i];
    if (!mark.label.empty()) add_marks(" " + std::string(clip(mark.begin), ' ') + mark.label);
  }
  out.push_back({Part::kPlain, "\n"});
}

}  // namespace

std::vector<RenderedPart> Diagnostic::rendered_parts() const {
  const KindRecord& kind = record(kind_);
  const bool is_error = kind.severity == Severity::kError;
  std::vector<RenderedPart> out = {{is_error ? Part::kError : Part::kWarning, is_error ? "error:" : "warning:"},
                                   {Part::kHeadline, fmt::format(" {} [{}]", kind.headline, kind.name)},
                                   {Part::kPlain, "\n"}};
  const std::vector<Shown> shown = shown_lines(places_);
  std::size_t gutter = 1;
  for (const Shown& one : shown) gutter = std::max(gutter, std::to_string(one.line).size());
  const std::string indent(gutter, ' ');
  if (span().is_known()) {
    out.push_back({Part::kMargin, indent + "-->"});
    out.push_back({Part::kPlain, fmt::format(" {}\n", to_text(span()))});
  }
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const bool other_file = i > 0 ? shown[i].file != shown[i - 1].file : !span().is_known();
    if (other_file) {
      out.push_back({Part::kPlain, fmt::format("{}::: {}:{}:{}\n", indent, printable(shown[i].file->name()),
                                               shown[i].line, shown[i].marks.front().begin + 1)});
    }
    out.push_back({Part::kMargin, indent + " |"});
    out.push_back({Part::kPlain, "\n"});
    render_line(shown[i], gutter, out);
  }
  const auto add = [&](std::string_view word, const std::string& text) {
    out.push_back({Part::kRemark, fmt::format("{} = {}:", indent, word)});
    out.push_back({Part::kPlain, fmt::format(" {}\n", words_of(text))});
  };
  for (const LabeledSpan& place : places_) {
    if (!place.span.is_known() && !place.label.empty()) add("note", place.label);
  }
  for (const std::string& text : notes_) add("note", text);
  for (const Help& help : helps_) add("help", help.text);
  return out;
}

std::string Diagnostic::render() const {
  std::string out;
  for (const RenderedPart& part : rendered_parts()) out += part.text;
  return out;
}

}  // namespace mtf
