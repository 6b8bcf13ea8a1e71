#pragma once
// The sections of the pages that people read, stdlib/LANGUAGE.md, ERRORS.md and PROMPT.md, as help shows them.
#include <string>
#include <vector>

namespace mtf::tool {

struct Page {
  std::string title;
  std::vector<std::string> words;  ///< what it explains: those that its heading sets in backticks, or else the heading
  std::string text;                ///< without the marks of Markdown around programs, which are indented by two
};

/// The sections of a Markdown file in the folder of the standard library; none if it is not there.
std::vector<Page> read_pages(const std::string& name);

/// Each kind of diagnostic has one.
std::vector<Page> error_pages();
/// Each reserved word, operator and sign of the language stands in the heading of one.
std::vector<Page> language_pages();
/// Each command of the prompt stands in the heading of one.
std::vector<Page> prompt_pages();

}  // namespace mtf::tool
