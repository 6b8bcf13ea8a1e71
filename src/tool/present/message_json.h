#pragma once
// Diagnostics as JSON: an object a line, which editors and other processes read, and SARIF (Static Analysis Results
// Interchange Format, OASIS, version 2.1.0), which servers for continuous integration show beside the source.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mtf/interpreter.h"
#include "support/diagnostics.h"

namespace mtf::tool {

/// Returns the line with its line end.
std::string message_json(const Diagnostic& diagnostic);

/// Reads a line; returns nothing if it is no diagnostic.
std::optional<DiagnosticRecord> read_message_json(std::string_view line);

/// A document of SARIF with all of them, with the line end.
std::string sarif(const std::vector<Diagnostic>& diagnostics);

}  // namespace mtf::tool
