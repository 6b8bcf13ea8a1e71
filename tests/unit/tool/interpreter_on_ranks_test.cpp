// The embedding API in a process that is one of several ranks.
#include <gtest/gtest.h>

#include <cstdlib>
#include <thread>
#include <vector>

#include "../file_test.h"
#include "mpi_job.h"
#include "mtf/interpreter.h"
#include "tool/shell/process.h"

namespace mtf {
namespace {

TEST(Interpreters, OneOfThemMayHaveRanks) {
  if (std::getenv("OMPI_COMM_WORLD_SIZE") == nullptr) {
    if (!tool::has_mpirun()) GTEST_SKIP() << "no mpirun";
    const auto result =
        tool::run_on_ranks(2, {tool::own_program(), "--gtest_filter=Interpreters.OneOfThemMayHaveRanks"});
    EXPECT_EQ(result.status, 0) << result.out << result.err;
    EXPECT_MENTIONS(result.out, "by rank 0: 45");
    return;
  }
  double of_other = 0;
  std::thread other([&] { of_other = Interpreter().number("1 + 1"); });
  InterpreterOptions options;
  options.on_ranks = true;
  options.layout = "n:all";
  Interpreter interpreter(options);
  interpreter.run(
      "dim n = 10\nlet x = range(n)\nlet total = sum(x)\nprint(\"by rank 0:\", total)\n"
      "let c = counters { sum(x * 2) }");
  EXPECT_EQ(interpreter.number("total"), 45);
  EXPECT_EQ(interpreter.number("c.processors"), 2);
  interpreter.set("y", {{{"n", 10}}, std::vector<float>(10, 2)});
  EXPECT_EQ(interpreter.number("sum(x * y)"), 90);
  EXPECT_EQ(interpreter.plan("sum(x)").totals.processors, 2);
  EXPECT_EQ(interpreter.tensor("x").size(), 10u);
  other.join();
  EXPECT_EQ(of_other, 2);
}

}  // namespace
}  // namespace mtf
