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

/// A training step of `layers` layers, with Adam.
std::string layered(int layers) {
  return "import transformer, optim\ndim batch = 256, length = 64, d_model = 512, heads = 8, d_head = 64, d_ff = 2048\n"
         "model Deep {\n  let all = [transformer.Layer(d_model, length, heads, d_head, d_ff, bias: false) for i in 0.." + std::to_string(layers) + "]\n"
         "  fn call(x) { for layer in all { x := layer(x) }; return x }\n}\n"
         "let net = Deep()\nlet opt = optim.Adam(net.params)\nlet x = random.normal([batch, length, d_model])\n"
         "let loss = mean(square(net(x)))\nopt.minimize(loss)\nprint(loss)\n";
}

TEST(Search, RanksWhatRepeatsByAFewLayers) {
  constexpr int kLayers = 12;
  const Searched few(layered(RepeatedCosts::kFew)), more(layered(RepeatedCosts::kMore)), all(layered(kLayers)), other(layered(kLayers + 1));
  const MachineModel machine;
  const LayoutCosts costs(all.record, machine);
  const RepeatedCosts repeated(LayoutCosts(few.record, machine), LayoutCosts(more.record, machine), kLayers);
  EXPECT_TRUE(repeated.stand_for(*all.record));
  EXPECT_FALSE(repeated.stand_for(*other.record));

  const auto mesh = std::make_shared<const Mesh>(Name("mesh"), parse_axes("rows:4;cols:8"));
  for (const char* text : {"", "batch:rows", "batch:rows;heads:cols;d_ff:cols", "d_model:cols", "length:cols;batch:rows", "batch:cols;d_model:rows", "d_ff:rows"}) {
    SCOPED_TRACE(text);
    const auto rules = std::make_shared<const Layout>(Layout{Name(), *text ? parse_layout_rules(text) : std::vector<LayoutRule>(), {}});
    const double whole = costs.in(mesh, rules).time.total();
    EXPECT_NEAR(repeated.in(mesh, rules).seconds, whole, kRepeatedError * whole);
  }

  SearchQuestion question;
  question.processors = 8;
  question.axes = {Name("rows"), Name("cols")};
  const SearchResult anew = search(costs, question);
  question.repeated = &repeated;
  const SearchResult ranked = search(costs, question);
  EXPECT_LT(ranked.costed, anew.costed);
  ASSERT_TRUE(ranked.best && ranked.second);
  EXPECT_EQ(to_string(*ranked.best->rules), to_string(*anew.best->rules));
  EXPECT_DOUBLE_EQ(ranked.best->cost.time.total(), anew.best->cost.time.total());
  EXPECT_DOUBLE_EQ(ranked.second->cost.time.total(), anew.second->cost.time.total());
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
