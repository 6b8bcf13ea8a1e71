#pragma once
// The text and the page of `mtf search --over`.
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "session/combinations.h"

namespace mtf::tool {

/// Returns the three fastest of planned ways out of too little memory, as lines of a plan that takes `seconds`.
std::string ways_out_text(std::vector<session::OptionSet> ways, int64_t memory, double seconds, bool has_times);

/// Returns the best combinations with the reason against each but the first, the front of time and memory, and why
/// others are refused. Lines have at most `width` columns (0: no limit).
std::string combinations_text(const session::OptionSets& found, std::size_t width);

/// Returns the same as a page of HTML, with a picture of time and memory.
std::string combinations_page(const session::OptionSets& found, const std::string& script);
bool is_combinations_page(std::string_view text);

}  // namespace mtf::tool
