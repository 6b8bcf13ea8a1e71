#pragma once
// Text for people, broken at the width of the screen. A width of 0 means no limit.
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace mtf::tool {

/// Returns the text in lines of at most `width` columns, if its words allow. A paragraph consists of consecutive lines
/// that begin at the margin; it is broken anew. Other lines keep their line ends: indented lines, and rows of a table,
/// which have two blanks between words. If such a line is too long, its rest is written below its last column, or
/// indented by four. `indent` precedes each line that is not empty.
std::string fitted(std::string_view text, std::size_t width, std::string_view indent = "");

/// Returns one line, whatever its form; the following lines are indented by `hanging`.
std::string fitted_line(std::string_view line, std::size_t width, std::size_t hanging = 4);

/// Names in lines, with two blanks between them.
std::string fitted_names(const std::vector<std::string>& names, std::size_t width, std::string_view indent);

/// The width of help if standard output is no terminal.
inline constexpr std::size_t kPageWidth = 100;

}  // namespace mtf::tool
