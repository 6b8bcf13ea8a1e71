#pragma once
// Diagnostics as JSON, an object a line: what one process tells another of what is wrong.
#include <optional>
#include <string>
#include <string_view>

#include "mtf/interpreter.h"
#include "support/diagnostics.h"

namespace mtf::tool {

/// With the line end.
std::string message_json(const Diagnostic& diagnostic);

/// What a line says; nothing if it is none of these.
std::optional<DiagnosticRecord> read_message_json(std::string_view line);

}  // namespace mtf::tool
