// Replayed iterations of loops: which ones are replayed, and that the results do not depend on it. A prompt, which may
// undo iterations, evaluates each one.
#include "eval/replay.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sstream>

#include "../../execution_on.h"
#include "library/library.h"
#include "session/session.h"
#include "support/diagnostics.h"

namespace mtf::eval {
namespace {

constexpr std::string_view kNet = R"(
import data, nn, optim
dim batch = 4, wide = 6, narrow = 3
model Net {
  let (inner, outer, drop) = (nn.Dense(wide, narrow), nn.Dense(narrow, wide), nn.Dropout(0.5))
  state average: [narrow] = 0
  fn call(x) {
    let hidden = drop(tanh(inner(x)))
    average := 0.9 * average + 0.1 * mean(hidden, over: batch)
    return outer(hidden - average)
  }
}
let net = Net()
let opt = optim.Adam(net.params, lr: 0.05)
let rate = 0.1
let seen = [0]
let total = zeros([])
let count = 0
let sums = [0 * p for p in net.inner.params]
let pair = (zeros([narrow]), [0.5, zeros([])])
fn loss_of(x) = mean(square(net(x) - x))
fn loss_in(x) {
  dim places = size(batch) * size(wide)
  return mean(square(reshape(x, [batch, wide] -> places))) * 0 * sum(net.inner.w)
}
fn scaled_loss(x, scale) = loss_of(x) * scale / 7 + scale
fn squared_loss(x, power) = mean(pow(net(x), power))
fn told(k) {
  print("turn", k)
  return k + 1
}
fn batch_of(k) = random.uniform([batch, wide]) + k
let rates = [0.1 / (k + 1) for k in 0..20]
fn mean_rate(k) {
  let sum = 0.0
  for rate in rates[0..k + 1] { sum := sum + rate }
  return sum / (k + 1)
}
fn is_due(k) {
  let all = []
  for i in 0..k { if i % 5 == 0 { all := all + [i] } }
  return k in all
}
fn slow_rate(k) {
  let sum = 10
  for i in 0..2000 { sum := sum + k }
  return 1 / sum
}
model Counter {
  state calls: [] = 0
  let count = 0
}
let counter = Counter()
dim lines = 4
let set = data.examples([zeros([lines, wide])], lines)
let x = random.normal([batch, wide])
let some = [random.normal([batch, wide]) for k in 0..12]
)";

Settings settings() {
  Settings settings;
  settings.library = &library::host_library();
  return settings;
}

struct Ran {
  std::string printed;
  int64_t made = 0;  ///< nodes and scopes
};

Ran ran(const std::string& text, bool at_prompt) {
  std::ostringstream printed;
  ExecutionOn<run::MpiRuntime> execution(run::MpiRuntimeOptions{.threads = 1});
  session::Session session(settings(), &execution, printed);
  const int64_t before = graph::new_node_id();
  if (at_prompt) session.load(text, "test.mtf", false);
  else session.run_text("test.mtf", text);
  return {printed.str(), graph::new_node_id() - before};
}

std::string training(std::string_view body, int iterations) {
  return fmt::format(
      "{}for step in 0..{} {{\n{}\n}}\nprint(sum(square(net(x))), rate, seen, total, count, "
      "sum(random.uniform([batch])))\n"
      "for p in net.params {{ print(p) }}\n",
      kNet, iterations, body);
}

/// Returns how many nodes and scopes one more iteration makes.
int64_t made_by_a_iteration(std::string_view body) {
  return ran(training(body, 12), false).made - ran(training(body, 11), false).made;
}

constexpr int64_t kOfAReplay = 60, kOfAnEvaluation = 150;

class Replayed : public testing::TestWithParam<const char*> {};
class Evaluated : public testing::TestWithParam<const char*> {};
class Partly : public testing::TestWithParam<const char*> {};

void expect_the_same(std::string_view body) {
  for (const int iterations : {2, 3, 4, 9, 12}) {
    const std::string text = training(body, iterations);
    EXPECT_EQ(ran(text, false).printed, ran(text, true).printed) << iterations << " turns";
  }
}

TEST_P(Replayed, AIterationDoesWhatItDoesEvaluated) {
  expect_the_same(GetParam());
  EXPECT_LT(made_by_a_iteration(GetParam()), kOfAReplay);
}
INSTANTIATE_TEST_SUITE_P(
    Loops, Replayed,
    testing::Values(
        "opt.minimize(loss_of(x))",                                                     //
        "let loss = loss_of(x)\nopt.minimize(loss)\nif step % 5 == 2 { print(loss) }",  //
        "if step == 3 { print(step) }\nopt.minimize(loss_of(x))",                       //
        "let y = some[step]\nopt.minimize(loss_of(y))",                                 //
        "print(step)\nopt.minimize(loss_of(x))",                                        //
        "fn twice(y) = 2 * loss_of(y)\nfor p in net.params { p := 0.9 * p }\nopt.minimize(loss_of(x))",
        "let old = net.average\nopt.step(grad(mean(recompute(fn(y) = net.outer(tanh(net.inner(y))), x)), net.params))",
        "opt.step([g * rate for g in grad(loss_of(x), net.params)])",
        // Numbers that follow from the iteration's number.
        "opt.minimize(loss_of(x), lr: 0.1 / (step + 1))",
        "opt.minimize(loss_of(x), lr: rate * optim.cosine(step, 20, warm: 20, floor: 0.1))",
        "let now = rate / (step + 1)\nopt.minimize(loss_of(x), lr: now)", "opt.minimize(loss_of(x), lr: rates[step])",
        "opt.minimize(loss_of(x), lr: mean_rate(step))",
        "let now = mean_rate(step)\nopt.minimize(loss_of(x), lr: now * rates[step])",
        "opt.minimize(loss_of(x))\nif is_due(step + 1) { print(step) }",
        "let done = (step + 1) / 20\nlet now = rate * (1 - done)\nopt.minimize(loss_of(x) * now, lr: now / 2)",
        "opt.minimize(scaled_loss(x, step + 1), lr: 0.3 / (step + 2))",
        "let now = 0.1 / (step + 1)\nprint(step)\nopt.minimize(loss_of(x), lr: now)",
        "let y = some[step]\nlet now = 0.1 / (step + 1)\nopt.minimize(loss_of(y), lr: now)\nif step == 9 { print(now) "
        "}",
        "dim rows = 4\nopt.minimize(mean(zeros([rows])) + loss_of(x) + loss_in(x))",
        // Lists of tensors are bound and assigned.
        "sums := [0.5 * s + g for (s, g) in zip(sums, grad(loss_of(x), net.inner.params))]\nopt.minimize(loss_of(x))",
        "let norms = [sum(g) for g in grad(loss_of(x), net.params)]\nopt.minimize(loss_of(x))\nprint(norms)",
        "let gs = grad(loss_of(x), net.params)\nsums := [g / 2 for g in gs]\nopt.step(gs)\nprint(gs[1])",
        "let loss = loss_of(x)\nopt.minimize(loss)\npair := (0.5 * pair[0] + net.average, [0.5, pair[1][1] + "
        "loss])\nprint(pair)",
        // No variable is assigned; what is printed is computed.
        "let y = tanh(net.inner(x) + total)\ntotal := mean(y)\nprint(total)",
        "let loss = mean(square(net.inner(x)))\nsums := [s + g for (s, g) in zip(sums, grad(loss, "
        "net.inner.params))]\ntotal := total + loss\nprint(total, loss, step)",
        "total := total + mean(x)\nprint(total)\nopt.minimize(loss_of(x))",
        // Behind what is replayed, a number is read, something is printed, or a name outside is assigned.
        "let loss = loss_of(x)\nopt.minimize(loss)\nprint(loss)", "opt.minimize(loss_of(x))\nseen := seen + [step]",
        "let loss = loss_of(x)\nopt.minimize(loss)\nprint(step, \"{loss:.6f}\")\nprint(loss)",
        "let loss = loss_of(x)\nopt.minimize(loss)\nseen := seen + [float(loss)]",
        "let loss = loss_of(x)\nopt.minimize(loss)\nrate := rate + float(loss)",
        "let y = some[step]\nlet loss = loss_of(y)\nopt.minimize(loss, lr: 0.1 / (step + 1))\nif float(loss) > 0 { "
        "print(loss) }",
        "let loss = loss_of(x)\nopt.minimize(loss)\ntotal := total + loss",
        "let loss = loss_of(x)\nopt.minimize(loss)\ntotal := 0.9 * total + loss\nprint(total)",
        "let loss = loss_of(x)\nopt.minimize(loss)\nif step % 5 == 3 { print(loss) }\ncount := count + 1",
        "count := count + 1\nlet loss = loss_of(x)\nopt.minimize(loss)\nprint(count, loss)",
        // A condition holds in each iteration.
        "if rate > 0 { opt.minimize(loss_of(x)) }", "if \"{rate}\" == \"0.1\" { opt.minimize(loss_of(x)) }",
        "if step < 100 { opt.minimize(loss_of(x)) }\nopt.minimize(loss_of(2 * x))",
        "if step > 3 { opt.minimize(loss_of(x)) }\nopt.minimize(loss_of(2 * x))"));

TEST_P(Evaluated, AIterationThatIsAnotherEachTime) {
  expect_the_same(GetParam());
  EXPECT_GT(made_by_a_iteration(GetParam()), kOfAnEvaluation);
}
INSTANTIATE_TEST_SUITE_P(Loops, Evaluated,
                         testing::Values("opt.minimize(rate * loss_of(x))\nrate := 0.9 * rate",  //
                                         "opt.minimize(loss_of(x))\nprint(sum(net(x)))",         //
                                         "let f = fn(y) = loss_of(y + step)\nopt.minimize(f(x))",
                                         "let loss = loss_of(x)\nif float(loss) > 0 { opt.minimize(loss) }",
                                         "seed step\nopt.minimize(loss_of(x))",
                                         "opt.minimize(squared_loss(x, step + 1))",        // decides the computation
                                         "opt.minimize(loss_of(x), lr: told(step) / 20)",  // it prints
                                         "opt.minimize(loss_of(x), lr: slow_rate(step))",  // too long to try
                                         "let now = step + 1\nprint(now)\nopt.minimize(loss_of(x) / now)"));

/// Some iterations are like the ones before; others differ in names, parts or settings.
TEST_P(Partly, AIterationThatChangesWhatLaterOnesRead) { expect_the_same(GetParam()); }
INSTANTIATE_TEST_SUITE_P(
    Loops, Partly,
    testing::Values(
        "opt.minimize(rate * loss_of(x))\nif step % 4 == 3 { rate := rate / 2 }",
        "opt.minimize(loss_of(x))\nif step % 4 == 3 { net.params[0] := zeros_like(net.params[0]) }",
        "opt.minimize(loss_of(x))\nif step == 6 { print(sum(net(x))) }\nif step == 8 { seed 5 }",
        "if step == 6 { x := 2 * x }\nopt.minimize(loss_of(x))",
        "if step < 6 { opt.minimize(loss_of(x)) }\nopt.minimize(loss_of(2 * x))",
        "if step % 2 == 0 { opt.minimize(loss_of(x)) }\nopt.minimize(loss_of(2 * x))",
        "if step % 4 != 1 { opt.minimize(loss_of(x))\nprint(step) }\nopt.minimize(loss_of(2 * x))",
        "if step > 2 {\nlet y = some[step]\nopt.minimize(loss_of(y))\n}\nopt.minimize(loss_of(2 * x))",
        "if rate > 0.05 {\ntotal := total + mean(x)\nopt.minimize(loss_of(x + total))\n}\nif step == 7 { rate := 0 }",
        "let y = if step < 6 { x } else { some[step] }\nopt.minimize(loss_of(y))",
        "for k in 0..5 { opt.minimize(loss_of(x)) }",
        "let y = if step == 6 { random.normal([batch, wide]) } else { x }\nopt.minimize(loss_of(y))",
        "let y = random.normal([batch, wide])\nprint(sum(y))\nopt.minimize(loss_of(y))",
        "if step == 6 { seen := seen + [7] }\nopt.minimize(len(seen) * loss_of(x))",
        "if step < 6 { opt.minimize(loss_of(x)) } else { with precision bf16 { opt.minimize(loss_of(x)) } }",
        "with nn.training = step < 6 { opt.minimize(loss_of(x)) }",
        "for y in [x, some[step % 2]] { opt.minimize(loss_of(y)) }\nif step == 7 { rate := 0.5 }",
        "let old = net.params[0] + 0\nopt.minimize(loss_of(x))\nif step > 6 { print(sum(old)) }",
        "opt.minimize(loss_of(x), lr: if step % 2 == 0 { 0.1 } else { 0.05 })",  // the average is 0.1, too
        "opt.minimize(loss_of(x), lr: if step < 6 { 0.1 / (step + 1) } else { 0.9 })",
        "opt.minimize(loss_of(x), lr: if step < 6 { 0.25 } else { 0.5 / step })",
        "opt.minimize(loss_of(x), lr: rate / (step + 1))\nif step == 6 { rate := 2 * rate }",
        "let now = if step == 7 { 1 } else { 1.5 + step }\nopt.minimize(loss_of(x), lr: 0.1 / now)",
        "opt.minimize(scaled_loss(x, if step < 8 { step + 0.5 } else { 3.5 - 0 * step }))",
        "if step == 7 { opt.lr := 0.01 }\nopt.minimize(loss_of(x))", "if step == 7 { break }\nopt.minimize(loss_of(x))",
        "if step % 3 == 2 { continue }\nopt.minimize(loss_of(x))",
        "assert(step < 20)\nopt.minimize(loss_of(batch_of(0)))",
        "let c = counters { opt.minimize(loss_of(x)) }\nif step > 9 { print(c.flops) }",
        // Behind what is replayed, something is done that later iterations read.
        "let loss = loss_of(x)\nopt.minimize(loss)\nprint(loss)\nif step == 6 { net.params[0] := 2 * net.params[0] }",
        "let loss = rate * loss_of(x)\nopt.minimize(loss)\nprint(loss)\nif step % 4 == 3 { rate := rate / 2 }",
        "let loss = loss_of(x) + 0 * total\nopt.minimize(loss)\nprint(loss)\nif step > 5 { total := total + loss }",
        "let loss = loss_of(x)\nopt.minimize(loss)\nif step == 7 { break }\nprint(loss)",
        "let loss = loss_of(x)\nopt.minimize(loss)\nif step % 3 == 1 { continue }\nprint(loss)",
        "let loss = loss_of(x)\nopt.minimize(loss)\nprint(loss)\nif step == 8 { opt.minimize(loss_of(2 * x)) }",
        "let loss = loss_of(x)\nopt.minimize(loss)\ntotal := total + loss\nif step == 7 { total := zeros([]) }",
        "let loss = loss_of(x)\nopt.minimize(loss)\nprint(loss)\nif step == 9 { seed 4 }",
        "let y = random.normal([batch, wide])\nlet loss = loss_of(y)\nopt.minimize(loss)\nprint(loss, "
        "random.uniform([]))",
        "let loss = loss_of(x)\nopt.minimize(loss)\nlet f = fn() = loss\nprint(f())"));

/// An expression that looks like a number of the iteration is evaluated ahead. Its effects happen once.
class WithEffect : public testing::TestWithParam<const char*> {};
TEST_P(WithEffect, HappensOnceInEachIteration) {
  for (const std::string body :
       {"opt.minimize(loss_of(x), lr: 0.1 / acts(step))",
        "let now = 0.1 / acts(step)\nopt.minimize(loss_of(x), lr: now)",
        "opt.minimize(loss_of(x))\nif acts(step) < 0 { print(step) }", "opt.minimize(loss_of(x))\nacts(step)",
        "acts(step)\nlet loss = loss_of(x)\nopt.minimize(loss)\nprint(loss)"}) {
    const std::string loop = training(body, 12);
    const std::string text =
        fmt::format("{}fn acts(k) {{\n{}\nreturn k + 1\n}}\n{}\nprint(counter.count, counter.calls, x)\n", kNet,
                    GetParam(), loop.substr(kNet.size()));
    EXPECT_EQ(ran(text, false).printed, ran(text, true).printed) << body;
  }
}
INSTANTIATE_TEST_SUITE_P(Functions, WithEffect,
                         testing::Values("print(k)", "count := count + 1", "seen := seen + [k]",
                                         "for i in 0..2 { seen := seen + [k] }", "counter.count := counter.count + 1",
                                         "counter.calls := counter.calls + 1", "rate := 0.1 + 0 * float(sum(x))",
                                         "x := 1.1 * x", "total := total + random.uniform([])", "seed k",
                                         "let other = Net()", "opt.lr := 0.1 / (k + 1)",
                                         "for b in set.batches(batch) { count := count + 1 }"));

/// The iterations of a `while` are replayed as those of a `for`.
TEST(Replay, IterationsOfAWhileWithACounterAreReplayed) {
  const auto text = [](int iterations) {
    return fmt::format(
        "{}let step = 0\nwhile step < {} {{\nlet loss = loss_of(x)\nopt.minimize(loss)\nprint(loss)\nstep := step + "
        "1\n}}\n"
        "let k = 0\nwhile k < {} {{\nk := k + 1\nopt.minimize(loss_of(x))\n}}\nfor p in net.params {{ print(p) }}\n",
        kNet, iterations, iterations);
  };
  for (const int iterations : {2, 3, 4, 9, 12})
    EXPECT_EQ(ran(text(iterations), false).printed, ran(text(iterations), true).printed) << iterations << " turns";
  EXPECT_LT(ran(text(12), false).made - ran(text(11), false).made, 2 * kOfAReplay);
}

TEST(Replay, KeepsNothingOfAIterationThatIsOver) {
  const auto peak = [](int iterations) {
    std::ostringstream printed;
    ExecutionOn<run::MpiRuntime> execution(run::MpiRuntimeOptions{.threads = 1});
    session::Session session(settings(), &execution, printed);
    session.run_text("test.mtf",
                     training("let y = random.normal([batch, wide])\nopt.minimize(loss_of(y))", iterations));
    return execution.counters().peak_bytes;
  };
  EXPECT_EQ(peak(20), peak(2));
}

TEST(Replay, AnErrorInAReplayedIterationIsThatOfTheIteration) {
  const std::string text =
      "dim n = 3, k = 2\nmodel M { param t: [n, k] = 1 }\nlet m = M()\nlet at = [zeros([k]) for i in 0..8]\n"
      "let ids = [cast(a, i32) + (if i < 6 { 0 } else { 9 }) for (i, a) in zip(0..8, at)]\n"
      "for i in ids { m.t := m.t + sum(gather(m.t, i, over: n)) }\n";
  std::string message;
  try {
    ran(text, false);
  } catch (const UserError& error) { message = error.what(); }
  EXPECT_NE(message.find("9"), std::string::npos) << message;
}

TEST(Replay, AnErrorInANumberOfAReplayedIterationIsThatOfTheIteration) {
  std::string message;
  try {
    ran(training("opt.minimize(loss_of(x), lr: 1 / (6 - step))", 9), false);
  } catch (const UserError& error) { message = error.diagnostic().label(); }
  EXPECT_EQ(message, "1 / 0");
}

}  // namespace
}  // namespace mtf::eval
