#pragma once
// `mtf help NAME` and `:help NAME`: operations, standard modules and what is in them, words and signs of the language, commands,
// kinds of errors, and words of other languages.
#include <cstddef>
#include <string>
#include <vector>

#include "tool/module_docs.h"

namespace mtf {
struct Op;  // graph/op.h
}

namespace mtf::tool {

/// In lines of `width` columns. Throws UserError of kind bad_usage, with a suggestion from what there is help on.
std::string help_on(const std::string& topic, std::size_t width = 100);

/// The operations' names under the headings of their families, and the standard modules.
std::string list_of_operations(std::size_t width = 100);

/// What stdlib/LANGUAGE.md has a heading for.
std::string list_of_words(std::size_t width = 100);

/// The kinds of diagnostics, each with its headline.
std::string list_of_errors(std::size_t width = 100);

/// Signature, documentation, what has no gradient, and the example.
std::string help_on(const Op& op, std::size_t width);

/// Of what can be called: its signature, and its documentation below.
std::string help_on(const MemberDoc& member, std::size_t width);

}  // namespace mtf::tool
