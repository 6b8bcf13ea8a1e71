// The growth of an operation's work and communication with the number of processors, D, over which O(D) dims are split:
// the table "Scalability of partitioned operators" of GShard (Lepikhin et al., 2020, section 4.1), by the counts of
// plans.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "../../execution_on.h"
#include "../../places.h"
#include "session/session.h"

namespace mtf::session {
namespace {

struct Row {
  const char* operation;  ///< as in the table, with the split dims
  const char* dims;       ///< `D` stands for the number of processors
  const char* given;      ///< its operands
  const char* result;
  double work = 0;      ///< of one processor: the exponent of D
  int collective = -1;  ///< a spmd::CollectiveKind; -1: none
  double bytes = 0;     ///< of one processor: the exponent of D
};

constexpr auto kReduces = static_cast<int>(spmd::CollectiveKind::kAllReduce),
               kGathers = static_cast<int>(spmd::CollectiveKind::kAllGather),
               kExchanges = static_cast<int>(spmd::CollectiveKind::kAllToAll),
               kPermutes = static_cast<int>(spmd::CollectiveKind::kPermute);

const Row kTable[] = {
    {"Add(A, A -> A), A", "a = 8 * D", "let x = ones([a]) @ {a -> all}\nlet w = ones([a]) @ {a -> all}", "x + w"},
    {"Matmul(AB, BC -> AC), B", "a = 16, b = 8 * D, c = 16",
     "let x = ones([a, b]) @ {b -> all}\nlet w = ones([b, c]) @ {b -> all}", "einsum(x, w -> [a, c]) @ {}", 0,
     kReduces},
    {"Matmul(AB, BC -> AC), A", "a = 8 * D, b = 16, c = 16", "let x = ones([a, b]) @ {a -> all}\nlet w = ones([b, c])",
     "einsum(x, w -> [a, c])"},
    {"Matmul(AB, BC -> AC), A and B", "a = 8 * D, b = 8 * D, c = 16",
     "let x = ones([a, b]) @ {a -> all}\nlet w = ones([b, c]) @ {b -> all}", "einsum(x, w -> [a, c]) @ {a -> all}", 1,
     kGathers, 1},
    {"Matmul(AB, BC -> AC), A and C", "a = 8 * D, b = 16, c = 8 * D",
     "let x = ones([a, b]) @ {a -> all}\nlet w = ones([b, c]) @ {c -> all}", "einsum(x, w -> [a, c]) @ {a -> all}", 1,
     kGathers, 1},
    {"Reduce(AB -> A), A", "a = 8 * D, b = 16", "let x = ones([a, b]) @ {a -> all}", "sum(x, over: b)"},
    {"Reduce(AB -> B), A", "a = 8 * D, b = 16", "let x = ones([a, b]) @ {a -> all}", "sum(x, over: a) @ {}", 0,
     kReduces},
    // Capacity is O(1 / D): the dispatch of a mixture of experts.
    {"Einsum(GSEC, GSM -> EGCM), G and E", "g = D, s = 16, e = D, c = 8192 // D, m = 16",
     "let x = ones([g, s, e, c]) @ {g -> all}\nlet w = ones([g, s, m]) @ {g -> all}",
     "einsum(x, w -> [e, g, c, m]) @ {e -> all}", 0, kExchanges},
    {"Convolution(BIXY, xyIO -> BOXY), X", "b = 2, i = 4, o = 4, across = 8 * D, down = 8, u = 3, v = 3",
     "let w = ones([u, v, i, o])\nlet image = ones([b, i, across, down]) @ {across -> all}",
     "conv(image, w, across: u, down: v, pad: 1 -> [b, o, across, down])", 0, kPermutes},
};

plan::Counters planned(const Row& row, int64_t processors) {
  std::string dims = row.dims;
  for (size_t at; (at = dims.find('D')) != std::string::npos;) dims.replace(at, 1, std::to_string(processors));
  ExecutionOn<run::DryRuntime> execution;
  eval::Settings settings;
  settings.stdlib = stdlib_folder();
  std::ostringstream out;
  Session session(settings, &execution, out);
  session.run_text("operator.mtf",
                   fmt::format("mesh line = [all: {}]\ndim {}\n{}\nlet used = counters {{ let y = {} }}\n", processors,
                               dims, row.given, row.result));
  return execution.counters();
}

/// The growth of a number from D to more processors: the exponent of D, its minimum and maximum over the planned
/// numbers.
struct Growth {
  double least = 1e9, most = -1e9;
  int64_t before = 0;

  void add(int64_t figure, double times) {
    if (before > 0) {
      const double power = std::log(static_cast<double>(figure) / static_cast<double>(before)) / std::log(times);
      least = std::min(least, power);
      most = std::max(most, power);
    }
    before = figure;
  }
};

TEST(OperatorTable, WorkAndCommunicationGrowAsGShardSays) {
  for (const Row& row : kTable) {
    SCOPED_TRACE(row.operation);
    Growth work, bytes;
    for (const int64_t processors : {2, 8, 64, 512, 4096}) {
      SCOPED_TRACE(processors);
      const plan::Counters counters = planned(row, processors);
      ASSERT_GT(counters.flops, 0);
      for (int k = 0; k < spmd::kCollectiveKinds; ++k)
        EXPECT_EQ(counters.total(static_cast<spmd::CollectiveKind>(k)).count > 0, k == row.collective) << k;
      if (processors == 2) continue;  // no processor is between two others
      work.add(counters.flops, 8);
      if (row.collective >= 0) bytes.add(counters.total(static_cast<spmd::CollectiveKind>(row.collective)).bytes, 8);
    }
    EXPECT_NEAR(work.least, row.work, 0.02);
    EXPECT_NEAR(work.most, row.work, 0.02);
    if (row.collective < 0) continue;
    EXPECT_NEAR(bytes.least, row.bytes, 0.02);
    EXPECT_NEAR(bytes.most, row.bytes, 0.02);
  }
}

}  // namespace
}  // namespace mtf::session
