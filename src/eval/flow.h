#pragma once
// How a statement or a block ends.
#include <cstdint>

namespace mtf {

/// kElsewhere: where only the run knows which way is taken, every way has ended, each in its own manner, and has been
/// written down where it ended; nothing goes on from here.
enum class Flow : uint8_t { kNext, kReturn, kBreak, kContinue, kElsewhere };

}  // namespace mtf
