#pragma once
// What `mtf search` and `:search` say.
#include <functional>
#include <string>

#include "session/search.h"

namespace mtf::tool {

/// Lines to paste, the best beside the second, and why it is quicker; where processors repeat one another's work, how
/// long fewer would take. The table is fitted to `width`. Throws UserError where nothing was found: with the smallest
/// peak and what would help.
std::string search_text(const session::SearchAnswer& answer, std::size_t width);

/// Shows how far a search is, every tenth of a second from the first second on, by `show`.
std::function<void(const cost::SearchProgress&)> shown_progress(std::function<void(const std::string&)> show);

}  // namespace mtf::tool
