#pragma once
// The texts of `mtf search` and `:search`.
#include <functional>
#include <string>

#include "session/search.h"

namespace mtf::tool {

/// Returns lines to paste, the best candidate beside the second, and why the best is faster. If processors repeat each
/// other's work, also says how long fewer processors would take. The table fits `width`. If nothing was found, throws a
/// UserError with the smallest peak and advice.
std::string search_text(const session::SearchAnswer& answer, std::size_t width);

/// Shows the progress of a search by `show`, every tenth of a second after the first second.
std::function<void(const cost::SearchProgress&)> shown_progress(std::function<void(const std::string&)> show);

}  // namespace mtf::tool
