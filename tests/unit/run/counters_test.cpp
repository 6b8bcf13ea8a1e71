#include "ops/gradients.h"
#include "programs.h"

namespace mtf::run {
namespace counters_test {

const Dim batch{"batch", 64}, io{"io", 32}, hidden{"hidden", 128};

graph::Value two_layers(Script& b) {
  graph::Value x = b.input({batch, io}), w = b.input({io, hidden}), v = b.input({hidden, io});
  graph::Value h = b.map(ops::kRelu, b.einsum({x, w}, {batch, hidden}));
  return b.einsum({h, v}, {batch, io});
}

graph::Value loss_gradient(Script& b) {
  graph::Value x = b.input({batch, io}), w = b.input({io, hidden}), v = b.input({hidden, io});
  graph::Value h = b.map(ops::kRelu, b.einsum({x, w}, {batch, hidden}));
  graph::Value loss = b.sum_to(b.map(ops::kSquare, b.map(ops::kSub, b.einsum({h, v}, {batch, io}), x)), {});
  return gradients(b, loss, {w})[0];
}

plan::Counters measured(plan::Execution& on, const Written& program, const std::string& axes,
                        const std::string& rules) {
  Script script(on, axes, rules);
  graph::Value value = program(script);
  on.runtime().restart_peak();
  plan::Counters before = on.counters();
  on.compute({value});
  return difference(on.counters(), before);
}

TEST(Counters, ATwoLayerNetworkReducesItsResultOverCols) {
  plan::Counters c = measured(execution(), two_layers, "rows:2;cols:2", "batch:rows;hidden:cols");
  EXPECT_EQ(c.total(spmd::CollectiveKind::kAllReduce).values, 64 * 32 / 2);
  EXPECT_EQ(c.over(spmd::CollectiveKind::kAllReduce, {"cols"}).count, 1);
  EXPECT_EQ(c.total(spmd::CollectiveKind::kAllGather).count, 0);
  EXPECT_EQ(c.flops, 32 * 64 * (2 * 32 + 1 + 2 * 32));
}

TEST(Counters, PredictedAreMeasured) {
  static ExecutionOn<DryRuntime> dry;
  for (const auto& [axes, rules] :
       std::vector<std::pair<std::string, std::string>>{{"rows:2;cols:2", "batch:rows;hidden:cols"},
                                                        {"p:4", "batch:p"},
                                                        {"p:4", "hidden:p"},
                                                        {"p:5", "io:p"},
                                                        {"p:3;q:2", "batch:q+p"}})
    for (const Written& program : {Written(two_layers), Written(loss_gradient)}) {
      plan::Counters a = measured(dry, program, axes, rules), b = measured(execution(), program, axes, rules);
      // Only peaks are compared exactly: tensors of other tests may be live.
      EXPECT_EQ(a.flops, b.flops) << axes << "  " << rules;
      EXPECT_EQ(a.unique_flops, b.unique_flops);
      for (int kind = 0; kind < spmd::kCollectiveKinds; ++kind)
        EXPECT_EQ(a.collectives[kind], b.collectives[kind]) << axes << "  " << rules;
      EXPECT_EQ(a.peak_bytes, b.peak_bytes) << axes << "  " << rules;
    }
}

/// With one processor a rank, the bytes are those that the transport counted.
TEST(Counters, AMovementSendsWhatIsPredicted) {
  static ExecutionOn<DryRuntime> dry;
  const std::string axes = "p:" + std::to_string(std::max(2, execution().runtime().ranks()));
  const Written exchanged = [](Script& b) { return b.rename(b.input({{"a", 13}, {"b", 13}}), {{"b", 13}, {"a", 13}}); };
  const plan::Counters a = measured(dry, exchanged, axes, "a:p"), b = measured(execution(), exchanged, axes, "a:p");
  EXPECT_EQ(b.total(spmd::CollectiveKind::kAllToAll).count, 1);
  EXPECT_EQ(a.total(spmd::CollectiveKind::kAllToAll), b.total(spmd::CollectiveKind::kAllToAll));
}

TEST(Counters, OfAGroupOfOneAreNothing) {
  plan::Counters c = measured(execution(), two_layers, "rows:4;cols:1", "batch:rows;hidden:cols");
  for (int kind = 0; kind < spmd::kCollectiveKinds; ++kind)
    EXPECT_EQ(c.total(static_cast<spmd::CollectiveKind>(kind)), plan::CollectiveCount{});
}

TEST(Counters, LargeAllReducesAreCutAndCountOnce) {
  plan::Counters c = measured(
      execution(),
      [](Script& b) {
        return b.sum_to(b.input({{"batch", 4}, {"wide", 3 << 20}}), {{"wide", 3 << 20}});
      },
      "p:4", "batch:p");
  EXPECT_EQ(c.total(spmd::CollectiveKind::kAllReduce).count, 1);
  EXPECT_EQ(c.total(spmd::CollectiveKind::kAllReduce).calls, 3);
}

}  // namespace counters_test
}  // namespace mtf::run
