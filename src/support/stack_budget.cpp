#include "support/stack_budget.h"

#include <pthread.h>

#include <algorithm>
#include <cstdint>

#include "support/text.h"

namespace mtf {
namespace {

constexpr std::uintptr_t kNotAsked = ~std::uintptr_t{0};
constinit thread_local std::size_t size_of_stack = 0;  // 0: not known, and so not limited

}  // namespace

constinit thread_local std::uintptr_t lowest_of_stack = kNotAsked;

bool ask_for_stack() noexcept {
  if (lowest_of_stack == kNotAsked) {
    lowest_of_stack = 0;
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return true;
    void* begin = nullptr;
    std::size_t size = 0;
    if (pthread_attr_getstack(&attributes, &begin, &size) == 0) {
      lowest_of_stack = reinterpret_cast<std::uintptr_t>(begin) + std::min(kStackReserve, size / 4);
      size_of_stack = size;
    }
    pthread_attr_destroy(&attributes);
  }
  return reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) > lowest_of_stack;
}

void fail_for_stack(Span span, Kind kind) {
  fail(Diagnostic(kind, span,
                  fmt::format("the stack of {} ends here", bytes_text(static_cast<std::int64_t>(size_of_stack))))
           .help("`ulimit -s` gives a process a larger one"));
}

}  // namespace mtf
