#include "support/stack_budget.h"

#include <pthread.h>

#include <algorithm>
#include <cstdint>

#include "support/text.h"

namespace mtf {
namespace {

struct Stack {
  std::uintptr_t lowest = 0;  // that may be used; 0: not known, and so not limited
  std::size_t size = 0;

  Stack() {
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
    void* begin = nullptr;
    if (pthread_attr_getstack(&attributes, &begin, &size) == 0) {
      lowest = reinterpret_cast<std::uintptr_t>(begin) + std::min(kStackReserve, size / 4);
    }
    pthread_attr_destroy(&attributes);
  }
};

const Stack& stack() {
  thread_local const Stack kStack;
  return kStack;
}

}  // namespace

bool has_stack() noexcept { return reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) > stack().lowest; }

void fail_for_stack(Span span, Kind kind) {
  fail(Diagnostic(kind, span, fmt::format("the stack of {} ends here", bytes_text(static_cast<std::int64_t>(stack().size))))
           .help("`ulimit -s` gives a process a larger one"));
}

}  // namespace mtf
