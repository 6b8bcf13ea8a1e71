// Random whole programs do the same as the reference under random meshes and layouts, and their plans equal their runs.
#include <gtest/gtest.h>

#include <map>

#include "samples.h"
#include "whole_search.h"

namespace mtf::properties {
namespace {

/// In ten parts, so that they can run side by side.
class WholePrograms : public testing::TestWithParam<int> {};

TEST_P(WholePrograms, DoTheSameEverywhere) {
  constexpr uint64_t kCount = 115;  // some are refused: a thousand are left
  Search what;
  what.plans = true;
  what.first = kCount * static_cast<uint64_t>(GetParam()), what.count = kCount;
  const Tally tally = search(what, [](const std::string& report) { ADD_FAILURE() << report; });
  EXPECT_LT(tally.ended + tally.refused, kCount / 4) << to_string(tally) << ", so too few run to their end";
}

/// Programs use every kind of statement and every operation with samples, also operations that need four dims.
TEST(AllWholePrograms, UseWhatTheyCanBeMadeOf) {
  std::map<std::string, int> uses;
  for (uint64_t seed = 0; seed < 4000; ++seed)
    for (const std::string& each : whole_program(seed, default_features()).made_of) ++uses[each];
  for (const graph::Op* op : sampled_ops()) EXPECT_GE(uses["operation " + std::string(op->name)], 1) << op->name;
  for (const char* rare : {"while_loop", "recursion", "closure_list", "method_call", "second_gradient", "micro_batches",
                           "gradient_of_argument", "no_grad", "counters", "scanned", "scanned_parts", "stacked_model"})
    EXPECT_GE(uses[rare], 20) << rare;
}

INSTANTIATE_TEST_SUITE_P(Seeds, WholePrograms, testing::Range(0, 10));

}  // namespace
}  // namespace mtf::properties
