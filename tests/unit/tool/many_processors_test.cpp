// Ranks that host thousands of processors are as fast as their arithmetic, for every kind of communication.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "../work_time.h"
#include "command.h"
#include "mpi_job.h"
#include "plan/execution.h"
#include "run/mpi_runtime.h"

namespace mtf::tool {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr double kSanitized = 10;
#else
constexpr double kSanitized = run::kDebugBuild ? 10 : 1;
#endif

struct Case {
  std::string kind;  ///< its name in counters
  std::string x, y;  ///< y is computed from x, and its elements add up to a * b
};

const std::vector<Case> kCases = {
    {"all_reduce", "ones([a, b]) @ {a -> r}", "sum(x -> [b])"},
    {"reduce_scatter", "ones([a, b]) @ {a -> r}", "sum(x -> [b]) @ {b -> r}"},
    {"all_gather", "fill([a], 1024) @ {a -> r}", "x @ {}"},
    {"all_to_all", "ones([a, b]) @ {a -> r}", "x @ {b -> r}"},
    {"permute", "ones([a, b]) @ {a -> r}", "shift(x, a: 1, wrap: true)"},
    {"permute", "ones([a, b]) @ {a -> p, b -> q}", "x @ {a -> q, b -> p}"},
};

class ManyProcessors : public CommandTest, public testing::WithParamInterface<Case> {
 protected:
  void expect_quick(int ranks) const {
    const Case& one = GetParam();
    const std::string mesh = one.x.find("r}") == std::string::npos ? "p: 64, q: 64" : "r: 4096";
    const std::string file = write(
        "a.mtf", fmt::format("mesh m = [{}]\ndim a = 4096, b = 1024\nlet x = {}\nlet c = counters {{ let y = {} }}\n"
                             "print(sum({}))\nprint(c.{}.count)\n",
                             mesh, one.x, one.y, one.y, one.kind));
    const double before = processor_seconds(RUSAGE_CHILDREN);
    const ProcessResult result =
        ranks == 1 ? mtf({"run", "--threads", "1", file}) : run_on_ranks(ranks, {kMtf, "run", "--threads", "1", file});
    const double seconds = processor_seconds(RUSAGE_CHILDREN) - before;
    EXPECT_EQ(result.out, "4.1943e+06\n1\n") << result.err;
    const double limit = kSanitized * (ranks == 1 ? 1 : 4);  // ranks that wait for each other use processor time too
    if (seconds >= limit) { EXPECT_LT(seconds, limit * slowness()); }
  }
};

TEST_P(ManyProcessors, OnOneRank) { expect_quick(1); }

TEST_P(ManyProcessors, OnTwoRanks) {
  if (!has_mpirun()) GTEST_SKIP() << "no mpirun";
  expect_quick(2);
}

INSTANTIATE_TEST_SUITE_P(Each, ManyProcessors, testing::ValuesIn(kCases), [](const testing::TestParamInfo<Case>& info) {
  return info.param.kind + (info.index == 5 ? "_of_a_transpose" : "");
});

}  // namespace
}  // namespace mtf::tool
