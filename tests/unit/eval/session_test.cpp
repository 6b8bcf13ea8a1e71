// Sessions that run and plan: what is printed, what a REPL reports, what a failed statement leaves.
#include <gtest/gtest.h>

#include <sstream>

#include "eval/session.h"

namespace mtf {
namespace {

std::string run(const std::string& text, Settings settings = {}) {
  Engine engine({});
  std::ostringstream out;
  Session session(settings, &engine, out);
  session.run_text("test.mtf", text);
  return out.str();
}

TEST(Run, PrintsValues) {
  EXPECT_EQ(run("dim a = 2, b = 3\nprint(1, 2.5, 2.0, true, \"x\", [1, \"y\"], a)\nprint(fill([a, b], 0.5))\nprint(range(b))\n"),
            "1 2.5 2 true x [1, \"y\"] a=2\n[[0.5, 0.5, 0.5], [0.5, 0.5, 0.5]]\n[0, 1, 2]\n");
}

TEST(Run, FormatsTakeATensorAsItsNumber) {
  EXPECT_EQ(run("dim a = 4\nprint(\"{sum(ones([a])):.2f} {{}} {3:>4}|\")\n"), "4.00 {}    3|\n");
}

TEST(Run, GradientsGoThroughPrintedValuesAndAssignedNames) {
  EXPECT_EQ(run("dim a = 1\nlet x = fill([a], 3)\nlet y = x * x\nprint(y)\nfor i in 0..2 { y := y * x }\nprint(sum(y))\nlet g = grad(sum(y), x)\nprint(g)\n"),
            "[9]\n81\n[108]\n");
}

TEST(Run, ACopyDoesNotChange) {
  EXPECT_EQ(run("model M() { param w: [] = 1 }\nlet m = M()\nlet before = copy(m.w)\nlet alias = m.w\nm.w := m.w + 1\nprint(before, alias, m.w)\n"), "1 2 2\n");
}

TEST(Run, CountersCountTheirBlockAlone) {
  EXPECT_EQ(run("dim a = 4, b = 8\nlet x = ones([a, b])\nlet y = x * 3\nlet c = counters { let z = sum(y)\nlet z = y + 1 }\nprint(c.flops, c.all_reduce.count)\n"),
            "64 0\n");
}

TEST(Run, RecomputeRepeatsItsRandomNumbers) {
  EXPECT_EQ(run("dim a = 4\nfn f(x) = x * random.uniform([a])\nlet x = ones([a])\nlet y = recompute(f, x)\nlet g = grad(sum(y), x)\nassert all(g == y)\n"), "");
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

TEST(Run, BatchesOfATextAreTheSameEveryTime) {
  EXPECT_EQ(run("import data\ndim batch = 2, length = 4\nlet t = data.text(\"" MTF_SOURCE_DIR "/tests/unit/eval/letters.txt\")\n"
                "print(t.vocab, len(t))\nfor (x, y) in t.batches(batch, length) { print(t.decode(x[batch: 0]), t.decode(y[batch: 0])) }\n"),
            "8 18\nabcd bcde\nabcd bcde\n");
}

/// Cuts of a program, and the plans made for them.
std::pair<int, int64_t> cuts_and_plans(const std::string& text) {
  Engine engine({});
  std::ostringstream out;
  Session session({}, &engine, out);
  int cuts = 0;
  session.on_cut([&](Span) { ++cuts; });
  session.run_text("test.mtf", text);
  return {cuts, engine.last_plan()};
}

TEST(Run, ManyTurnsOfALoopHaveThePlanOfAFew) {
  const auto [cuts, plans] = cuts_and_plans("dim a = 4\nlet x = ones([a])\nfor i in 0..10000 { x := x * 0.5 + i }\nprint(sum(x))\n");
  EXPECT_GT(cuts, 20);
  EXPECT_LE(plans, 4);
}

TEST(Run, TurnsWaitForTheGradientThatIsTakenThroughThem) {
  EXPECT_EQ(cuts_and_plans("dim a = 4\nlet x = ones([a])\nlet y = x\nfor i in 0..1000 { y := y * 0.5 + i }\nprint(grad(sum(y), x))\n").first, 1);
}

class Repl : public testing::Test {
 protected:
  Engine engine{EngineOptions{}};
  std::ostringstream out;
  Session session{Settings{}, &engine, out};
};

TEST_F(Repl, ReportsWhatAStatementBinds) {
  session.execute("dim batch = 4");
  auto reports = session.execute("let x = ones([batch])");
  ASSERT_EQ(reports.size(), 1U);
  ASSERT_EQ(reports[0].bindings.size(), 1U);
  EXPECT_EQ(reports[0].bindings[0].name, "x");
  EXPECT_EQ(reports[0].bindings[0].type, "f32[batch=4]");
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

TEST_F(Repl, GradientsGoBackThroughEarlierEntries) {
  session.execute("dim a = 2\nlet x = fill([a], 3)");
  session.execute("let y = sum(x * x)");
  EXPECT_EQ(session.execute("grad(y, x)")[0].bindings[0].value, "[6, 6]");
}

TEST_F(Repl, TellsTypesAndNames) {
  session.execute("dim batch = 4\nlet x = ones([batch])");
  EXPECT_EQ(session.type_of("x > 0"), "bool[batch=4]");
}

TEST_F(Repl, KnowsNamesAndWhatTheyAre) {
  session.execute("dim batch = 4\nlet bat = ones([batch])\nmodel M() { param w: [batch] = 1 }\nlet m = M()\nmesh g = [rows: 2]");
  std::string found;
  for (const std::string prefix : {"bat", "init.no", "m.", "m.w.p", "softma", "random.un", "zip"})
    for (const KnownName& name : session.known_names(prefix)) found += name.name + "  " + name.description + "\n";
  EXPECT_EQ(found,
            "bat  f32[batch=4]\n"
            "batch  the dim batch=4\n"
            "init.normal  normal(mean: float = 0, stddev: float = 1)\n"
            "m.params  \n"
            "m.w  f32[batch=4]\n"
            "m.w.path  \n"
            "softmax  softmax(x: tensor, over: dims = all)\n"
            "random.uniform  random.uniform(shape: shape, low: number = 0, high: number = 1, element: element = f32)\n"
            "zip  zip(a, b, …)\n");
  EXPECT_EQ(session.axes().at(0).name.str(), "rows");
}

TEST_F(Repl, TakesBackTheLastEntry) {
  EXPECT_FALSE(session.undo());
  session.execute("dim a = 2\nmodel M() { param w: [a] = 1 }\nlet m = M()\nlet n = 1");
  session.execute("n := 2; m.w := 3 * m.w; let k = 1; m.w := 3 * m.w; mesh g = [rows: 2]");
  EXPECT_TRUE(session.undo());
  EXPECT_EQ(session.execute("n")[0].bindings[0].value, "1");
  EXPECT_TRUE(session.undo());
  EXPECT_FALSE(session.undo());
  EXPECT_EQ(session.execute("m.w")[0].bindings[0].value, "[1, 1]");
  EXPECT_TRUE(session.known_names("k").empty() || session.known_names("k")[0].name != "k");
  EXPECT_THROW(session.execute("k"), UserError);
}

TEST_F(Repl, TheLastValueHasAName) {
  session.keep_last_value();
  session.execute("3 + 4");
  EXPECT_EQ(session.execute("_ * 2")[0].bindings[0].value, "14");
  session.execute("5;");
  session.execute("print(2)");
  EXPECT_EQ(session.execute("_")[0].bindings[0].value, "14");
}

TEST(Plan, CostsAreThoseOfTheTurns) {
  EngineOptions options;
  options.dry = true;
  Engine engine(options);
  std::ostringstream out;
  Session session({}, &engine, out);
  std::vector<StatementReport> reports;
  session.on_statement([&](const StatementReport& report) { reports.push_back(report); });
  session.run_text("test.mtf", "dim a = 8\nlet x = ones([a])\nfor i in 0..1000000 { x := x * 2 }\nprint(x)\n");
  ASSERT_GE(reports.size(), 3U);  // one for each statement
  int64_t flops = 0;
  bool estimated = false;
  for (const StatementReport& report : reports) {
    flops += report.turns * report.counters.flops;
    estimated = estimated || report.is_estimate;
  }
  EXPECT_NEAR(static_cast<double>(flops), 8000000, 8000);
  EXPECT_TRUE(estimated) << "a million turns are not walked one by one";
  EXPECT_EQ(out.str(), "");
}

}  // namespace
}  // namespace mtf
