// With --remat a plan under a limit of memory computes values again. A program prints the same as without a limit,
// on any number of processors, and the plan foretells the costs and the peak of the run.
#include <gtest/gtest.h>

#include <random>
#include <sstream>
#include <string>

#include "../execution_on.h"
#include "compare.h"
#include "script.h"
#include "session/session.h"

namespace mtf::properties {
namespace {

/// A script that prints numbers of the gradients of a network of drawn layers. Each layer has matrices of its own.
std::string drawn_network(uint64_t seed) {
  std::mt19937_64 random(seed);
  const int layers = 4 + static_cast<int>(random() % 12);
  std::string params,
      inputs = "dim batch = 24, width = 12, inner = 20\nseed " + std::to_string(seed) +
               "\nlet x = random.normal([batch, width])\n",
      body = "let y = x\n";
  for (int i = 0; i < layers; ++i) {
    static constexpr const char* kMiddle[] = {"tanh(h)", "gelu(h)", "softmax(h, over: inner)", "h * sigmoid(h)",
                                              "where(random.uniform([batch, inner]) < 0.5, h, 0)"};
    static constexpr const char* kEnd[] = {"y + z", "layer_norm(y + z, over: width)", "y * 0.5 + tanh(z)"};
    const std::string n = std::to_string(i);
    inputs +=
        "let a" + n + " = random.normal([width, inner]) * 0.3\nlet b" + n + " = random.normal([inner, width]) * 0.3\n";
    params += (params.empty() ? "a" : ", a") + n + ", b" + n;
    body += "let h = einsum(y, a" + n + " -> [batch, inner])\nlet m = " + kMiddle[random() % std::size(kMiddle)] +
            "\nlet z = einsum(m, b" + n + " -> [batch, width])\nlet y = " + kEnd[random() % std::size(kEnd)] + "\n";
  }
  return inputs + "let params = [" + params + "]\nprint([sum(p) for p in params], sum(x))\n" + body +
         "let gradients = grad(mean(square(y)), params)\n"
         "print([sum(square(g)) for g in gradients], [max(g) for g in gradients])\n";
}

/// A script that prints numbers of the gradients of a loop over layers. The body of the loop is drawn. It may have a
/// loop of its own, and the loop may run within another one.
std::string drawn_loops(uint64_t seed) {
  std::mt19937_64 random(seed);
  static constexpr const char* kMiddle[] = {"tanh(h)",
                                            "gelu(h)",
                                            "softmax(h, over: inner)",
                                            "h * sigmoid(h)",
                                            "where(random.uniform([batch, inner]) < 0.5, h, 0)",
                                            "scan(fn(z) = tanh(z * 0.5 + h), h, over: depth)",
                                            "h * scan(fn(z, v) = tanh(z * v + h), h, scales, over: depth)"};
  static constexpr const char* kEnd[] = {"y + z", "layer_norm(y + z, over: width)", "y * 0.5 + tanh(z)",
                                         "cast(cast(y, bf16) + cast(z, bf16), f32)"};
  const std::string layers = std::to_string(2 + random() % 6);
  std::string body = "  let y = x\n", xs, names;
  const int parts = 1 + static_cast<int>(random() % 3);
  for (int i = 0; i < parts; ++i) {
    const std::string n = std::to_string(i);
    xs += "let a" + n + " = random.normal([layer, width, inner]) * 0.3\nlet b" + n +
          " = random.normal([layer, inner, width]) * 0.3\n";
    names += (names.empty() ? "a" : ", a") + n + ", b" + n;
    body += "  let h = einsum(y, w[" + std::to_string(2 * i) +
            "] -> [batch, inner])\n  let m = " + kMiddle[random() % std::size(kMiddle)] + "\n  let z = einsum(m, w[" +
            std::to_string(2 * i + 1) + "] -> [batch, width])\n  y := " + kEnd[random() % std::size(kEnd)] + "\n";
  }
  const bool is_reversed = random() % 2 == 0, is_nested = random() % 3 == 0;
  const std::string loop =
      "scan(layer_of, x, (" + names + "), over: layer" + (is_reversed ? ", reverse: true" : "") + ")";
  return "dim batch = 24, width = 12, inner = 20, layer = " + layers + ", depth = 3, turn = 2\nseed " +
         std::to_string(seed) +
         "\nlet x = random.normal([batch, width])\nlet scales = random.normal([depth, inner])\n" + xs +
         "let params = [" + names + "]\nprint([sum(p) for p in params], sum(x), sum(scales))\n" +
         "fn layer_of(x, w) {\n" + body + "  return y\n}\n" +
         (is_nested ? "let y = scan(fn(x) = " + loop + ", x, over: turn)\n" : "let y = " + loop + "\n") +
         "let gradients = grad(mean(square(y)), params)\n"
         "print([sum(square(g)) for g in gradients], [max(g) for g in gradients])\n";
}

struct Printed {
  std::string text;
  plan::Counters counters;
};
/// With a limit (0: none) values are computed again.
Printed printed_by(plan::Execution& execution, const std::string& text, const Where& where, int64_t limit) {
  std::ostringstream out;
  eval::Settings settings = settings_at(where);
  settings.memory = limit;
  settings.remat = limit > 0;
  session::Session(settings, &execution, out).run_text("network.mtf", text);
  return {out.str(), execution.counters()};
}

class Rematerialization : public testing::TestWithParam<uint64_t> {};

/// Runs the script without a limit, and with a few limits. Returns how many values were computed again.
int64_t values_repeated(const std::string& text, const Where& where) {
  const plan::ExecutionOptions options{.verify_passes = true};
  const run::MpiRuntimeOptions here{.threads = 2, .scrub = true};
  ExecutionOn<run::MpiRuntime> unlimited(here, options);
  const Printed usual = printed_by(unlimited, text, where, 0);
  int64_t repeated = 0;
  for (const int percent : {90, 75, 60}) {
    ExecutionOn<run::MpiRuntime> limited(here, options);
    ExecutionOn<run::DryRuntime> planned(options);
    const int64_t limit = usual.counters.peak_bytes * percent / 100;
    const Printed found = printed_by(limited, text, where, limit);
    EXPECT_EQ(usual.text, found.text);
    EXPECT_EQ(counter_difference(printed_by(planned, text, where, limit).counters, found.counters), "");
    repeated += limited.rematerialized().values;
  }
  return repeated;
}

const Where kPlaces[] = {{"p:1", ""}, {"p:2", "batch:p"}, {"r:2;c:2", "batch:r;inner:c"}};

TEST_P(Rematerialization, ChangesNoResultAndIsForetold) {
  int64_t repeated = 0;
  for (uint64_t seed = GetParam(); seed < GetParam() + 8; ++seed) {
    const std::string text = drawn_network(seed);
    for (const Where& where : kPlaces) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", " + to_string(where));
      repeated += values_repeated(text, where);
    }
  }
  EXPECT_GT(repeated, 100);
}

TEST_P(Rematerialization, OfLoopsChangesNoResultAndIsForetold) {
  int64_t repeated = 0;
  for (uint64_t seed = GetParam(); seed < GetParam() + 8; ++seed) {
    const std::string text = drawn_loops(seed);
    for (const Where& where : kPlaces) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", " + to_string(where) + "\n" + text);
      repeated += values_repeated(text, where);
    }
    const Where layers{"r:2;c:2", "layer:r;inner:c"};
    SCOPED_TRACE("seed " + std::to_string(seed) + ", " + to_string(layers) + "\n" + text);
    repeated += values_repeated(text, layers);
  }
  EXPECT_GT(repeated, 100);
}

INSTANTIATE_TEST_SUITE_P(Seeds, Rematerialization, testing::Values(0, 8, 16));

}  // namespace
}  // namespace mtf::properties
