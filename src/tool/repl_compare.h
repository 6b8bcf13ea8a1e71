#pragma once
// `:compare E --layout A --layout B --mesh M`: what a statement would cost under each, at the prompt.
#include <string>

#include "eval/session.h"

namespace mtf::tool {

/// The table for what stands behind `:compare`. Layouts and meshes are as on the command line, in quotes where they have
/// blanks, or names that the session knows. Throws UserError. `entry`: what messages call the statement.
std::string compare_at_prompt(Session& session, const std::string& argument, const std::string& entry);

}  // namespace mtf::tool
