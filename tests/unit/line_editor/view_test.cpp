// The drawn output, its amount and its speed; menus, sizes, and terminals that cannot draw.
#include "../work_time.h"
#include "editor_test.h"

namespace mtf::line_editor {
namespace {

using View = EditorTest;

std::string lines(int count) {
  std::string text = "{\n";
  for (int i = 1; i < count - 1; ++i) text += "let x" + std::to_string(i) + " = f(" + std::to_string(i) + ")\n";
  return text + "}";
}

// ---- menus ----------------------------------------------------------------------------------------------------------

TEST_F(View, TabCompletesAndOffersAMenu) {
  Session terminal(12, 40, program());
  terminal.type("re\t");
  EXPECT_TRUE(terminal.shows({"> relu"}, 0, 6));
  terminal.type("\x15s\t");
  EXPECT_TRUE(terminal.shows({"> sum", "  sum      sum(x)", "  summary  summary(x)", "  sumo     sumo(x)"}, 0, 5));
  terminal.type("\t" + kDown);
  EXPECT_TRUE(terminal.shows({"> summary", "  sum      sum(x)", "  summary  summary(x)", "  sumo     sumo(x)"}, 0, 9));
  EXPECT_EQ(terminal.screen().in_style(2, "7"), "  summary");
  terminal.type(kBackTab);
  EXPECT_TRUE(terminal.wait_until([&] { return terminal.screen().in_style(1, "7") == "  sum"; }));
  terminal.type(kUp + "\r");
  EXPECT_TRUE(terminal.shows({"> sumo"}, 0, 6));
  terminal.type("(\r");
  EXPECT_TRUE(terminal.shows({"> sumo(", "|"}, 1, 4));
}

TEST_F(View, TypingNarrowsAMenuAndEscapeClosesIt) {
  Session terminal(12, 40, program());
  terminal.type("s\tm");
  EXPECT_TRUE(terminal.shows({"> summ", "  summary  summary(x)"}));
  terminal.type("\t");
  EXPECT_TRUE(terminal.shows({"> summary", "  summary  summary(x)"}));
  terminal.type("\x1b");
  EXPECT_TRUE(terminal.shows({"> summ"}, 0, 6));
  terminal.type("\x15zzz\t");
  EXPECT_TRUE(terminal.shows({"> zzz", "nothing to complete"}, 0, 5));
}

TEST_F(View, AMenuHasRoomAtTheLastRow) {
  Session terminal(4, 40, program());
  terminal.type("a\rb\rs\t");
  EXPECT_TRUE(terminal.shows({"[b]", "> sum", "  sum      sum(x)", "  summary  summary(x)  … of 3"}, 1, 5));
}

TEST_F(View, TabAtALinesBeginningIndents) {
  Session terminal(12, 40, program());
  terminal.type("\tx");
  EXPECT_TRUE(terminal.shows({">   x"}, 0, 5));
}

// ---- colours --------------------------------------------------------------------------------------------------------

TEST_F(View, ColoursWhileTyping) {
  Session terminal(12, 40, program());
  terminal.type("a12(\r3");
  EXPECT_TRUE(terminal.shows({"> a12(", "|   3"}));
  EXPECT_EQ(terminal.screen().in_style(0, "33"), "12");
  EXPECT_EQ(terminal.screen().in_style(1, "33"), "3");
  EXPECT_EQ(terminal.screen().in_style(0, "1"), "> ");
}

TEST_F(View, NoColoursWhereTheEnvironmentSaysSo) {
  Session terminal(12, 40, [] {
    setenv("NO_COLOR", "1", 1);
    return echo(options());
  });
  terminal.type("a12");
  EXPECT_TRUE(terminal.shows({"> a12"}));
  EXPECT_EQ(terminal.screen().styled(), 0u);
}

TEST_F(View, WithoutStylesAMenuMarksWhatIsChosenAndNothingIsSuggested) {
  Session terminal(12, 40, [] {
    setenv("NO_COLOR", "1", 1);
    return echo(options());
  });
  terminal.type("sum(1)\rs");
  EXPECT_TRUE(terminal.shows({"> sum(1)", "[sum(1)]", "> s"}));
  terminal.type("\t\t");
  EXPECT_TRUE(terminal.shows(
      {"> sum(1)", "[sum(1)]", "> sum", "> sum      sum(x)", "  summary  summary(x)", "  sumo     sumo(x)"}));
  terminal.type("\x15\x04");
  terminal.wait();
  EXPECT_EQ(terminal.screen().styled(), 0u);
}

// ---- sizes ----------------------------------------------------------------------------------------------------------

TEST_F(View, LongLinesGoOnInTheNextRow) {
  Session terminal(10, 10, program());
  terminal.type("abcdefghijkl日本");
  EXPECT_TRUE(terminal.shows({"> abcdefg", "hijkl日本"}, 1, 9));
  terminal.type("x");
  EXPECT_TRUE(terminal.shows({"> abcdefg", "hijkl日本", "x"}, 2, 1));
  terminal.type("\x01");
  EXPECT_TRUE(terminal.shows({"> abcdefg", "hijkl日本", "x"}, 0, 2));
}

TEST_F(View, AnEntryTallerThanTheScreenScrolls) {
  Session terminal(6, 40, program());
  terminal.type("before\r");
  terminal.paste(lines(20));
  EXPECT_TRUE(terminal.shows(
      {"| let x14 = f(14)", "| let x15 = f(15)", "| let x16 = f(16)", "| let x17 = f(17)", "| let x18 = f(18)", "| }"},
      5, 3));
  terminal.type("\x1b<");
  EXPECT_TRUE(terminal.shows(
      {"> {", "| let x1 = f(1)", "| let x2 = f(2)", "| let x3 = f(3)", "| let x4 = f(4)", "| let x5 = f(5)"}, 0, 2));
  terminal.type(kDown + kDown + kDown + kDown + kDown + kDown + "!");
  EXPECT_TRUE(terminal.shows({"| let x1 = f(1)", "| let x2 = f(2)", "| let x3 = f(3)", "| let x4 = f(4)",
                              "| let x5 = f(5)", "| !let x6 = f(6)"},
                             5, 3));
  terminal.type("\r");
  EXPECT_TRUE(terminal.mentions("let x18 = f(18)/}]"));
  const std::vector<std::string>& scrolled = terminal.screen().scrolled();  // the whole entry is left above
  EXPECT_EQ(std::count(scrolled.begin(), scrolled.end(), "| let x9 = f(9)"), 1);
  EXPECT_NE(std::find(scrolled.begin(), scrolled.end(), "| let x1 = f(1)"), scrolled.end());
}

TEST_F(View, ANewSizeIsDrawnAnew) {
  Session terminal(10, 40, program());
  terminal.type("before\rabcdefghijklmnopqrstuvwxyz");
  ASSERT_TRUE(terminal.shows({"> before", "[before]", "> abcdefghijklmnopqrstuvwxyz"}));
  terminal.resize(10, 20);
  EXPECT_TRUE(terminal.shows({"> before", "[before]", "> abcdefghijklmnopq", "rstuvwxyz"}, 3, 9));
  terminal.resize(10, 60);
  EXPECT_TRUE(terminal.shows({"> before", "[before]", "> abcdefghijklmnopqrstuvwxyz"}, 2, 28));
  terminal.type("\r");
  EXPECT_TRUE(terminal.mentions("[abcdefghijklmnopqrstuvwxyz]"));
}

TEST_F(View, ATerminalOfHardlyAnySizeIsNoHarm) {
  for (const auto& [rows, columns] : std::vector<std::pair<std::size_t, std::size_t>>{{1, 80}, {2, 3}, {1, 1}}) {
    Session terminal(rows, columns, program(write("h", "sumx y\n")));
    terminal.type("s\t\x1b\x12x\x07{\rab\r}\r\x03\x04");
    EXPECT_EQ(terminal.wait(), 0) << rows << " x " << columns;
  }
}

// ---- speed ----------------------------------------------------------------------------------------------------------

TEST_F(View, OnlyWhatChangesIsSent) {
  Session terminal(50, 100, program());
  terminal.paste(lines(40));
  ASSERT_TRUE(terminal.mentions("| }"));
  terminal.type(kUp);
  ASSERT_TRUE(terminal.wait_until([&] { return terminal.screen().row() == 38; }));
  const std::size_t before = terminal.written();
  terminal.type("x");
  ASSERT_TRUE(terminal.mentions("lxet x38"));
  EXPECT_LE(terminal.written() - before, 60U);
}

TEST_F(View, AKeyInAnEntryOfTwoHundredLinesTakesLessThanFiveMilliseconds) {
  const auto seconds = [&](int keys) {
    Session terminal(60, 160, program());
    terminal.paste(lines(200));
    EXPECT_TRUE(terminal.mentions("| }"));
    terminal.type(kUp + kUp + kUp);
    for (int i = 0; i < keys; ++i) {
      terminal.type("x");
      EXPECT_TRUE(terminal.mentions("l" + std::string(static_cast<std::size_t>(i) % 100 + 1, 'x')));
    }
    terminal.type("\x03\x04");
    EXPECT_EQ(terminal.wait(), 0);
    return terminal.used().count();
  };
  EXPECT_LT((seconds(101) - seconds(1)) / 100, 0.005 * slowness());
}

TEST_F(View, AMegabyteIsPastedInLessThanTwoSeconds) {
  for (const bool one_line : {false, true}) {
    Session terminal(40, 100, program());
    std::string text;
    while (text.size() < 1'000'000) text += one_line ? "let x = 1; " : "let x = 1\n";
    const std::string size = std::to_string(text.size());
    terminal.paste(text);
    terminal.type("\r");
    EXPECT_TRUE(terminal.mentions("[" + size + " bytes]\n>"));
    terminal.type("\x04");
    EXPECT_EQ(terminal.wait(), 0);
    EXPECT_LT(terminal.used().count(), 2);
  }
}

// ---- without a terminal that draws ----------------------------------------------------------------------------------

TEST_F(View, ADumbTerminalGetsLines) {
  Session terminal(10, 40, [] {
    setenv("TERM", "dumb", 1);
    return echo(options());
  });
  terminal.type("a{\n");
  EXPECT_TRUE(terminal.shows({"> a{", "|"}));
  terminal.type("}\n");
  EXPECT_TRUE(terminal.shows({"> a{", "| }", "[a{/}]", ">"}));
  EXPECT_EQ(terminal.screen().in_style(0, "1"), "");
  terminal.type("\x04");
  EXPECT_EQ(terminal.wait(), 0);
}

TEST_F(View, APipeGivesLinesWithoutAPrompt) {
  Session terminal(10, 40, [] {
    int ends[2];
    if (pipe(ends) != 0 || ::write(ends[1], "a{\r\n}\nb{", 8) != 8) return 9;
    close(ends[1]);
    dup2(ends[0], STDIN_FILENO);
    return echo(options());
  });
  EXPECT_TRUE(terminal.shows({"[a{/}]", "[b{]"}));
  EXPECT_EQ(terminal.wait(), 0);
}

}  // namespace
}  // namespace mtf::line_editor
