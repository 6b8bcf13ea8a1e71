// The available memory: of the machine, of its container, of the process.
#include "support/available_memory.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>

#include "support/platform.h"

namespace mtf {
namespace {

// Other processes allocate and free memory between the questions.
constexpr double kMeanwhile = 1e9;

TEST(AvailableMemory, IsTheLeastOfAll) {
  EXPECT_NEAR(static_cast<double>(machine_memory()),
              static_cast<double>(std::min(unused_memory(), memory_of_container())), kMeanwhile);
  EXPECT_NEAR(static_cast<double>(available_memory()),
              static_cast<double>(std::min(machine_memory(), process_memory())), kMeanwhile);
}

TEST(AvailableMemory, OfAProcessIsItsLimitLessWhatItHasInUse) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  const rlim_t limit = static_cast<rlim_t>(address_space_in_use()) + (rlim_t{1} << 30);
  const rlimit tight{limit, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_AS, &tight), 0);
  EXPECT_NEAR(static_cast<double>(process_memory()), static_cast<double>(1 << 30), 1e8);
  ASSERT_EQ(setrlimit(RLIMIT_AS, &before), 0);
}

}  // namespace
}  // namespace mtf
