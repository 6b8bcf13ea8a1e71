#include "tool/golden/golden_file.h"
#include "tool/golden/golden_test.h"

#include <gtest/gtest.h>

#include <fstream>

namespace mtf::tool {
namespace {

std::vector<std::string> texts(const GoldenFile& golden) {
  std::vector<std::string> list;
  for (const ExpectedLine& line : golden.output) list.push_back(line.text);
  return list;
}

std::vector<std::string> shown(GoldenFile golden) {
  std::vector<std::string> list;
  for (const Combination& one : combinations(golden)) list.push_back(to_string(one));
  return list;
}

using Lines = std::vector<std::string>;

TEST(GoldenFile, OutputIsReadWithItsLine) {
  const GoldenFile golden = parse_golden("print(1)\n#> 1\nif true {\n  print(\" a\")\n  #>  a\n}\n");
  EXPECT_EQ(texts(golden), (Lines{"1", " a"}));
  EXPECT_EQ(golden.output[1].at, 5u);
}

TEST(GoldenFile, AnEmptyPrintedLineIsABareMark) { EXPECT_EQ(texts(parse_golden("print(\"\")\n#>\n")), Lines{""}); }

TEST(GoldenFile, AMarkBehindCodeIsAComment) { EXPECT_TRUE(parse_golden("print(1) #> 1\n").output.empty()); }

TEST(GoldenFile, ErrorsBelongToTheNearestLineAbove) {
  const GoldenFile golden = parse_golden("a\nb\n#! unknown_name: `b`\n#! syntax_error\n#> x\n#! bad_size: 3\n");
  ASSERT_EQ(golden.errors.size(), 3u);
  EXPECT_EQ(golden.errors[0].kind, "unknown_name");
  EXPECT_EQ(golden.errors[0].text, "`b`");
  EXPECT_EQ(golden.errors[1].text, "");
  for (const ExpectedError& error : golden.errors) EXPECT_EQ(error.line, 2u);
}

TEST(GoldenFile, AShebangIsNoExpectation) {
  EXPECT_TRUE(parse_golden("#!/usr/bin/env mtf run\nprint(1)\n").errors.empty());
  EXPECT_EQ(parse_golden("\n#!/x\n").errors.size(), 1u) << "only on the first line";
}

TEST(GoldenFile, TheHeaderIsRead) {
  const GoldenFile golden =
      parse_golden("#: meshes  \"\" \"rows:2;cols:3\"\n#: layouts \"batch:all\"\n#: ranks   1 4\n");
  EXPECT_EQ(golden.meshes, (Lines{"", "rows:2;cols:3"}));
  EXPECT_EQ(golden.layouts, Lines{"batch:all"});
  EXPECT_EQ(golden.ranks, (std::vector<std::int64_t>{1, 4}));
  EXPECT_TRUE(golden.problems.empty());
}

TEST(GoldenFile, AWrongHeaderIsToldWithItsLine) {
  EXPECT_EQ(parse_golden("\n#: mesh \"a:2\"\n").problems,
            Lines{"2: a header is `#: meshes`, `#: layouts`, `#: memory`, `#: ranks`, `#: set` or `#: tolerance`, not "
                  "`#: mesh`"});
  EXPECT_EQ(parse_golden("#: meshes all:4\n").problems.size(), 1u);
  EXPECT_EQ(parse_golden("#: ranks 0\n").problems.size(), 1u);
  EXPECT_EQ(parse_golden("#: ranks 2x\n").problems.size(), 1u);
}

TEST(GoldenFile, SettingsHoldUnderEachCombination) {
  GoldenFile golden = parse_golden("#: set steps=2 \"name=a word\"\n#: set lr=0.1\n#: ranks 1 2\n");
  EXPECT_EQ(golden.set, (Lines{"steps=2", "name=a word", "lr=0.1"}));
  for (const Combination& one : combinations(golden)) EXPECT_EQ(one.set, golden.set);
  for (const char* wrong : {"#: set\n", "#: set steps\n", "#: set =2\n", "#: set \"a=1\n"})
    EXPECT_EQ(parse_golden(wrong).problems.size(), 1u) << wrong;
}

TEST(GoldenFile, AToleranceIsBetween0And1) {
  EXPECT_EQ(parse_golden("#: tolerance 0.01\n").tolerance, 0.01);
  for (const char* wrong : {"0", "1", "-0.1", "nan", "0.1x", ""})
    EXPECT_EQ(parse_golden(std::string("#: tolerance ") + wrong + "\n").problems.size(), 1u) << wrong;
}

TEST(FitsLine, AnEllipsisIsAnyText) {
  EXPECT_TRUE(fits_line("took … s, … left", "took 0.12 s, 3 files left", 0));
  EXPECT_TRUE(fits_line("…", "", 0));
  EXPECT_FALSE(fits_line("took … s", "took 0.12 ms ", 0));
  EXPECT_FALSE(fits_line("a…", "b", 0));
}

TEST(FitsLine, NumbersWithAPointMayDiffer) {
  EXPECT_TRUE(fits_line("step 10: loss 1.234", "step 10: loss 1.2345", 1e-3));
  EXPECT_TRUE(fits_line("[-1.5e-3, 2.0]", "[-1.5001e-3, 2.001]", 1e-3));
  EXPECT_FALSE(fits_line("loss 1.234", "loss 1.244", 1e-3));
  EXPECT_FALSE(fits_line("loss 1.234", "loss 1.2341", 0)) << "without a tolerance nothing may differ";
}

TEST(FitsLine, TheLastDigitMayBeRoundedOtherwise) {
  EXPECT_TRUE(fits_line("0.001", "0.002", 1e-3));
  EXPECT_FALSE(fits_line("0.001", "0.003", 1e-3));
}

TEST(FitsLine, IntegersAndNamesAreExact) {
  EXPECT_FALSE(fits_line("step 1000", "step 1001", 0.1));
  EXPECT_FALSE(fits_line("w1.5", "w1.6", 0.1)) << "part of a name is no number";
}

TEST(Combinations, WithoutAHeaderThereIsOne) { EXPECT_EQ(shown(parse_golden("print(1)\n")), Lines{""}); }

TEST(Combinations, EveryMeshWithEveryLayoutOnAllRanks) {
  const auto list = shown(parse_golden("#: meshes \"all:4\" \"all:2\"\n#: layouts \"\" \"a:all\"\n#: ranks 1 2\n"));
  EXPECT_EQ(list.size(), 8u);
  EXPECT_EQ(list.front(), "--mesh \"all:4\" --layout \"\"");
  EXPECT_EQ(list.back(), "--mesh \"all:2\" --layout \"a:all\" on 2 ranks");
}

TEST(Combinations, EachIsRunWithEachMemory) {
  EXPECT_EQ(shown(parse_golden("#: memory \"\" \"2MiB\"\n#: ranks 1 2\n")),
            (Lines{"", "--memory \"2MiB\"", "on 2 ranks", "--memory \"2MiB\" on 2 ranks"}));
  GoldenFile golden = parse_golden("#: memory \"2 apples\"\n");
  combinations(golden);
  EXPECT_EQ(golden.problems.size(), 1u);
}

TEST(Combinations, ALayoutThatNamesAMissingAxisIsLeftOut) {
  EXPECT_EQ(shown(parse_golden("#: meshes \"\" \"rows:2\"\n#: layouts \"\" \"a:all\" \"a:rows\"\n")),
            (Lines{"--mesh \"\" --layout \"\"", "--mesh \"\" --layout \"a:all\"", "--mesh \"rows:2\" --layout \"\"",
                   "--mesh \"rows:2\" --layout \"a:rows\""}));
}

TEST(Combinations, AMeshSmallerThanTheRanksIsLeftOut) {
  EXPECT_EQ(shown(parse_golden("#: meshes \"\" \"all:2\"\n#: ranks 4 1\n")),
            (Lines{"--mesh \"\" on 4 ranks", "--mesh \"\"", "--mesh \"all:2\""}));
}

TEST(Combinations, ALayoutThatNeverRunsIsAProblem) {
  GoldenFile golden = parse_golden("#: meshes \"all:2\"\n#: layouts \"\" \"a:rows\"\n");
  combinations(golden);
  ASSERT_EQ(golden.problems.size(), 1u);
  EXPECT_NE(golden.problems[0].find("layout \"a:rows\""), std::string::npos) << golden.problems[0];
}

TEST(Combinations, AMeshThatNeverRunsIsAProblem) {
  GoldenFile golden = parse_golden("#: meshes \"all:8\" \"all:2\"\n#: ranks 4\n");
  combinations(golden);
  ASSERT_EQ(golden.problems.size(), 1u);
  EXPECT_NE(golden.problems[0].find("mesh \"all:2\""), std::string::npos) << golden.problems[0];
}

TEST(Combinations, AMeshThatCannotBeReadIsToldOnce) {
  GoldenFile golden = parse_golden("#: meshes \"x;4\"\n#: layouts \"\" \"a:x\"\n");
  combinations(golden);
  EXPECT_EQ(golden.problems.size(), 1u);
}

FoundError found(std::size_t line, std::string kind, std::string words) {
  FoundError error;
  error.line = line;
  error.kind = std::move(kind);
  error.words = error.sentence = std::move(words);
  return error;
}

TEST(MatchErrors, LineKindAndPartOfTheWordsMustFit) {
  const std::vector<ExpectedError> expected = parse_golden("a\n#! unknown_name: batsh\n").errors;
  EXPECT_TRUE(match_errors(expected, {found(1, "unknown_name", "there is no `batsh`")}).missing.empty());
  EXPECT_EQ(match_errors(expected, {found(2, "unknown_name", "there is no `batsh`")}).missing.size(), 1u);
  EXPECT_EQ(match_errors(expected, {found(1, "unknown_dim", "there is no `batsh`")}).missing.size(), 1u);
  EXPECT_EQ(match_errors(expected, {found(1, "unknown_name", "there is no `x`")}).surprising.size(), 1u);
}

TEST(MatchErrors, OneExpectationIsOneError) {
  const std::vector<ExpectedError> expected = parse_golden("a\n#! bad_size\n").errors;
  EXPECT_EQ(match_errors(expected, {found(1, "bad_size", "x"), found(1, "bad_size", "y")}).surprising.size(), 1u);
}

TEST(MatchErrors, AWarningNeedNotBeExpected) {
  FoundError warning = found(1, "layout_dim_unused", "x");
  warning.is_error = false;
  EXPECT_TRUE(match_errors({}, {warning}).surprising.empty());
  EXPECT_TRUE(match_errors(parse_golden("a\n#! layout_dim_unused: x\n").errors, {warning}).missing.empty());
}

TEST(UpdateGolden, WhatStillHoldsStaysByteForByte) {
  EXPECT_EQ(update_golden("for i in 0..2 {\n  print(i)\n\t#> 0\n  #> 1  \n}\nlet x = 1",
                          {{1, 5, {"0", "1"}}, {6, 6, {}}}, {}),
            "for i in 0..2 {\n  print(i)\n\t#> 0\n  #> 1  \n}\nlet x = 1");
}

TEST(UpdateGolden, LinesThatFitStay) {
  const std::string text = "#: tolerance 0.01\nprint(x)\n#> took … s, loss 1.234\n";
  EXPECT_EQ(update_golden(text, {{2, 2, {"took 3 s, loss 1.235"}}}, {}), text);
}

TEST(UpdateGolden, NewOutputStandsUnderItsStatement) {
  EXPECT_EQ(update_golden("print(1)\n# why\nprint(2)\n", {{1, 1, {"1"}}, {3, 3, {"2", ""}}}, {}),
            "print(1)\n#> 1\n# why\nprint(2)\n#> 2\n#>\n");
}

TEST(UpdateGolden, ChangedOutputStaysWhereItStood) {
  EXPECT_EQ(update_golden("if a {\n  print(1)\n  #> 0\n}\n", {{1, 4, {"1"}}}, {}), "if a {\n  print(1)\n  #> 1\n}\n");
}

TEST(UpdateGolden, MoreOutputMovesBehindTheStatement) {
  EXPECT_EQ(update_golden("for i in 0..2 {\n  print(i)\n  #> 0\n}\n", {{1, 4, {"0", "1"}}}, {}),
            "for i in 0..2 {\n  print(i)\n}\n#> 0\n#> 1\n");
}

TEST(UpdateGolden, WhatIsNoLongerPrintedGoes) {
  EXPECT_EQ(update_golden("#> x\nlet a = 1\n#> 1\n", {{2, 2, {}}}, {}), "let a = 1\n");
}

TEST(UpdateGolden, StatementsOnOneLinePrintTogether) {
  EXPECT_EQ(update_golden("print(1); print(2)\n", {{1, 1, {"1"}}, {1, 1, {"2"}}}, {}),
            "print(1); print(2)\n#> 1\n#> 2\n");
}

TEST(UpdateGolden, ALastLineWithoutAnEndGetsOne) {
  EXPECT_EQ(update_golden("print(1)", {{1, 1, {"1"}}}, {}), "print(1)\n#> 1\n");
}

TEST(UpdateGolden, LineEndsOfTheFileAreKept) {
  EXPECT_EQ(update_golden("print(1)\r\nlet a = 2\r\n", {{1, 1, {"1"}}, {2, 2, {}}}, {}),
            "print(1)\r\n#> 1\r\nlet a = 2\r\n");
}

TEST(UpdateGolden, RefusalsStandUnderTheirLine) {
  EXPECT_EQ(update_golden("{\n  x\n}\n", {}, {found(2, "unknown_name", "there is no `x`\nmore")}),
            "{\n  x\n  #! unknown_name: there is no `x`\n}\n");
}

TEST(UpdateGolden, RefusalsThatHoldKeepTheirWords) {
  const std::string text = "x\n#! unknown_name: `x`\n";
  EXPECT_EQ(update_golden(text, {}, {found(1, "unknown_name", "there is no `x` here")}), text);
}

TEST(UpdateGolden, OutputStandsBeforeTheErrorThatFollowsIt) {
  EXPECT_EQ(update_golden("f()\n", {{1, 1, {"1"}}}, {found(1, "assertion_failed", "no")}),
            "f()\n#> 1\n#! assertion_failed: no\n");
}

TEST(UpdateGolden, UpdatingTwiceChangesNothing) {
  const std::vector<StatementOutput> output = {{2, 4, {"a", "", "b"}}, {5, 5, {"c"}}};
  const std::string once = update_golden("#: ranks 1\nf(\n  x\n)\ng()\n", output, {});
  std::vector<StatementOutput> moved = {{2, 4, {"a", "", "b"}}, {8, 8, {"c"}}};
  EXPECT_EQ(update_golden(once, moved, {}), once);
}

TEST(UpdateGolden, AnEmptyFileStaysEmpty) { EXPECT_EQ(update_golden("", {}, {}), ""); }

TEST(PrintedLines, AreThoseBetweenLineEnds) {
  EXPECT_EQ(printed_lines("a\n\nb\n"), (Lines{"a", "", "b"}));
  EXPECT_EQ(printed_lines("a"), Lines{"a"});
  EXPECT_TRUE(printed_lines("").empty());
}

TEST(GoldenTest, SaysOnceWhatIsWrongUnderSeveralCombinations) {
  const std::string path = testing::TempDir() + "golden_test_of_combinations.mtf";
  std::ofstream(path) << "#: meshes \"\" \"all:2\" \"all:3\"\ndim a = 2\nprint(zeros([a]))\n#> [1, 0]\n";
  const GoldenResult result = run_golden(path, {}, [](const std::string&) {});
  EXPECT_EQ(result.failures, path + ":4: --mesh \"\", and 2 more\n    - [1, 0]\n    + [0, 0]\n");
  EXPECT_EQ(run_golden(path, {.first_only = true}, [](const std::string&) {}).failures,
            path + ":4: --mesh \"\"\n    - [1, 0]\n    + [0, 0]\n");
}

}  // namespace
}  // namespace mtf::tool
