#pragma once

#include <cstddef>

#include "support/diagnostics.h"

// One budget for every recursion over what a program says or makes: the stack that the thread really has. Whatever
// recurses asks at each level, so that limits on nesting and on calls need not know of each other.
namespace mtf {

// What a level may use before it asks again, the error's own way out included.
inline constexpr std::size_t kStackReserve = std::size_t{192} << 10;

// Whether this thread has that much stack left; a stack of less than 1 MiB keeps a quarter of itself instead.
bool has_stack() noexcept;

[[noreturn]] void fail_for_stack(Span span, Kind kind);

// Fails with a limit's kind if not.
inline void check_stack(Span span, Kind kind) {
  if (!has_stack()) [[unlikely]]
    fail_for_stack(span, kind);
}

}  // namespace mtf
