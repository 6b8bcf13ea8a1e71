#pragma once
// What `mtf search` and `:search` have in common: what they ask for, and what they say of what was found.
#include <string>
#include <vector>

#include "cost/search.h"

namespace mtf::tool {

/// `--processors N`. Throws UserError of kind bad_option_value.
int64_t number_of_processors(const std::string& text);

/// Names for as many axes as a mesh may have: those that what the program wrote speaks of, then others.
std::vector<Name> axis_names(const ProgramRecord& record, int count);

/// Lines to paste, the best beside the second, and why it is quicker. `repeated`: the option by whose short forms candidates
/// were ranked; empty: none. Throws UserError where nothing was found.
std::string found_text(const SearchResult& result, const MachineModel& machine, const std::string& repeated);

}  // namespace mtf::tool
