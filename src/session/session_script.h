#pragma once
// A session as a script.
#include <string>
#include <vector>

#include "session/entry.h"

namespace mtf::session {

/// A script that does what the entries did, with their comments. What was looked at is printed. A function or model
/// that was declared again stands there once, as it was declared last.
std::string script_of(const std::vector<Entry>& entries);

}  // namespace mtf::session
