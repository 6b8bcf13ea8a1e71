#include "tool/golden/text_diff.h"

#include <gtest/gtest.h>

namespace mtf::tool {
namespace {

using Lines = std::vector<std::string>;

TEST(TextDiff, EqualListsDoNotDiffer) {
  EXPECT_EQ(diff_lines({"a", "b"}, {"a", "b"}).text, "");
  EXPECT_EQ(diff_lines({}, {}).text, "");
}

TEST(TextDiff, AChangedLineIsShownBothWaysBetweenItsNeighbours) {
  const TextDiff diff = diff_lines({"a", "b", "c", "d"}, {"a", "x", "c", "d"});
  EXPECT_EQ(diff.text, "  a\n- b\n+ x\n  c\n  d\n");
  EXPECT_EQ(diff.first, 1u);
}

TEST(TextDiff, AMissingLineDoesNotShiftTheOthers) {
  EXPECT_EQ(diff_lines({"a", "b", "c"}, {"b", "c"}).text, "- a\n  b\n  c\n");
}

TEST(TextDiff, LinesFarFromADifferenceAreLeftOut) {
  Lines a(20, "same"), b = a;
  a.front() = "x";
  a.back() = "y";
  const std::string text = diff_lines(a, b).text;
  EXPECT_NE(text.find("  ...\n"), std::string::npos) << text;
  EXPECT_LT(std::count(text.begin(), text.end(), '\n'), 12);
}

TEST(TextDiff, ALongDifferenceIsCut) {
  const std::string text = diff_lines(Lines(100, "a"), {}, std::equal_to<std::string>(), 10).text;
  EXPECT_NE(text.find("... and 90 more lines\n"), std::string::npos) << text;
}

TEST(TextDiff, HugeListsAreComparedInTime) { EXPECT_EQ(diff_lines(Lines(50000, "a"), Lines(50000, "b")).first, 0u); }

}  // namespace
}  // namespace mtf::tool
