#pragma once
// The reference of operations and standard modules, as Markdown: stdlib/REFERENCE.md.
#include <string>
#include <vector>

#include "session/documentation.h"

namespace mtf::tool {

/// Families as headings in the order of the registry; of each operation its signature, documentation and example with
/// its output; then the functions of the language, and each module with what is documented in it.
std::string reference_text(const std::vector<session::MemberDoc>& builtins,
                           const std::vector<session::ModuleDoc>& modules);

/// That of this version: stdlib/REFERENCE.md.
std::string reference_text();

}  // namespace mtf::tool
