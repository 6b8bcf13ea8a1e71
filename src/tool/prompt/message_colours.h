#pragma once
// What is said at the prompt, in colours.
#include <string>
#include <string_view>

#include "support/diagnostics.h"

namespace mtf::tool {

/// Whether a stream is a terminal that shows colours, and NO_COLOR does not forbid them.
bool shows_colours(int descriptor);

/// A text in a style of the terminal (`1;31`).
std::string in_style(std::string_view style, std::string_view text);

/// A diagnostic as it is rendered: the kind, the script's lines as at the prompt, the marks below them, notes and
/// helps.
std::string coloured_message(const Diagnostic& diagnostic);

}  // namespace mtf::tool
