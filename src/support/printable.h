#pragma once

#include <string>
#include <string_view>

namespace mtf {

// Makes text from outside (a file name, a word of the command line, a program's string) safe for a terminal. Escapes
// control characters, marks that change the direction of writing, and invalid UTF-8 as `\x1b`. Keeps line ends if
// `keeps_lines`.
std::string printable(std::string_view text, bool keeps_lines = false);

}  // namespace mtf
