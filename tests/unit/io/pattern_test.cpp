#include "io/pattern.h"

#include <gtest/gtest.h>

#include "data_file_test.h"
#include "io/text.h"

namespace mtf::io {
namespace {

/// The number of characters that match at the beginning of a text; -1 if none do.
int64_t matched(const std::string& expression, const std::string& text, std::size_t at = 0) {
  const std::vector<char32_t> characters = code_points(text);
  const auto count = Pattern(expression).match(characters, at);
  return count ? static_cast<int64_t>(*count) : -1;
}

TEST(Pattern, TheFirstAlternativeThatMatchesIsTaken) {
  EXPECT_EQ(matched("a|ab|abc", "abc"), 1);
  EXPECT_EQ(matched("(?:a|ab)c", "abc"), 3);
  EXPECT_EQ(matched("x|y", "abc"), -1);
}

TEST(Pattern, RepetitionsGiveBackWhatTheRestNeedsUnlessTheyArePossessive) {
  EXPECT_EQ(matched("a*ab", "aaab"), 4);
  EXPECT_EQ(matched("a*+ab", "aaab"), -1);
  EXPECT_EQ(matched("a{1,2}", "aaab"), 2);
  EXPECT_EQ(matched("a{2,}", "aaab"), 3);
  EXPECT_EQ(matched("a+?", "aaab"), 1);
  EXPECT_EQ(matched("(?:ab)+", "ababa"), 4);
  EXPECT_EQ(matched("(?:ab|a)++b", "abab"), -1);
  EXPECT_EQ(matched("(?:)*x", "x"), 1);
}

TEST(Pattern, WhatFollowsIsLookedAt) {
  EXPECT_EQ(matched(R"(\s+(?!\S))", "   x"), 2);
  EXPECT_EQ(matched(R"(\s+(?!\S))", "   "), 3);
  EXPECT_EQ(matched("a(?=b)", "ab"), 1);
  EXPECT_EQ(matched("a(?=b)", "ac"), -1);
  EXPECT_EQ(matched("a$", "a"), 1);
  EXPECT_EQ(matched("a$", "ab"), -1);
}

TEST(Pattern, CharactersAreThoseOfUnicode) {
  EXPECT_EQ(matched(R"(\p{L}+)", "Żółw1"), 4);
  EXPECT_EQ(matched(R"(\p{Lu}\p{Ll}+)", "Élan"), 4);
  EXPECT_EQ(matched(R"(\p{N}+)", "½Ⅻ٣x"), 3);
  EXPECT_EQ(matched(R"(\d+)", "3½"), 1);
  EXPECT_EQ(matched(R"([^\s\p{L}\p{N}]+)", "!?€ x"), 3);
  EXPECT_EQ(matched(R"([\p{L}\p{M}]+)", "e\xcc\x81."), 2);
  EXPECT_EQ(matched(R"(\s+)", "\xc2\xa0\xe3\x80\x80x"), 2);
  EXPECT_EQ(matched("[一-龥]+", "日本x"), 2);
  EXPECT_EQ(matched(R"([a\-c]+)", "a-cb"), 3);
  EXPECT_EQ(matched(R"(\P{L}+)", "12a"), 2);
}

TEST(Pattern, CasesAreIgnoredWithinAGroup) {
  EXPECT_EQ(matched("(?i:'s|'ll)x", "'LLx"), 4);
  EXPECT_EQ(matched("(?i:a)b", "AB"), -1);
}

TEST(Pattern, OfALongTextTakesLittleStack) { EXPECT_EQ(matched(R"(\p{L}+)", std::string(3'000'000, 'a')), 3'000'000); }

TEST(Pattern, ThatCannotBeReadIsRefusedWithItsPlace) {
  const auto wrong = [](const std::string& expression) -> std::string {
    try {
      Pattern{expression};
    } catch (const BadPattern& error) { return error.what(); }
    return "";
  };
  EXPECT_MENTIONS(wrong("(a"), "found no `)` behind a group at its character 3");
  EXPECT_MENTIONS(wrong("a)"), "found `)` without `(` at its character 2");
  EXPECT_MENTIONS(wrong("*a"), "found nothing that is repeated at its character 1");
  EXPECT_MENTIONS(wrong("[a"), "found no `]` behind a set of characters");
  EXPECT_MENTIONS(wrong("a{3,1}"), "found no `}` behind numbers of repetitions that rise");
  EXPECT_MENTIONS(wrong("[z-a]"), "found a range whose end is not behind its beginning");
  EXPECT_MENTIONS(wrong("\\p{Han}"), "expected a general category such as L, Lu, N or P in \\p{…}, found `Han`");
  EXPECT_MENTIONS(wrong("(?<n>a)"), "found a group of another kind");
  EXPECT_MENTIONS(wrong("\\1"), "found `\\1`, which is not known,");
  EXPECT_MENTIONS(wrong("a\\"), "found no character behind `\\`");
}

}  // namespace
}  // namespace mtf::io
