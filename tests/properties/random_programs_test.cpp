// Random programs: whole and split, fused and not, in one go and with a cut after every statement, they give the same,
// and what is predicted is measured.
#include <gtest/gtest.h>

#include "random_program.h"

namespace mtf::properties {
namespace {

constexpr uint64_t kPrograms = 400;
constexpr uint64_t kAtOnce = 50;

class RandomPrograms : public testing::TestWithParam<uint64_t> {};

TEST_P(RandomPrograms, AreTheSameHoweverTheyAreRun) {
  for (uint64_t seed = GetParam(); seed < GetParam() + kAtOnce; ++seed) {
    const std::string wrong = wrong_with(seed);
    EXPECT_TRUE(wrong.empty()) << wrong;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomPrograms, testing::Range<uint64_t>(0, kPrograms, kAtOnce));

}  // namespace
}  // namespace mtf::properties
