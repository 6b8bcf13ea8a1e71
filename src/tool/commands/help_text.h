#pragma once
// `mtf help NAME` and `:help NAME`: the text of all topics (session/help.h) and commands.
#include <cstddef>
#include <string>
#include <vector>

#include "session/help.h"

namespace mtf::tool {

/// Returns help in lines of `width` columns. Throws UserError of kind bad_usage with a suggestion if there is no help
/// on the name.
std::string help_text(const std::string& name, std::size_t width = 100);
/// Returns a line for each topic and command that mentions all of the words. Fails (bad_usage) if there is none.
std::string list_of_mentions(const std::vector<std::string>& words, std::size_t width);

/// Returns the title, documentation, reason for no gradient, members, and example of a topic.
std::string help_text(const session::HelpTopic& topic, std::size_t width);

/// Returns the names of operations under the headings of their families, and the standard modules.
std::string list_of_operations(std::size_t width = 100);

/// Returns the headings of stdlib/LANGUAGE.md.
std::string list_of_words(std::size_t width = 100);

/// Returns the kinds of diagnostics, each with its headline.
std::string list_of_errors(std::size_t width = 100);

/// Returns a table of the machines of the library.
std::string list_of_machines(std::size_t width = 100);

/// Returns a page of stdlib/, such as PLANNING.md. Commands are indented, instead of the fences of Markdown.
std::string library_page(const std::string& file, std::size_t width = 100);

/// Returns the pages of the prompt. Each command of the prompt is in the heading of one page.
std::vector<session::Page> prompt_pages();

}  // namespace mtf::tool
