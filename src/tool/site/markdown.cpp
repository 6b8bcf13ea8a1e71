#include "tool/site/markdown.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "support/text.h"
#include "tool/present/picture.h"

namespace mtf::tool {
namespace {

std::size_t indent_of(std::string_view line) { return std::min(line.find_first_not_of(' '), line.size()); }
bool is_blank(std::string_view line) { return indent_of(line) == line.size(); }

/// Returns the width of a list's mark at the beginning of a line, `- ` or `1. `; 0 if there is none.
std::size_t mark_width(std::string_view line) {
  if (line.starts_with("- ") || line.starts_with("* ")) return 2;
  std::size_t digits = 0;
  while (digits < line.size() && std::isdigit(static_cast<unsigned char>(line[digits])) != 0) ++digits;
  return digits > 0 && line.substr(digits).starts_with(". ") ? digits + 2 : 0;
}

/// Returns the text without its marks, for headings and for searches.
std::string plain_text(std::string_view text) {
  std::string out;
  bool is_code = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '`') is_code = !is_code;
    if (text[i] == '`' || (text[i] == '*' && !is_code)) continue;
    if (is_code) {
      out += text[i];
      continue;
    }
    if (text[i] == '[') {
      const std::size_t middle = text.find("](", i), end = middle == text.npos ? text.npos : text.find(')', middle);
      if (end != text.npos && text.find('\n', i) > end) {
        out += text.substr(i + 1, middle - i - 1);
        i = end;
        continue;
      }
    }
    out += text[i];
  }
  return out;
}

/// The cells of a line of a table. A `|` in code or behind a backslash separates nothing.
std::vector<std::string> cells_of_row(std::string_view line) {
  std::vector<std::string> cells = {""};
  bool is_code = false;
  for (std::size_t i = 1; i < line.size(); ++i) {
    if (line[i] == '\\' && i + 1 < line.size() && line[i + 1] == '|') cells.back() += line[++i];
    else if (line[i] == '|' && !is_code) cells.emplace_back();
    else cells.back() += line[i];
    if (line[i] == '`') is_code = !is_code;
  }
  if (is_blank(cells.back())) cells.pop_back();
  for (std::string& cell : cells) cell = std::string(trim(cell));
  return cells;
}

class MarkdownReader {
 public:
  MarkdownReader(std::string_view text, const MarkdownStyle& style) : style_(style), lines_(split(text, '\n')) {}

  MarkdownPage page() {
    while (at_ < lines_.size()) block();
    return std::move(page_);
  }

 private:
  const std::string& line() const { return lines_[at_]; }

  void say(std::string_view text) {
    if (!page_.headings.empty()) page_.headings.back().text += plain_text(text) + "\n";
  }

  void block() {
    if (is_blank(line())) ++at_;
    else if (line().starts_with("```")) fenced();
    else if (line().starts_with("#")) heading();
    else if (line().starts_with("|")) table();
    else if (mark_width(line()) > 0) list();
    else if (indent_of(line()) >= 4) indented();
    else paragraph();
  }

  void fenced() {
    const std::string language = line().substr(3);
    std::string text;
    for (++at_; at_ < lines_.size() && !line().starts_with("```"); ++at_) text += line() + "\n";
    ++at_;
    page_.html += style_.block(language, text);
    if (!page_.headings.empty()) page_.headings.back().text += text;
  }

  void heading() {
    const std::size_t level = std::min<std::size_t>(line().find_first_not_of('#'), 6);
    const std::string_view title = trim(std::string_view(line()).substr(level));
    Heading heading{static_cast<int>(level), "", plain_text(title), ""};
    const std::string id = id_of_title(heading.title);
    heading.id = id;
    for (int number = 2; !ids_.insert(heading.id).second; ++number) heading.id = fmt::format("{}-{}", id, number);
    page_.html += fmt::format(
        "<h{0} id=\"{1}\"><a class=\"anchor\" href=\"#{1}\">{2}</a></h{0}>\n", level, heading.id,
        inline_html(title, {{}, [](const std::string& code) { return "<code>" + xml_text(code) + "</code>"; }, {}}));
    page_.headings.push_back(std::move(heading));
    ++at_;
  }

  void table() {
    page_.html += "<div class=\"wide\"><table>\n";
    bool is_head = true;
    for (; at_ < lines_.size() && line().starts_with("|"); ++at_) {
      const std::vector<std::string> cells = cells_of_row(line());
      if (std::all_of(cells.begin(), cells.end(), [](const std::string& cell) {
            return !cell.empty() && cell.find_first_not_of("-: ") == std::string::npos;
          }))
        continue;
      page_.html += "<tr>";
      for (const std::string& cell : cells)
        page_.html += fmt::format("<{0}>{1}</{0}>", is_head ? "th" : "td", inline_html(cell, style_));
      page_.html += "</tr>\n";
      say(join(cells, "  "));
      is_head = false;
    }
    page_.html += "</table></div>\n";
  }

  void list() {
    const bool is_numbered = line()[0] != '-' && line()[0] != '*';
    page_.html += is_numbered ? "<ol>\n" : "<ul>\n";
    while (at_ < lines_.size() && mark_width(line()) > 0) {
      const std::size_t width = mark_width(line());
      std::string item = line().substr(width) + "\n";
      for (++at_; at_ < lines_.size() && (indent_of(line()) >= width || is_blank(line())); ++at_) {
        if (is_blank(line()) && (at_ + 1 == lines_.size() || indent_of(lines_[at_ + 1]) < width)) break;
        item += is_blank(line()) ? "\n" : line().substr(width) + "\n";
      }
      say(item);
      std::string html = MarkdownReader(item, style_).page().html;
      if (html.starts_with("<p>") && html.find("<p>", 3) == std::string::npos) {
        html.erase(html.find("</p>\n"), 5);
        html.erase(0, 3);
      }
      page_.html += "<li>" + html + "</li>\n";
      while (at_ < lines_.size() && is_blank(line()) && at_ + 1 < lines_.size() && mark_width(lines_[at_ + 1]) > 0)
        ++at_;
    }
    page_.html += is_numbered ? "</ol>\n" : "</ul>\n";
  }

  void indented() {
    std::string text;
    for (; at_ < lines_.size() && (indent_of(line()) >= 4 || is_blank(line())); ++at_)
      text += is_blank(line()) ? "\n" : line().substr(4) + "\n";
    while (text.ends_with("\n\n")) text.pop_back();
    page_.html += style_.block("", text);
    say(text);
  }

  void paragraph() {
    std::string text;
    for (; at_ < lines_.size() && !is_blank(line()) && !line().starts_with("```") && !line().starts_with("#") &&
           (text.empty() || mark_width(line()) == 0);
         ++at_)
      text += (text.empty() ? "" : "\n") + line();
    say(text);
    page_.html += "<p>" + inline_html(text, style_) + "</p>\n";
  }

  const MarkdownStyle& style_;
  std::vector<std::string> lines_;
  std::size_t at_ = 0;
  std::set<std::string> ids_;
  MarkdownPage page_;
};

}  // namespace

MarkdownPage page_of_markdown(std::string_view markdown, const MarkdownStyle& style) {
  return MarkdownReader(markdown, style).page();
}

std::string id_of_title(std::string_view title) {
  std::string id;
  for (const char letter : title) {
    const auto code = static_cast<unsigned char>(letter);
    if (std::isalnum(code) != 0 || letter == '.' || letter == '_' || letter == '-') id += letter;
    else if (letter == ' ' && !id.empty() && id.back() != '-') id += '-';
    else if (letter != ' ' && letter != '`' && letter != ',' && letter != ':' && letter != '(' && letter != ')')
      id += fmt::format("x{:02x}", code);
  }
  while (id.ends_with('-')) id.pop_back();
  return id.empty() ? "section" : id;
}

std::string inline_html(std::string_view text, const MarkdownStyle& style) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '`') {
      const std::size_t marks = std::min(text.find_first_not_of('`', i), text.size()) - i;
      const std::size_t end = text.find(std::string(marks, '`'), i + marks);
      if (end != text.npos) {
        std::string code(text.substr(i + marks, end - i - marks));
        std::replace(code.begin(), code.end(), '\n', ' ');
        out += style.code(marks > 1 ? std::string(trim(code)) : code);
        i = end + marks - 1;
        continue;
      }
    }
    if (text[i] == '[' && style.address) {
      const std::size_t middle = text.find("](", i), end = middle == text.npos ? text.npos : text.find(')', middle);
      if (end != text.npos && text.substr(i, middle - i).find('`') == text.npos) {
        out += fmt::format("<a href=\"{}\">{}</a>",
                           xml_text(style.address(std::string(text.substr(middle + 2, end - middle - 2)))),
                           xml_text(text.substr(i + 1, middle - i - 1)));
        i = end;
        continue;
      }
    }
    if (text.substr(i).starts_with("**")) {
      if (const std::size_t end = text.find("**", i + 2); end != text.npos && end > i + 2) {
        out += "<strong>" + inline_html(text.substr(i + 2, end - i - 2), style) + "</strong>";
        i = end + 1;
        continue;
      }
    }
    const bool begins_word =
        text[i] == '*' && (i == 0 || text[i - 1] == ' ' || text[i - 1] == '(' || text[i - 1] == '\n');
    if (begins_word && i + 1 < text.size() && std::isalpha(static_cast<unsigned char>(text[i + 1])) != 0) {
      if (const std::size_t end = text.find('*', i + 1); end != text.npos) {
        out += "<em>" + inline_html(text.substr(i + 1, end - i - 1), style) + "</em>";
        i = end;
        continue;
      }
    }
    out += xml_text(text.substr(i, 1));
  }
  return out;
}

}  // namespace mtf::tool
