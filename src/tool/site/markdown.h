#pragma once
// HTML of the Markdown that the project's own pages use: headings, paragraphs, lists, tables, programs, code, links and
// emphasis.
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace mtf::tool {

/// What a page is made with.
struct MarkdownStyle {
  /// Returns the HTML of a fenced block: its language, `mtf` for instance, and its text.
  std::function<std::string(const std::string& language, const std::string& text)> block;
  /// Returns the HTML of code within a line.
  std::function<std::string(const std::string& code)> code;
  /// Returns the address for a link's address.
  std::function<std::string(const std::string& address)> address;
};

/// A heading of a page.
struct Heading {
  int level = 1;
  std::string id;     ///< unique in its page
  std::string title;  ///< plain text
  std::string text;   ///< plain text of the section, up to the next heading
};

struct MarkdownPage {
  std::string html;
  std::vector<Heading> headings;
};

MarkdownPage page_of_markdown(std::string_view markdown, const MarkdownStyle& style);

/// Returns the HTML of a line of text with code, links and emphasis.
std::string inline_html(std::string_view text, const MarkdownStyle& style);

/// Returns the id of a heading: its letters, digits, `.`, `_` and, for blanks, `-`.
std::string id_of_title(std::string_view title);

}  // namespace mtf::tool
