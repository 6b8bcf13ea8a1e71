#pragma once
// What a layout's rules by path are about: `params "blocks[*].*": {…}`.
#include <cstdint>
#include <optional>
#include <string_view>

namespace mtf {

enum class ByPath : std::uint8_t {
  kParams,  ///< the layout in which params are stored
  kStates,  ///< the same for states
  kValues,  ///< the layout of the results of calls of instances
};
/// `params`, `states` or `values`.
std::string_view word_of(ByPath of);
/// The kind with this word, or nothing.
std::optional<ByPath> by_path_with(std::string_view word);

}  // namespace mtf
