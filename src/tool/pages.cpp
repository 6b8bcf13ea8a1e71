#include "tool/pages.h"

#include <filesystem>

#include "support/diagnostics.h"
#include "support/source.h"
#include "support/text.h"
#include "tool/golden_file.h"
#include "tool/program_options.h"

namespace mtf::tool {
namespace {

Page begin_page(std::string_view heading) {
  Page page{std::string(heading), {}, {}};
  const std::vector<std::string> parts = split(heading, '`');
  for (std::size_t i = 1; i < parts.size(); i += 2) page.words.push_back(parts[i]);
  if (page.words.empty()) page.words.push_back(page.title);
  return page;
}

}  // namespace

std::vector<Page> read_pages(const std::string& name) {
  const std::filesystem::path path = std::filesystem::path(standard_library()) / name;
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return {};
  std::vector<Page> pages;
  bool in_program = false;
  for (const std::string& line : printed_lines(SourceFile::read(path.string())->text())) {
    const bool is_mark = line.starts_with("```");
    const std::size_t level = in_program ? 0 : line.find_first_not_of('#');
    if (level == 1) continue;  // the title
    if (level == 2 || level == 3) {
      pages.push_back(begin_page(trim(std::string_view(line).substr(level))));
      continue;
    }
    if (is_mark) in_program = !in_program;
    if (pages.empty() || is_mark) continue;
    std::string& text = pages.back().text;
    const bool goes_on = !in_program && !line.empty() && !line.starts_with("- ") && !text.empty() && !text.ends_with("\n\n");
    if (goes_on) text.back() = ' ';  // a paragraph is one line, for who shows it to break
    text += (in_program && !line.empty() ? "  " : "") + (goes_on ? std::string(trim(line)) : line) + "\n";
  }
  for (Page& page : pages) page.text = std::string(trim(page.text)) + "\n";
  std::erase_if(pages, [](const Page& page) { return page.text == "\n"; });  // what only stands above others
  return pages;
}

std::vector<Page> error_pages() { return read_pages("ERRORS.md"); }
std::vector<Page> language_pages() { return read_pages("LANGUAGE.md"); }
std::vector<Page> prompt_pages() { return read_pages("PROMPT.md"); }

}  // namespace mtf::tool
