// Sessions that run and plan: their output, the reports of a REPL, and the state after a failed statement.
#include <gtest/gtest.h>

#include <chrono>
#include <ctime>
#include <functional>
#include <sstream>
#include <thread>

#include "../../execution_on.h"
#include "../../places.h"
#include "session/session.h"

namespace mtf::session {
namespace {

/// Returns the type of an expression as text.
std::string type_of(Session& session, const std::string& expression, const Assumption& assumption = {}) {
  return to_string(session.what_is(expression, "<type>", assumption).type);
}

std::string run(const std::string& text, eval::Settings settings = {}, int threads = 0) {
  ExecutionOn<run::MpiRuntime> execution(run::MpiRuntimeOptions{.threads = threads});
  std::ostringstream out;
  Session session(settings, &execution, out);
  session.run_text("test.mtf", text);
  return out.str();
}

TEST(Run, PrintsValues) {
  EXPECT_EQ(run("dim a = 2, b = 3\nprint(1, 2.5, 2.0, true, \"x\", [1, \"y\"], a)\nprint(fill([a, b], 0.5))\n"
                "print(range(b))\n"),
            "1 2.5 2 true x [1, \"y\"] a=2\n[[0.5, 0.5, 0.5], [0.5, 0.5, 0.5]]\n[0, 1, 2]\n");
}

TEST(Run, ThreadsChangeNoBitOfTheGradientsOfSharedKeysAndValues) {
  for (const std::string precision : {"f32", "mixed"}) {
    const std::string text =
        "precision " + precision +
        "\ndim heads = 3, length = 200, memory = length, d = 8\n"
        "let q = random.normal([heads, length, d])\nlet k = random.normal([memory, d])\n"
        "let v = random.normal([memory, d])\n"
        "let y = attention(q, k, v, over: memory, along: length, features: d, causal: true)\n"
        "for g in grad(sum(square(y)), [q, k, v]) { print(\"{sum(abs(g)):.9f}\", max(g), g[d: 3]) }\n";
    EXPECT_EQ(run(text, {}, 1), run(text, {}, 3)) << precision;
  }
}

TEST(Run, FormatsTakeATensorAsItsNumber) {
  EXPECT_EQ(run("dim a = 4\nprint(\"{sum(ones([a])):.2f} {{}} {3:>4}|\")\n"), "4.00 {}    3|\n");
}

TEST(Run, GradientsGoThroughPrintedValuesAndAssignedNames) {
  EXPECT_EQ(run("dim a = 1\nlet x = fill([a], 3)\nlet y = x * x\nprint(y)\nfor i in 0..2 { y := y * x }\n"
                "print(sum(y))\nlet g = grad(sum(y), x)\nprint(g)\n"),
            "[9]\n81\n[108]\n");
}

TEST(Run, ACopyDoesNotChange) {
  EXPECT_EQ(run("model M() { param w: [] = 1 }\nlet m = M()\nlet before = copy(m.w)\nlet alias = m.w\n"
                "m.w := m.w + 1\nprint(before, alias, m.w)\n"),
            "1 2 2\n");
}

TEST(Run, CountersCountTheirBlockAlone) {
  EXPECT_EQ(run("dim a = 4, b = 8\nlet x = ones([a, b])\nlet y = x * 3\nlet c = counters { let z = sum(y)\n"
                "let z = y + 1 }\nprint(c.flops, c.all_reduce.count)\n"),
            "64 0\n");
}

TEST(Run, RecomputeRepeatsItsRandomNumbers) {
  EXPECT_EQ(run("dim a = 4\nfn f(x) = x * random.uniform([a])\nlet x = ones([a])\nlet y = recompute(f, x)\n"
                "let g = grad(sum(y), x)\nassert all(g == y)\n"),
            "");
}

TEST(Run, AnAssertionThatFailsShowsBothSides) {
  try {
    run("dim a = 2\nassert sum(ones([a])) == 3, \"a message\"\n");
    FAIL();
  } catch (const UserError& error) {
    EXPECT_EQ(error.diagnostic().kind(), Kind::assertion_failed);
    EXPECT_EQ(error.diagnostic().label(), "2 == 3");
  }
}

/// Returns the numbers of cuts and of plans of a program.
std::pair<int, int64_t> cuts_and_plans(const std::string& text) {
  ExecutionOn<run::MpiRuntime> execution;
  std::ostringstream out;
  Session session({}, &execution, out);
  int cuts = 0;
  session.on_cut([&](Span) { ++cuts; });
  session.run_text("test.mtf", text);
  return {cuts, execution.last_plan()};
}

TEST(Run, ManyIterationsOfALoopHaveThePlanOfAFew) {
  const auto [cuts, plans] =
      cuts_and_plans("dim a = 4\nlet x = ones([a])\nfor i in 0..10000 { x := x * 0.5 + i }\nprint(sum(x))\n");
  EXPECT_GT(cuts, 20);
  EXPECT_LE(plans, 4);
}

TEST(Run, AStepThatDropsOtherWeightsHasThePlanOfTheStepBefore) {
  const auto plans_of = [](int steps) {
    return cuts_and_plans(
               "mesh line = [p: 2]\nlayout split = {memory -> p}\ndim length = 4, memory = 6, d = 2\n"
               "model M { param q: [length, d] = 1 }\nlet m = M()\nlet k = random.normal([memory, d])\n"
               "for i in 0.." +
               std::to_string(steps) +
               " {\n"
               "  let y = attention(m.q, k, k, over: memory, along: length, features: d, rate: 0.1 + 0.01 * i)\n"
               "  m.q := m.q - grad(sum(square(y)), m.q)\n}\nprint(sum(m.q))\n")
        .second;
  };
  EXPECT_EQ(plans_of(8), plans_of(3));
}

TEST(Run, ADecoderThatIsReadAfterEachTokenHasThePlanOfTheTokenBefore) {
  const auto plans_of = [](int tokens, const std::string& layout) {
    return cuts_and_plans(
               "import transformer\nmesh line = [p: 2]\nlayout split = {" + layout +
               " -> p}\n"
               "dim batch = 2, length = 8, d_model = 4, heads = 2, d_head = 2, d_ff = 8, vocab = 6\n"
               "let net = transformer.LanguageModel(vocab, length, d_model, heads, d_head, d_ff, layers: 2)\n"
               "no_grad {\n  let ids = zeros([batch], i32)\n  let caches = net.start([batch])\n"
               "  for place in 0.." +
               std::to_string(tokens) +
               " {\n"
               "    let (logits, kept) = net.step(ids, caches, place)\n"
               "    caches := kept\n    ids := argmax(logits, over: vocab)\n    print(int(ids[batch: 0]))\n  }\n}\n")
        .second;
  };
  for (const char* layout : {"heads", "batch", "places"}) EXPECT_EQ(plans_of(8, layout), plans_of(4, layout)) << layout;
}

TEST(Run, GradientsAreSummedWhileTheBackwardPassGoesOn) {
  ExecutionOn<run::MpiRuntime> execution;
  std::ostringstream out;
  Session({}, &execution, out)
      .run_text("test.mtf",
                "mesh line = [p: 2]\nlayout split = {batch -> p}\ndim batch = 8, a = 256, b = 256, c = 256\n"
                "model M { param w: [a, b] = 0.1; param v: [b, c] = 0.1 }\nlet m = M()\nlet x = ones([batch, a])\n"
                "let gs = grad(sum(square(einsum(einsum(x, m.w -> [batch, b]), m.v -> [batch, c]))), m.params)\n"
                "for (p, g) in zip(m.params, gs) { p := p - 0.1 * g }\nprint(sum(m.w) + sum(m.v))\n");
  const std::string schedule = execution.last_text("schedule");
  const size_t first = schedule.find("all_reduce(v"), last = schedule.rfind("= einsum("),
               second = schedule.find("all_reduce(w");
  EXPECT_LT(first, last) << schedule;
  EXPECT_LT(last, second) << schedule;
  EXPECT_LT(second, schedule.find("= sub(")) << "and an update waits for what it needs alone\n" << schedule;
}

TEST(Run, IterationsWaitForTheGradientThatIsTakenThroughThem) {
  EXPECT_EQ(
      cuts_and_plans(
          "dim a = 4\nlet x = ones([a])\nlet y = x\nfor i in 0..1000 { y := y * 0.5 + i }\nprint(grad(sum(y), x))\n")
          .first,
      1);
}

class Repl : public testing::Test {
 protected:
  ExecutionOn<run::MpiRuntime> execution;
  std::ostringstream out;
  Session session{eval::Settings{}, &execution, out};
};

TEST_F(Repl, ReportsWhatAStatementBinds) {
  session.execute("dim batch = 4");
  auto reports = session.execute("let x = ones([batch])");
  ASSERT_EQ(reports.size(), 1U);
  ASSERT_EQ(reports[0].bindings.size(), 1U);
  EXPECT_EQ(reports[0].bindings[0].name, "x");
  EXPECT_EQ(to_string(reports[0].bindings[0].type), "f32[batch=4]");
  EXPECT_EQ(reports[0].bindings[0].bytes, 16);
  EXPECT_TRUE(session.execute("let y = x + 1;").empty());
  EXPECT_EQ(session.execute("sum(y)")[0].bindings[0].value, "8");
}

TEST_F(Repl, AFailedStatementLeavesTheSessionAsItWas) {
  session.execute("dim a = 2\nmodel M() { param w: [a] = 1 }\nlet m = M()\nlet n = 1");
  EXPECT_THROW(session.execute("n := 2; m.w := 3 * m.w; let n = nope"), UserError);
  EXPECT_EQ(session.execute("n")[0].bindings[0].value, "2");
  EXPECT_THROW(session.execute("fn f() { m.w := 2 * m.w\n return nope }\nprint(f())"), UserError);
  EXPECT_EQ(session.execute("m.w")[0].bindings[0].value, "[3, 3]");
}

TEST_F(Repl, AnErrorInAIterationOfAScanLeavesNothingToCompute) {
  session.execute("dim u = 2, a = 3, b = 2\nlet xs = ones([u])");
  session.execute(
      "fn turn(h, x) {\n let scaled = fn(y) = y * x\n return scaled(h) + ones([a]) + ones([b])\n}\n"
      "fn sound(h, x) {\n let scaled = fn(y) = y * x\n return scaled(h) + x\n}");
  EXPECT_THROW(session.execute("let r = scan(turn, 0.0, xs, over: u)"), UserError);
  EXPECT_EQ(session.execute("1 + sum(xs)")[0].bindings[0].value, "3");
  EXPECT_EQ(session.execute("scan(sound, 0.0, xs, over: u)")[0].bindings[0].value, "2");
  session.undo();
  EXPECT_EQ(session.execute("1 + sum(xs)")[0].bindings[0].value, "3");
}

TEST_F(Repl, GradientsGoBackThroughEarlierEntries) {
  session.execute("dim a = 2\nlet x = fill([a], 3)");
  session.execute("let y = sum(x * x)");
  EXPECT_EQ(session.execute("grad(y, x)")[0].bindings[0].value, "[6, 6]");
}

TEST_F(Repl, TellsTypesAndNames) {
  session.execute("dim batch = 4\nlet x = ones([batch])");
  EXPECT_EQ(type_of(session, "x > 0"), "bool[batch=4]");
}

TEST_F(Repl, KnowsNamesAndWhatTheyAre) {
  session.execute(
      "dim batch = 4\nlet bat = ones([batch])\nmodel M() { param w: [batch] = 1 }\nlet m = M()\nmesh g = [rows: 2]");
  std::string found;
  for (const std::string prefix : {"bat", "init.no", "m.", "m.w.p", "softma", "random.un", "zip"})
    for (const KnownName& name : session.known_names(prefix))
      found += name.name + "  " + (name.signature.text.empty() ? to_string(name.type) : name.signature.text) + "\n";
  EXPECT_EQ(found,
            "bat  f32[batch=4]\n"
            "batch  the dim batch=4\n"
            "init.normal  normal(mean: float = 0, stddev: float = 1)\n"
            "m.params  \n"
            "m.w  f32[batch=4]\n"
            "m.w.path  \n"
            "softmax  softmax(x: tensor, over: dims = all)\n"
            "random.uniform  random.uniform(shape: shape, low: number = 0, high: number = 1, element: element = f32)\n"
            "zip  zip(a, b, more...) -> list\n");
  EXPECT_EQ(session.axes().at(0).name.str(), "rows");
}

TEST_F(Repl, TakesBackTheLastEntry) {
  EXPECT_FALSE(session.undo());
  session.execute("dim a = 2\nmodel M() { param w: [a] = 1 }\nlet m = M()\nlet n = 1");
  session.execute("n := 2; m.w := 3 * m.w; let k = 1; m.w := 3 * m.w; mesh g = [rows: 2]");
  EXPECT_EQ(session.undo(), 1);
  EXPECT_EQ(session.execute("n")[0].bindings[0].value, "1");
  EXPECT_EQ(session.execute("m.w")[0].bindings[0].value, "[1, 1]");
  EXPECT_TRUE(session.known_names("k").empty() || session.known_names("k")[0].name != "k");
  EXPECT_THROW(session.execute("k"), UserError);
  EXPECT_EQ(session.undo(), 1);
  EXPECT_EQ(session.undo(), 0);
  EXPECT_THROW(session.execute("m"), UserError);
}

TEST_F(Repl, TakesBackEntriesNotLooks) {
  session.keep_last_value();
  session.execute("dim a = 2");
  session.execute("let x = ones([a])");
  session.execute("x := 2 * x");
  session.execute("let x = 10 * x\nlet y = x");
  session.execute("x");
  session.execute("print(x, random.uniform([a]) < 2)");
  EXPECT_EQ(type_of(session, "y"), "f32[a=2]");
  EXPECT_THROW(session.execute("nope"), UserError);
  EXPECT_EQ(session.undo(2), 2);
  EXPECT_EQ(session.execute("x")[0].bindings[0].value, "[1, 1]");
  EXPECT_THROW(session.execute("y"), UserError);
  session.execute("let z = 3");
  EXPECT_EQ(session.undo(5), 3);
  EXPECT_EQ(session.undo(), 0);
  EXPECT_FALSE(session.has_older_entries());
  EXPECT_THROW(session.execute("x"), UserError);
}

TEST_F(Repl, TakesBackAsManyEntriesAsTakeLittleMemory) {
  session.execute("dim a = 4000000\nlet n = 0");
  for (int i = 0; i < 5; ++i) session.execute("let big = ones([a])");
  EXPECT_LT(session.undo(100), 5);
  EXPECT_TRUE(session.has_older_entries());
  EXPECT_EQ(session.execute("n + sum(big)")[0].bindings[0].value, "4e+06");
}

TEST_F(Repl, AStatementThatFailsOrIsPlannedLeavesWhatANameHeld) {
  session.execute("dim a = 2\nlet x = ones([a])\nfn f() = x");
  session.execute("let x = 2 * x");
  session.plan("let x = 5 * x\nfn f() = 3\nlet y = x");
  EXPECT_THROW(session.plan("let x = 5 * x\nlet y = nope"), UserError);
  EXPECT_THROW(session.execute("let (x, y) = (7, nope)"), UserError);
  session.execute("let n = 1");
  session.plan("while sum(x) < n { n := n + 1; x := 2 * x }");  // the number of iterations is unknown
  session.plan("if sum(x) > 3 { n := 7 }");
  EXPECT_EQ(session.execute("n")[0].bindings[0].value, "1");
  EXPECT_EQ(session.execute("x")[0].bindings[0].value, "[2, 2]");
  EXPECT_EQ(session.execute("f()")[0].bindings[0].value, "[1, 1]");
  EXPECT_THROW(session.execute("y"), UserError);
}

TEST_F(Repl, AHiddenBindingLivesAsLongAsWhatNamesIt) {
  session.execute(
      "let n = 1\nlet other = 5\nfn f() = n\nfn g() = fn() = n\nlet kept = [fn() = n + other]\n"
      "model M() { state s: [] = n\n fn call() = n }\nlet m = M()\nlet call = m.call");
  session.execute("let n = 2\nlet other = 6\nfn of_second() = n");
  session.execute("let n = 3");
  session.execute("let n = 4\nlet other = 7");
  EXPECT_EQ(session.execute("[f(), g()(), kept[0](), m.call(), M().call(), call(), of_second(), n, other]")[0]
                .bindings[0]
                .value,
            "[1, 1, 6, 1, 1, 1, 2, 4, 7]");
  session.execute("fn f() = n; fn g() = 0; let m = 0; model M() { state s: [] = 0 }");  // now only the method names it
  for (int i = 0; i < 40; ++i) session.execute("let n = n + 1; fn again() = n");
  EXPECT_EQ(session.execute("[f(), call(), kept[0](), of_second(), again(), n]")[0].bindings[0].value,
            "[4, 1, 6, 2, 44, 44]");
  EXPECT_EQ(session.undo(3), 3);
  EXPECT_EQ(session.execute("[f(), call(), again(), n]")[0].bindings[0].value, "[4, 1, 41, 41]");
}

/// A function sees later functions of the names in it, but not later bindings.
TEST_F(Repl, AFunctionDeclaredAgainIsCalledByEarlierOnesAndABindingIsNot) {
  session.execute(
      "let k = 1; setting s = 1\nfn f() = 1; fn g() = [f(), k, s]\nmodel M() { fn call() = g() }\nlet m = M()");
  const auto now = [&] { return session.execute("[g(), m()]")[0].bindings[0].value; };
  EXPECT_EQ(now(), "[[1, 1, 1], [1, 1, 1]]");
  session.execute("fn f() = 2; let k = 2");
  EXPECT_EQ(now(), "[[2, 1, 1], [2, 1, 1]]");
  session.execute("fn f() = k; let h = fn() = [f(), g()]\nk := 3; let k = 4");
  EXPECT_EQ(now(), "[[3, 1, 1], [3, 1, 1]]");
  session.execute("with s = 5 { print(h()) }\nprint(h())");
  EXPECT_EQ(out.str(), "[3, [3, 1, 5]]\n[3, [3, 1, 1]]\n");
  EXPECT_THROW(session.execute("fn f() = 6; fn g() = 7; let k = 8; nope"), UserError);  // undoes its statement alone
  EXPECT_EQ(now(), "[7, 7]");
  EXPECT_EQ(session.undo(2), 2);
  EXPECT_EQ(now(), "[[2, 1, 1], [2, 1, 1]]");
}

TEST_F(Repl, AFunctionFindsItsNamesThoughEntriesMoveThem) {
  session.execute("let a = 1\nlet b = 2\nfn g() = [a, b, later]");
  session.execute("let later = 3");
  EXPECT_THROW(session.execute("g()"), UserError);  // it sees no later binding
  session.execute("let a = 4; let later = 5\nfn later() = 0; fn h() = [a, b, later()]");
  const auto now = [&] { return session.execute("h()")[0].bindings[0].value; };
  EXPECT_THROW(now(), UserError);  // `later` is the number
  EXPECT_EQ(session.undo(2), 2);
  session.execute("fn later() = 6; fn h() = [a, b, later()]; let c = 0");
  EXPECT_EQ(now(), "[1, 2, 6]");
  session.execute("let a = 7; b := 8");
  EXPECT_EQ(now(), "[1, 8, 6]");
  EXPECT_EQ(session.undo(1), 1);
  EXPECT_EQ(now(), "[1, 2, 6]");
}

TEST_F(Repl, ALoopOverANameOfAnEarlierEntryKeepsNoHistory) {
  session.execute("dim a = 1000\nlet x = ones([a])\nlet y = x * x");
  execution.runtime().restart_peak();
  session.execute("for i in 0..10000 { x := x * x }");
  EXPECT_LT(execution.counters().peak_bytes, 1'000'000);
  EXPECT_THROW(session.execute("for i in 0..200 {\n  x := 2 * x\n  if i == 150 { nope }\n}"), UserError);
  EXPECT_EQ(session.execute("sum(x)")[0].bindings[0].value, "1000");
  EXPECT_EQ(session.undo(), 1);
  EXPECT_EQ(session.execute("sum(grad(sum(y), x))")[0].bindings[0].value, "2000");  // as before the first loop
}

TEST_F(Repl, WhatNobodyNamesAnyMoreHasNoMemory) {
  session.execute("dim a = 2000000\nlet x = ones([a])\nfn f(y) = 2 * y\nfn sees() = x");
  for (int i = 0; i < 100; ++i) session.execute("let x = 2 * ones([a])");
  for (int i = 0; i < 100; ++i) session.execute("let named = 2 * ones([a]); fn names() = named");
  execution.runtime().restart_peak();
  session.execute("1 + 1");
  EXPECT_LT(execution.counters().peak_bytes, 100'000'000);
  EXPECT_EQ(session.execute("sum(sees())")[0].bindings[0].value, "2e+06");
}

TEST_F(Repl, AStatementTakesAsLongAfterThousands) {
  session.execute("fn f(x) = x\nlet x = 0");
  const auto seconds_of_500 = [&](const std::string& before) {
    const std::clock_t began = std::clock();
    for (int i = 0; i < 500; ++i) session.execute(before + std::to_string(i) + " = x + 1; let x = f(1)");
    return static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
  };
  const double first = seconds_of_500("let a");
  for (const char* name : {"let b", "let c", "let d", "let e", "let g", "let h", "let p", "let q"})
    seconds_of_500(name);
  EXPECT_LT(seconds_of_500("let k"), 3 * first + 0.05);
}

std::shared_ptr<plan::ProgramRecord> recorded() { return std::make_shared<plan::ProgramRecord>(); }

std::string plan_of(Session& session, const std::string& text, const Assumption& assumption = {},
                    std::shared_ptr<plan::ProgramRecord> record = nullptr) {
  std::string costs;
  for (const eval::StatementReport& report : session.plan(text, "<plan>", assumption, record).statements) {
    costs += std::to_string(report.counters.flops) + " flops";
    for (int kind = 0; kind < spmd::kCollectiveKinds; ++kind)
      if (const plan::CollectiveCount count = report.counters.total(static_cast<spmd::CollectiveKind>(kind));
          count.count > 0)
        costs += " " + std::string(name(static_cast<spmd::CollectiveKind>(kind))) + " " + std::to_string(count.count) +
                 " of " + std::to_string(count.bytes);
  }
  return costs;
}

/// Assumes another mesh and layout than those of the session; "own" is the session's layout.
Assumption under(const std::string& mesh, const std::string& layout) {
  Assumption assumption;
  if (!mesh.empty()) assumption.mesh = parse_axes(mesh);
  if (layout != "own") assumption.layout = parse_layout(layout);
  return assumption;
}

constexpr const char* kLearner =
    "import optim\n"
    "dim batch = 8, io = 4, hidden = 16\n"
    "mesh grid = [rows: 2, cols: 2]\n"
    "layout own = {batch -> rows}\n"
    "model Net() {\n"
    "  param w: [io, hidden] = init.normal(stddev: 0.1)\n"
    "  param v: [hidden, io] @ {.., io -> cols} = init.normal(stddev: 0.1)\n"
    "  fn call(x) = einsum(relu(einsum(x, w -> [batch, hidden])), v -> [batch, io])\n"
    "}\n"
    "let net = Net()\n"
    "let opt = optim.Adam(net.params)\n"
    "let x = random.normal([batch, io])\n"
    "let parts = [2 * x, x @ {io -> rows}]\n"
    "let loss = sum(square(net(x)))\n"
    "fn step() {\n"
    "  let loss = sum(square(net(x) - parts[0]))\n"
    "  opt.minimize(loss)\n"
    "}\n";

TEST_F(Repl, AnotherLayoutIsPlannedFromWhatIsThere) {
  Session fresh(eval::Settings{}, &execution, out);
  fresh.execute(kLearner);
  session.execute(kLearner);
  session.execute("for i in 0..5 { step() }");
  const std::string before = session.execute("net.w")[0].bindings[0].value;
  // Values that are kept for gradients exist.
  for (const char* text : {"step()", "grad(loss, [x])"})
    EXPECT_EQ(plan_of(fresh, text, {}, recorded()), plan_of(fresh, text)) << text;
  for (const char* text : {"step()", "sum(parts[1] * x)"})
    EXPECT_EQ(plan_of(session, text, {}, recorded()), plan_of(session, text)) << text;
  for (const std::string layout : {"batch:rows", "hidden:cols;batch:rows", "", "batch:rows+cols", "io:cols",
                                   "batch:rows;params \"*\":io:rows;states \"first*\":hidden:cols"}) {
    for (const std::string mesh : {"rows:2;cols:2", "rows:4;cols:2"}) {
      eval::Settings settings;
      settings.mesh = parse_axes(mesh);
      settings.layout = parse_layout(layout);
      ExecutionOn<run::MpiRuntime> execution;
      std::ostringstream nowhere;
      Session typed(settings, &execution, nowhere);
      typed.execute(kLearner);
      const auto is_same = [&](Session& of, const char* text) {
        EXPECT_EQ(plan_of(of, text, under(mesh, layout)), plan_of(typed, text))
            << layout << " on " << mesh << ": " << text;
      };
      for (const char* text : {"step()", "grad(loss, [x])"}) is_same(fresh, text);
      for (const char* text : {"step()", "net(x)", "fn f(y) = net(y); f(x) + 1"}) is_same(session, text);
      for (const char* value : {"net.v", "parts[1]"})
        EXPECT_EQ(type_of(session, value, under(mesh, layout)), type_of(typed, value));
    }
  }
  EXPECT_THROW(session.held(under("", "batch:rows;io:rows")), UserError);
  Session early(eval::Settings{}, &execution, out);  // a value from before the mesh
  early.execute("dim a = 4\nlet x = ones([a])");
  early.execute("mesh grid = [rows: 2, cols: 2]");
  EXPECT_EQ(type_of(early, "x", under("", "a:cols")), "f32[a=4/cols]");
  EXPECT_EQ(session.execute("net.w")[0].bindings[0].value, before);
  EXPECT_EQ(type_of(session, "x"), "f32[batch=8/rows, io=4]");
  session.execute("step()");
}

// The time does not depend on how the values were computed.
TEST_F(Repl, PlanningAnotherLayoutTakesAsLongAfterManyIterations) {
  session.execute(kLearner);
  const auto seconds = [&] {
    const std::clock_t began = std::clock();
    for (int i = 0; i < 3; ++i) session.plan("step()", "<plan>", under("", "hidden:cols"));
    return static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
  };
  session.execute("for i in 0..2 { step() }");
  const double after_few = seconds();
  session.execute("for i in 0..1000 { step() }");
  EXPECT_LT(seconds(), 3 * after_few + 0.05);
}

TEST_F(Repl, AListGrowsAtThePromptAsFastAsInARun) {
  const std::string text = "let l = []\nfor i in 0..200000 { l := l + [i] }\n";
  const auto seconds = [](const auto& work) {
    const auto began = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  };
  const double in_a_run = seconds([&] { run(text); });
  EXPECT_LT(seconds([&] { session.execute(text); }), 5 * in_a_run + 1);
  EXPECT_EQ(session.execute("len(l)")[0].bindings[0].value, "200000");
  EXPECT_LT(seconds([&] { session.load(text, "f.mtf", false); }), 5 * in_a_run + 1);
}

TEST_F(Repl, AnErrorTakesBackWhatALoopHasAppended) {
  session.execute(
      "let l = [1]\nlet kept = l\nfn grown() {\n  let m = []\n  for i in 0..4 { m := m + [i] }\n  return m\n}");
  EXPECT_THROW(session.execute("for i in 0..10 {\n  l := l + [i]\n  l := l + [grown()]\n  l := l + [[2, 3][i]]\n}"),
               UserError);
  EXPECT_EQ(session.execute("l")[0].bindings[0].value, "[1]");
  session.execute("for i in 0..2 { l := l + [i]; if i == 0 { kept := l }; l := l + [len(l)] }");
  EXPECT_EQ(session.execute("kept")[0].bindings[0].value, "[1, 0]");
  EXPECT_EQ(session.execute("l")[0].bindings[0].value, "[1, 0, 2, 1, 4]");
}

TEST_F(Repl, TakesBackWhatALoopHasAppended) {
  session.execute("let l = [1]");
  session.execute("l := l + [2]\nfor i in 0..3 { l := l + [i] }\nl := [len(l)]\nl := l + [7]");
  EXPECT_TRUE(session.undo());
  EXPECT_EQ(session.execute("l")[0].bindings[0].value, "[1]");
}

// A stream that interrupts the loop that prints to it.
class AsksWhenItReads : public std::stringbuf {
 public:
  AsksWhenItReads(std::function<void()> ask, std::string word) : ask_(std::move(ask)), word_(std::move(word)) {}

 private:
  std::streamsize xsputn(const char* text, std::streamsize size) override {
    if (std::string_view(text, static_cast<size_t>(size)).find(word_) != std::string_view::npos) ask_();
    return size;
  }
  std::function<void()> ask_;
  std::string word_;
};

/// A session that is interrupted when it prints "turn 3".
class Interrupted : public testing::Test {
 protected:
  ExecutionOn<run::MpiRuntime> execution;
  AsksWhenItReads buffer{[this] { session.interrupt(); }, "turn 3"};
  std::ostream out{&buffer};
  Session session{eval::Settings{}, &execution, out};
};

TEST_F(Interrupted, ALoopKeepsWhatItsEndedIterationsHaveDone) {
  session.execute("dim a = 2\nmodel M() { param w: [a] = 1 }\nlet m = M()\nlet n = 0");
  try {
    session.execute(
        "for i in 0..10 {\n  n := i\n  m.w := 2 * m.w\n  for k in 0..2 { n := n + 1 }\n  print(\"turn {i}\")\n}");
    FAIL();
  } catch (const UserError& error) {
    EXPECT_EQ(error.diagnostic().kind(), Kind::interrupted);
    ASSERT_EQ(error.diagnostic().notes().size(), 1U);
    EXPECT_EQ(error.diagnostic().notes()[0], "what 3 ended turns of the loop have done is kept; `:undo` takes it back");
  }
  EXPECT_EQ(session.execute("m.w")[0].bindings[0].value, "[8, 8]");
  EXPECT_EQ(session.execute("n")[0].bindings[0].value, "4");
  EXPECT_EQ(session.execute("i")[0].bindings[0].value, "2");  // of the last finished iteration
  session.execute("for i in 0..2 { m.w := 2 * m.w }");
  EXPECT_EQ(session.execute("m.w")[0].bindings[0].value, "[32, 32]");
}

TEST_F(Interrupted, ALoopThatOnlyShowsLeavesItsVariables) {
  EXPECT_THROW(
      session.execute(
          "for (i, word) in zip([0, 1, 2, 3, 4], [\"a\", \"b\", \"c\", \"d\", \"e\"]) { print(\"turn {i}\") }"),
      UserError);
  EXPECT_EQ(session.execute("\"{i} {word}\"")[0].bindings[0].value, "3 d");
  EXPECT_EQ(session.undo(), 1);
  EXPECT_THROW(session.execute("word"), UserError);
  EXPECT_THROW(session.execute("while true { print(\"turn 3\") }"), UserError);
  EXPECT_THROW(session.execute("i"), UserError);
}

TEST_F(Interrupted, AListKeepsWhatEndedIterationsHaveAppended) {
  session.execute("let l = [7]");
  EXPECT_THROW(session.execute("for i in 0..10 {\n  l := l + [i]\n  print(\"turn {i}\")\n  l := l + [-i]\n}"),
               UserError);
  EXPECT_EQ(session.execute("l")[0].bindings[0].value, "[7, 0, 0, 1, -1, 2, -2]");
}

TEST_F(Interrupted, APlanEndsBeforeItWritesOverWhatItBeganWith) {
  session.execute("dim a = 3000, b = 3000, c = 3000\nlet x = random.normal([a, b])\nlet y = random.normal([b, c])");
  std::thread asks([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    session.interrupt();
  });
  EXPECT_THROW(session.execute("let z = sum(einsum(einsum(einsum(x, y -> [a, c]), y -> [a, b]), y -> [a, c]))"),
               UserError);
  asks.join();
  EXPECT_THROW(session.execute("z"), UserError);
  EXPECT_EQ(session.execute("sum(0 * x)")[0].bindings[0].value, "0");
}

TEST_F(Repl, AFileIsLoadedAsIfItWereTyped) {
  session.load(
      "dim a = 2\nmesh g = [rows: 2]\nlayout l = {a -> rows}\nlet n = 1\nfor i in 0..3 { n := n + 1 }\n"
      "let x = ones([a])\n",
      "f.mtf", false);
  EXPECT_EQ(session.execute("n")[0].bindings[0].value, "4");
  EXPECT_EQ(type_of(session, "x"), "f32[a=2/rows]");
  EXPECT_TRUE(session.undo());
  session.load(
      "dim a = 2\nlet n = 1\nfor i in 0..3 { n := n + 1 }\nlet y = 0 * ones([a])\nfor i in 0..3 { y := y + 1 }\n",
      "f.mtf", true);
  EXPECT_EQ(session.execute("n")[0].bindings[0].value, "4");       // its loop computes nothing
  EXPECT_EQ(session.execute("sum(y)")[0].bindings[0].value, "0");  // its loop is left out
  EXPECT_THROW(session.load("let k = 5\nlet y = nope\n", "f.mtf", false), UserError);
  EXPECT_EQ(session.execute("k")[0].bindings[0].value, "5");
}

TEST_F(Repl, WhatALoadedFileDidNotNeedIsComputedWhenItIsAskedFor) {
  session.load(
      "dim a = 4, b = 8\nmodel M { param w: [b] = init.normal(stddev: 1) }\nlet m = M()\n"
      "let x = random.uniform([a, b])\nlet unread = einsum(x, x -> [a])\nlet list = [x * 2, x * 3]\n"
      "let named = x + 1\nfn late() = sum(named)\nprint(sum(x))\n",
      "f.mtf", false);
  const int64_t loaded = execution.counters().flops;
  session.execute("1 + 1");
  EXPECT_GT(session.plan("sum(unread)").statements[0].counters.flops, 2 * 4 * 8);
  session.plan("unread");
  EXPECT_EQ(execution.counters().flops, loaded);
  EXPECT_NEAR(session.read("late() - sum(x)").number(0), 32, 1e-4);
  EXPECT_NEAR(session.read("sum(unread) - sum(square(x))").number(0), 0, 1e-5);
  EXPECT_NEAR(session.read("sum(list[1]) - 3 * sum(x)").number(0), 0, 1e-5);
  EXPECT_NE(session.read("sum(square(m.w))").number(0), 0);
  EXPECT_NEAR(session.read("sum(grad(sum(unread), x) - 2 * x)").number(0), 0, 1e-5);
  EXPECT_NEAR(session.read("sum(grad(sum(square(m.w)), m.w) - 2 * m.w)").number(0), 0, 1e-5);
}

TEST_F(Repl, WhatFailsWhileAFileIsLoadedLeavesTheRestToBeAskedFor) {
  EXPECT_THROW(
      session.load("dim a = 4\nlet x = random.uniform([a])\nlet y = x * 2\nlet z = y + nope\n", "f.mtf", false),
      UserError);
  EXPECT_NEAR(session.read("sum(y) - 2 * sum(x)").number(0), 0, 1e-6);
}

TEST_F(Repl, KeepsTheTextOfWhatItHasDone) {
  session.execute("dim a = 2; let x = ones([a])", "<1>");
  EXPECT_THROW(session.execute("let y = 1\nlet z = nope", "<2>"), UserError);
  EXPECT_THROW(session.execute("nope", "<3>"), UserError);
  session.execute("x", "<4>");
  ASSERT_EQ(session.entries().size(), 3U);
  EXPECT_EQ(session.entries()[1].text, "let y = 1");
  EXPECT_EQ(session.entries()[2].has_value, std::vector<bool>{true});
  EXPECT_EQ(session.undo(), 1);  // with the expression after it
  EXPECT_EQ(session.entries().size(), 1U);
}

TEST_F(Repl, SaysWhatItHolds) {
  session.execute(
      "mesh g = [rows: 2]\nlayout l = {a -> rows}\ndim a = 4\n"
      "model M() { param w: [a] = 1; state s: [] = 0 }\nlet m = M()\nlet x = ones([a])\nlet x = 2 * x");
  std::string found;
  for (const HeldName& held : session.held())
    if (held.type.tensor() || held.type.kind == eval::ValueType::Kind::kInstance)
      found += held.name + " " + to_string(held.type) + " " + std::to_string(held.bytes) + "\n";
  EXPECT_EQ(found, "m an instance of M 12\nx f32[a=4/rows] 8\n");
  EXPECT_EQ(session.held().at(0).type.mesh()->axes(), (std::vector<Axis>{{"rows", 2}}));
  EXPECT_EQ(session.held().at(1).type.layout()->rules.at(0).dim, Name("a"));
  EXPECT_EQ(session.held().at(2).type.dim()->size, 4);
  const std::vector<HeldVariable> variables = session.variables("m");
  ASSERT_EQ(variables.size(), 2U);
  EXPECT_EQ(variables[0].path + " " + to_string(variables[0].tensor), "w f32[a=4/rows]");
  EXPECT_EQ(variables[0].bytes, 8);
  EXPECT_FALSE(variables[1].trainable);
  const EntryReport report = session.execute("[m, x]").at(0);
  ASSERT_EQ(report.bindings[0].parts.size(), 4U);
  EXPECT_EQ(report.bindings[0].parts[1].name, "w");
  EXPECT_EQ(to_string(report.bindings[0].parts[1].type), "f32[a=4/rows]");
}

TEST_F(Repl, MovesWhatItHoldsToALayout) {
  session.execute(
      "mesh g = [rows: 2]\ndim a = 4, b = 6\nmodel M() { param w: [a, b] = 1; param v: [a] @ {} = 1 }\n"
      "let m = M()\nlet x = ones([a]); let n = 3");
  const std::vector<EntryReport> reports = session.use(session.mesh_or_layout("{a -> rows}"), "<2>");
  ASSERT_EQ(reports.size(), 1U);
  std::string moved;
  for (const EntryReport::Binding& binding : reports[0].bindings)
    moved += binding.name + ": " + to_string(binding.type) + "\n";
  EXPECT_EQ(moved, "m.w: f32[a=4/rows, b=6]\nx: f32[a=4/rows]\n");
  EXPECT_EQ(type_of(session, "m.v"), "f32[a=4]");
  const eval::StatementReport back = session.use(session.mesh_or_layout("{b -> rows}"), "<3>").at(0);
  EXPECT_EQ(back.counters.total(spmd::CollectiveKind::kAllToAll).count, 1);
  EXPECT_EQ(back.counters.total(spmd::CollectiveKind::kAllGather).count, 1);
  EXPECT_TRUE(session.undo());
  EXPECT_EQ(type_of(session, "m.w"), "f32[a=4/rows, b=6]");
  EXPECT_EQ(session.execute("sum(m.w) + sum(x)")[0].bindings[0].value, "28");
}

TEST_F(Repl, MovesWhatItHoldsToWhereRulesByPathSay) {
  session.execute(
      "import optim\nmesh g = [rows: 2]\ndim a = 4, b = 6\n"
      "model M() { param w: [a, b] = 1; param v: [a] = 1 }\nlet m = M()\nlet opt = optim.Adam(m.params)");
  const auto moved_by = [&](const std::string& layout) {
    std::string moved;
    const std::vector<EntryReport> reports = session.use(session.mesh_or_layout(layout), "<2>");
    for (const EntryReport::Binding& binding : reports.at(0).bindings)
      moved += binding.name + ": " + to_string(binding.type) + "\n";
    return moved;
  };
  EXPECT_EQ(moved_by("{params \"w\": {b -> rows}, states \"second[1].value\": {a -> rows}}"),
            "m.w: f32[a=4, b=6/rows]\nopt.first[0].value: f32[a=4, b=6/rows]\n"
            "opt.second[0].value: f32[a=4, b=6/rows]\nopt.second[1].value: f32[a=4/rows]\n");
  EXPECT_EQ(moved_by("{states \"*\": {a -> rows}}"),
            "m.w: f32[a=4, b=6]\nopt.first[0].value: f32[a=4/rows, b=6]\nopt.first[1].value: f32[a=4/rows]\n"
            "opt.second[0].value: f32[a=4/rows, b=6]\n");
  EXPECT_EQ(type_of(session, "opt.steps"), "f64[]");
}

TEST_F(Repl, AMeshOrALayoutIsReadAsBehindUse) {
  session.execute("mesh g = [rows: 2]\nlayout dp = {a -> rows}\ndim a = 4\nlet n = 3");
  const auto read = [&](const std::string& text) {
    return std::visit([](const auto& value) { return to_string(*value); }, session.mesh_or_layout(text).what);
  };
  EXPECT_EQ(read("g"), "[rows: 2]");
  EXPECT_EQ(read("dp"), "{a -> rows}");
  EXPECT_EQ(read("{}"), "{}");
  EXPECT_EQ(read("[x: n + 1, y: 2]"), "[x: 4, y: 2]");
  for (const char* wrong : {"", "n", "nope", "[rows: 2 4]", "{a -> ro ws}", "{a -> rows}; let x = 1",
                            "{a -> rows}\nlet x = 1", "let x = 1", "{.., a -> rows}", "use g"})
    EXPECT_THROW(session.mesh_or_layout(wrong), UserError) << wrong;
  EXPECT_THROW(session.execute("x"), UserError) << "what stands behind was not carried out";
  EXPECT_EQ(session.layout().rules.size(), 1U) << "nothing was brought into force";
}

TEST_F(Repl, WhatIsUsedIsAnEntryThatCanBeTakenBack) {
  session.execute("mesh g = [rows: 2]\nlayout dp = {a -> rows}\nlayout whole = {}\ndim a = 4\nlet x = ones([a])");
  session.use(session.mesh_or_layout("dp"), "<2>");
  EXPECT_EQ(type_of(session, "x"), "f32[a=4/rows]");
  ASSERT_EQ(session.entries().size(), 2U);
  EXPECT_TRUE(session.entries()[1].is_use);
  EXPECT_EQ(session.entries()[1].text, "dp");
  session.use(session.mesh_or_layout("[rows: 2]"), "<3>");
  EXPECT_EQ(session.entries()[2].text, "[rows: 2]");
  EXPECT_EQ(session.undo(2), 2);
  EXPECT_EQ(type_of(session, "x"), "f32[a=4]");
}

TEST_F(Repl, LabelsAreThoseOfTheParameters) {
  session.execute(
      "dim a = 4\nfn f(x: [.., a], over: dim, text = \"a, (b\", rate = (1, 2)) = x\n"
      "model M(n, bias = true) { param w: [a] = 1 }");
  const auto labels = [&](const std::string& name) {
    std::string found;
    const KnownName known = session.known_names(name).at(0);
    for (const syntax::Parameter& parameter : known.signature.parameters)
      found += parameter.name.str() + "|" + parameter.text + "\n";
    return found;
  };
  EXPECT_EQ(labels("f"), "x|x: [.., a]\nover|over: dim\ntext|text = \"a, (b\"\nrate|rate = (1, 2)\n");
  EXPECT_EQ(labels("M"), "n|n\nbias|bias = true\n");
  EXPECT_EQ(labels("softmax"), "x|x: tensor\nover|over: dims = all\n");
}

TEST_F(Repl, TheLastValueHasAName) {
  session.keep_last_value();
  session.execute("3 + 4");
  EXPECT_EQ(session.execute("_ * 2")[0].bindings[0].value, "14");
  session.execute("5;");
  session.execute("print(2)");
  EXPECT_EQ(session.execute("_")[0].bindings[0].value, "14");
}

TEST(Plan, CostsAreThoseOfTheIterations) {
  ExecutionOn<run::DryRuntime> execution;
  std::ostringstream out;
  Session session({}, &execution, out);
  std::vector<eval::StatementReport> reports;
  session.on_statement([&](const eval::StatementReport& report) { reports.push_back(report); });
  session.run_text("test.mtf", "dim a = 8\nlet x = ones([a])\nfor i in 0..1000000 { x := x * 2 }\nprint(x)\n");
  ASSERT_GE(reports.size(), 3U);  // one for each statement
  int64_t flops = 0;
  bool estimated = false;
  for (const eval::StatementReport& report : reports) {
    flops += report.iterations * report.counters.flops;
    estimated = estimated || report.is_estimate;
  }
  EXPECT_NEAR(static_cast<double>(flops), 8000000, 8000);
  EXPECT_TRUE(estimated) << "a million turns are not walked one by one";
  EXPECT_EQ(out.str(), "");
}

}  // namespace
}  // namespace mtf::session
