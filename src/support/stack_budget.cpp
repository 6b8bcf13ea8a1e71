#include "support/stack_budget.h"

#include <pthread.h>

#include <algorithm>
#include <cstdint>

#include "support/text.h"

namespace mtf {
namespace {

struct Stack {
  std::uintptr_t lowest = 0;  // that may be used; 0: not asked for yet
  std::size_t size = 0;       // 0: not known, and so not limited
};

constinit thread_local Stack own_stack;

void ask_for_stack() {
  own_stack.lowest = 1;
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
  void* begin = nullptr;
  std::size_t size = 0;
  if (pthread_attr_getstack(&attributes, &begin, &size) == 0) {
    own_stack = {reinterpret_cast<std::uintptr_t>(begin) + std::min(kStackReserve, size / 4), size};
  }
  pthread_attr_destroy(&attributes);
}

}  // namespace

bool has_stack() noexcept {
  if (own_stack.lowest == 0) [[unlikely]]
    ask_for_stack();
  return reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) > own_stack.lowest;
}

void fail_for_stack(Span span, Kind kind) {
  fail(Diagnostic(kind, span,
                  fmt::format("the stack of {} ends here", bytes_text(static_cast<std::int64_t>(own_stack.size))))
           .help("`ulimit -s` gives a process a larger one"));
}

}  // namespace mtf
