#pragma once
// `mtf help NAME` and `:help NAME`: operations, standard modules and what is in them, words and signs of the language, kinds
// of errors.
#include <string>
#include <vector>

namespace mtf {
struct Op;  // graph/op.h
}

namespace mtf::tool {

/// Throws UserError of kind bad_usage, with a suggestion from what there is help on and `others`.
std::string help_on(const std::string& topic, std::vector<std::string> others = {});

/// The operations' names under the headings of their families, and the standard modules.
std::string list_of_operations();

/// What stdlib/LANGUAGE.md has a heading for.
std::string list_of_words();

/// The kinds of diagnostics, each with its headline.
std::string list_of_errors();

/// Signature, documentation, what has no gradient, and the example.
std::string help_on(const Op& op);

}  // namespace mtf::tool
