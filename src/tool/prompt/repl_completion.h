#pragma once
// What could be typed next at the prompt, and how what is typed looks.
#include <string>
#include <string_view>
#include <vector>

#include "line_editor/line_editor.h"
#include "session/session.h"

namespace mtf::tool {

/// What the word that ends at the cursor could become, as its place asks: words, dims (behind `[`, `over:`, in a
/// layout), axes (behind its `->`), labels of what is being called, members behind a dot, modules behind `import`,
/// files in a string, commands, and what there is help on behind `:help` and `?`.
line_editor::Completions complete_entry(const session::Session& session, const std::string& entry, std::size_t cursor);

/// Colours of whole lines, from the lexer.
std::vector<line_editor::Span> coloured(std::string_view lines);

}  // namespace mtf::tool
