#pragma once
// Messages at the prompt, in colours.
#include <string>
#include <string_view>

#include "support/diagnostics.h"

namespace mtf::tool {

/// True if a stream is a terminal that shows colours, and NO_COLOR does not forbid them.
bool shows_colours(int descriptor);

/// Returns a text in a style of the terminal (`1;31`).
std::string in_style(std::string_view style, std::string_view text);

/// Returns a rendered diagnostic in colours: the kind, the script's lines as at the prompt, the marks below them, notes
/// and helps.
std::string coloured_message(const Diagnostic& diagnostic);

}  // namespace mtf::tool
