#pragma once
// The documentation of the language. Operations and functions have it in their records, standard modules in their `##`
// lines. Words and errors have it in the pages for users.
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
  std::string doc;                 ///< the `##` lines at the start of the file
  std::vector<MemberDoc> members;  ///< the documented members, in the order of the file
};

/// Returns the documentation of every standard module, by name. Leaves out a module that cannot be read: `mtf check`
/// says why. Here and below, `folder` replaces the built-in library (support/library_files.h) if it is not empty.
std::vector<ModuleDoc> read_module_docs(const std::string& folder);

/// Returns the built-in functions that are not operations: print, grad, zip …
std::vector<MemberDoc> builtin_docs();

/// A section of a page.
struct Page {
  std::string title;
  std::vector<std::string> words;  ///< the words in backticks of its heading, or else the heading
  std::string text;                ///< programs are indented by two, without Markdown's fences
};

/// Returns the sections of a Markdown file of the library, such as PROMPT.md. Returns none if the file is missing.
std::vector<Page> read_pages(const std::string& folder, std::string_view name);
/// Returns one page for each kind of diagnostic.
std::vector<Page> error_pages(const std::string& folder);
/// Returns the pages of the language. Each reserved word, operator and sign is in the heading of one page.
std::vector<Page> language_pages(const std::string& folder);

}  // namespace mtf::session
