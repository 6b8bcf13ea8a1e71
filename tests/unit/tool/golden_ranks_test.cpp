// `mtf test` on ranks: all combinations of a script with the same number of ranks run in one job, and none affects
// another.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

#include <cstdlib>
#include <thread>

#include "command.h"
#include "mpi_job.h"

namespace mtf::tool {
namespace {

class GoldenRanks : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    if (!has_mpirun()) GTEST_SKIP() << "no mpirun";
  }

  /// Runs `mtf test words…`, and counts the jobs that it starts.
  ProcessResult test(std::vector<std::string> words, int& jobs) const {
    const std::string counted = path("jobs"), search = std::getenv("PATH");
    const std::string mpirun =
        write("mpirun", "#!/bin/sh\necho job >> " + counted + "\nPATH='" + search + "' exec mpirun \"$@\"\n");
    chmod(mpirun.c_str(), 0755);
    words.insert(words.begin(), {kMtf, "test"});
    const ProcessResult result = run_process(words, {{"PATH", path("") + ":" + search}}, kPatience);
    jobs = 0;
    for (const char letter : read("jobs")) jobs += letter == '\n';
    return result;
  }

  /// A script that prints 8 on two ranks under three meshes. Under the second mesh, `statements` run first.
  std::string under_the_second(const std::string& statements) const {
    return write("a.mtf",
                 "#: meshes \"all:2\" \"all:4\" \"all:8\"\n#: ranks 2\nimport data\ndim a = 8\nlet x = ones([a])\n"
                 "let c = counters { ones([]) }\nif c.processors == 4 {\n  " +
                     statements + "\n}\nprint(sum(x))\n#> 8\n");
  }
};

const std::string kSecond = ":1: --mesh \"all:4\" on 2 ranks\n";

TEST_F(GoldenRanks, CombinationsOnAsManyRanksShareAJobAndNothingElse) {
  int jobs = 0;
  const std::string file =
      write("a.mtf",
            "#: meshes \"all:4\" \"all:4\" \"all:6\"\n#: layouts \"\" \"a:all\"\n#: ranks 1 2 3\ndim a = 8\n"
            "print(random.uniform([a]))\nlet c = counters { print(sum(ones([a]) + 1)) }\nprint(c.all_reduce.count)\n");
  const ProcessResult result = test({file}, jobs);
  EXPECT_MENTIONS(result.out, ":1: --mesh \"all:4\" --layout \"a:all\", and 8 more\n") << "each counts its own";
  EXPECT_MENTIONS(result.out, "    - 0\n    + 1\n\n0 passed, 1 failed\n");
  EXPECT_EQ(jobs, 2) << "on two ranks and on three";
}

TEST_F(GoldenRanks, AnErrorUnderOneCombinationIsItsOwn) {
  int jobs = 0;
  const std::string out = test({under_the_second("print(7)\n  assert false")}, jobs).out;
  EXPECT_MENTIONS(out, ":9: --mesh \"all:4\" on 2 ranks\n    this error was not expected:\n");
  EXPECT_MENTIONS(out, ":12: --mesh \"all:4\" on 2 ranks\n    - 8\n    + 7\n\n0 passed, 1 failed\n");
  EXPECT_EQ(out.find("all:2"), std::string::npos) << out;
  EXPECT_EQ(out.find("all:8"), std::string::npos) << out;
  EXPECT_EQ(jobs, 2) << "the third combination runs in a new one";
}

TEST_F(GoldenRanks, OneThatTakesTooLongIsEndedAndLeavesTheOthers) {
  int jobs = 0;
  const std::string file = under_the_second("while true { x := x * 0.5 }");
  const ProcessResult result = test({"--limit", "5", file}, jobs);
  EXPECT_EQ(result.out, "FAILED " + file + kSecond + "    it took too long and was ended\n\n0 passed, 1 failed\n");
  EXPECT_EQ(jobs, 2);
}

TEST_F(GoldenRanks, OneThatPrintsTooMuchIsEndedAndLeavesTheOthers) {
  int jobs = 0;
  const std::string file = under_the_second("while true { print(\"" + std::string(10000, 'x') + "\") }");
  EXPECT_EQ(test({file}, jobs).out,
            "FAILED " + file + kSecond + "    it printed more than 8.0 MiB and was ended\n\n0 passed, 1 failed\n");
  EXPECT_EQ(jobs, 2);
}

/// Returns the processes that `mpirun` has started for the script.
std::vector<pid_t> ranks_of(const std::string& file) {
  std::vector<pid_t> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string line = text_of_process(entry.path().filename(), "cmdline");
    if (line.starts_with(kMtf + std::string("\0test\0--on-ranks", 16)) && line.find(file) != std::string::npos)
      found.push_back(static_cast<pid_t>(std::stol(entry.path().filename())));
  }
  return found;
}

TEST_F(GoldenRanks, OneThatCrashesLeavesTheOthers) {
  const std::string started = path("started");
  const std::string file = under_the_second("data.save_npy(\"" + started + "\", x)\n  while true { x := x * 0.5 }");
  ProcessResult result;
  int jobs = 0;
  std::thread testing([&] { result = test({file}, jobs); });
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (!std::filesystem::exists(started) && std::chrono::steady_clock::now() < deadline) usleep(20'000);
  const std::vector<pid_t> ranks = ranks_of(file);
  EXPECT_EQ(ranks.size(), 2u);
  if (!ranks.empty()) kill(ranks.back(), SIGKILL);
  testing.join();
  EXPECT_EQ(result.out.find("FAILED " + file + kSecond + "    it ended with status 137\n"), 0u) << result.out;
  EXPECT_EQ(result.out.find("all:2"), std::string::npos) << result.out;
  EXPECT_EQ(result.out.find("all:8"), std::string::npos) << result.out;
  EXPECT_EQ(jobs, 2);
}

TEST_F(GoldenRanks, AScriptThatIsUpdatedOnRanksSaysWhichStatementPrintsWhat) {
  const std::string file = write("a.mtf", "#: ranks 2\nprint(1)\nlet x = 2\nprint(x)\n");
  EXPECT_MENTIONS(mtf({"test", "--update", "--yes", file}).out, "1 passed, 0 failed");
  EXPECT_EQ(read("a.mtf"), "#: ranks 2\nprint(1)\n#> 1\nlet x = 2\nprint(x)\n#> 2\n");
}

TEST_F(GoldenRanks, RanksOfATestAreStartedByTheTest) {
  const ProcessResult result = mtf({"test", "--on-ranks", "0", write("a.mtf", "print(1)\n")});
  EXPECT_EQ(result.status, 2);
  EXPECT_MENTIONS(result.err, "`mtf test` starts the ranks that a script asks for itself");
}

}  // namespace
}  // namespace mtf::tool
