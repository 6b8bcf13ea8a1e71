// The search for a layout against known answers, and against exhaustive trials.
#include <gtest/gtest.h>

#include <ostream>

#include "../execution_on.h"
#include "../places.h"
#include "cost/peak_estimate.h"
#include "cost/program_times.h"
#include "cost/search.h"
#include "cost/time_estimate.h"
#include "cost/work_bound.h"
#include "session/session.h"
#include "support/diagnostics.h"

namespace mtf::properties {
namespace {

struct Searched {
  std::shared_ptr<plan::ProgramRecord> record = std::make_shared<plan::ProgramRecord>();
  std::unique_ptr<ExecutionOn<run::DryRuntime>> execution;
  std::unique_ptr<session::Session> session;

  explicit Searched(const std::string& text, eval::Settings settings = {}) {
    settings.stdlib = stdlib_folder();
    static std::ostream nowhere(nullptr);
    execution = std::make_unique<ExecutionOn<run::DryRuntime>>(plan::ExecutionOptions{.record = record});
    session = std::make_unique<session::Session>(settings, execution.get(), nowhere);
    session->run_text("searched.mtf", text);
  }
};

/// A machine whose arithmetic is so slow that work must be divided; otherwise only bytes on the wire count.
cost::MachineModel slow_wire() {
  cost::MachineModel machine;
  machine.flops = {{ElementType::kF32, 1e9}};
  machine.memory_bandwidth = 1e15;
  machine.step = 1e-15;
  machine.link = {1e-12, 1e8};
  return machine;
}

std::string layout_of_mlp(int tokens, bool input_gradient) {
  const Searched searched("dim tokens = " + std::to_string(tokens) +
                          ", width = 64, d_ff = 256\n"
                          "model Mlp {\n  param w: [width, d_ff] = 1\n  param v: [d_ff, width] = 1\n"
                          "  fn call(x) = einsum(relu(einsum(x, w -> [tokens, d_ff])), v -> [tokens, width])\n}\n"
                          "let net = Mlp()\nlet x = random.uniform([tokens, width])\nlet loss = sum(square(net(x)))\n" +
                          std::string(input_gradient
                                          ? "let (dw, dv, dx) = grad(loss, [net.w, net.v, x])\nlet shown = sum(dx)\n"
                                          : "let (dw, dv) = grad(loss, [net.w, net.v])\nlet shown = loss\n") +
                          "net.w := net.w - 0.1 * dw\nnet.v := net.v - 0.1 * dv\nprint(shown)\n");
  const cost::LayoutCosts costs(searched.record, slow_wire());
  cost::SearchQuestion question;
  question.processors = 4;
  question.axes = {Name("all")};
  return to_string(*search(costs, question).best()->rules);
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
      "dim a = 12, b = 16, c = 20\nlet x = random.uniform([a, b])\nlet w = random.uniform([b, c])\nlet v = "
      "random.uniform([c, a])\n"
      "print(sum(tanh(einsum(tanh(einsum(x, w -> [a, c])), v -> [c])) + 0))\n");
  const cost::LayoutCosts costs(searched.record, cost::MachineModel());
  cost::SearchQuestion question;
  question.processors = 4;
  question.axes = {Name("rows"), Name("cols")};
  const cost::SearchResult found = search(costs, question);
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
      } catch (const UserError&) {}
    }
  }
  ASSERT_TRUE(found.best());
  EXPECT_DOUBLE_EQ(found.best()->cost.time.total(), least);
}

TEST(Search, CostsAProgramOnceHoweverWhatItDoesNotHaveIsSplit) {
  const Searched searched(
      "dim a = 64, b = 64, c = 8, d = 8\nlet x = random.uniform([a, b])\nprint(sum(tanh(einsum(x, x -> [a]))))\n"
      "let y = random.uniform([c, d])\nprint(sum(tanh(einsum(y, y -> [c]))))\n");
  const cost::LayoutCosts costs(searched.record, cost::MachineModel());
  cost::SearchQuestion question;
  question.processors = 4;
  question.axes = {Name("rows"), Name("cols")};
  const cost::SearchResult found = search(costs, question);
  const int64_t all_ways = 2 * 2 * 2 * 2 + 4 * 4 * 4 * 4;  // over four in a line, and over two by two
  EXPECT_LT(found.costed, all_ways / 4);
  ASSERT_TRUE(found.best() && found.second());

  cost::ProgramTimes times(costs, {{Name("a"), 64}, {Name("b"), 64}, {Name("c"), 8}, {Name("d"), 8}});
  const auto mesh = std::make_shared<const Mesh>(Name("mesh"), parse_axes("rows:2;cols:2"));
  const auto seconds = [&](const char* rules, const std::vector<AxisSet>& axes) {
    return times.seconds(0, mesh, std::make_shared<const Layout>(parse_layout(rules)), axes);
  };
  EXPECT_EQ(times.dims(0), (std::vector<size_t>{0, 1}));
  EXPECT_EQ(seconds("a:rows;c:rows", {1, 0, 1, 0}), seconds("a:rows;d:cols", {1, 0, 0, 2}));
  EXPECT_EQ(times.costed(), 1);
  EXPECT_NE(seconds("a:rows", {1, 0, 0, 0}), seconds("b:rows", {0, 1, 0, 0}));
  EXPECT_EQ(times.costed(), 2);
}

TEST(Search, AsksOnceOfAxesThatAreAlike) {
  const Searched searched(
      "dim batch = 16, length = 8, d_model = 16, d_ff = 32, classes = 8\nlet w = random.uniform([d_model, d_ff])\n"
      "let v = random.uniform([d_ff, d_model])\nlet u = random.uniform([d_model, classes])\n"
      "let x = random.uniform([batch, length, d_model])\nlet y = einsum(tanh(einsum(x, w -> [batch, length, d_ff])), v "
      "-> [batch, length, d_model])\nprint(sum(tanh(einsum(x + y, u -> [batch, length, classes]))))\n");
  cost::MachineModel named;
  named.axes = {{"rows", named.link},
                {"cols", named.link}};  // a machine that distinguishes the axes by name, with equal times for both
  const cost::LayoutCosts alike(searched.record, cost::MachineModel()), apart(searched.record, named);
  cost::SearchQuestion question;
  question.processors = 4;
  question.axes = {Name("rows"), Name("cols")};
  question.mesh = parse_axes("rows:2;cols:2");
  const cost::SearchResult once = search(alike, question), twice = search(apart, question);
  ASSERT_TRUE(once.best() && once.second() && twice.best() && twice.second());
  EXPECT_DOUBLE_EQ(once.best()->cost.time.total(), twice.best()->cost.time.total());
  EXPECT_DOUBLE_EQ(once.second()->cost.time.total(), twice.second()->cost.time.total());
  EXPECT_LT(once.costed, 0.6 * static_cast<double>(twice.costed));
}

/// A training step of `layers` layers, with Adam.
std::string layered(int layers) {
  return "import transformer, optim\ndim batch = 256, length = 64, d_model = 512, heads = 8, d_head = 64, d_ff = 2048\n"
         "model Deep {\n  let all = [transformer.Layer(d_model, length, heads, d_head, d_ff, bias: false) for i in "
         "0.." +
         std::to_string(layers) +
         "]\n"
         "  fn call(x) { for layer in all { x := layer(x) }; return x }\n}\n"
         "let net = Deep()\nlet opt = optim.Adam(net.params)\nlet x = random.normal([batch, length, d_model])\n"
         "let loss = mean(square(net(x)))\nopt.minimize(loss)\nprint(loss)\n";
}

TEST(Search, RanksWhatRepeatsByAFewLayers) {
  constexpr int kLayers = 12;
  const Searched few(layered(cost::RepeatedCosts::kFew)), more(layered(cost::RepeatedCosts::kMore)),
      all(layered(kLayers)), other(layered(kLayers + 1));
  const cost::MachineModel machine;
  const cost::LayoutCosts costs(all.record, machine);
  const cost::RepeatedCosts repeated(cost::LayoutCosts(few.record, machine), cost::LayoutCosts(more.record, machine),
                                     kLayers);
  EXPECT_TRUE(repeated.stand_for(costs));
  EXPECT_FALSE(repeated.stand_for(cost::LayoutCosts(other.record)));

  const auto mesh = std::make_shared<const Mesh>(Name("mesh"), parse_axes("rows:4;cols:8"));
  for (const char* text : {"", "batch:rows", "batch:rows;heads:cols;d_ff:cols", "d_model:cols",
                           "length:cols;batch:rows", "batch:cols;d_model:rows", "d_ff:rows"}) {
    SCOPED_TRACE(text);
    const auto rules = std::make_shared<const Layout>(parse_layout(text));
    const double whole = costs.in(mesh, rules).time.total();
    EXPECT_NEAR(repeated.in(mesh, rules).seconds, whole, cost::kRepeatedError * whole);
  }

  cost::SearchQuestion question;
  question.processors = 8;
  question.axes = {Name("rows"), Name("cols")};
  const cost::SearchResult anew = search(costs, question);
  question.repeated = &repeated;
  const cost::SearchResult ranked = search(costs, question);
  EXPECT_LT(ranked.costed, anew.costed);
  ASSERT_TRUE(ranked.best() && ranked.second());
  EXPECT_EQ(to_string(*ranked.best()->rules), to_string(*anew.best()->rules));
  EXPECT_DOUBLE_EQ(ranked.best()->cost.time.total(), anew.best()->cost.time.total());
  EXPECT_DOUBLE_EQ(ranked.second()->cost.time.total(), anew.second()->cost.time.total());
}

TEST(Search, EstimatesTimesThatAreNearThoseOfPlans) {
  const Searched all(layered(4));
  const cost::MachineModel machine;
  const cost::LayoutCosts costs(all.record, machine);
  const std::vector<Name> axes = {Name("rows"), Name("cols")};
  const cost::WorkBound bound(costs, axes);
  const cost::TimeEstimate estimate(costs, bound.dims(), axes);
  const auto mesh = std::make_shared<const Mesh>(Name("mesh"), parse_axes("rows:4;cols:8"));
  for (const char* text : {"", "batch:rows", "batch:rows;heads:cols;d_ff:cols", "d_model:cols", "batch:cols",
                           "batch:cols;d_model:rows", "d_ff:rows"}) {
    SCOPED_TRACE(text);
    const auto rules = std::make_shared<const Layout>(parse_layout(text));
    std::vector<AxisSet> split(bound.dims().size());
    for (size_t d = 0; d < split.size(); ++d)
      if (const LayoutRule* rule = rules->find(bound.dims()[d].name))
        for (const Name axis : rule->axes) split[d] |= axis_bit(mesh->find(axis));
    const double planned = costs.in(mesh, rules).time.total(), estimated = estimate.seconds(*mesh, split);
    EXPECT_LT(estimated, 2.5 * planned);
    EXPECT_GT(estimated, 0.4 * planned);
  }
}

TEST(Search, GivesSharedKeysTheAxisOfHeads) {
  const Searched searched(
      "import nn, optim\n"
      "dim batch = 4, length = 64, d_model = 64, heads = 8, d_head = 8\n"
      "model Net {\n  let attention = nn.Attention(d_model, length, heads, d_head, key_heads: 4, bias: false)\n"
      "  fn call(x) = attention(x)\n}\n"
      "let net = Net()\nlet opt = optim.Adam(net.params)\nlet x = random.normal([batch, length, d_model])\n"
      "let loss = mean(square(net(x)))\nopt.minimize(loss)\nprint(loss)\n");
  const cost::LayoutCosts costs(searched.record, slow_wire());
  cost::SearchQuestion question;
  question.mesh = parse_axes("model:4");
  question.processors = 4;
  question.pinned = parse_layout("heads:model");
  const cost::SearchResult found = search(costs, question);
  ASSERT_TRUE(found.best());
  EXPECT_NE(to_string(*found.best()->rules).find("group -> model"), std::string::npos)
      << to_string(*found.best()->rules);
  EXPECT_TRUE(found.is_complete);
}

TEST(Search, TakesTheBestThatFits) {
  const Searched searched(
      "dim a = 64, b = 64\nmodel M { param w: [a, b] = 1 }\nlet m = M()\nlet x = "
      "random.uniform([a])\nprint(sum(einsum(x, m.w -> [b])))\n");
  const cost::LayoutCosts costs(searched.record, cost::MachineModel());
  cost::SearchQuestion question;
  question.processors = 4;
  question.axes = {Name("all")};
  EXPECT_EQ(to_string(*search(costs, question).best()->rules), "{}");
  question.memory = 8000;
  question.peak = [](const MeshPtr&, const LayoutPtr& rules) { return rules->rules.empty() ? 16'384 : 4096; };
  EXPECT_NE(to_string(*search(costs, question).best()->rules), "{}");
}

TEST(Search, TakesAScriptThatNamesAxesItself) {
  eval::Settings settings;
  settings.mesh = {{Name("here"), 2}, {Name("there"), 2}};
  const Searched searched("dim a = 64, b = 64\nlet x = random.uniform([a, b])\nprint(sum(exp(x @ {a -> there})))\n",
                          settings);
  const cost::LayoutCosts costs(searched.record, slow_wire());
  cost::SearchQuestion question;
  question.processors = 4;
  question.axes = {Name("there"), Name("here")};
  EXPECT_NE(search(costs, question).best()->mesh->find(Name("there")), -1);
}

/// A training step of six layers with Adam; the params are larger than all other values.
const std::string kHeavy =
    "import optim\ndim batch = 8, d = 256, e = 256\n"
    "model Layer {\n  param w: [d, e] = init.normal(stddev: 0.1)\n  fn call(x) = rename(tanh(einsum(x, w -> [batch, "
    "e])), e -> d)\n}\n"
    "model Net {\n  let all = [Layer() for i in 0..6]\n  fn call(x) { for layer in all { x := layer(x) }; return x "
    "}\n}\n"
    "let net = Net()\nlet opt = optim.Adam(net.params)\nlet x = random.uniform([batch, d])\n"
    "for step in 0..2 { let loss = sum(square(net(x))); opt.minimize(loss) }\nprint(sum(net(x)))\n";

/// Under rules of all kinds: rules that split everything, rules that split little, and rules that gather everything.
TEST(Search, PeaksAreNotFarBelowWhatIsEstimated) {
  const std::vector<Name> axes = {Name("rows"), Name("cols")};
  const auto mesh = std::make_shared<const Mesh>(Name("mesh"), parse_axes("rows:4;cols:2"));
  const std::string many_rows =
      "import optim\ndim batch = 4096, d = 64, e = 64\n" + kHeavy.substr(kHeavy.find("model Layer"));
  const std::pair<std::string, std::vector<const char*>> scripts[] = {
      {kHeavy, {"", "batch:rows", "d:rows;e:cols", "e:rows+cols", "batch:rows;e:cols"}},
      {many_rows, {"", "batch:rows+cols", "batch:rows", "d:rows;e:cols", "batch:rows;e:cols", "batch:cols;d:rows"}},
      {layered(3),
       {"", "batch:rows+cols", "batch:rows;heads:cols;d_ff:cols", "length:rows;batch:cols", "d_model:cols",
        "heads:rows;d_ff:rows+cols"}},
      {"dim a = 512, b = 512, c = 64\nlet x = random.uniform([a, b])\nlet y = random.uniform([b, "
       "c])\nprint(sum(softmax(einsum(x, y -> [a, c]), over: c)))\n",
       {"", "a:rows+cols", "b:rows", "a:rows;c:cols"}},
  };
  for (const auto& [text, layouts] : scripts) {
    const Searched searched(text);
    const cost::LayoutCosts costs(searched.record, cost::MachineModel());
    const cost::WorkBound bound(costs, axes);
    const cost::PeakEstimate estimate(costs, bound, axes);
    for (const char* layout : layouts) {
      SCOPED_TRACE(text + layout);
      eval::Settings settings;
      settings.mesh = mesh->axes();
      settings.layout = parse_layout(layout);
      std::vector<AxisSet> split(bound.dims().size());
      for (size_t d = 0; d < split.size(); ++d)
        for (const LayoutRule& rule : settings.layout->rules)
          if (rule.dim == bound.dims()[d].name)
            for (Name axis : rule.axes) split[d] |= axis_bit(mesh->find(axis));
      const double about = estimate.bytes(*mesh, {split, split.size()}),
                   least = estimate.least_bytes(*mesh, {split, split.size()});
      const auto peak = static_cast<double>(Searched(text, settings).execution->counters().peak_bytes);
      EXPECT_GE(peak, (1 - cost::kPeakError) * least);
      EXPECT_LE(peak, 3 * about);
      EXPECT_LE(least, about);
      EXPECT_LE(estimate.least_bytes(*mesh, {split, 0, true}), least);
      EXPECT_LE(estimate.stored_bytes(*mesh, {split, split.size()}), about);
    }
  }
}

cost::SearchQuestion of_four_with_batch_split(bool stored) {
  cost::SearchQuestion question;
  question.processors = 4;
  question.axes = {Name("all")};
  question.pinned = parse_layout("batch:all");
  question.stored = stored;
  question.peak = [](const MeshPtr& mesh, const LayoutPtr& layout) {
    eval::Settings settings;
    settings.mesh = mesh->axes();
    settings.layout = *layout;
    return Searched(kHeavy, settings).execution->counters().peak_bytes;
  };
  return question;
}

TEST(Search, FindsThatOnlyParamsStoredInPartsFit) {
  const Searched searched(kHeavy);
  const cost::LayoutCosts costs(searched.record, cost::MachineModel());
  cost::SearchQuestion question = of_four_with_batch_split(false), with_stored = of_four_with_batch_split(true);
  const cost::SearchResult whole = search(costs, question);
  ASSERT_TRUE(whole.best());
  const int64_t peak = question.peak(whole.best()->mesh, whole.best()->rules);
  question.memory = with_stored.memory = peak / 2;
  EXPECT_FALSE(search(costs, question).best());
  const cost::SearchResult parts = search(costs, with_stored);
  ASSERT_TRUE(parts.best());
  EXPECT_EQ(parts.best()->cost.parameter_bytes, 6 * 256 * 256 * 4 / 4);
  EXPECT_EQ(to_string(*parts.best()->rules), "{batch -> all, params \"*\": {e -> all}}");
}

TEST(Search, KeepsToRulesByPathThatAreGiven) {
  const Searched searched(kHeavy);
  cost::SearchQuestion question = of_four_with_batch_split(true);
  question.pinned = parse_layout("batch:all;params \"*\":e:all");
  const cost::SearchResult found = search(cost::LayoutCosts(searched.record, cost::MachineModel()), question);
  ASSERT_TRUE(found.best());
  EXPECT_EQ(to_string(*found.best()->rules), "{batch -> all, params \"*\": {e -> all}}");
}

TEST(Search, CostsParamsStoredInPartsAsAPlanOfThemDoes) {
  const Searched searched(kHeavy);
  const cost::LayoutCosts costs(searched.record);
  const auto mesh = std::make_shared<const Mesh>(Name("mesh"), parse_axes("rows:2;cols:3"));
  for (const char* rules : {"", "batch:rows;", "e:cols;"}) {
    for (const char* path : {"params \"*\":d:rows", "params \"*w\":e:cols", "params \"*\":d:rows;params \"*\":e:cols",
                             "params \"*w\":d:rows+cols;states \"*\":d:cols"}) {
      SCOPED_TRACE(std::string(rules) + path);
      eval::Settings settings;
      settings.mesh = mesh->axes();
      settings.layout = parse_layout(std::string(rules) + path);
      const Searched anew(kHeavy, settings);
      EXPECT_TRUE(costs.in(mesh, std::make_shared<const Layout>(*settings.layout)).counters ==
                  cost::LayoutCosts(anew.record).in(nullptr, nullptr).counters);
      EXPECT_NE(anew.session->stored_variables().parameter_bytes, searched.session->stored_variables().parameter_bytes);
    }
  }
}

}  // namespace
}  // namespace mtf::properties
