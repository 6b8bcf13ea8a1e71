#pragma once
// `:compare E --layout A --layout B --mesh M`: what a statement would cost under each, at the prompt.
#include <string>

#include "tool/repl.h"

namespace mtf::tool {

/// The table for what stands behind `:compare`; layouts and meshes are given as tool/prompt_options.h says. Throws UserError.
std::string compare_at_prompt(Repl& repl, const std::string& argument);

}  // namespace mtf::tool
