// The terminal is restored, however reading ends.
#include <sys/wait.h>

#include <cstdlib>
#include <stdexcept>

#include "editor_test.h"

namespace mtf::line_editor {
namespace {

using TerminalTest = EditorTest;

TEST_F(TerminalTest, ItIsRestoredAtTheEnd) {
  Session terminal(10, 40, program());
  ASSERT_TRUE(terminal.shows({">"}));
  EXPECT_FALSE(terminal.is_restored());
  terminal.type("\x04");
  EXPECT_EQ(terminal.wait(), 0);
  EXPECT_TRUE(terminal.is_restored());
}

TEST_F(TerminalTest, ItIsRestoredWhileAnEntryIsDealtWith) {
  Session terminal(10, 40, [] {
    LineEditor editor(options());
    std::string entry;
    editor.read({"> ", "| "}, entry);
    if (::write(STDOUT_FILENO, "working\n", 8) < 0) return 1;
    pause();
    return 0;
  });
  terminal.type("a\r");
  ASSERT_TRUE(terminal.mentions("working"));
  EXPECT_TRUE(terminal.is_restored());
  terminal.type("\x03");
  EXPECT_EQ(terminal.wait(), 128 + SIGINT);
}

TEST_F(TerminalTest, ItIsRestoredBySignals) {
  for (const int signal : {SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGABRT, SIGSEGV}) {
    Session terminal(10, 40, program());
    terminal.type("ab");
    ASSERT_TRUE(terminal.shows({"> ab"}));
    kill(terminal.process(), signal);
    EXPECT_EQ(terminal.wait(), 128 + signal);
    EXPECT_TRUE(terminal.is_restored()) << signal;
  }
}

TEST_F(TerminalTest, ItIsRestoredByExitAndExceptions) {
  for (const std::string way : {"exit", "exception"}) {
    Session terminal(10, 40, [&] {
      Options asked = options();
      asked.is_complete = [&](const std::string&) -> bool {
        if (way == "exit") std::exit(7);
        throw std::runtime_error("wrong");
      };
      try {
        return echo(std::move(asked));
      } catch (const std::runtime_error&) { return 7; }
    });
    terminal.type("ab\r");
    EXPECT_EQ(terminal.wait(), 7);
    EXPECT_TRUE(terminal.is_restored()) << way;
  }
}

// As in a shell: the editor is a job of its own, which is stopped and later continued.
TEST_F(TerminalTest, ItIsRestoredWhileTheProcessIsStopped) {
  Session terminal(10, 40, [] {
    signal(SIGTTOU, SIG_IGN);
    const pid_t job = fork();
    if (job == 0) {
      setpgid(0, 0);
      tcsetpgrp(STDIN_FILENO, getpid());
      signal(SIGTTOU, SIG_DFL);
      _exit(echo(options()));
    }
    int status = 0;
    waitpid(job, &status, WUNTRACED);
    termios now{};
    tcgetattr(STDIN_FILENO, &now);
    tcsetpgrp(STDIN_FILENO, getpgrp());
    const std::string said = WIFSTOPPED(status) && (now.c_lflag & ICANON) != 0 ? "stopped\n" : "wrong\n";
    if (::write(STDOUT_FILENO, said.data(), said.size()) < 0) return 1;
    tcsetpgrp(STDIN_FILENO, job);
    kill(job, SIGCONT);
    waitpid(job, &status, 0);
    return WEXITSTATUS(status);
  });
  terminal.type("ab\x1a");
  EXPECT_TRUE(terminal.shows({"stopped", "> ab"}, 1, 4));
  terminal.type("\r\x04");
  EXPECT_EQ(terminal.wait(), 0);
}

TEST_F(TerminalTest, ASignalThatSomebodyHandlesIsCtrlC) {
  Session terminal(10, 40, [] {
    struct sigaction action = {};
    action.sa_handler = [](int) {};
    sigaction(SIGINT, &action, nullptr);
    return echo(options());
  });
  terminal.type("ab");
  ASSERT_TRUE(terminal.shows({"> ab"}));
  kill(terminal.process(), SIGINT);
  EXPECT_TRUE(terminal.shows({"> ab^C", ">"}));
}

TEST_F(TerminalTest, ATerminalThatGoesAwayIsTheEnd) {
  int process = 0;
  {
    Session terminal(10, 40, [] {
      signal(SIGHUP, SIG_IGN);
      return echo(options());
    });
    ASSERT_TRUE(terminal.shows({">"}));
    process = terminal.process();
  }
  EXPECT_EQ(kill(process, 0), -1);
}

}  // namespace
}  // namespace mtf::line_editor
