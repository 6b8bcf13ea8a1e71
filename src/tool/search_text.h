#pragma once
// What `mtf search` and `:search` say of what was found.
#include <string>

#include "cost/search.h"

namespace mtf::tool {

/// Lines to paste, the best beside the second, and why it is quicker. `costs`: what was searched; `repeated`: the option by
/// whose short forms candidates were ranked; empty: none. The table is fitted to `width`. Throws UserError where nothing was found: with the smallest peak and
/// what would help.
std::string found_text(const SearchResult& result, const SearchQuestion& question, const LayoutCosts& costs, const std::string& repeated, std::size_t width);

/// How often all processors together do what has to be done once.
double repeated_work(const Counters& counters);
/// A line for a best that repeats much work: how much longer fewer processors take.
std::string fewer_text(const Candidate& best, const Candidate& fewer);

}  // namespace mtf::tool
