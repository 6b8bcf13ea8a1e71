// The time of planning is proportional to the program, and short. Four times the layers, parameters or operations may
// take at most eight times as long: four, and the effect of caches. A quadratic part would make the factor sixteen.
#include <gtest/gtest.h>

#include <functional>
#include <sstream>

#include "../../execution_on.h"
#include "../../places.h"
#include "../work_time.h"
#include "session/session.h"

namespace mtf::eval {
namespace {

/// Returns the seconds of this process for planning a program as one plan.
double seconds_for(const std::string& text, int count, const std::string& mesh = "rows:4;cols:4",
                   const std::string& layout = "batch:rows;hidden:cols") {
  ExecutionOn<run::DryRuntime> execution;
  Settings settings;
  settings.stdlib = stdlib_folder();
  settings.mesh = parse_axes(mesh);
  settings.layout = parse_layout(layout);
  std::ostringstream out;
  session::Session session(settings, &execution, out);
  const double start = processor_seconds();
  session.run_text("plan.mtf", "let count = " + std::to_string(count) + "\n" + text);
  return processor_seconds() - start;
}

void expect_proportional(const std::string& text, int count) {
  seconds_for(text, count);
  double ratio = 1e9;
  for (int iteration = 0; iteration < 10 && ratio > 8; ++iteration) {
    const double one = seconds_for(text, count);
    ratio = std::min(ratio, seconds_for(text, 4 * count) / one);
  }
  EXPECT_LE(ratio, 8);
}

// `through(x, 0, count)` is layer(…layer(layer(x, 0), 1)…), with few active calls at a time.
const std::string kThrough =
    "fn through(x, lo: int, hi: int) {\n"
    "  if hi - lo == 1 { return layer(x, lo) }\n"
    "  let mid = (lo + hi) // 2\n"
    "  return through(through(x, lo, mid), mid, hi)\n"
    "}\n";

// The step of `optimize` for each parameter of `ps`.
const std::string kUpdate =
    "fn update(gs, lo: int, hi: int) {\n"
    "  if hi - lo == 1 { optimize(lo, gs[lo]) } else { let mid = (lo + hi) // 2; update(gs, lo, mid); "
    "update(gs, mid, hi) }\n"
    "  return 0\n"
    "}\n";

TEST(PlanningTime, IsProportionalToLayers) {
  expect_proportional(
      "dim batch = 16, io = 64, hidden = 256\n"
      "model Layer { param w: [io, hidden] = 1\n"
      " param b: [hidden] = 0\n"
      " param v: [hidden, io] = 1\n"
      " param g: [io] = 1\n"
      " }\n"
      "model Net(layers: list) { let all = layers }\n"
      "let layers = [Layer() for i in 0..count]\n"
      "fn layer(x, i) {\n"
      "  let n = layer_norm(x, over: io) * layers[i].g\n"
      "  return x + einsum(gelu(einsum(n, layers[i].w -> [batch, hidden]) + layers[i].b), layers[i].v -> [batch, "
      "io])\n"
      "}\n" +
          kThrough +
          "let ps = Net(layers).params\n"
          "fn optimize(i, g) { let p = ps[i]; p := p - 0.1 * g }\n" +
          kUpdate +
          "fn step(x) { let loss = mean(square(through(x, 0, count))); update(grad(loss, ps), 0, len(ps)); "
          "return loss }\nprint(step(random.normal([batch, io])))\n",
      12);
}

// Layers in a list, an optimizer of the library, several steps: histories end at its assignments.
TEST(PlanningTime, OfSeveralStepsIsProportionalToLayers) {
  expect_proportional(
      "import optim, transformer\n"
      "dim batch = 16, length = 4, d_model = 16, heads = 1, d_head = 16, hidden = 16, vocab = 32\n"
      "let net = transformer.LanguageModel(vocab, length, d_model, heads, d_head, hidden, layers: count)\n"
      "let opt = optim.AdamW(net.params, lr: 0.001)\n"
      "let x = random.integers([batch, length], 0, 32)\n"
      "for step in 0..2 { opt.minimize(mean(cross_entropy(net(x), x, over: vocab))) }\n",
      24);
}

// The held values of each layer outlive the history that ends below them.
TEST(PlanningTime, OfLayersWhoseValuesAreHeldIsProportional) {
  expect_proportional(
      "dim batch = 16, n = 8\n"
      "model Leaf { param w: [n] = 1 }\n"
      "let leaves = [Leaf() for i in 0..count]\n"
      "let ps = [leaf.w for leaf in leaves]\n"
      "for step in 0..3 {\n"
      "  let h = random.normal([batch, n])\n"
      "  let seen = []\n"
      "  for leaf in leaves { h := tanh(h * leaf.w); seen := seen + [h] }\n"
      "  for (p, g) in zip(ps, grad(mean(h), ps)) { p := p - 0.1 * g }\n"
      "  print(sum(h), len(seen))\n"
      "}\n",
      100);
}

TEST(PlanningTime, IsProportionalToParameters) {
  expect_proportional(
      "dim batch = 16, n = 8\n"
      "model Leaf { param w: [n] = 1\n state m: like w = 0\n state v: like w = 0 }\n"
      "let leaves = [Leaf() for i in 0..count]\n"
      "let ps = [l.w for l in leaves]\n"
      "fn layer(x, i) = x * leaves[i].w\n" +
          kThrough +
          "fn optimize(i, g) {\n"
          "  let p = leaves[i]\n"
          "  p.m := 0.9 * p.m + 0.1 * g\n"
          "  p.v := 0.999 * p.v + 0.001 * square(g)\n"
          "  p.w := p.w - 0.01 * p.m / (sqrt(p.v) + 0.001)\n"
          "}\n" +
          kUpdate +
          "fn step(x) { let loss = mean(square(through(x, 0, count))); update(grad(loss, ps), 0, len(ps)); "
          "return loss }\nprint(step(random.normal([batch, n])))\n",
      200);
}

// States that a comprehension declares, one in each instance, stored by path rules.
TEST(PlanningTime, OfInstancesInAComprehensionIsProportional) {
  expect_proportional(
      "mesh line = [data: 2]\nlayout stored = {params \"*\": {a -> data}}\ndim a = 2\n"
      "model Leaf { param w: [a] = 1 }\n"
      "model Average(p) { state value: like p = 0 }\n"
      "let leaves = [Leaf() for i in 0..count]\n"
      "let averages = [Average(p) for p in leaves.params]\n"
      "print(sum(averages[0].value))\n",
      400);
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr double kSanitized = 10;
#else
constexpr double kSanitized = run::kDebugBuild ? 10 : 1;
#endif

/// Measures three times, and up to ten times while the result is too long. `measure` keeps its shortest time, because
/// other work of the machine only makes times longer.
void measure_until(const std::function<bool()>& is_short, const std::function<void()>& measure) {
  for (int iteration = 0; iteration < 3 || (iteration < 10 && !is_short()); ++iteration) measure();
}

/// Seconds that planning may take, on a fast, quiet machine.
constexpr double kShort = 0.5 * kSanitized;

/// Returns the time as on a fast, quiet machine. Measures the slowness of this machine only if it matters.
double quiet_seconds(double seconds) { return seconds < kShort ? seconds : seconds / slowness(); }

// A step of Adam for each parameter of `net`.
const std::string kAdam =
    "model Moment(p) { state value: like p = 0 }\n"
    "let ps = net.params\n"
    "let first = [Moment(p) for p in ps]\n"
    "let second = [Moment(p) for p in ps]\n"
    "fn optimize(i, g) {\n"
    "  let p = ps[i]\n"
    "  let m = first[i]\n"
    "  let v = second[i]\n"
    "  m.value := 0.9 * m.value + 0.1 * g\n"
    "  v.value := 0.999 * v.value + 0.001 * square(g)\n"
    "  p := p - 0.01 * m.value / (sqrt(v.value) + 0.00000001)\n"
    "}\n" +
    kUpdate + "fn step(loss) { update(grad(loss, ps), 0, len(ps)); return loss }\n";

TEST(PlanningTime, OfAStepOfALargeTransformerIsShort) {
  const std::string text =
      "import nn, transformer\n"
      "dim batch = 256, length = 256, d_model = 1024, heads = 32, d_head = 32, d_ff = 4096, vocab = 8192\n"
      "model Gpt {\n"
      "  let embedding = nn.Embedding(vocab, d_model)\n"
      "  let blocks = [transformer.Layer(d_model, length, heads, d_head, d_ff, bias: false) for i in 0..count]\n"
      "  fn layer(x, i: int) = blocks[i](x)\n" +
      kThrough +
      "  fn call(ids) = embedding.logits(through(embedding(ids), 0, count))\n"
      "}\n"
      "let net = Gpt()\n" +
      kAdam +
      "let x = random.integers([batch, length], 0, 65)\n"
      "print(step(mean(cross_entropy(net(x), x, over: vocab))))\n";
  const auto of_layers = [&](int layers) {
    return seconds_for(text, layers, "rows:16;cols:32", "batch:rows;heads:cols;d_ff:cols;vocab:cols");
  };
  constexpr double kProportional =
      8 * 2;  // twice, because other programs may use the caches; a quadratic part would make it 64
  double of_12 = 1e9, of_72 = 1e9, of_96 = 1e9;
  measure_until([&] { return of_72 < kShort && of_96 <= kProportional * of_12; },
                [&] {
                  of_12 = std::min(of_12, of_layers(12));
                  of_72 = std::min(of_72, quiet_seconds(of_layers(72)));
                  of_96 = std::min(of_96, of_layers(96));
                });
  EXPECT_LE(of_96 / of_12, kProportional);
  EXPECT_LT(of_72, kShort);
}

TEST(PlanningTime, OfAStepOfManyParametersIsShort) {
  const std::string text =
      "dim batch = 16, n = 8\n"
      "model Leaf { param w: [n] = 1 }\n"
      "model Net { let leaves = [Leaf() for i in 0..count] }\n"
      "let net = Net()\n" +
      kAdam + "fn layer(x, i: int) = tanh(x * ps[i])\n" + kThrough +
      "print(step(mean(square(through(random.normal([batch, n]), 0, count)))))\n";
  double seconds = 1e9;
  measure_until(
      [&] { return seconds < kShort; },
      [&] { seconds = std::min(seconds, quiet_seconds(seconds_for(text, 2000, "rows:16;cols:32", "batch:rows"))); });
  EXPECT_LT(seconds, kShort);
}

TEST(PlanningTime, IsProportionalToTheOperationsOfAGradient) {
  expect_proportional("dim batch = 64\nfn layer(x, i) = tanh(x)\n" + kThrough +
                          "let x = random.normal([batch])\nprint(sum(grad(sum(through(x, 0, count)), x)))\n",
                      1000);
}

TEST(PlanningTime, IsProportionalToTheTermsOfASum) {
  expect_proportional("dim batch = 64\nlet x = random.normal([batch])\nfn layer(y, i) = y + x\n" + kThrough +
                          "print(sum(through(x, 0, count)))\n",
                      4000);
}

}  // namespace
}  // namespace mtf::eval
