// Keys and their effects on an entry, at a pseudo-terminal.
#include "editor_test.h"

namespace mtf::line_editor {
namespace {

using Editing = EditorTest;

// Returns the entry after these keys.
std::string entered(Session& terminal, const std::string& keys) {
  terminal.type(keys + "\x1b>\r");
  std::string last;
  terminal.wait_until([&] {
    const std::vector<std::string> rows = terminal.screen().rows();
    if (rows.size() < 2 || rows.back() != ">") return false;
    last = rows[rows.size() - 2];
    return last.starts_with('[');
  });
  terminal.type("\x0c");
  EXPECT_TRUE(terminal.shows({">"}));
  return last;
}

TEST_F(Editing, KeysOfEmacs) {
  Session terminal(10, 60, program());
  ASSERT_TRUE(terminal.shows({">"}, 0, 2));
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"bc\x01"
       "a",
       "[abc]"},  // Ctrl-A
      {"ac\x02"
       "b",
       "[abc]"},  // Ctrl-B
      {"bd\x01\x06"
       "c",
       "[bcd]"},  // Ctrl-F
      {"ab cd\x1b"
       "bx",
       "[ab xcd]"},  // Alt-B
      {"ab cd\x01\x1b"
       "fx",
       "[abx cd]"},  // Alt-F
      {"ab cd\x01\x1b"
       "d",
       "[ cd]"},               // Alt-D
      {"ab cd\x17", "[ab ]"},  // Ctrl-W
      {"ab cd\x15", "[]"},     // Ctrl-U
      {"ab cd\x1b"
       "b\x0b",
       "[ab ]"},                             // Ctrl-K
      {"ab cd\x17\x01\x19 ", "[cd ab ]"},    // Ctrl-Y
      {"a b c\x17\x17\x01\x19", "[b ca ]"},  // consecutive kills are restored together
      {"abc\x14", "[acb]"},                  // Ctrl-T at the end
      {"abc\x02\x02\x14", "[bac]"},          // Ctrl-T in the middle
      {"ab\x02\x04", "[a]"},                 // Ctrl-D deletes
      {"ab\x7f", "[a]"},                     // Backspace
      {"ab\x1b[D\x1b[3~", "[a]"},            // Left, Delete
      {"ab\x1b[Hx", "[xab]"},                // Home
      {"ab cd\x1b[1;5Dx", "[ab xcd]"},       // Ctrl-Left
      {"ab", "[ab]"},
      {"ab cd\x1b\x7f", "[ab ]"},  // Alt-Backspace
  };
  for (const auto& [keys, entry] : cases) EXPECT_EQ(entered(terminal, keys), entry) << ::testing::PrintToString(keys);
}

TEST_F(Editing, UndoTakesBackAWordAtATimeAndEveryOtherChange) {
  Session terminal(10, 60, program());
  EXPECT_EQ(entered(terminal, "one two\x1f"), "[one ]");
  EXPECT_EQ(entered(terminal, "one two\x1f\x1f"), "[]");
  EXPECT_EQ(entered(terminal, "one two\x17\x1f"), "[one two]");
  EXPECT_EQ(entered(terminal, "one two\x1f\x1b_"), "[one two]");
}

TEST_F(Editing, AnIncompleteEntryGoesOnIndentedAndClosingBracketsStandFurtherLeft) {
  Session terminal(10, 60, program());
  terminal.type("model {\rfn f(\rx\r)\r");
  EXPECT_TRUE(terminal.shows({"> model {", "|   fn f(", "|     x", "|   )", "|"}, 4, 4));
  terminal.type("}\r");
  EXPECT_TRUE(terminal.shows(
      {"> model {", "|   fn f(", "|     x", "|   )", "| }", "[model {/  fn f(/    x/  )/}]", ">"}, 6, 2));
}

TEST_F(Editing, AltEnterDoesTheOppositeOfEnter) {
  Session terminal(10, 60, program());
  terminal.type("a" + kAltEnter + "b");
  EXPECT_TRUE(terminal.shows({"> a", "| b"}, 1, 3));
  terminal.type("\r");
  EXPECT_TRUE(terminal.mentions("[a/b]"));
  terminal.type("f(" + kAltEnter);
  EXPECT_TRUE(terminal.mentions("[f(]"));
}

TEST_F(Editing, ArrowsMoveThroughTheLinesOfAnEntry) {
  Session terminal(10, 60, program());
  terminal.type("{abcd\re\rfghi" + kUp + kUp + "X" + kDown + kDown + "Y");
  EXPECT_TRUE(terminal.shows({"> {abcdX", "|   e", "|   fghiY"}, 2, 9));
  terminal.type("\x01}\x1b<Z");
  EXPECT_TRUE(terminal.shows({"> Z{abcdX", "|   e", "| }  fghiY"}, 0, 3));
}

TEST_F(Editing, APastedBlockIsOneEntry) {
  Session terminal(10, 60, program());
  terminal.paste("a\rb\r\nc\n");
  EXPECT_TRUE(terminal.shows({"> a", "| b", "| c", "|"}, 3, 2));
  EXPECT_TRUE(terminal.screen().brackets_paste());
  terminal.type("\r");
  EXPECT_TRUE(terminal.mentions("[a/b/c/]"));
}

TEST_F(Editing, WideAndCombiningCharactersAreOneStepEach) {
  Session terminal(10, 60, program());
  terminal.type("日本e\u0301x");
  EXPECT_TRUE(terminal.shows({"> 日本e\u0301x"}, 0, 8));
  terminal.type(kLeft + kLeft);
  EXPECT_TRUE(terminal.shows({"> 日本e\u0301x"}, 0, 6));
  terminal.type("\x7f");
  EXPECT_TRUE(terminal.shows({"> 日e\u0301x"}, 0, 4));
}

TEST_F(Editing, ControlCharactersAndBadUtf8AreShownEscaped) {
  Session terminal(10, 60, program());
  terminal.paste("a\x1b[31m\x01\xff\xe2\x80\xae|");
  EXPECT_TRUE(terminal.shows({"> a\\x1b[31m\\x01\\xff\\u{202e}|"}));
}

TEST_F(Editing, CtrlCClearsTheEntryAndSaysHowToLeaveWhereThereIsNone) {
  Session terminal(10, 60, program());
  terminal.type("{\rab\x03");
  EXPECT_TRUE(terminal.shows({"> {", "|   ab^C", ">"}, 2, 2));
  terminal.type("\x03");
  EXPECT_TRUE(terminal.shows({"> {", "|   ab^C", ">", "Ctrl-D leaves"}, 2, 2));
  terminal.type("x");
  EXPECT_TRUE(terminal.shows({"> {", "|   ab^C", "> x"}, 2, 3));
}

TEST_F(Editing, CtrlDAsksWhereAnEntryIsUnfinished) {
  Session terminal(10, 80, program());
  terminal.type("ab\x04");
  EXPECT_TRUE(terminal.shows({"> ab", "This entry is unfinished. Ctrl-D again leaves, any other key goes on."}, 0, 4));
  terminal.type("c\x04");
  EXPECT_TRUE(terminal.shows({"> abc", "This entry is unfinished. Ctrl-D again leaves, any other key goes on."}, 0, 5));
  terminal.type("\x04");
  EXPECT_EQ(terminal.wait(), 1);
  Session empty(10, 80, program());
  empty.type("\x04");
  EXPECT_EQ(empty.wait(), 0);
}

TEST_F(Editing, KeysTypedAheadAreNotLost) {
  Session terminal(10, 60, program());
  terminal.type("a\rb\rc\r");
  EXPECT_TRUE(terminal.shows({"> a", "[a]", "> b", "[b]", "> c", "[c]", ">"}));
}

}  // namespace
}  // namespace mtf::line_editor
