// SIGINT: any computation ends soon, reports it once, and leaves nothing behind.
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>

#include "../../places.h"
#include "command.h"
#include "mpi_job.h"

namespace mtf::tool {
namespace {

/// The promise is a second; a busy machine takes longer.
constexpr std::chrono::seconds kSoon{10};
constexpr int kInterrupted = 130;

const std::string kEndless =
    "mesh m = [p: 2]\ndim n = 6\nlayout split = {n -> p}\nlet x = random.uniform([n])\nprint(\"start\")\n"
    "for i in 0..1000000000 { x := x * 0.5 + sum(x) * 0.01 }\n";

int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++found;
  return found;
}

using Interrupts = CommandTest;

/// Interrupts a job, or one of its ranks, and returns its output.
ProcessResult interrupted(MpiJob& job, pid_t which) {
  const std::vector<pid_t> ranks = job.ranks();
  kill(which, SIGINT);
  EXPECT_TRUE(job.are_gone_within(kSoon, ranks));
  EXPECT_TRUE(job.are_gone_within(kSoon, {job.process()}));
  return job.end();
}

TEST_F(Interrupts, ARunEndsAndSaysWhereItWas) {
  MpiJob job(0, {kMtf, "run", write("a.mtf", kEndless)});
  ASSERT_TRUE(job.has_printed("start")) << job.result().err;
  const ProcessResult result = interrupted(job, job.process());
  EXPECT_EQ(result.status, kInterrupted);
  EXPECT_EQ(count(result.err, "[interrupted]"), 1) << result.err;
  EXPECT_MENTIONS(result.err, "a.mtf:");
}

TEST_F(Interrupts, ALoopOfTheHostEnds) {
  MpiJob job(0, {kMtf, "run", write("a.mtf", "let i = 0\nprint(\"start\")\nwhile i >= 0 { i := i + 1 }\n")});
  ASSERT_TRUE(job.has_printed("start")) << job.result().err;
  const ProcessResult result = interrupted(job, job.process());
  EXPECT_EQ(result.status, kInterrupted);
  EXPECT_MENTIONS(result.err, "a.mtf:");  // it may not have reached the loop yet
}

TEST_F(Interrupts, APlanAndASearchEnd) {
  const std::vector<std::string> plan = {kMtf, "plan", source_folder() + "/examples/megatron.mtf", "--set",
                                         "layers=3000"};
  const std::vector<std::string> search = {
      kMtf,    "search",  source_folder() + "/examples/transformer.mtf", "--processors", "65536", "--axes", "4",
      "--set", "layers=6"};
  for (const std::vector<std::string>& words : {plan, search}) {
    SCOPED_TRACE(words[1]);
    MpiJob job(0, words);
    EXPECT_FALSE(job.are_gone_within(std::chrono::seconds(1), {job.process()}));
    const ProcessResult result = interrupted(job, job.process());
    EXPECT_EQ(result.status, kInterrupted);
    EXPECT_EQ(result.err, "error: interrupted [interrupted]\n");
  }
}

class InterruptsOnRanks : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    if (!has_mpirun()) GTEST_SKIP() << "no mpirun";
  }
};

TEST_F(InterruptsOnRanks, OneRankEndsAll) {
  for (const size_t which : {0, 1}) {
    MpiJob job(2, {kMtf, "run", write("a.mtf", kEndless)});
    ASSERT_TRUE(job.has_printed("start")) << job.result().err;
    ASSERT_EQ(job.ranks().size(), 2u);
    const ProcessResult result = interrupted(job, job.ranks()[which]);
    EXPECT_EQ(result.status, kInterrupted);
    EXPECT_EQ(count(result.err, "[interrupted]"), 1) << result.err;  // without a position on a busy machine
  }
}

// Ctrl-C under mpirun: mpirun itself ends with status 1, whatever its ranks report. It ends ranks that do not stop
// within a second.
TEST_F(InterruptsOnRanks, MpirunEndsAll) {
  MpiJob job(2, {kMtf, "run", write("a.mtf", kEndless)});
  ASSERT_TRUE(job.has_printed("start")) << job.result().err;
  const ProcessResult result = interrupted(job, job.process());
  EXPECT_NE(result.status, 0);
  EXPECT_LE(count(result.err, "[interrupted]"), 1) << result.err;
}

// A rank in a long computation does not communicate soon.
TEST_F(InterruptsOnRanks, ALongComputationEndsToo) {
  const std::string file = write("a.mtf",
                                 "mesh m = [p: 2]\ndim n = 8192, k = 8192, j = 8192\nlayout split = {n -> p}\n"
                                 "let x = random.uniform([n, k])\nprint(\"start\")\n"
                                 "print(sum(einsum(x, rename(x, n -> k, k -> j) -> [n, j])))\n");
  MpiJob job(2, {kMtf, "run", file});
  ASSERT_TRUE(job.has_printed("start")) << job.result().err;
  ASSERT_EQ(job.ranks().size(), 2u);
  const ProcessResult result = interrupted(job, job.ranks()[1]);
  EXPECT_EQ(result.status, kInterrupted);
  EXPECT_EQ(count(result.err, "[interrupted]"), 1) << result.err;
}

}  // namespace
}  // namespace mtf::tool
