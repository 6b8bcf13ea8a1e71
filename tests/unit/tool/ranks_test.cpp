// The end of `mpirun -n 3 mtf run`: every job ends, with one message and the right status.
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <functional>

#include "command.h"
#include "mpi_job.h"
#include "support/available_memory.h"

namespace mtf::tool {
namespace {

using std::chrono::seconds;

// Each of three processors has two elements; rank 2 has the last two.
const std::string kHead = "mesh m = [p: 3]\ndim n = 6, vocab = 4\nlayout split = {n -> p}\n";
const std::string kRight = kHead + "print(sum(range(n)))\n";

int times_in(const std::string& text, const std::string& part) {
  int found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++found;
  return found;
}

testing::AssertionResult says_once(const std::string& err, const std::string& kind) {
  if (times_in(err, "error:") == 1 && times_in(err, "[" + kind + "]") == 1) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "expected one error, of kind " << kind << ", found:\n" << err;
}

class OnRanks : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    if (!has_mpirun()) GTEST_SKIP() << "no mpirun";
  }

  static ProcessResult run(const std::vector<std::string>& words) {
    std::vector<std::string> line = {kMtf, "run"};
    line.insert(line.end(), words.begin(), words.end());
    return run_on_ranks(3, line);
  }

  /// Simulates nodes with different versions of one script: rank 0 runs `first`, the others run `others`.
  ProcessResult run_versions(const std::string& first, const std::string& others) const {
    const std::string a = write("a.mtf", first), b = write("b.mtf", others);
    return run_on_ranks(
        3,
        {"sh", "-c", "[ $OMPI_COMM_WORLD_RANK = 0 ] && exec " + kMtf + " run " + a + "; exec " + kMtf + " run " + b});
  }

  /// Runs kHead, prints a line, then runs the statement on line 5, which must end all ranks at once.
  void expect_to_end_at_line_5(const std::string& statements, const std::string& kind) const {
    MpiJob job(3, {kMtf, "run", write("a.mtf", kHead + "print(\"start\")\n" + statements)});
    ASSERT_TRUE(job.has_printed("start")) << job.result().err;
    EXPECT_TRUE(job.are_gone_within(seconds(60), job.ranks()));
    EXPECT_EQ(job.end().status, 1);
    EXPECT_TRUE(says_once(job.result().err, kind));
    EXPECT_MENTIONS(job.result().err, "a.mtf:5:");
  }
};

// ---- each kind of ending --------------------------------------------------------------------------------------------

TEST_F(OnRanks, WithoutMpiSayWhatIsMissing) {
  const std::string file = write("a.mtf", kRight), none = "MTF_MPI=" + path("none.so");
  const ProcessResult several = run_on_ranks(3, {"env", none, kMtf, "run", file});
  EXPECT_TRUE(says_once(several.err, "mpi_not_found"));
  EXPECT_MENTIONS(several.err, "install the package `mtf-mpi`");
  EXPECT_EQ(several.status, 2);
  EXPECT_MENTIONS(run_on_ranks(3, {"env", "MTF_MPI=" + kMtf, kMtf, "run", file}).err, "[mpi_not_found]");
  EXPECT_EQ(run_process({"env", none, kMtf, "run", file}, {}, kPatience).out, "15\n");
}

TEST_F(OnRanks, SuccessIs0) {
  const ProcessResult result = run({write("a.mtf", kRight)});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.out, "15\n");
  EXPECT_EQ(result.err, "");
}

TEST_F(OnRanks, AWarningIsSaidOnce) {
  const ProcessResult result = run({write("a.mtf", kRight + "layout other = {m -> p}\n")});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(times_in(result.err, "[layout_dim_unused]"), 1) << result.err;
}

TEST_F(OnRanks, AWarningThatOnlyTheRunKnowsIsSaidOnce) {
  const ProcessResult result = run({write("a.mtf", kHead + "let w = ones([n])\nlet v = ones([n])\n"
                                                           "for i in 0..3 {\n"
                                                           "  let h = zeros([n])\n"
                                                           "  if sum(w) > 1 { h := w } else { h := v }\n"
                                                           "  print(grad(sum(h), [w, v])[1])\n"
                                                           "}\n")});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out, "[0, 0, 0, 0, 0, 0]\n[0, 0, 0, 0, 0, 0]\n[0, 0, 0, 0, 0, 0]\n");
  EXPECT_EQ(times_in(result.err, "[grad_unreached]"), 1) << result.err;
  EXPECT_MENTIONS(result.err, "a.mtf:9:");
}

// Each rank writes its blocks, and uses shared memory, which has no such limit: neither may end a rank.
TEST_F(OnRanks, AFileThatMayNotBeSoLargeIs3) {
  const std::string file = write("a.mtf",
                                 "import checkpoint\nmesh m = [p: 3]\nlayout split = {n -> p}\ndim n = 3000000\n"
                                 "model Net { param w: [n] = 1 }\nlet net = Net()\nprint(sum(net.w))\n"
                                 "checkpoint.save(\"" +
                                     path("out") + "\", net, step: 1)\n");
  const ProcessResult result = run_on_ranks(3, {"bash", "-c", "ulimit -f 8192; exec " + kMtf + " run " + file});
  EXPECT_EQ(result.status, 3);
  EXPECT_TRUE(says_once(result.err, "cannot_write"));
  EXPECT_MENTIONS(result.err, "a.mtf:8:");
  EXPECT_EQ(result.out, "3e+06\n");
  for (const auto& left : std::filesystem::directory_iterator(path("out")))
    EXPECT_LT(left.file_size(), 100U) << left.path();
}

TEST_F(OnRanks, AnErrorThatTheCheckFindsIs1) {
  const ProcessResult result = run({write("a.mtf", "print(1)\nprint(y)\n")});
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.out, "");
  EXPECT_TRUE(says_once(result.err, "unknown_name"));
}

TEST_F(OnRanks, AWrongCommandLineIs2) {
  const ProcessResult result = run({"--mesh", "p;3", write("a.mtf", kRight)});
  EXPECT_EQ(result.status, 2);
  EXPECT_TRUE(says_once(result.err, "bad_option_value"));
  EXPECT_TRUE(says_once(run({"--mehs", "p:3", write("a.mtf", kRight)}).err, "bad_usage"));
}

TEST_F(OnRanks, AMissingScriptIs3) {
  const ProcessResult result = run({path("none.mtf")});
  EXPECT_EQ(result.status, 3);
  EXPECT_TRUE(says_once(result.err, "file_not_found"));
}

TEST_F(OnRanks, AMissingFileOfDataIs3) {
  const ProcessResult result = run({write(
      "a.mtf", "import data\n" + kHead + "let x = data.npy(\"" + path("none.npy") + "\", [n])\nprint(sum(x))\n")});
  EXPECT_EQ(result.status, 3);
  EXPECT_TRUE(says_once(result.err, "file_not_found"));
}

TEST_F(OnRanks, ALimitIs4) {
  const ProcessResult result = run({write("a.mtf", "let x = " + std::string(500, '(') + "\n")});
  EXPECT_EQ(result.status, 4);
  EXPECT_TRUE(says_once(result.err, "nesting_too_deep"));
}

TEST_F(OnRanks, AScriptOnStandardInputIsReadByAll) {
  const std::string right = write("right.mtf", kRight), wrong = write("wrong.mtf", kHead + "print(y)\n");
  EXPECT_EQ(run_on_ranks(3, {kMtf, "run", "-"}, right).out, "15\n");
  const ProcessResult refused = run_on_ranks(3, {kMtf, "run", "-"}, wrong);
  EXPECT_EQ(refused.status, 1);
  EXPECT_TRUE(says_once(refused.err, "unknown_name"));
  EXPECT_FALSE(refused.timed_out);
}

// ---- errors while running -------------------------------------------------------------------------------------------

TEST_F(OnRanks, AFailedAssertionEndsAll) { expect_to_end_at_line_5("assert sum(range(n)) == 3\n", "assertion_failed"); }

TEST_F(OnRanks, AnIndexOutOfRangeEndsAll) {
  expect_to_end_at_line_5("print(range(n)[n: sum(range(n))])\n", "index_out_of_range");
}

TEST_F(OnRanks, AWrongElementInTheBlockOfOneEndsAll) {
  expect_to_end_at_line_5(
      "let y = gather(range(vocab), tensor([0, 1, 2, 3, 9, 1], [n], i32), over: vocab)\nprint(sum(y))\n",
      "index_out_of_range");
}

TEST_F(OnRanks, AWrongElementInTheBlocksOfTwoIsSaidOnce) {
  expect_to_end_at_line_5(
      "let y = gather(range(vocab), tensor([0, 1, 8, 3, 9, 1], [n], i32), over: vocab)\nprint(sum(y))\n",
      "index_out_of_range");
}

TEST_F(OnRanks, AKilledRankEndsAll) {
  const std::string loop =
      "let x = random.uniform([n])\nprint(\"start\")\nfor i in 0..1000000000 { x := x * 0.5 + sum(x) * 0.01 }\n";
  MpiJob job(3, {kMtf, "run", write("a.mtf", kHead + loop)});
  ASSERT_TRUE(job.has_printed("start")) << job.result().err;
  const std::vector<pid_t> ranks = job.ranks();
  ASSERT_EQ(ranks.size(), 3u);
  kill(ranks[1], SIGKILL);
  EXPECT_TRUE(job.are_gone_within(seconds(60), ranks));
  EXPECT_FALSE(job.end().timed_out);
  EXPECT_NE(job.result().status, 0);
}

// ---- ranks that come apart ------------------------------------------------------------------------------------------

TEST_F(OnRanks, DifferentComputationsAreSeen) {
  const ProcessResult result = run_versions(kRight, kHead + "\nprint(sum(range(n) + 1))\n");
  EXPECT_EQ(result.status, 1);
  EXPECT_TRUE(says_once(result.err, "ranks_disagree"));
  EXPECT_MENTIONS(result.err, "a.mtf:4:");
  EXPECT_MENTIONS(result.err, "b.mtf:5:");
}

TEST_F(OnRanks, DifferentNumbersOfEqualComputationsAreSeen) {
  const std::string file = write("c.mtf", "option lr = 0.1\n" + kHead + "print(sum(range(n) * lr))\n");
  const auto given = [&](const std::string& first, const std::string& others) {
    return run_on_ranks(3, {"sh", "-c",
                            "[ $OMPI_COMM_WORLD_RANK = 0 ] && exec " + kMtf + " run " + first + file + "; exec " +
                                kMtf + " run " + others + file});
  };
  std::vector<ProcessResult> results = {given("--set lr=0.1 ", "--set lr=0.2 "),
                                        given("--placement 0,1,2 ", "--placement 2,1,0 ")};
  results.push_back(run_versions("seed 1\n" + kHead + "print(sum(random.uniform([n])))\n",
                                 "seed 2\n" + kHead + "print(sum(random.uniform([n])))\n"));
  results.push_back(
      run_versions("dim a = 2\nprint(sum(tensor([1, 2], [a])))\n", "dim a = 2\nprint(sum(tensor([1, 3], [a])))\n"));
  for (const ProcessResult& result : results) {
    EXPECT_EQ(result.status, 1);
    EXPECT_EQ(result.out, "");
    EXPECT_TRUE(says_once(result.err, "ranks_disagree"));
  }
}

TEST_F(OnRanks, DifferentReadsOfEqualComputationsAreSeen) {
  const std::string both = kHead + "let x = range(n)\nlet y = range(vocab)\nprint(sum(x))\n";
  const ProcessResult result = run_versions(both + "print(x)\nprint(y)\n", both + "print(y)\nprint(x)\n");
  EXPECT_EQ(result.status, 1);
  EXPECT_TRUE(says_once(result.err, "ranks_disagree"));
}

TEST_F(OnRanks, AVersionThatEndsBeforeTheOthersIsSeen) {
  for (const auto& [first, others] :
       {std::pair{kRight, kRight + "print(max(range(n)))\n"}, std::pair{kRight + "print(max(range(n)))\n", kRight}}) {
    const ProcessResult result = run_versions(first, others);
    EXPECT_EQ(result.status, 1);
    EXPECT_EQ(result.out, "15\n");
    EXPECT_TRUE(says_once(result.err, "ranks_disagree"));
    EXPECT_MENTIONS(result.err, "the end of the script");
  }
}

TEST_F(OnRanks, AFileThatOnlySomeReadIsSeen) {
  const std::string read = "import data\nlet text = data.text(\"" + write("text", "abc") + "\")\n";
  const ProcessResult result = run_versions(kRight, read + kRight);
  EXPECT_EQ(result.status, 1);
  EXPECT_TRUE(says_once(result.err, "ranks_disagree"));
}

/// Writes 12 rows of 2 tokens and one more; all are 1, except 9 in the rows of `wrong`.
std::string tokens(const std::function<bool(int row)>& wrong) {
  std::string bytes;
  for (int i = 0; i < 13; ++i) bytes += {wrong(i / 2) ? '\x09' : '\x01', '\0'};
  return bytes;
}
const std::string kWalk =
    "import data\nmesh m = [p: 3]\ndim batch = 6, length = 2\nlayout split = {batch -> p}\n"
    "for (x, y) in data.token_file(\"ids\", 5).batches(batch, length) { print(sum(x), sum(y)) }\n";

TEST_F(OnRanks, EachReadsTheRowsOfItsProcessorsAlone) {
  const std::string script = write("a.mtf", kWalk);
  for (int rank = 0; rank < 3; ++rank) {
    std::filesystem::create_directory(path(std::to_string(rank)));
    write(std::to_string(rank) + "/ids", tokens([&](int row) {
            return row < 2 * rank || row > 2 * rank + 2;
          }));  // the last target of a row is the first token of the next row
  }
  const ProcessResult result =
      run_on_ranks(3, {"sh", "-c", "cd " + path("") + "$OMPI_COMM_WORLD_RANK && exec " + kMtf + " run " + script});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out, "12 12\n");
}

TEST_F(OnRanks, AFileThatOneCannotReadIsSaidOnce) {
  const std::string script = write("a.mtf", kWalk);
  for (int rank = 0; rank < 3; ++rank) {
    std::filesystem::create_directory(path(std::to_string(rank)));
    write(std::to_string(rank) + "/ids", tokens([&](int row) { return rank == 1 && row == 3; }));
  }
  const ProcessResult result =
      run_on_ranks(3, {"sh", "-c", "cd " + path("") + "$OMPI_COMM_WORLD_RANK && exec " + kMtf + " run " + script});
  EXPECT_EQ(result.status, 3);
  EXPECT_TRUE(says_once(result.err, "bad_file_format"));
  EXPECT_MENTIONS(result.err, "token 6 is 9: expected ids from 0 to 4");
}

TEST_F(OnRanks, AVersionThatIsRefusedOnSomeIsSaidOnce) {
  const ProcessResult wrong = run_versions(kRight, kHead + "print(y)\n");
  EXPECT_EQ(wrong.status, 1);
  EXPECT_TRUE(says_once(wrong.err, "unknown_name"));
  EXPECT_MENTIONS(wrong.err, "b.mtf:4:");
  const ProcessResult missing =
      run_on_ranks(3, {"sh", "-c",
                       "[ $OMPI_COMM_WORLD_RANK = 0 ] && exec " + kMtf + " run " + write("a.mtf", kRight) + "; exec " +
                           kMtf + " run " + path("none.mtf")});
  EXPECT_EQ(missing.status, 3);
  EXPECT_TRUE(says_once(missing.err, "file_not_found"));
}

// ---- memory ---------------------------------------------------------------------------------------------------------

TEST_F(OnRanks, MoreMemoryThanThereIsIs4BeforeAnythingIsComputed) {
  const std::string file =
      write("a.mtf", "dim a = 2 ^ 21, b = 2 ^ 20\nlet x = random.uniform([a, b])\nprint(x[a: 0, b: 0])\n");
  for (const int ranks : {1, 3}) {
    const ProcessResult result = ranks == 1 ? mtf({"run", file}) : run({file});
    EXPECT_EQ(result.status, 4);
    EXPECT_EQ(result.out, "");
    EXPECT_TRUE(says_once(result.err, "out_of_memory"));
    EXPECT_MENTIONS(result.err, ranks == 1 ? "needs 8.0 TiB, " : "needs 24.0 TiB on the 3 ranks of this machine, ");
    EXPECT_MENTIONS(result.err, " are available");
  }
}

// Each rank alone could have its memory.
TEST_F(OnRanks, MoreMemoryThanThereIsForAllRanksOfAMachineIsSeen) {
  const std::int64_t there = available_memory(), each = there / 2;
  if (there > std::int64_t{1} << 50) GTEST_SKIP() << "this machine does not say how much memory it has";
  const std::string script =
      "dim a = " + std::to_string(each / 4096) + ", b = 1024\nlet x = random.uniform([a, b])\nprint(x[a: 0, b: 0])\n";
  // If the program continued, no rank could really allocate so much. One rank alone could.
  const std::string limited =
      "ulimit -v " + std::to_string(each / 1024 / 10 * 11) + "; exec " + kMtf + " run " + write("a.mtf", script);
  const ProcessResult result = run_on_ranks(3, {"sh", "-c", limited});
  EXPECT_EQ(result.status, 4);
  EXPECT_TRUE(says_once(result.err, "out_of_memory"));
  EXPECT_MENTIONS(result.err, "on the 3 ranks of this machine");
}

// ---- placement ------------------------------------------------------------------------------------------------------

TEST_F(OnRanks, APlacementChangesNothing) {
  const std::string file = write("a.mtf", kHead +
                                              "let x = random.uniform([n])\n"
                                              "let c = counters {\n"
                                              "  let y = sum(x * x)\n"
                                              "  let z = shift(x, n: 1, wrap: true)\n"
                                              "  let w = (x + 1) @ {}\n"
                                              "}\n"
                                              "print(x)\n"
                                              "print(c)\n");
  const ProcessResult plain = run({file});
  EXPECT_EQ(plain.status, 0) << plain.err;
  EXPECT_MENTIONS(plain.out, "all_reduce over p");
  for (const std::string placement : {"0,1,2", "2,1,0", "1,2,0", "p:2,0,1"})
    EXPECT_EQ(run({"--placement", placement, file}).out, plain.out) << placement;
}

TEST_F(OnRanks, AWrongPlacementIs2) {
  const std::string file = write("a.mtf", kRight);
  for (const std::string placement : {"0,0,1", "1,0", "p:1,0", "q:0,1,2", "p:0,1,2;p:2,1,0", "p:"}) {
    const ProcessResult result = run({"--placement", placement, file});
    EXPECT_EQ(result.status, 2);
    EXPECT_EQ(result.out, "");
    EXPECT_TRUE(says_once(result.err, "bad_option_value"));
  }
}

/// As ranks in separate containers, which do not see each other's processes.
TEST_F(OnRanks, ThatCannotShareMemorySendMessages) {
  if (std::system("unshare -p -f --mount-proc true 2>/dev/null") != 0) GTEST_SKIP() << "no namespaces can be made here";
  const std::string script = write("a.mtf", kHead + "dim k = 5000\nprint(max(sum(random.normal([n, k]) -> [k])))\n");
  const ProcessResult together = run({script});
  const ProcessResult alone = run_on_ranks(3, {"sh", "-c",
                                               "[ $OMPI_COMM_WORLD_RANK = 1 ] && exec unshare -p -f --mount-proc " +
                                                   kMtf + " run " + script + "; exec " + kMtf + " run " + script});
  EXPECT_EQ(alone.status, 0) << alone.err;
  EXPECT_EQ(alone.out, together.out);
}

}  // namespace
}  // namespace mtf::tool
