#pragma once

#include <string>
#include <string_view>

namespace mtf {

// Text from outside (a file's name, a word of the command line, a program's string) as a terminal may be given it:
// control characters, those that turn the direction of writing, and bytes that are not UTF-8 stand as `\x1b`. Line ends
// stay if `keeps_lines`.
std::string printable(std::string_view text, bool keeps_lines = false);

}  // namespace mtf
