#pragma once
// Mesh TensorFlow's notation for meshes and layouts on the command line: `rows:2;cols:2`, `batch:rows;hidden:cols`.
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace mtf {

/// What stands between entries.
inline constexpr const char* kSeparators = ";., \t";

/// The `name:value` pairs of `text`, separated by `;`, `.`, `,` or blanks. Throws std::invalid_argument for an entry
/// without both; `left` and `right` say in its message what they are.
std::vector<std::pair<std::string, std::string>> parse_pairs(const std::string& text, const std::string& left,
                                                             const std::string& right);

}  // namespace mtf
