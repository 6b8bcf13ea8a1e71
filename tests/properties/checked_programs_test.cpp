// If a check refuses a line that a run executes, the run refuses the line too.
#include <gtest/gtest.h>

#include "checked_program.h"

namespace mtf::properties {
namespace {

constexpr uint64_t kCheckedPrograms = 60;
constexpr uint64_t kCheckedAtOnce = 20;

class CheckedPrograms : public testing::TestWithParam<uint64_t> {};

TEST_P(CheckedPrograms, AreNotRefusedWhereTheyRun) {
  for (uint64_t seed = GetParam(); seed < GetParam() + kCheckedAtOnce; ++seed) {
    const std::string wrong = wrong_with_check_of(seed);
    EXPECT_TRUE(wrong.empty()) << wrong;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, CheckedPrograms, testing::Range<uint64_t>(0, kCheckedPrograms, kCheckedAtOnce));

}  // namespace
}  // namespace mtf::properties
