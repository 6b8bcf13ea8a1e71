// If a check refuses a line that a run executes, the run refuses the line too. A check reaches the end of each script.
#include <gtest/gtest.h>

#include <algorithm>

#include "checked_program.h"
#include "library/library.h"
#include "script.h"
#include "scripts.h"
#include "session/session.h"
#include "support/diagnostics.h"

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

// The values that a loop changes are widened until nothing changes, which takes few walks.
TEST(CheckedScripts, AreCheckedToTheirEnd) {
  eval::Settings settings = settings_at({""});
  settings.library = &library::host_library();
  for (const std::string& path : scripts()) {
    const Diagnostics found = session::Session::check_file(path, settings);
    EXPECT_TRUE(std::none_of(found.list().begin(), found.list().end(), [](const Diagnostic& each) {
      return each.kind() == Kind::check_cut_short;
    })) << path;
  }
}

}  // namespace
}  // namespace mtf::properties
