// The level of kernels that a program uses: it is printed, MTF_CPU chooses it, and all ranks use one level.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "command.h"
#include "kernels/level.h"
#include "mpi_job.h"

namespace mtf::tool {
namespace {

class Levels : public CommandTest {
 protected:
  static ProcessResult mtf_with(const std::string& level, const std::string& words) {
    return run_process({"sh", "-c", "MTF_CPU=" + level + " " + kMtf + " " + words}, {}, kPatience);
  }
  const std::string slowest_{kernels::usable_levels().front()}, fastest_{kernels::usable_levels().back()};
};

TEST_F(Levels, TheVersionNamesTheOneInUse) {
  EXPECT_MENTIONS(mtf_with("", "--version").out, kernels::describe_level(fastest_));
  EXPECT_MENTIONS(mtf_with(slowest_, "--version").out, kernels::describe_level(slowest_));
}

TEST_F(Levels, OneThatCannotBeUsedEndsEveryCommand) {
  const std::string script = write("a.mtf", "print(1)\n");
  for (const std::string words : {"--version", "run ", "check ", "plan "}) {
    const ProcessResult result = mtf_with("v9", words == "--version" ? words : words + script);
    EXPECT_EQ(result.status, 2) << words;
    EXPECT_MENTIONS(result.err, "[unusable_level]");
    EXPECT_MENTIONS(result.err, "MTF_CPU=v9");
  }
}

TEST_F(Levels, ACheckpointNamesTheOneThatWroteIt) {
  const std::string folder = path("run");
  const std::string script =
      write("a.mtf",
            "import nn, optim, checkpoint\ndim a = 2\nlet net = nn.Dense(a, a)\nlet opt = optim.Adam(net.params)\n"
            "checkpoint.save(\"" +
                folder + "\", net, opt)\n");
  const ProcessResult result = mtf_with(slowest_, "run " + script);
  ASSERT_EQ(result.status, 0) << result.err;
  std::string bytes;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream file(entry.path(), std::ios::binary);
    bytes.append(std::istreambuf_iterator<char>(file), {});
  }
  EXPECT_MENTIONS(bytes, "\"kernels\":\"" + slowest_ + "\"");
}

class LevelsOnRanks : public Levels {
 protected:
  void SetUp() override {
    Levels::SetUp();
    if (!has_mpirun()) GTEST_SKIP() << "no mpirun";
  }
  /// Runs rank 1 with a level of its own.
  ProcessResult run_with(const std::string& level_of_rank_1) const {
    const std::string script = write("a.mtf",
                                     "dim n = 6\nmesh m = [all: 3]\nlayout l = {n -> all}\n"
                                     "print(sum(random.normal([n])))\n");
    return run_on_ranks(3, {"sh", "-c",
                            "[ $OMPI_COMM_WORLD_RANK = 1 ] && export MTF_CPU=" + level_of_rank_1 + "; exec " + kMtf +
                                " run " + script});
  }
};

TEST_F(LevelsOnRanks, AllUseTheSlowestAndAreToldOnce) {
  const ProcessResult result = run_with(slowest_);
  EXPECT_EQ(result.status, 0);
  if (slowest_ == fastest_) return;
  const std::string said = "note: the ranks use the kernels for " + kernels::describe_level(slowest_);
  const std::size_t first = result.err.find(said);
  ASSERT_NE(first, std::string::npos) << result.err;
  EXPECT_EQ(result.err.find(said, first + 1), std::string::npos) << result.err;
}

TEST_F(LevelsOnRanks, NothingIsSaidWhereAllAreAlike) {
  const ProcessResult result = run_with(fastest_);
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.err, "");
}

TEST_F(LevelsOnRanks, OneThatHasNoneEndsAllAndIsNamed) {
  const ProcessResult result = run_with("v9");
  EXPECT_EQ(result.status, 2);
  EXPECT_MENTIONS(result.err, "[unusable_level]");
  EXPECT_MENTIONS(result.err, "rank 1: MTF_CPU=v9");
}

}  // namespace
}  // namespace mtf::tool
