#pragma once
// How a statement or a block ends.
#include <cstdint>

namespace mtf {

enum class Flow : uint8_t { kNext, kReturn };

}  // namespace mtf
