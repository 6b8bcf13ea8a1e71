#pragma once
// Long output, a screen at a time.
#include <cstddef>
#include <string>

namespace mtf::tool {

/// Shows a text that does not fit a screen of `rows` and `columns` in $PAGER, `less` where that is not set. False if
/// the text fits or no pager could be started: whoever calls then writes it. An empty $PAGER, or `cat`, is none.
bool page(const std::string& text, std::size_t rows, std::size_t columns);

}  // namespace mtf::tool
