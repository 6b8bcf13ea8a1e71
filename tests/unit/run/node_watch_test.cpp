// A rank says which machine is gone.
#include "run/node_watch.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <thread>

#include "support/expected_end.h"
#include "support/platform.h"

namespace mtf::run {
namespace {

/// Waits at most 5 s.
bool comes(const std::function<bool()>& is_there) {
  for (int looks = 0; looks < 500 && !is_there(); ++looks) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return is_there();
}

/// What rank 0 on node0 says about a peer, rank 2 on node1, that ends as `end` does.
std::string said_of(const std::function<void()>& end) {
  int ends[2];
  if (!open_pipe(ends)) return "no pipe";
  const pid_t child = fork();
  if (child == 0) {
    std::string where(512, ' ');
    where.resize(static_cast<size_t>(std::max<ssize_t>(0, read(ends[0], where.data(), where.size()))));
    auto* const watch = new NodeWatch(2, "node1");  // an end runs no destructor
    watch->connect(where);
    char go = 0;  // the other side has seen this one
    if (comes([&] { return watch->watched() == 1; }) && read(ends[0], &go, 1) == 1) end();
    _exit(1);
  }
  std::string said;
  {
    NodeWatch watch(0, "node0", [&](const std::string& message) { said += message; });
    const std::string where = watch.listen();
    EXPECT_NE(where, "");
    EXPECT_EQ(write(ends[1], where.data(), where.size()), static_cast<ssize_t>(where.size()));
    EXPECT_TRUE(comes([&] { return watch.watched() == 1; }));
    EXPECT_EQ(write(ends[1], "\n", 1), 1);
    EXPECT_TRUE(comes([&] { return watch.watched() == 0; }));
  }
  close(ends[0]);
  close(ends[1]);
  waitpid(child, nullptr, 0);
  return said;
}

TEST(NodeWatch, NamesTheMachineOfAPeerThatIsKilled) {
  EXPECT_TRUE(said_of([] { raise(SIGKILL); })
                  .starts_with("error: node1 is gone, or at least rank 2 there: its connection to rank 0 on node0 has "
                               "broken\n  = help: start the program again"));
}

TEST(NodeWatch, SaysNothingOfAPeerThatEndsKnowingly) {
  EXPECT_EQ(said_of([] { end_process(1); }), "");
}

// As where SIGTERM comes to a rank, which then ends its step.
TEST(NodeWatch, SaysNothingWhereAPeerAnswersAKnowingEnd) {
  std::string said;
  const auto say = [&](const std::string& message) { said += message; };
  NodeWatch first(0, "node0", say), second(2, "node1", say);
  second.connect(first.listen());
  EXPECT_TRUE(comes([&] { return first.watched() == 1 && second.watched() == 1; }));
  expect_end();
  EXPECT_TRUE(comes([&] { return first.watched() == 0 && second.watched() == 0; }));
  EXPECT_EQ(said, "");
}

TEST(NodeWatch, IgnoresAStrangerWithoutTheToken) {
  std::string said;
  NodeWatch watch(0, "node0", [&](const std::string& message) { said += message; });
  std::string where = watch.listen();
  where[0] = where[0] == '0' ? '1' : '0';
  {
    NodeWatch stranger(2, "node1", [&](const std::string& message) { said += message; });
    stranger.connect(where);
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    EXPECT_EQ(stranger.watched(), 0);
  }
  EXPECT_EQ(watch.watched(), 0);
  EXPECT_EQ(said, "");
}

// As where Open MPI has closed the guard's socket, or where a node has ended.
TEST(ExpectedEnd, IsNoSignalWhereTheReaderIsGone) {
  EXPECT_EXIT(
      {
        int ends[2];
        signal(SIGPIPE, SIG_DFL);
        socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
        close(ends[0]);
        tell_expected_end(ends[1]);
        end_process(3);
      },
      testing::ExitedWithCode(3), "");
}

}  // namespace
}  // namespace mtf::run
