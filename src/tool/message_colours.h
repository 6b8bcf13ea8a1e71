#pragma once
// What is said at the prompt, in colours.
#include <string>
#include <string_view>

namespace mtf::tool {

/// Whether a stream is a terminal that shows colours, and NO_COLOR does not forbid them.
bool shows_colours(int descriptor);

/// Diagnostics as they are rendered: the kind, the script's lines as at the prompt, the marks below them, notes and helps.
std::string coloured_message(std::string_view message);

/// What the prompt says of a statement (repl_text.h): the names, and what was communicated.
std::string coloured_report(std::string_view report);

}  // namespace mtf::tool
