#pragma once
// `mtf help NAME` and `:help NAME`: what there is help on (session/help.h), and the commands.
#include <cstddef>
#include <string>
#include <vector>

#include "session/help.h"

namespace mtf::tool {

/// In lines of `width` columns. Throws UserError of kind bad_usage, with a suggestion from what there is help on.
std::string help_text(const std::string& name, std::size_t width = 100);

/// Its title, documentation, what has no gradient, members, and the example.
std::string help_text(const session::HelpTopic& topic, std::size_t width);

/// The operations' names under the headings of their families, and the standard modules.
std::string list_of_operations(std::size_t width = 100);

/// What stdlib/LANGUAGE.md has a heading for.
std::string list_of_words(std::size_t width = 100);

/// The kinds of diagnostics, each with its headline.
std::string list_of_errors(std::size_t width = 100);

/// Each command of the prompt stands in the heading of one.
std::vector<session::Page> prompt_pages();

}  // namespace mtf::tool
