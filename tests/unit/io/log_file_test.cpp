// Logs, in every state in which an earlier run may leave them.
#include "io/log_file.h"

#include <sys/stat.h>

#include "data_file_test.h"

namespace mtf::io {
namespace {

class LogFiles : public DataFileTest {
 protected:
  std::string json(const std::string& before, const std::string& line = "{\"b\": 2}", bool is_first = true) const {
    write("log", before);
    add_log_line(path("log"), LogForm::kJson, "", line, is_first);
    return read("log");
  }
  std::string csv(const std::string& before) const {
    write("log", before);
    add_log_line(path("log"), LogForm::kCsv, "step,loss", "7,0.5", true);
    return read("log");
  }
};

TEST_F(LogFiles, ItsFolderIsMade) {
  add_log_line(path("a/b/log"), LogForm::kCsv, "step", "1", true);
  EXPECT_EQ(read("a/b/log"), "step\n1\n");
}

TEST_F(LogFiles, ALineThatWasTornIsTakenAway) {
  EXPECT_EQ(json("{\"a\": 1}\n{\"a\": 0."), "{\"a\": 1}\n{\"b\": 2}\n");
  EXPECT_EQ(json("{\"a\""), "{\"b\": 2}\n");
  EXPECT_EQ(csv("step,loss\n1,0.25\n2,0.1"), "step,loss\n1,0.25\n7,0.5\n");
  EXPECT_EQ(csv("step,l"), "step,loss\n7,0.5\n");
  EXPECT_EQ(csv("step,loss\n1,\"two\nlines\"\n2,\"two\nli"), "step,loss\n1,\"two\nlines\"\n7,0.5\n");
}

TEST_F(LogFiles, AWholeObjectThatOnlyLacksItsEndStays) { EXPECT_EQ(json("{\"a\": 1}"), "{\"a\": 1}\n{\"b\": 2}\n"); }

TEST_F(LogFiles, WhatIsNoLogStays) {
  const std::string script = "import nn\nlet x = 3";
  EXPECT_MENTIONS(message_of([&] { json(script); }), "expected JSON objects, one a line, found `import nn`");
  EXPECT_EQ(read("log"), script);
  EXPECT_MENTIONS(message_of([&] { csv(script); }), "expected `step,loss` as its first line, found `import nn`");
  EXPECT_EQ(read("log"), script);
  EXPECT_MENTIONS(message_of([&] { csv("step\n1"); }), "found `step`");
}

TEST_F(LogFiles, StreamsAreWrittenTo) {
  add_log_line("/dev/null", LogForm::kJson, "", "{}", true);
  EXPECT_MENTIONS(message_of([&] { add_log_line("/dev/full", LogForm::kJson, "", "{}", true); }), "No space left");
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_EQ(message_of([&] { add_log_line(path("pipe"), LogForm::kJson, "", "{}", true); }),
            "cannot be written: nobody reads it");
}

TEST_F(LogFiles, LinesBehindAMarkGo) {
  json("", "{\"a\": 1}");
  const LogMark mark = *mark_log(path("log"));
  json(read("log"), "{\"a\": 2}", false);
  cut_log(path("log"), mark);
  EXPECT_EQ(read("log"), "{\"a\": 1}\n");
  cut_log(path("log"), mark);
  EXPECT_EQ(read("log"), "{\"a\": 1}\n");
  cut_log(path("log"), LogMark());
  EXPECT_EQ(read("log"), "");
}

TEST_F(LogFiles, OneThatWasChangedByHandIsRefusedAndStays) {
  json("", "{\"a\": 1}");
  const LogMark mark = *mark_log(path("log"));
  for (const std::string changed : {"{\"a\": 3}\n{\"a\": 4}\n", "{\"a\""}) {
    write("log", changed);
    EXPECT_MENTIONS(message_of([&] { cut_log(path("log"), mark); }), "have been changed since");
    EXPECT_EQ(read("log"), changed);
  }
  write("log", "");
  cut_log(path("log"), mark);
  EXPECT_FALSE(mark_log(path("nothing")));
}

TEST_F(LogFiles, OneThatIsSetAsideKeepsItsLines) {
  for (const std::string name : {"log.before", "log.before-2"}) {
    write("log", name);
    set_log_aside(path("log"));
    EXPECT_EQ(read(name), name);
    EXPECT_FALSE(std::filesystem::exists(path("log")));
  }
  set_log_aside(path("log"));
}

}  // namespace
}  // namespace mtf::io
