// However processors are hosted (by one rank, or one, two or three by each of several), the same is computed and counted,
// and replicas are the same bits; with one processor a rank, wire_bytes are the bytes handed to MPI. Run under mpirun:
// every rank runs every test, and compares what it has.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numeric>

#include "compare.h"
#include "generator.h"
#include "ops/registry.h"
#include "samples.h"

namespace mtf::properties {
namespace {

class Ranks : public testing::Test {
 protected:
  void SetUp() override {
    if (shared_engine().ranks() == 1) GTEST_SKIP() << "needs mpirun";
  }

  /// Hosted by this process alone and shared among the ranks, the script gives the same.
  static std::string hosting_changes(const Script& script, const std::vector<Tolerance>& tolerances, const Where& where, bool fuse = true) {
    const Outcome alone = run(fuse ? engine() : single_engine(), script, where);
    Engine& ranks = fuse ? shared_engine() : shared_single_engine();
    const int64_t wire_before = wire_bytes(ranks.counters()), sent_before = ranks.sent();
    const Outcome shared = run(ranks, script, where);
    std::string text = counter_difference(alone.counters, shared.counters);
    const int64_t wire = wire_bytes(ranks.counters()) - wire_before, sent = ranks.sent() - sent_before;
    if (processors_of(where.mesh) == ranks.ranks()) {
      compared_bytes += wire;
      if (wire != sent) text += fmt::format("  wire_bytes are {}, {} bytes were handed to MPI\n", wire, sent);
    }
    for (size_t i = 0; i < script.results.size(); ++i) {
      const std::string how = tensor_difference(alone.results[i], shared.results[i], tolerances[i]);
      if (!how.empty()) text += "  " + script.results[i] + how + "\n";
    }
    return text;
  }

  static int64_t wire_bytes(const Counters& counters) {
    int64_t bytes = 0;
    for (int kind = 0; kind < kCollectiveKinds; ++kind) bytes += counters.total(static_cast<CollectiveKind>(kind)).wire_bytes;
    return bytes;
  }

  /// 0: the script's own mesh.
  static int64_t processors_of(const std::string& mesh) {
    if (mesh.empty()) return 0;
    int64_t size = 1;
    for (const Axis& axis : parse_axes(mesh)) size *= axis.size;
    return size;
  }

  /// Meshes that have a processor for each rank.
  static std::vector<std::string> meshes() {
    std::vector<std::string> fitting;
    for (const std::string mesh : {"p:2", "p:3", "p:4", "r:2;c:2", "r:2;c:3", "r:3;c:2"})
      if (processors_of(mesh) >= shared_engine().ranks()) fitting.push_back(mesh);
    return fitting;
  }

  /// Of what meshes with one processor a rank put on the wire.
  inline static int64_t compared_bytes = 0;
};

/// With its gradient, under layouts of every kind, in turn as it is, with fusion off and with a cut after every statement.
TEST_F(Ranks, DoNotChangeAnOperation) {
  constexpr size_t kMostLayouts = 6;
  for (const Op* op : sampled_ops())
    for (const Sample& sample : samples_of(*op))
      for (const Sizes& sizes : {kUneven, kMisaligned[0], kMisaligned[1]}) {
        Script script = sample.script(sizes);
        std::vector<Tolerance> tolerances;
        try {
          add_gradient(script, sample);
          tolerances = tolerances_of(script);
        } catch (const UserError&) {
          continue;  // it takes more elements than there are
        }
        for (const std::string& mesh : meshes()) {
          const std::vector<std::string> layouts = layouts_of(dims_of(script), mesh);
          const size_t step = (layouts.size() + kMostLayouts - 1) / kMostLayouts;
          for (size_t i = 0; i < layouts.size(); i += step) {
            const size_t way = i / step % 3;
            const Where where{mesh, layouts[i], way == 2};
            if (is_illegal(script, where)) continue;
            const std::string changes = hosting_changes(script, tolerances, where, way != 1);
            EXPECT_TRUE(changes.empty()) << changes << to_string(where) << (way == 1 ? ", fusion off" : "") << "\n" << script.text();
          }
        }
      }
  EXPECT_GT(compared_bytes, 0) << "no mesh had one processor a rank";
}

TEST_F(Ranks, DoNotChangeARandomProgram) {
  for (uint64_t seed = 0; seed < 120; ++seed) {
    const RandomProgram program = random_program(seed);
    if (program.results.empty()) continue;
    const Script script = program.script(false);
    Dice dice(seed);
    const std::string mesh = dice.pick(meshes());
    Where where{mesh, random_layout(seed, dims_of(script), mesh)};
    if (is_illegal(script, where)) where.layout.clear();
    where.cut_each = dice.chance(20);
    const std::string changes = hosting_changes(script, program.tolerances, where);
    EXPECT_TRUE(changes.empty()) << "seed " << seed << "\n" << changes << to_string(where) << "\n" << script.text();
    if (program.processors < shared_engine().ranks()) continue;
    const Script laid_out = program.script(true);
    const std::string own = hosting_changes(laid_out, program.tolerances, {""});
    EXPECT_TRUE(own.empty()) << "seed " << seed << ", its own mesh\n" << own << laid_out.text();
  }
}

}  // namespace
}  // namespace mtf::properties
