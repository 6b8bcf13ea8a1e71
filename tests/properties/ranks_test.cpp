// One rank, or several ranks with one, two or three processors each, compute and count the same, and replicas have the
// same bits. With one processor per rank, wire_bytes are the bytes that MPI sends. Run under mpirun: every rank runs
// every test, and compares its own results.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numeric>

#include "compare.h"
#include "generator.h"
#include "on_ranks.h"
#include "ops/registry.h"
#include "random_convolution.h"
#include "samples.h"
#include "whole_search.h"

namespace mtf::properties {
namespace {

class Ranks : public testing::Test {
 protected:
  void SetUp() override {
    if (shared_runtime().ranks() == 1) GTEST_SKIP() << "needs mpirun";
  }

  /// Runs the script on rank 0 alone and on all ranks, and returns the difference on rank 0. Runs nothing if the layout
  /// puts two dims of a tensor on one axis.
  static std::string hosting_changes(const Script& script, const std::vector<Tolerance>& tolerances, const Where& where,
                                     bool fuse = true) {
    plan::Execution& ranks = fuse ? shared_execution() : shared_single_execution();
    const auto sent_so_far = [&] { return dynamic_cast<run::MpiRuntime&>(ranks.runtime()).sent(); };
    const int64_t wire_before = wire_bytes(ranks.counters()), sent_before = sent_so_far();
    Outcome shared;
    try {
      shared = run(ranks, script, where);
    } catch (const UserError& error) {
      if (error.diagnostic().kind() == Kind::axis_used_twice) return {};
      throw;
    }
    const int64_t wire = wire_bytes(ranks.counters()) - wire_before, sent = sent_so_far() - sent_before;
    if (ranks.runtime().rank() != 0) return {};
    const Outcome alone = run(fuse ? execution() : single_execution(), script, where);
    ++compared;
    std::string text = counter_difference(alone.counters, shared.counters);
    if (!where.mesh.empty() && processors_of(where.mesh) == ranks.runtime().ranks()) {
      compared_bytes += wire;
      if (wire != sent) text += fmt::format("  wire_bytes are {}, {} bytes were handed to MPI\n", wire, sent);
    }
    for (size_t i = 0; i < script.results.size(); ++i) {
      const std::string how = tensor_difference(alone.results[i], shared.results[i], tolerances[i]);
      if (!how.empty()) text += "  " + script.results[i] + how + "\n";
    }
    return text;
  }

  /// Meshes with at least one processor for each rank.
  static std::vector<std::string> meshes() {
    std::vector<std::string> fitting;
    for (const std::string mesh : {"p:2", "p:3", "p:4", "r:2;c:2", "r:2;c:3", "r:3;c:2"})
      if (processors_of(mesh) >= shared_runtime().ranks()) fitting.push_back(mesh);
    return fitting;
  }

  /// The number of compared runs, and the bytes on the wire of meshes with one processor per rank.
  inline static int64_t compared = 0, compared_bytes = 0;
};

/// Each operation with its gradient, under layouts of every kind: alternately normal, with fusion off, and with a cut
/// after every statement.
TEST_F(Ranks, DoNotChangeAnOperation) {
  constexpr size_t kMostLayouts = 6;
  for (const graph::Op* op : sampled_ops())
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
            const std::string changes = hosting_changes(script, tolerances, where, way != 1);
            EXPECT_TRUE(changes.empty()) << changes << to_string(where) << (way == 1 ? ", fusion off" : "") << "\n"
                                         << script.text();
          }
        }
      }
  if (shared_runtime().rank() != 0) return;
  EXPECT_GT(compared, 1000);
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
    if (program.processors < shared_runtime().ranks()) continue;
    const Script laid_out = program.script(true);
    const std::string own = hosting_changes(laid_out, program.tolerances, {""});
    EXPECT_TRUE(own.empty()) << "seed " << seed << ", its own mesh\n" << own << laid_out.text();
  }
}

TEST_F(Ranks, DoNotChangeAConvolution) {
  for (uint64_t seed = 0; seed < 120; ++seed) {
    const RandomConvolution drawn = random_convolution(1000 + seed);
    const Script script = drawn.script();
    Dice dice(seed);
    const std::string mesh = dice.pick(meshes());
    const Where where{mesh, random_layout(seed, drawn.dims(), mesh)};
    const std::string changes = hosting_changes(script, tolerances_of(script), where);
    EXPECT_TRUE(changes.empty()) << "seed " << seed << "\n" << changes << to_string(where) << "\n" << script.text();
  }
}

/// In pieces with a shorter last slice, of several arrays at once and one after the other, in iterations of a loop.
/// Uses memory that the ranks share and, with fusion off, messages.
TEST_F(Ranks, DoNotChangeALargeReduction) {
  const int ranks = shared_runtime().ranks();
  Script script;
  script.inputs = fmt::format(
      "dim each = {}, n = 1200007, m = 3001, steps = 3\nlet u = random.normal([steps])\nlet x = random.normal([each, "
      "n])\nlet y = random.normal([each, m])\nlet z "
      "= cast(y, bf16)\nlet k = random.integers([each, m], 0, 1000)\n",
      ranks);
  script.body =
      "let a = sum(x -> [n])\nlet b = max(x * x -> [n])\nlet c = sum(y -> [m])\nlet d = sum(exp(y) -> [m])\nlet e = "
      "sum(z -> [m])\nlet f = sum(k -> [m])\nlet g = sum(c * y -> [m])\n"
      "let h = scan(fn(sums, t) = sums + sum(y * t + sums -> [m]), c, u, over: steps) * sum(x * x -> [])\n";
  script.results = {"a", "b", "c", "d", "e", "f", "g", "h"};
  const Where where{fmt::format("p:{}", ranks), "each:p"};
  for (const bool fuse : {true, false}) {
    const std::string changes = hosting_changes(script, std::vector<Tolerance>(script.results.size()), where, fuse);
    EXPECT_TRUE(changes.empty()) << changes << (fuse ? "" : "by messages");
  }
  if (!shared_runtime().shares_memory()) GTEST_SKIP() << "ranks cannot share memory here";
}

/// Whole programs do the same as in the reference. `--whole-programs COUNT --ranks 2,3,4` tries more programs.
TEST_F(Ranks, DoNotChangeAWholeProgram) {
  Search what;
  what.first = 50 * static_cast<uint64_t>(shared_runtime().ranks()), what.count = 25;
  what.plans = true, what.ranks = shared_runtime().ranks();
  std::string said;
  run_batch(what, [&](const std::string& message) { said += message; });
  watch(0, "");
  if (shared_runtime().rank() != 0) return;
  const Tally tally = tally_of(what, said, [](const Found& found) {
    ADD_FAILURE() << "seed " << found.seed << " " << to_string(found.trial) << "\n"
                  << found.failure.kind << "\n"
                  << found.failure.what;
  });
  EXPECT_GT(tally.runs, 50u) << to_string(tally);
}

}  // namespace
}  // namespace mtf::properties
