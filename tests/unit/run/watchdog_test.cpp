// A rank that waits for long says what it waits for.
#include "run/watchdog.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace mtf::run {
namespace {

/// What a watchdog that waits for one second says within three.
std::string said(int awaited) {
  const std::atomic<int64_t> moved{5};
  const std::atomic<const spmd::Instruction*> at{nullptr};
  Transport::Waiting waiting;
  waiting.rank = awaited;
  testing::internal::CaptureStderr();
  {
    const Watchdog watchdog(0, moved, at, waiting, 1);
    sleep(3);
  }
  return testing::internal::GetCapturedStderr();
}

TEST(Watchdog, NamesTheRankThatARankWaitsForBetweenOperations) {
  EXPECT_EQ(said(2),
            "rank 0 has waited for rank 2 for 1 second, after step 5 of this run: a rank that says no such thing has "
            "ended or stands still\n");
  EXPECT_TRUE(said(Transport::Waiting::kOthers).starts_with("rank 0 has waited for other ranks for 1 second"));
}

TEST(Watchdog, SaysNothingOfARankThatComputesOnTheHost) { EXPECT_EQ(said(Transport::Waiting::kNobody), ""); }

}  // namespace
}  // namespace mtf::run
