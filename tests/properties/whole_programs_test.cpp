// Random whole programs: under random meshes and layouts they do what the reference does, and what is planned is run.
#include <gtest/gtest.h>

#include "whole_search.h"

namespace mtf::properties {
namespace {

/// In ten parts, so that they can run side by side.
class WholePrograms : public testing::TestWithParam<int> {};

TEST_P(WholePrograms, DoTheSameEverywhere) {
  constexpr uint64_t kCount = 100;
  Search what;
  what.checks.plans = true;
  what.first = kCount * static_cast<uint64_t>(GetParam()), what.count = kCount;
  search(what, [](const std::string& report) { ADD_FAILURE() << report; });
}

INSTANTIATE_TEST_SUITE_P(Seeds, WholePrograms, testing::Range(0, 10));

}  // namespace
}  // namespace mtf::properties
