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

TEST_P(Rematerialization, ChangesNoResultAndIsForetold) {
  int64_t repeated = 0;
  for (uint64_t seed = GetParam(); seed < GetParam() + 8; ++seed) {
    const std::string text = drawn_network(seed);
    for (const Where& where : {Where{"p:1", ""}, Where{"p:2", "batch:p"}, Where{"r:2;c:2", "batch:r;inner:c"}}) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", " + to_string(where));
      const plan::ExecutionOptions options{.verify_passes = true};
      const run::MpiRuntimeOptions here{.threads = 2, .scrub = true};
      ExecutionOn<run::MpiRuntime> unlimited(here, options);
      const Printed usual = printed_by(unlimited, text, where, 0);
      for (const int percent : {90, 75, 60}) {
        ExecutionOn<run::MpiRuntime> limited(here, options);
        ExecutionOn<run::DryRuntime> planned(options);
        const int64_t limit = usual.counters.peak_bytes * percent / 100;
        const Printed found = printed_by(limited, text, where, limit);
        EXPECT_EQ(usual.text, found.text);
        EXPECT_EQ(counter_difference(printed_by(planned, text, where, limit).counters, found.counters), "");
        repeated += limited.rematerialized().values;
      }
    }
  }
  EXPECT_GT(repeated, 100);
}

INSTANTIATE_TEST_SUITE_P(Seeds, Rematerialization, testing::Values(0, 8, 16));

}  // namespace
}  // namespace mtf::properties
