#pragma once
// What is written about the language: of operations in their records, of standard modules in their `##` lines, of
// functions with them, of words and of errors in the pages that people read.
#include <string>
#include <string_view>
#include <vector>

namespace mtf::session {

/// A function, a model, or an option of a module.
struct MemberDoc {
  std::string name;
  std::string signature;  ///< as declared: `fn normal(stddev: float = 1)`
  std::string doc;
};

struct ModuleDoc {
  std::string name;                ///< `nn`
  std::string doc;                 ///< what stands at the file's start
  std::vector<MemberDoc> members;  ///< those that are documented, in the order written
};

/// Every standard module, by name. A module that cannot be read is left out: `mtf check` says why. Here and below,
/// `folder` replaces the built-in library (support/library_files.h) if it is not empty.
std::vector<ModuleDoc> read_module_docs(const std::string& folder);

/// The functions of the language itself that are no operations: print, grad, zip …
std::vector<MemberDoc> builtin_docs();

/// A section of a page.
struct Page {
  std::string title;
  std::vector<std::string> words;  ///< what it explains: those that its heading sets in backticks, or else the heading
  std::string text;                ///< without the marks of Markdown around programs, which are indented by two
};

/// The sections of a Markdown file of the library, such as PROMPT.md; none if it is not there.
std::vector<Page> read_pages(const std::string& folder, std::string_view name);
/// Each kind of diagnostic has one.
std::vector<Page> error_pages(const std::string& folder);
/// Each reserved word, operator and sign of the language stands in the heading of one.
std::vector<Page> language_pages(const std::string& folder);

}  // namespace mtf::session
