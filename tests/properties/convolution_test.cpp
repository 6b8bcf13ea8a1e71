// Random convolutions and poolings, with uneven blocks and halos of several hops, equal their plain sums, and so do
// their gradients. Predicted counts equal measured counts.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "compare.h"
#include "generator.h"
#include "graph/iteration_space.h"
#include "ops/windows.h"
#include "random_convolution.h"
#include "samples.h"

namespace mtf::properties {
namespace {

void expect_plain(const std::vector<std::vector<double>>& plain, const Script& script, const Where& where,
                  const Outcome& found) {
  for (size_t r = 0; r < plain.size(); ++r) {
    const plan::HostTensor& tensor = found.results[r];
    ASSERT_EQ(static_cast<size_t>(size_of(tensor.type.dims)), plain[r].size()) << script.text();
    double largest = 1;
    for (double each : plain[r])
      if (std::isfinite(each)) largest = std::max(largest, std::abs(each));
    const double tolerance = 1000 * epsilon(tensor.type.element) * largest;
    for (size_t i = 0; i < plain[r].size(); ++i) {
      const double number = tensor.number(static_cast<int64_t>(i));
      const bool same =
          std::isfinite(plain[r][i]) ? std::abs(number - plain[r][i]) <= tolerance : number == plain[r][i];
      ASSERT_TRUE(same) << script.results[r] << " at " << i << ": expected " << plain[r][i] << ", found " << number
                        << "\n"
                        << to_string(where) << "\n"
                        << script.text();
    }
  }
}

/// Computes plain sums, from inputs that nothing holds afterwards.
std::vector<std::vector<double>> plain_of(const RandomConvolution& drawn, const Script& script) {
  Evaluation inputs(execution(), {});
  inputs.run(script.inputs);
  return drawn.plain(inputs.fetch("x"), drawn.w.empty() ? plan::HostTensor() : inputs.fetch("w"));
}

TEST(Convolutions, OfRandomSettingsAreTheirPlainSums) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> meshes = {
      {"p:2", {"p"}}, {"p:3", {"p"}}, {"p:4", {"p"}}, {"r:2;c:2", {"r", "c"}}, {"r:3;c:5", {"r", "c"}}};
  for (uint64_t seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE(seed);
    const RandomConvolution drawn = random_convolution(seed);
    const Script script = drawn.script();
    const std::vector<std::vector<double>> plain = plain_of(drawn, script);
    expect_plain(plain, script, {}, run(execution(), script, {}));
    Dice dice(seed);
    for (int way = 0; way < 2 && !HasFatalFailure(); ++way) {
      const auto& [mesh, axes] = dice.pick(meshes);
      const Where where{mesh, drawn_layout(drawn.dims(), axes, dice)};
      const Outcome predicted = run(dry_execution(), script, where), found = run(execution(), script, where);
      expect_plain(plain, script, where, found);
      EXPECT_EQ(counter_difference(predicted.counters, found.counters), "") << to_string(where) << "\n"
                                                                            << script.text();
    }
    if (HasFailure()) return;
  }
}

/// Compares a second gradient with differences of the first.
TEST(Convolutions, HaveSecondGradients) {
  for (const std::string call :
       {"conv(x, w, n: k, pad: 2, stride: 2 -> [n])", "conv(x, w, n: k, stride: 2, transposed: true -> [n])",
        "mean_pool(x * w0, n: 3, stride: 2, pad: 1)", "max_pool(x * w0, n: 3, stride: 2, pad: (1, 2))"}) {
    SCOPED_TRACE(call);
    const std::string text =
        "dim n = 9, k = 3\nseed 5\nlet x = random.normal([n], f64)\nlet d = random.normal([n], f64)\n"
        "let w = random.normal([k], f64)\nlet w0 = w[k: 0]\n";
    Evaluation evaluation(execution(), {});
    evaluation.run(text +
                   fmt::format("fn slope(x, w) {{\n  let w0 = w[k: 0]\n  return sum(grad(sum(square({}) * 0.5), "
                               "[x])[0] * d)\n}}\n",
                               call) +
                   "let g = grad(slope(x, w), [x, w])\nlet h = 0.000001\n"
                   "let dw = random.normal([k], f64)\n"
                   "let by_x = (slope(x + h * d, w) - slope(x - h * d, w)) / (2 * h)\n"
                   "let by_w = (slope(x, w + h * dw) - slope(x, w - h * dw)) / (2 * h)\n"
                   "let of_x = sum(g[0] * d)\nlet of_w = sum(g[1] * dw)\n");
    EXPECT_NEAR(evaluation.fetch("of_x").number(0), evaluation.fetch("by_x").number(0), 1e-5);
    EXPECT_NEAR(evaluation.fetch("of_w").number(0), evaluation.fetch("by_w").number(0), 1e-5);
  }
}

// ---- The paper's halos ----------------------------------------------------------------------------------------------

struct Halo {
  int64_t left, right;
  bool operator==(const Halo&) const = default;
};

/// The elements that each of n blocks of an input of size N needs beyond its bounds, by the access map: GSPMD's
/// formula, before clipping to the tensor.
std::vector<Halo> halos(int64_t size, int64_t n, const ops::Window& window) {
  const int64_t output = ops::output_size(window, size), in_block = (size + n - 1) / n,
                out_block = (output + n - 1) / n;
  const graph::AccessMap map = ops::map_of_output(window, size, output);
  std::vector<Halo> found;
  for (int64_t i = 0; i < n; ++i) {
    const Interval reads = needed_unclipped(map, {i * out_block, (i + 1) * out_block});
    found.push_back({i * in_block - reads.first, reads.last - (i + 1) * in_block});
  }
  return found;
}

TEST(Halos, AreThePapersOfEvenBlocks) {
  const auto window = [](int64_t stride, int64_t taps, int64_t low, int64_t high) {
    return ops::Window{.taps = taps, .stride = stride, .low = low, .high = high};
  };
  using Halos = std::vector<Halo>;
  EXPECT_EQ(halos(16, 4, window(1, 3, 1, 1)), (Halos{{1, 1}, {1, 1}, {1, 1}, {1, 1}}));
  EXPECT_EQ(halos(16, 4, window(2, 3, 1, 1)), (Halos{{1, 0}, {1, 0}, {1, 0}, {1, 0}}));
  EXPECT_EQ(halos(12, 4, window(2, 3, 1, 1)), (Halos{{1, 1}, {0, 2}, {-1, 3}, {-2, 4}}));
  EXPECT_EQ(halos(16, 4, window(1, 5, 0, 0)), (Halos{{0, 3}, {1, 2}, {2, 1}, {3, 0}}));
}

}  // namespace
}  // namespace mtf::properties
