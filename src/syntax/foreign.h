#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "support/edit.h"

// What people write who come from other languages, and what to write instead: the table is syntax/foreign.def.
namespace mtf::syntax {

enum class Foreign { form, statement, name, part, argument, type, module };

// What to write instead of a word that is met there; empty if the table does not know it. `word` is where it stands,
// `text` what it is, where that is another.
Help foreign_help(Foreign where, Span word, std::string_view text = {});

// The change that makes `x.word(…)` a call of a function: `word(x, …)`; none if it is no call.
std::vector<Edit> as_function(Span word);

// A pattern of the table with the text of `$1` in its place, and so on. `$(1)` is the same in parentheses, unless it is
// one word. A blank before what is empty is left out.
std::string filled(std::string_view pattern, const std::function<std::string(char)>& part);

}  // namespace mtf::syntax
