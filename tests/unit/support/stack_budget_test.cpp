#include "support/stack_budget.h"

#include <gtest/gtest.h>
#include <pthread.h>

namespace mtf {
namespace {

// Recurses until the budget ends. Returns the used bytes of stack.
std::size_t use_up(const char* first) {
  volatile char block[1024];
  block[0] = 1;
  if (!has_stack()) return static_cast<std::size_t>(first - const_cast<const char*>(block));
  const std::size_t used = use_up(first);
  return used + static_cast<std::size_t>(block[0] - 1);
}

void* used_on_thread(void*) {
  char first = 0;
  return reinterpret_cast<void*>(use_up(&first));
}

std::size_t used_of(std::size_t stack) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, stack);
  pthread_t thread;
  EXPECT_EQ(pthread_create(&thread, &attributes, used_on_thread, nullptr), 0);
  void* used = nullptr;
  pthread_join(thread, &used);
  pthread_attr_destroy(&attributes);
  return reinterpret_cast<std::size_t>(used);
}

TEST(StackBudget, EveryThreadHasItsOwn) {
  for (const std::size_t size : {std::size_t{512} << 10, std::size_t{2} << 20, std::size_t{16} << 20}) {
    const std::size_t used = used_of(size), reserve = std::min(kStackReserve, size / 4);
    EXPECT_LE(used, size - reserve);
    EXPECT_GT(used, size - reserve - (std::size_t{64} << 10));
  }
}

TEST(StackBudget, ItsEndIsAnErrorAtAPlace) {
  const auto file = SourceFile::create("a.mtf", "f()");
  try {
    fail_for_stack({file.get(), 0, 3}, Kind::call_too_deep);
  } catch (const UserError& error) {
    EXPECT_EQ(error.diagnostic().kind(), Kind::call_too_deep);
    EXPECT_EQ(error.diagnostic().span().text(), "f()");
  }
  EXPECT_THROW(fail_for_stack({}, Kind::nesting_too_deep), UserError);
}

}  // namespace
}  // namespace mtf
