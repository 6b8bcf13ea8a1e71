#pragma once
// Mesh TensorFlow's notation for meshes and layouts on the command line: `rows:2;cols:2`, `batch:rows;hidden:cols`.
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace mtf {

/// The separators of entries.
inline constexpr const char* kSeparators = ";., \t";

/// The `name:value` pairs of `text`, separated by `;`, `.`, `,` or blanks. Throws std::invalid_argument for an entry
/// without both. The message calls the two parts `left` and `right`.
std::vector<std::pair<std::string, std::string>> parse_pairs(const std::string& text, const std::string& left,
                                                             const std::string& right);

}  // namespace mtf
