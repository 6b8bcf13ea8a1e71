#include "support/stack_budget.h"

#include <algorithm>
#include <cstdint>

#include "support/platform.h"
#include "support/text.h"

namespace mtf {
namespace {

constexpr std::uintptr_t kNotAsked = ~std::uintptr_t{0};
constinit thread_local std::size_t size_of_stack = 0;  // 0: unknown, and so not limited

}  // namespace

constinit thread_local std::uintptr_t lowest_of_stack = kNotAsked;

bool ask_for_stack() noexcept {
  if (lowest_of_stack == kNotAsked) {
    const StackBounds stack = stack_of_thread();
    size_of_stack = stack.size;
    lowest_of_stack = stack.size == 0 ? 0 : stack.lowest + std::min(kStackReserve, stack.size / 4);
  }
  return reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) > lowest_of_stack;
}

void fail_for_stack(Span span, Kind kind) {
  fail(Diagnostic(kind, span,
                  fmt::format("the stack of {} ends here", bytes_text(static_cast<std::int64_t>(size_of_stack))))
           .help("`ulimit -s` gives a process a larger one"));
}

}  // namespace mtf
