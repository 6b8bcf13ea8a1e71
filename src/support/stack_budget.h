#pragma once

#include <cstddef>
#include <cstdint>

#include "support/diagnostics.h"

// One budget for all recursion over a program and over values: the thread's real stack. Each level of a recursion
// checks it, so that limits on nesting and on calls need not know of each other.
namespace mtf {

// The stack that a level may use before it checks again, including the error's own needs.
inline constexpr std::size_t kStackReserve = std::size_t{192} << 10;

// The lowest address that this thread's stack may reach. Before the first check it is larger than any address.
extern constinit thread_local std::uintptr_t lowest_of_stack;

bool ask_for_stack() noexcept;

// True if this thread has kStackReserve bytes of stack left. A stack of less than 1 MiB keeps a quarter instead.
inline bool has_stack() noexcept {
  const bool is_above = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) > lowest_of_stack;
  return is_above || ask_for_stack();
}

[[noreturn]] void fail_for_stack(Span span, Kind kind);

// Fails with `kind`, a kind of limit, if there is not enough stack.
inline void check_stack(Span span, Kind kind) {
  if (!has_stack()) [[unlikely]]
    fail_for_stack(span, kind);
}

}  // namespace mtf
