// A waiting rank yields its core to others.
#include "run/patience.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <ctime>
#include <thread>

namespace mtf::run {
namespace {

TEST(Patience, LetsTheOtherOneHaveTheOnlyCore) {
  cpu_set_t before, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);

  // Two threads that wait for each other alternately. Without yielding, each wait takes the scheduler's time slice,
  // some milliseconds of the core, and all waits take some seconds.
  constexpr int kIterations = 2000;
  std::atomic<int> iteration{0};
  auto plays = [&](int parity) {
    for (int mine = parity; mine < kIterations; mine += 2) {
      Patience patience;
      while (iteration.load(std::memory_order_acquire) != mine) patience.looked();
      iteration.store(mine + 1, std::memory_order_release);
    }
  };
  const std::clock_t begin = std::clock();  // of this process: others may keep the core for any time
  std::thread other(plays, 1);
  plays(0);
  other.join();
  const double took = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  EXPECT_EQ(iteration.load(), kIterations);
  EXPECT_LT(took, 1.0);
  sched_setaffinity(0, sizeof before, &before);
}

}  // namespace
}  // namespace mtf::run
