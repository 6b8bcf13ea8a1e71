#pragma once
// Completion and colours of the text at the prompt.
#include <string>
#include <string_view>
#include <vector>

#include "line_editor/line_editor.h"
#include "session/session.h"

namespace mtf::tool {

/// Returns completions of the word that ends at the cursor. The context chooses the kind: words, dims (after `[`, after
/// `over:`, in a layout), axes (after a layout's `->`), labels of the called function, members after a dot, modules
/// after `import`, files in a string, commands, and topics of help after `:help` and `?`.
line_editor::Completions complete_entry(const session::Session& session, const std::string& entry, std::size_t cursor);

/// Returns the colours of whole lines, from the lexer.
std::vector<line_editor::Span> coloured(std::string_view lines);

}  // namespace mtf::tool
