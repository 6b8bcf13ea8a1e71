// History, its file, search and suggestions.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <filesystem>
#include <thread>

#include "editor_test.h"
#include "line_editor/history.h"

namespace mtf::line_editor {
namespace {

using HistoryTest = EditorTest;

TEST_F(HistoryTest, EntriesOfSeveralLinesSurviveTheFile) {
  const std::vector<std::string> entries = {"a", "model {\n  x \\n\\\n}", "\\040", "ü\t\x01"};
  {
    History history(path("h"));
    for (const std::string& entry : entries) history.add(entry);
    history.add(entries.back());
    history.add(" \n");
  }
  const History again(path("h"));
  ASSERT_EQ(again.size(), entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i) EXPECT_EQ(again[i], entries[i]);
}

TEST_F(HistoryTest, TheFileIsItsOwnersAlone) {
  write("h", "a\n");
  chmod(path("h").c_str(), 0644);
  History(path("h")).add("b");
  History(path("new")).add("b");
  for (const std::string name : {"h", "new"}) {
    struct stat status = {};
    stat(path(name).c_str(), &status);
    EXPECT_EQ(status.st_mode & 0777U, 0600U) << name;
  }
}

TEST_F(HistoryTest, SessionsAtOnceLoseNothing) {
  std::vector<std::thread> sessions;
  for (int s = 0; s < 4; ++s)
    sessions.emplace_back([this, s] {
      History history(path("h"), 1000);
      for (int i = 0; i < 100; ++i) history.add(std::to_string(s) + "/" + std::to_string(i));
    });
  for (std::thread& session : sessions) session.join();
  EXPECT_EQ(History(path("h")).size(), 400U);
}

TEST_F(HistoryTest, AWriterWaitsForTheLock) {
  write("h", "a\n");
  const int lock = open(path("h").c_str(), O_RDWR);
  ASSERT_EQ(flock(lock, LOCK_EX), 0);
  std::thread writer([this] { History(path("h")).add("b"); });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(read("h"), "a\n");
  close(lock);
  writer.join();
  EXPECT_EQ(read("h"), "a\nb\n");
}

TEST_F(HistoryTest, ALongFileIsCutToItsEnd) {
  std::string lines;
  for (int i = 0; i < 50; ++i) lines += std::to_string(i) + "\n";
  write("h", lines);
  const History history(path("h"), 10);
  ASSERT_EQ(history.size(), 10U);
  EXPECT_EQ(history[0], "40");
  EXPECT_EQ(read("h"), "40\n41\n42\n43\n44\n45\n46\n47\n48\n49\n");
}

TEST_F(HistoryTest, AFileBehindALinkIsCutThere) {
  std::string lines;
  for (int i = 0; i < 50; ++i) lines += std::to_string(i) + "\n";
  write("h", lines);
  std::filesystem::create_symlink("h", path("link"));
  const History history(path("link"), 2);
  EXPECT_TRUE(std::filesystem::is_symlink(path("link")));
  EXPECT_EQ(read("h"), "48\n49\n");
}

TEST_F(HistoryTest, AFileOfLibeditIsRead) {
  const History history(write("h", "_HiStOrY_V2_\nlet\\040x\\040=\\0401\n"));
  ASSERT_EQ(history.size(), 1U);
  EXPECT_EQ(history[0], "let x = 1");
}

TEST_F(HistoryTest, AFileThatCannotBeIsNoFile) {
  History history(path("none/h"));
  history.add("a");
  EXPECT_EQ(history.size(), 1U);
  EXPECT_EQ(History("/dev/null").size(), 0U);
  EXPECT_EQ(History(path("")).size(), 0U);
}

// ---- at the terminal ------------------------------------------------------------------------------------------------

TEST_F(HistoryTest, EntriesAreRecalledAsBlocksAndWhatWasTypedComesBack) {
  Session terminal(12, 60, program(write("h", "first\nmodel {\\n  x\\n}\nlast\n")));
  terminal.type("new" + kUp);
  EXPECT_TRUE(terminal.shows({"> last"}));
  terminal.type(kUp);
  EXPECT_TRUE(terminal.shows({"> model {", "|   x", "| }"}, 0, 9));
  terminal.type("Y" + kUp);
  EXPECT_TRUE(terminal.shows({"> first"}));
  terminal.type(kUp + kDown);
  EXPECT_TRUE(terminal.shows({"> model {Y", "|   x", "| }"}, 2, 3));
  terminal.type(kDown + kDown);
  EXPECT_TRUE(terminal.shows({"> new"}, 0, 5));
  terminal.type("\x10\x10\r");  // Ctrl-P twice
  EXPECT_TRUE(terminal.shows({"> model {Y", "|   x", "| }", "[model {Y/  x/}]", ">"}));
}

TEST_F(HistoryTest, TheNextSessionHasThem) {
  {
    Session terminal(12, 60, program(path("h")));
    terminal.type("{\ra\r}\r");
    EXPECT_TRUE(terminal.mentions("[{/  a/}]"));
  }
  Session terminal(12, 60, program(path("h")));
  terminal.type(kUp);
  EXPECT_TRUE(terminal.shows({"> {", "|   a", "| }"}));
}

TEST_F(HistoryTest, CtrlRSearches) {
  Session terminal(12, 60, program(write("h", "let a = 1\nlet b = 2\nprint(a)\n")));
  terminal.type("typed\x12le");
  EXPECT_TRUE(terminal.shows({"> let b = 2", "search in history: le"}, 0, 2));
  terminal.type("\x12");
  EXPECT_TRUE(terminal.shows({"> let a = 1", "search in history: le"}));
  terminal.type("\x12");
  EXPECT_TRUE(terminal.shows({"> let a = 1", "not in history: le"}));
  terminal.type("\x07");
  EXPECT_TRUE(terminal.shows({"> typed"}, 0, 7));
  terminal.type("\x12= 2\x05!\r");
  EXPECT_TRUE(terminal.shows({"> let b = 2!", "[let b = 2!]", ">"}));
  terminal.type("\x12int\r");
  EXPECT_TRUE(terminal.mentions("[print(a)]"));
}

TEST_F(HistoryTest, WhatWasEnteredBeforeIsSuggested) {
  Session terminal(12, 60, program(write("h", "let a = 1\nlet b = 2\\nmore\n")));
  terminal.type("let");
  EXPECT_TRUE(terminal.shows({"> let b = 2 …"}, 0, 5));
  EXPECT_EQ(terminal.screen().in_style(0, "2"), " b = 2 …");
  terminal.type(" a");
  EXPECT_TRUE(terminal.shows({"> let a = 1"}, 0, 7));
  terminal.type(
      "\x1b"
      "f");
  EXPECT_TRUE(terminal.shows({"> let a = 1"}, 0, 11));
  terminal.type("\x03let b" + kRight);
  EXPECT_TRUE(terminal.shows({"> let a = 1^C", "> let b = 2", "| more"}, 2, 6));
  terminal.type("\x15\x7f!\r");
  EXPECT_TRUE(terminal.mentions("[let b = 2!]"));
}

TEST_F(HistoryTest, ASuggestionIsNotEntered) {
  Session terminal(12, 60, program(write("h", "let a = 1\n")));
  terminal.type("let\r");
  EXPECT_TRUE(terminal.shows({"> let", "[let]", ">"}));
}

}  // namespace
}  // namespace mtf::line_editor
