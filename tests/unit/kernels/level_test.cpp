// Levels of kernels: the list of levels, and the level in use.
#include "kernels/level.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/kernel_table.h"

namespace mtf::kernels {
namespace {

std::string refusal_of(const std::string& name) {
  try {
    level_named(name);
  } catch (const LevelError& error) { return error.what(); }
  return "";
}

TEST(Level, TheFastestUsableOneIsTakenWithoutAName) { EXPECT_EQ(level_named(""), usable_levels().back()); }

TEST(Level, UsableOnesAreSomeOfAllInTheirOrder) {
  const std::vector<std::string_view> all = all_levels(), usable = usable_levels();
  auto from = all.begin();
  for (const std::string_view level : usable) {
    from = std::find(from, all.end(), level);
    ASSERT_NE(from, all.end()) << level;
  }
}

TEST(Level, AnUnknownNameIsRefusedWithThoseThereAre) {
  EXPECT_NE(refusal_of("v9").find("there is no level 'v9'"), std::string::npos) << refusal_of("v9");
  for (const std::string_view level : usable_levels())
    EXPECT_NE(refusal_of("v9").find(level), std::string::npos) << refusal_of("v9");
}

TEST(Level, OneThatTheProcessorOrTheBuildLacksIsRefusedWithTheReason) {
  const std::vector<std::string_view> usable = usable_levels();
  for (const std::string_view level : all_levels()) {
    if (std::find(usable.begin(), usable.end(), level) != usable.end()) continue;
    EXPECT_NE(refusal_of(std::string(level)).find(describe_level(level)), std::string::npos);
    EXPECT_THROW(use_level(level), LevelError);
  }
}

TEST(Level, EachUsableOneHasATableOfItsOwn) {
  const std::string_view before = level_in_use();
  std::vector<const KernelTable*> tables;
  for (const std::string_view level : usable_levels()) {
    use_level(level);
    EXPECT_EQ(level_in_use(), level);
    EXPECT_EQ(std::find(tables.begin(), tables.end(), &table()), tables.end());
    tables.push_back(&table());
  }
  use_level(before);
}

}  // namespace
}  // namespace mtf::kernels
