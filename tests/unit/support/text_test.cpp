#include "support/text.h"
#include "support/printable.h"

#include <gtest/gtest.h>

#include <thread>

#include "support/name.h"

namespace mtf {
namespace {

TEST(Text, ThousandsAreSeparatedByCommas) {
  EXPECT_EQ(thousands(0), "0");
  EXPECT_EQ(thousands(999), "999");
  EXPECT_EQ(thousands(1024), "1,024");
  EXPECT_EQ(thousands(-123456), "-123,456");
  EXPECT_EQ(thousands(INT64_MIN), "-9,223,372,036,854,775,808");
}

TEST(Text, BytesHaveBinaryUnitsAndOneDecimal) {
  EXPECT_EQ(bytes_text(512), "512 B");
  EXPECT_EQ(bytes_text(4096), "4.0 KiB");
  EXPECT_EQ(bytes_text(1024 * 1024 - 1), "1.0 MiB");
  EXPECT_EQ(bytes_text(3LL << 40), "3.0 TiB");
}

TEST(Text, CountsTakeThePlural) {
  EXPECT_EQ(count_text(1, "value"), "1 value");
  EXPECT_EQ(count_text(1024, "value"), "1,024 values");
  EXPECT_EQ(count_text(2, "axis", "axes"), "2 axes");
}

TEST(Text, QuotedTextIsALiteral) { EXPECT_EQ(quote("a\n\"{x}\"\\"), "\"a\\n\\\"{{x}}\\\"\\\\\""); }

TEST(Text, WordsAreJoinedWithAFinalWord) {
  EXPECT_EQ(join_words({}, "or"), "");
  EXPECT_EQ(join_words({"a"}, "or"), "a");
  EXPECT_EQ(join_words({"a", "b", "c"}, "or"), "a, b or c");
}

TEST(Text, ANearNameIsSuggested) {
  EXPECT_EQ(suggest("hiden", {"batch", "hidden"}), "hidden");
  EXPECT_EQ(suggest("bacth", {"batch", "hidden"}), "batch");
  EXPECT_EQ(suggest("Relu", {"relu"}), "relu");
  EXPECT_EQ(suggest("unrelated", {"batch", "hidden"}), std::nullopt);
  EXPECT_EQ(suggest("x", {"y"}), std::nullopt);
  EXPECT_EQ(did_you_mean("hiden", {"hidden"}), "did you mean `hidden`?");
}

TEST(Text, SuggestionsAreBoundedInTime) {
  const std::vector<std::string> candidates(20000, std::string(90, 'a'));
  for (int i = 0; i < 20; ++i) EXPECT_EQ(suggest("unknown", candidates), std::nullopt);
}

TEST(Text, WhatATerminalObeysIsEscaped) {
  EXPECT_EQ(printable("grüß 😀\\"), "grüß 😀\\");
  EXPECT_EQ(printable(std::string_view("a\0\x1b\x7f\n", 5)), "a\\x00\\x1b\\x7f\\x0a");
  EXPECT_EQ(printable("a\nb\r", true), "a\nb\\x0d");
  EXPECT_EQ(printable("\xc2\x85\xff"), "\\xc2\\x85\\xff");
  EXPECT_EQ(printable("\u202e\u2066\u2014"), "\\xe2\\x80\\xae\\xe2\\x81\\xa6\u2014");
}

TEST(Text, InvalidUtf8IsFound) {
  EXPECT_EQ(first_invalid_utf8("é…😀"), std::nullopt);
  EXPECT_EQ(first_invalid_utf8("ab\xFF"), 2u);
  EXPECT_EQ(first_invalid_utf8("\xC0\x80"), 0u) << "an overlong form";
  EXPECT_EQ(first_invalid_utf8("\xED\xA0\x80"), 0u) << "a surrogate";
  EXPECT_EQ(first_invalid_utf8("a\xE2\x80"), 1u) << "cut short";
  EXPECT_EQ(first_invalid_utf8("\xF4\x90\x80\x80"), 0u) << "above U+10FFFF";
  EXPECT_EQ(first_invalid_utf8("a\x80"), 1u) << "a continuation alone";
  EXPECT_EQ(first_invalid_utf8("\xE0\x80\xAF"), 0u) << "overlong, three bytes";
  EXPECT_EQ(first_invalid_utf8("\xF0\x80\x80\xAF"), 0u) << "overlong, four";
  EXPECT_EQ(first_invalid_utf8("\xF8\x88\x80\x80\x80"), 0u);
}

TEST(Name, ThreadsAgreeOnEveryName) {
  constexpr int kThreads = 4, kNames = 5000;
  std::vector<std::vector<Name>> names(kThreads);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kNames; ++i) names[t].emplace_back("thread" + std::to_string(i));
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (int i = 0; i < kNames; ++i) {
    EXPECT_EQ(names[0][i].text(), "thread" + std::to_string(i));
    for (int t = 1; t < kThreads; ++t) EXPECT_EQ(names[t][i], names[0][i]);
  }
}

TEST(Name, EqualTextsAreOneName) {
  EXPECT_EQ(Name("batch"), Name(std::string("bat") + "ch"));
  EXPECT_NE(Name("batch"), Name("hidden"));
  EXPECT_EQ(Name("batch").text(), "batch");
  EXPECT_TRUE(Name().empty());
  EXPECT_EQ(Name(), Name(""));
  EXPECT_LT(Name("a"), Name("b"));
  EXPECT_EQ(sizeof(Name), 4u);
}

}  // namespace
}  // namespace mtf
