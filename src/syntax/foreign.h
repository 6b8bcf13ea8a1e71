#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/edit.h"

// Help for forms of other languages. The table of forms and replacements is syntax/foreign.def.
namespace mtf::syntax {

enum class Foreign { form, statement, name, part, argument, type, module };

// What to write instead of a word that is met there; empty if the table does not know it. `word` is where it stands,
// `text` what it is, where that is another.
Help foreign_help(Foreign where, Span word, std::string_view text = {});

// The help on a word without a place, as a sentence: what to write here. Empty if the table does not know the word.
std::string foreign_words(Foreign where, std::string_view word);

// The words that foreign_words() knows as names, parts, types or arguments, in alphabetical order, each with its help.
std::vector<std::pair<std::string, std::string>> all_foreign_words();

// The change that turns `x.word(…)` into the function call `word(x, …)`. Empty if it is no call.
std::vector<Edit> as_function(Span word);

// Fills a pattern of the table: replaces `$1` with the text that `part` returns for '1', and so on. `$(1)` adds
// parentheses unless the text is one word. A blank before an empty text is removed.
std::string filled(std::string_view pattern, const std::function<std::string(char)>& part);

}  // namespace mtf::syntax
