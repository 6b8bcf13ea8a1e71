#pragma once
// Text for people, broken where their screen ends; with a width of 0 nowhere.
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace mtf::tool {

/// The text in lines of at most `width` columns, as far as its words allow. A paragraph (lines that begin at the
/// margin, one after the other) is broken anew, wherever its lines ended. What is indented, or has two blanks between
/// its words as rows of a table have, keeps its line ends; of a line that is too long what goes on stands below its
/// last column, or is indented by four. `indent` stands before each line that is not empty.
std::string fitted(std::string_view text, std::size_t width, std::string_view indent = "");

/// A single line, whatever it holds; what goes on is indented by `hanging`.
std::string fitted_line(std::string_view line, std::size_t width, std::size_t hanging = 4);

/// Names in lines, with two blanks between them.
std::string fitted_names(const std::vector<std::string>& names, std::size_t width, std::string_view indent);

/// Of help where standard output is no terminal.
inline constexpr std::size_t kPageWidth = 100;

}  // namespace mtf::tool
