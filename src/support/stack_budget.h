#pragma once

#include <cstddef>
#include <cstdint>

#include "support/diagnostics.h"

// One budget for every recursion over what a program says or makes: the stack that the thread really has. Whatever
// recurses asks at each level, so that limits on nesting and on calls need not know of each other.
namespace mtf {

// What a level may use before it asks again, the error's own way out included.
inline constexpr std::size_t kStackReserve = std::size_t{192} << 10;

// The lowest address that this thread's stack may come to; before it has been asked for, one that no stack is above.
extern constinit thread_local std::uintptr_t lowest_of_stack;

bool ask_for_stack() noexcept;

// Whether this thread has that much stack left; a stack of less than 1 MiB keeps a quarter of itself instead.
inline bool has_stack() noexcept {
  const bool is_above = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) > lowest_of_stack;
  return is_above || ask_for_stack();
}

[[noreturn]] void fail_for_stack(Span span, Kind kind);

// Fails with a limit's kind if not.
inline void check_stack(Span span, Kind kind) {
  if (!has_stack()) [[unlikely]]
    fail_for_stack(span, kind);
}

}  // namespace mtf
