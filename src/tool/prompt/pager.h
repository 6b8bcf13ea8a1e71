#pragma once
// Long output, one screen at a time.
#include <cstddef>
#include <string>

namespace mtf::tool {

/// Shows a text that does not fit a screen of `rows` and `columns` in $PAGER, or in `less` if that is not set. Returns
/// false if the text fits or no pager could be started: then the caller writes it. An empty $PAGER, or `cat`, means no
/// pager.
bool page(const std::string& text, std::size_t rows, std::size_t columns);

}  // namespace mtf::tool
