// The measurements of `mtf calibrate` on this machine are a machine file.
#include <gtest/gtest.h>

#include "command.h"
#include "cost/machine.h"
#include "mpi_job.h"

namespace mtf::tool {
namespace {

using Calibrate = CommandTest;

cost::MachineModel measured(const ProcessResult& result) {
  EXPECT_EQ(result.status, 0) << result.err;
  return cost::parse_machine(result.out, "what was measured");
}

TEST_F(Calibrate, OnOneRankMeasuresNothingBetweenRanks) {
  const cost::MachineModel machine = measured(mtf({"calibrate"}));
  EXPECT_TRUE(machine.collectives.empty());
  EXPECT_EQ(machine.overlap, 0);
  EXPECT_GT(machine.host, 0) << "a loop takes longer than its steps";
  EXPECT_LT(machine.host, 0.01);
  for (const char* operation : {"div", "attention", "attention_gradient"})
    EXPECT_TRUE(machine.rates.contains(operation));
}

TEST_F(Calibrate, OnTwoRanksMeasuresEachCollectiveAndWhatGoesOnBesideComputing) {
  if (!has_mpirun()) GTEST_SKIP() << "no mpirun";
  const cost::MachineModel machine = measured(mtf({"calibrate", "--ranks", "2"}));
  EXPECT_EQ(machine.collectives.size(), 5u);
  EXPECT_LE(machine.overlap, 0.5) << "ranks of one machine copy what they communicate themselves";
}

}  // namespace
}  // namespace mtf::tool
