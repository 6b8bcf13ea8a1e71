// Planning takes time in proportion to the program: for four times the layers, parameters or operations at most eight
// times as long (four, and what a machine's caches add; a quadratic part would make it sixteen).
#include <gtest/gtest.h>

#include <ctime>
#include <sstream>

#include "eval/session.h"

namespace mtf {
namespace {

/// Seconds of this process to plan a program, one plan made of all of it.
double seconds_for(const std::string& text, int count) {
  Engine engine({.threads = 1, .dry = true});
  Settings settings;
  settings.stdlib = MTF_STDLIB_DIR;
  settings.mesh = parse_axes("rows:4;cols:4");
  settings.layout = parse_layout_rules("batch:rows;hidden:cols");
  std::ostringstream out;
  Session session(settings, &engine, out);
  const std::clock_t start = std::clock();
  session.run_text("plan.mtf", "let count = " + std::to_string(count) + "\n" + text);
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

void expect_proportional(const std::string& text, int count) {
  seconds_for(text, count);
  double ratio = 1e9;
  for (int turn = 0; turn < 4 && ratio > 8; ++turn) {
    const double one = seconds_for(text, count);
    ratio = std::min(ratio, seconds_for(text, 4 * count) / one);
  }
  EXPECT_LE(ratio, 8);
}

// `through(x, 0, count)` is layer(…layer(layer(x, 0), 1)…), with few calls at a time under way.
const std::string kThrough =
    "fn through(x, lo: int, hi: int) {\n"
    "  if hi - lo == 1 { return layer(x, lo) }\n"
    "  let mid = (lo + hi) // 2\n"
    "  return through(through(x, lo, mid), mid, hi)\n"
    "}\n";

// The step of `optimize` for each parameter of `ps`.
const std::string kUpdate =
    "fn update(gs, lo: int, hi: int) {\n"
    "  if hi - lo == 1 { optimize(lo, gs[lo]) } else { let mid = (lo + hi) // 2; update(gs, lo, mid); update(gs, mid, hi) }\n"
    "  return 0\n"
    "}\n";

TEST(PlanningTime, IsProportionalToLayers) {
  expect_proportional(
      "dim batch = 16, io = 64, hidden = 256\n"
      "model Layer { param w: [io, hidden] = 1\n param b: [hidden] = 0\n param v: [hidden, io] = 1\n param g: [io] = 1\n }\n"
      "model Net(layers: list) { let all = layers }\n"
      "let layers = [Layer() for i in 0..count]\n"
      "fn layer(x, i) {\n"
      "  let n = layer_norm(x, over: io) * layers[i].g\n"
      "  return x + einsum(gelu(einsum(n, layers[i].w -> [batch, hidden]) + layers[i].b), layers[i].v -> [batch, io])\n"
      "}\n" + kThrough +
      "let ps = Net(layers).params\n"
      "fn optimize(i, g) { let p = ps[i]; p := p - 0.1 * g }\n" + kUpdate +
      "fn step(x) { let loss = mean(square(through(x, 0, count))); update(grad(loss, ps), 0, len(ps)); return loss }\n"
      "print(step(random.normal([batch, io])))\n", 12);
}

TEST(PlanningTime, IsProportionalToParameters) {
  expect_proportional(
      "dim batch = 16, n = 8\n"
      "model Leaf { param w: [n] = 1\n state m: like w = 0\n state v: like w = 0 }\n"
      "let leaves = [Leaf() for i in 0..count]\n"
      "let ps = [l.w for l in leaves]\n"
      "fn layer(x, i) = x * leaves[i].w\n" + kThrough +
      "fn optimize(i, g) {\n"
      "  let p = leaves[i]\n"
      "  p.m := 0.9 * p.m + 0.1 * g\n"
      "  p.v := 0.999 * p.v + 0.001 * square(g)\n"
      "  p.w := p.w - 0.01 * p.m / (sqrt(p.v) + 0.001)\n"
      "}\n" + kUpdate +
      "fn step(x) { let loss = mean(square(through(x, 0, count))); update(grad(loss, ps), 0, len(ps)); return loss }\n"
      "print(step(random.normal([batch, n])))\n", 200);
}

TEST(PlanningTime, IsProportionalToTheOperationsOfAGradient) {
  expect_proportional("dim batch = 64\nfn layer(x, i) = tanh(x)\n" + kThrough +
                      "let x = random.normal([batch])\nprint(sum(grad(sum(through(x, 0, count)), x)))\n", 1000);
}

TEST(PlanningTime, IsProportionalToTheTermsOfASum) {
  expect_proportional("dim batch = 64\nlet x = random.normal([batch])\nfn layer(y, i) = y + x\n" + kThrough +
                      "print(sum(through(x, 0, count)))\n", 4000);
}

}  // namespace
}  // namespace mtf
