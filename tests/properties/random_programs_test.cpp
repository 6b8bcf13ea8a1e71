// Random programs: whole and split, fused and not, in one go and with a cut after every statement, they give the same,
// and what is predicted is measured. They are straight lines of operations; what they alone cover is that every element
// of every result is compared, integers and what only moves elements bit for bit, floats within an error that is
// carried along from line to line. Whole programs (whole_programs_test.cpp) are compared by the six digits that they
// print.
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
