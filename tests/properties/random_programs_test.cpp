// Random programs give the same results on one processor and split, with and without fusion, in one program and with a
// cut after every statement. Predicted counts equal measured counts. They are sequences of operations. Only these tests
// compare every element of every result: integers and moved elements bit for bit, floats within an error that is
// computed line by line. Whole programs (whole_programs_test.cpp) are compared by their six printed digits.
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
