#pragma once
// What `mtf search` and `:search` say of what was found.
#include <string>

#include "cost/search.h"

namespace mtf::tool {

/// Lines to paste, the best beside the second, and why it is quicker. `costs`: what was searched; `repeated`: the option by
/// whose short forms candidates were ranked; empty: none. Throws UserError where nothing was found.
std::string found_text(const SearchResult& result, const LayoutCosts& costs, const std::string& repeated);

}  // namespace mtf::tool
