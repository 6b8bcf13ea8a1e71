#pragma once
// The reference of operations and standard modules, as Markdown: stdlib/REFERENCE.md.
#include <string>
#include <vector>

#include "session/documentation.h"

namespace mtf::tool {

/// Returns the reference. Families are headings in the order of the registry. Each operation has its signature,
/// documentation and example with output. The functions of the language follow, then the documented members of each
/// module.
std::string reference_text(const std::vector<session::MemberDoc>& builtins,
                           const std::vector<session::ModuleDoc>& modules);

/// Returns the reference of this version: stdlib/REFERENCE.md.
std::string reference_text();

}  // namespace mtf::tool
