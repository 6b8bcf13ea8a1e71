#pragma once
// A session as a script.
#include <string>
#include <vector>

#include "eval/entry.h"

namespace mtf::tool {

/// A script that does what the entries did, with their comments. What was looked at is printed. A function or model that was
/// declared again stands there once, as it was declared last.
std::string script_of(const std::vector<Entry>& entries);

}  // namespace mtf::tool
