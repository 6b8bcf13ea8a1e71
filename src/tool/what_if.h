#pragma once
// What a command of the prompt is asked to assume of the session.
#include <string>
#include <vector>

#include "api/what_if.h"

namespace mtf::tool {

class PromptOptions;  // tool/prompt_options.h

/// What `--mesh` and `--layout` say.
Assumption assumption_of(Session& session, const PromptOptions& options);

/// The rules as on the command line: `batch:rows;hidden:cols`.
std::string option_text(const std::vector<LayoutRule>& rules);

}  // namespace mtf::tool
