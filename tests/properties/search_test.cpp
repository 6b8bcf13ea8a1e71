// The search for a layout against what is known, and against trying everything.
#include <gtest/gtest.h>

#include <ostream>

#include "cost/search.h"
#include "eval/session.h"
#include "support/diagnostics.h"

namespace mtf::properties {
namespace {

struct Searched {
  std::shared_ptr<ProgramRecord> record = std::make_shared<ProgramRecord>();
  std::unique_ptr<Engine> engine;
  std::unique_ptr<Session> session;

  explicit Searched(const std::string& text) {
    Settings settings;
    settings.stdlib = MTF_STDLIB_DIR;
    static std::ostream nowhere(nullptr);
    EngineOptions options;
    options.dry = true;
    options.record = record;
    engine = std::make_unique<Engine>(options);
    session = std::make_unique<Session>(settings, engine.get(), nowhere);
    session->run_text("searched.mtf", text);
  }
};

/// Arithmetic takes so long that work must be divided; besides it only bytes on the wire count.
MachineModel slow_wire() {
  MachineModel machine;
  machine.flops = {{ElementType::kF32, 1e9}};
  machine.memory_bandwidth = 1e15;
  machine.step = 1e-15;
  machine.link = {1e-12, 1e8};
  return machine;
}

std::string layout_of_mlp(int tokens, bool input_gradient) {
  const Searched searched("dim tokens = " + std::to_string(tokens) + ", width = 64, d_ff = 256\n"
                          "model Mlp {\n  param w: [width, d_ff] = 1\n  param v: [d_ff, width] = 1\n"
                          "  fn call(x) = einsum(relu(einsum(x, w -> [tokens, d_ff])), v -> [tokens, width])\n}\n"
                          "let net = Mlp()\nlet x = random.uniform([tokens, width])\nlet loss = sum(square(net(x)))\n" +
                          std::string(input_gradient ? "let (dw, dv, dx) = grad(loss, [net.w, net.v, x])\nlet shown = sum(dx)\n"
                                                     : "let (dw, dv) = grad(loss, [net.w, net.v])\nlet shown = loss\n") +
                          "net.w := net.w - 0.1 * dw\nnet.v := net.v - 0.1 * dv\nprint(shown)\n");
  const LayoutCosts costs(searched.record, slow_wire());
  SearchQuestion question;
  question.processors = 4;
  question.axes = {Name("all")};
  return to_string(*search(costs, question).best->rules);
}

TEST(Search, SplitsTokensOfAnMlpWhileTheyExceedFourTimesTheWidth) {
  EXPECT_EQ(layout_of_mlp(512, true), "{tokens -> all}");
  EXPECT_EQ(layout_of_mlp(128, true), "{d_ff -> all}");
}

TEST(Search, SplitsTokensOfAnMlpWhoseInputNeedsNoGradientFromEightTimesTheWidth) {
  EXPECT_EQ(layout_of_mlp(1024, false), "{tokens -> all}");
  EXPECT_EQ(layout_of_mlp(384, false), "{d_ff -> all}");
}

TEST(Search, FindsWhatTryingEverythingFinds) {
  const Searched searched(
      "dim a = 12, b = 16, c = 20\nlet x = random.uniform([a, b])\nlet w = random.uniform([b, c])\nlet v = random.uniform([c, a])\n"
      "print(sum(tanh(einsum(tanh(einsum(x, w -> [a, c])), v -> [c])) + 0))\n");
  const LayoutCosts costs(searched.record, MachineModel());
  SearchQuestion question;
  question.processors = 4;
  question.axes = {Name("rows"), Name("cols")};
  const SearchResult found = search(costs, question);
  double least = std::numeric_limits<double>::infinity();
  for (const char* axes : {"rows:4", "rows:2;cols:2"}) {
    const auto mesh = std::make_shared<const Mesh>(Name("mesh"), parse_axes(axes));
    const int lists = 1 << mesh->order();
    for (int way = 0; way < lists * lists * lists; ++way) {
      auto rules = std::make_shared<Layout>();
      int left = way;
      for (const char* dim : {"a", "b", "c"}) {
        LayoutRule rule{Name(dim), {}, {}};
        for (int axis = 0; axis < mesh->order(); ++axis)
          if ((left % lists) & (1 << axis)) rule.axes.push_back(mesh->axes()[axis].name);
        left /= lists;
        if (!rule.axes.empty()) rules->rules.push_back(std::move(rule));
      }
      try {
        least = std::min(least, costs.in(mesh, rules).time.total());
      } catch (const UserError&) {
      }
    }
  }
  ASSERT_TRUE(found.best);
  EXPECT_DOUBLE_EQ(found.best->cost.time.total(), least);
}

TEST(Search, TakesTheBestThatFits) {
  const Searched searched(
      "dim a = 64, b = 64\nmodel M { param w: [a, b] = 1 }\nlet m = M()\nlet x = random.uniform([a])\nprint(sum(einsum(x, m.w -> [b])))\n");
  const LayoutCosts costs(searched.record, MachineModel());
  SearchQuestion question;
  question.processors = 4;
  question.axes = {Name("all")};
  EXPECT_EQ(to_string(*search(costs, question).best->rules), "{}");
  question.memory = 8000;
  question.peak = [](const MeshPtr&, const LayoutPtr& rules) { return rules->rules.empty() ? 16'384 : 4096; };
  EXPECT_NE(to_string(*search(costs, question).best->rules), "{}");
}

}  // namespace
}  // namespace mtf::properties
