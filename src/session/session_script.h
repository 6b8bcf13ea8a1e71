#pragma once
// A session as a script.
#include <string>
#include <vector>

#include "session/entry.h"

namespace mtf::session {

/// Returns a script that does the same as the entries, with their comments. It prints bare expressions. A function or
/// model that was declared several times is there once, with its last declaration.
std::string script_of(const std::vector<Entry>& entries);

}  // namespace mtf::session
