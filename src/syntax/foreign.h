#pragma once

#include <string>
#include <string_view>

// What people write who come from other languages, and what to write instead: the table is syntax/foreign.def.
namespace mtf {

enum class Foreign { form, statement, name, part, argument, type, module };

// What to write instead of a word that was met there; empty if the table does not know it.
std::string foreign_help(Foreign where, std::string_view word);

}  // namespace mtf
