#include "support/end_later.h"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <future>
#include <thread>

namespace mtf {
namespace {

/// Calls a function when it ends.
struct Ends {
  std::function<void()> function;
  explicit Ends(std::function<void()> called) : function(std::move(called)) {}
  Ends(const Ends&) = delete;
  Ends& operator=(const Ends&) = delete;
  ~Ends() { function(); }
};

TEST(EndLater, AnObjectEndsOnAnotherThread) {
  const auto is_elsewhere = [] {
    std::promise<std::thread::id> ended;
    end_later(std::make_shared<Ends>([&] { ended.set_value(std::this_thread::get_id()); }));
    return ended.get_future().get() != std::this_thread::get_id();
  };
  int tries = 0;  // several of another test may be ending
  while (!is_elsewhere() && ++tries < 1000) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_LT(tries, 1000);
}

TEST(EndLater, WhileSeveralEndAnotherEndsAtOnce) {
  const std::thread::id here = std::this_thread::get_id();
  std::promise<void> may_end;
  const std::shared_future<void> waited = may_end.get_future().share();
  bool has_ended_here = false;
  for (int i = 0; i < 10 && !has_ended_here; ++i) {
    end_later(std::make_shared<Ends>([waited, here, &has_ended_here] {
      if (std::this_thread::get_id() == here) has_ended_here = true;
      else waited.wait();
    }));
  }
  EXPECT_TRUE(has_ended_here);
  may_end.set_value();
}

}  // namespace
}  // namespace mtf
