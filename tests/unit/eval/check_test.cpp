// The findings of a check: kinds of errors, in programs of a few lines.
#include <gtest/gtest.h>

#include "graph/graph.h"
#include "session/session.h"

namespace mtf::eval {
namespace {

std::vector<std::string> kinds(const std::string& text, Settings settings = {}) {
  std::vector<std::string> found;
  const Diagnostics diagnostics = session::Session::check_text("test.mtf", text, settings);
  for (const Diagnostic& diagnostic : diagnostics.list()) found.emplace_back(record(diagnostic.kind()).name);
  return found;
}

std::string rendered(const std::string& text, Settings settings = {}) {
  return session::Session::check_text("test.mtf", text, settings).render();
}

using Kinds = std::vector<std::string>;

TEST(Check, RightProgramsAreQuiet) {
  EXPECT_EQ(rendered("dim a = 2\nlet x = zeros([a])\nprint(sum(x))\n"), "");
  EXPECT_EQ(rendered("let n = 3\nassert n + 1 == 4\nprint(\"{n:>3}\")\n"), "");
}

TEST(Check, NamesAreSuggested) {
  EXPECT_NE(rendered("dim batch = 2\nlet x = zeros([bach])\n").find("did you mean `batch`?"), std::string::npos);
  EXPECT_NE(rendered("prnt(1)\n").find("did you mean `print`?"), std::string::npos);
  for (const char* text : {"let layer = nn.Dense\n", "fn f() = nn.Dense\n"})
    EXPECT_NE(rendered(text).find("`import nn` makes the standard module known"), std::string::npos);
}

TEST(Check, SeveralErrorsAtOnceWithoutFollowUps) {
  EXPECT_EQ(kinds("let x = foo\nlet y = x + 1\nlet z = bar\nprint(y, z)\n"), (Kinds{"unknown_name", "unknown_name"}));
}

TEST(Check, WhatAFailedStatementWouldHaveAssignedIsInErrorToo) {
  EXPECT_EQ(kinds("let l = none\nl := foo([1])\nfor x in l { print(x) }\n"), Kinds{"unknown_name"});
  EXPECT_EQ(kinds("let l = none\nif foo { l := [1] }\nfor x in l { print(x) }\nprint(l[3])\n"), Kinds{"unknown_name"});
  EXPECT_EQ(kinds("let l = []\nl := l + [foo]\nassert len(l) == 7\nprint(sum((l, 1)))\n"), Kinds{"unknown_name"});
}

TEST(Check, ANameStandsForAllValuesThatWaysLeave) {
  const std::string x = "dim a = 2, b = 3\nlet x = ones([a])\nlet k = int(sum(x))\n";
  EXPECT_EQ(rendered(x + "let y = if k > 1 { ones([a]) } else { ones([b]) }\nprint(sum(y, over: a))\n"), "");
  EXPECT_EQ(rendered(x + "let y = none\nif k > 1 { y := ones([a]) } else { y := 3 }\nprint(y + x)\n"), "");
  EXPECT_EQ(rendered(x + "fn f(k) { if k > 1 { return ones([a]) } }\nprint(f(k) + x)\n"), "");
  EXPECT_EQ(
      rendered(x + "let n = 0\nfn f(k) { if k > 1 { return 1 }\nn := 5\nreturn 2 }\nlet q = f(k)\nprint([1][n])\n"),
      "");
  EXPECT_EQ(rendered(x + "let n = 0\nlet up = if k > 1 { fn() { n := n + 1 } } else { fn() { n := n + 2 } }\nup()\n"
                         "assert n == 2\n"),
            "");
  EXPECT_EQ(rendered(x + "let l = [1, 2.5]\nprint(range(a) + l[k - 2], \"{l[k - 1]:d}\")\n"), "");
  EXPECT_EQ(rendered(x + "let l = [k]\nassert l == [2]\nassert string(l) == \"[2]\"\nassert 2 in l\n"), "");
}

TEST(Check, AnElementThatAFilterMayLeaveOutMayNotBeEvaluated) {
  const std::string k = "dim n = 3\nlet k = 2\nfn f() { k := 7\nreturn 1 }\nlet c = sum(ones([n])) > 4\n";
  EXPECT_EQ(rendered(k + "print([f() for i in 0..3 if c])\nassert k == 2\n"), "");
  EXPECT_EQ(rendered(k + "print([f() for i in 0..3 if c for j in 0..2])\nassert k == 7\n"), "");
  EXPECT_EQ(kinds(k + "print([f() for i in 0..3])\nassert k == 2\n"), Kinds{"assertion_failed"});
}

TEST(Check, ALeftSideThatMayBeABoolMayDecide) {
  const std::string k =
      "dim n = 3\nlet k = 2\nfn f() { k := 7\nreturn 1 }\nlet x = ones([n])\nlet c = int(sum(x)) > 4\n";
  EXPECT_EQ(rendered(k + "print(c and sum(x) > 9 and f() == 1)\nassert k == 2\n"), "");
  EXPECT_EQ(rendered(k + "print(not c or sum(x) > 9 or f() == 1)\nassert k == 2\n"), "");
  EXPECT_EQ(kinds(k + "print(sum(x) > 9 and f() == 1)\nassert k == 2\n"), Kinds{"assertion_failed"});
}

TEST(Check, ALoopIsWalkedUntilNothingChanges) {
  EXPECT_EQ(rendered("let l = []\nlet n = 3\nwhile n > 0 { l := l + [n]\nn := n - 1 }\nassert len(l) == 3\n"), "");
  EXPECT_EQ(
      rendered("let l = []\nlet n = 3\nfn add(v) { l := l + [v] }\nwhile n > 0 { add(n)\nn := n - 1 }\nprint(l[2])\n"),
      "");
  EXPECT_EQ(
      rendered(
          "let best = none\nlet n = 3\nwhile n > 0 { if best != none { print(best + 1) }\nbest := n\nn := n - 1 }\n"),
      "");
  // An error in each iteration is reported once.
  EXPECT_EQ(kinds("let l = []\nlet n = 3\nwhile n > 0 { l := l + [n]\nn := n - foo }\n"), Kinds{"unknown_name"});
}

TEST(Check, ASizeThatOnlyTheRunKnowsIsAccepted) {
  const std::string m = "dim a = 2\nlet k = int(sum(ones([a])))\ndim m = k, n = 3\nlet x = ones([m, n])\n";
  EXPECT_EQ(rendered(m + "fn f(x: [.., n]) -> [..] = sum(x, over: n)\nprint(f(x), f(x[m: 0..1]), x[m: 0, n: 1])\n"),
            "");
  EXPECT_EQ(rendered(m + "model M(d: dim) { param w: [d] = 1\nfn call(x) = x * w }\nlet net = M(m)\n"
                         "print(net(x), len(net.params))\nassert net.params[0].path == \"w\"\n"),
            "");
  EXPECT_EQ(kinds(m + "fn f(x: [.., n]) = x\nprint(f(ones([a])))\n"), Kinds{"type_mismatch"});
}

TEST(Check, FunctionsNeverCalledAreCheckedForNames) {
  EXPECT_EQ(kinds("fn f(x) { let y = x\n return y + nope }\n"), Kinds{"unknown_name"});
  EXPECT_EQ(kinds("model M(a: dim) { param w: [a] = nope }\n"), Kinds{"unknown_name"});
  EXPECT_EQ(kinds("import nn\nfn f() = nn.Dens(1)\n"), Kinds{"unknown_attribute"});
}

TEST(Check, FunctionsOfAScopeSeeEachOther) {
  EXPECT_EQ(rendered("print(f(1))\nfn f(x) = g(x) + 1\nfn g(x) = 2 * x\n"), "");
  EXPECT_EQ(kinds("print(later)\nlet later = 1\n"), Kinds{"unknown_name"});
}

TEST(Check, AFunctionUsesTheBindingsInForceWhereItIsWritten) {
  EXPECT_EQ(rendered("let a = 1\nfn f() = a\nlet a = 2\nassert f() == 1\nassert a == 2\n"), "");
}

TEST(Check, Annotations) {
  const std::string f = "dim a = 2, b = 3\nfn f(x: [.., d], d: dim) -> [..] = sum(x, over: d)\n";
  EXPECT_EQ(rendered(f + "print(f(zeros([a, b]), b))\nprint(f(zeros([b]), b))\n"), "");
  EXPECT_EQ(kinds(f + "print(f(zeros([a]), b))\n"), Kinds{"type_mismatch"});
  EXPECT_EQ(kinds("dim a = 2, b = 3\nfn g(x: [.., a], y: [.., a]) = 1\nprint(g(zeros([b, a]), zeros([a])))\n"),
            Kinds{"shape_mismatch"});
  EXPECT_EQ(kinds("fn g(n: int) = n\nprint(g(1.5))\n"), Kinds{"type_mismatch"});
  EXPECT_EQ(kinds("dim a = 2\nfn g(x: i32[a]) = x\nprint(g(zeros([a])))\n"), Kinds{"type_mismatch"});
}

TEST(Check, CallsOfFunctions) {
  const std::string f = "fn f(x, y: int = 2) = x + y\n";
  EXPECT_EQ(rendered(f + "assert f(1) == 3\nassert f(1, y: 4) == 5\nassert f(y: 1, x: 1) == 2\n"), "");
  EXPECT_EQ(kinds(f + "f()\n"), Kinds{"missing_argument"});
  EXPECT_EQ(kinds(f + "f(1, 2, 3)\n"), Kinds{"wrong_arity"});
  EXPECT_EQ(kinds(f + "f(1, z: 3)\n"), Kinds{"unknown_argument"});
  EXPECT_EQ(kinds(f + "f(1, x: 3)\n"), Kinds{"duplicate_argument"});
  EXPECT_EQ(kinds("let x = 3\nx(1)\n"), Kinds{"not_callable"});
}

TEST(Check, CallsOfOperations) {
  const std::string x = "dim a = 2, b = 3\nlet x = zeros([a, b])\n";
  EXPECT_EQ(kinds(x + "relu()\n"), Kinds{"missing_argument"});
  EXPECT_EQ(kinds(x + "relu(x, x)\n"), Kinds{"wrong_arity"});
  EXPECT_EQ(kinds(x + "relu(\"x\")\n"), Kinds{"type_mismatch"});
  EXPECT_EQ(kinds(x + "sum(x, ovr: a)\n"), Kinds{"unknown_argument"});
  EXPECT_EQ(kinds(x + "relu(x -> [a])\n"), Kinds{"misplaced_arrow"});
  EXPECT_EQ(kinds(x + "zeros([a, 3])\n"), Kinds{"not_a_dim"});
  EXPECT_EQ(kinds(x + "zeros([a, a])\n"), Kinds{"dim_twice"});
  EXPECT_EQ(kinds(x + "let y = zeros([a]) + zeros([b])\n"), Kinds{"no_broadcast"});
}

TEST(Check, AssignmentKeepsTheType) {
  EXPECT_EQ(kinds("dim a = 2\nlet x = zeros([a])\nx := ones([a], i32)\n"), Kinds{"assign_type_changed"});
  EXPECT_EQ(kinds("dim a = 2\nlet x = 0\nx := zeros([a])\n"), Kinds{"assign_type_changed"});
  EXPECT_EQ(rendered("dim a = 2\nlet x = 0\nx := x + sum(zeros([a]))\n"), "");
  EXPECT_EQ(kinds("x := 1\n"), Kinds{"assign_undefined"});
  EXPECT_EQ(kinds("dim a = 2\na := 3\n"), Kinds{"assign_not_a_place"});
}

TEST(Check, LoopsAreWalkedOnce) {
  EXPECT_EQ(rendered("dim a = 2\nlet x = zeros([a])\nfor step in 0..1000000000 { x := x + step }\n"), "");
  EXPECT_EQ(kinds("for step in 0..1000000000 { print(nope) }\n"), Kinds{"unknown_name"});
  EXPECT_EQ(rendered("let n = 0\nfor i in 0..10 { n := n + 1 }\nassert n == 10\n"), "");
}

TEST(Check, LoopsThatFixShapesTakeEveryIteration) {
  EXPECT_EQ(rendered("dim a = 12\nlet x = zeros([a])\nfor i in 0..3 { print(x[a: 4 * i..4 * i + 4]) }\n"), "");
  EXPECT_EQ(kinds("dim a = 8\nlet x = zeros([a])\nfor i in 0..3 { print(x[a: 4 * i..4 * i + 4]) }\n"),
            Kinds{"index_out_of_range"});
  EXPECT_EQ(rendered("let l = [0]\nfor i in 1..4 { l := l + [i] }\nassert len(l) == 4\n"), "");
}

// The nodes that a check adds to the graph show how many iterations it walks.
TEST(Check, AListOfNumbersThatGrowsTakesFewIterations) {
  const auto nodes = [](int iterations) {
    const int64_t before = graph::last_node_id();
    EXPECT_EQ(rendered("dim a = 4\nmodel Net { param w: [a] = 1 }\nlet net = Net()\nlet losses = []\n"
                       "let last = [0.0]\nfor i in 0.." +
                       std::to_string(iterations) +
                       " {\n  let loss = mean(square(net.w - i))\n  net.w := net.w - 0.1 * grad(loss, net.w)\n"
                       "  losses := losses + [float(loss)]\n  last := [float(loss)]\n}\n"
                       "print(losses[0], len(losses), last[0])\n"),
              "");
    return graph::last_node_id() - before;
  };
  EXPECT_LT(nodes(400), 1.1 * static_cast<double>(nodes(100)));
  EXPECT_LT(nodes(4000), 1.1 * static_cast<double>(nodes(100)));
  // After the loop everything is checked.
  EXPECT_EQ(kinds("let l = []\nfor i in 0..4000 { l := l + [float(ones([]))] }\nprint(nope)\n"), Kinds{"unknown_name"});
  // Tensors in lists have shapes, so every iteration counts.
  EXPECT_EQ(kinds("dim a = 2\nlet l = []\nfor i in 0..100 { l := l + [ones([a])] }\nprint(l[100])\n"),
            Kinds{"index_out_of_range"});
}

TEST(Check, AListOfTensorsThatKeepsItsTypesTakesFewIterations) {
  const auto nodes = [](int iterations) {
    const int64_t before = graph::last_node_id();
    EXPECT_EQ(rendered("dim a = 4\nlet caches = [zeros([a]), (ones([a]), 2)]\nlet last = 0\nfor i in 0.." +
                       std::to_string(iterations) +
                       " {\n  caches := [where(range(a) == i, i, caches[0]), (caches[1][0] + i, 2)]\n  last := i\n}\n"
                       "print(sum(caches[0]), caches[1][0], last)\n"),
              "");
    return graph::last_node_id() - before;
  };
  EXPECT_LT(nodes(400), 1.1 * static_cast<double>(nodes(100)));
  // What a later iteration does is checked, too.
  const std::string loop = "dim a = 2, b = 3\nlet l = [ones([a])]\nfor i in 0..100 {\n  l := [l[0] + i]\n";
  EXPECT_EQ(kinds(loop + "  if i == 90 { print(nope) }\n}\nprint(l[0])\n"), Kinds{"unknown_name"});
  EXPECT_EQ(kinds(loop + "}\nprint(l[1])\n"), Kinds{"index_out_of_range"});
  EXPECT_EQ(kinds(loop + "}\nprint(sum(l[0], over: b))\n"),
            kinds("dim a = 2, b = 3\nprint(sum(ones([a]), over: b))\n"));
}

TEST(Check, BothBranchesOfAnUnknownConditionAreWalked) {
  const std::string x = "dim a = 2\nlet x = random.uniform([a])\nlet n = 1\n";
  EXPECT_EQ(kinds(x + "if sum(x) > 0 { n := foo } else { n := bar }\n"), (Kinds{"unknown_name", "unknown_name"}));
  EXPECT_EQ(rendered(x + "if sum(x) > 0 { n := 2 }\nassert n == 1\n"), "");
  EXPECT_EQ(kinds(x + "fn f(y) { if sum(y) > 0 { return 1 }\nreturn \"s\" }\nprint(f(x))\n"),
            Kinds{"branch_types_differ"});
  EXPECT_EQ(rendered(x + "fn f(y) { if sum(y) > 0 { return sum(y) } else { return 2 * sum(y) } }\nprint(f(x) + 1)\n"),
            "");
}

TEST(Check, RecursionOnAnUnknownConditionEnds) {
  EXPECT_EQ(
      rendered(
          "dim a = 2\nfn f(x, n: int) { if sum(x) > n { return x }\nreturn f(x, n - 1) }\nprint(f(zeros([a]), 3))\n"),
      "");
  EXPECT_EQ(rendered("fn f(n: int) { if n == 0 { return 1 }\nreturn n * f(n - 1) }\nassert f(5) == 120\n"), "");
  EXPECT_EQ(kinds("fn f(n) { return f(n + 1) }\nprint(f(0))\n"), Kinds{"call_too_deep"});
}

TEST(Check, TheLimitOfCallsEndsAllCallsAtOnce) {
  EXPECT_EQ(kinds("fn f() { f()\n f() }\nf()\nf()\n"), Kinds{"call_too_deep"});
  EXPECT_EQ(kinds("fn f() { f()\n f() }\nf()\nlet x = foo\n"), (Kinds{"call_too_deep", "unknown_name"}));
  EXPECT_EQ(kinds("model M() { let a = M()\n let b = M() }\nlet m = M()\n"), Kinds{"call_too_deep"});
}

TEST(Check, MuchWorkOfTheHostIsCutShort) {
  EXPECT_EQ(
      kinds("let l = [[[[i for i in 0..1000] for j in 0..1000] for k in 0..1000] for m in 0..1000]\nprint(foo)\n"),
      Kinds{"check_cut_short"});
  EXPECT_EQ(kinds("fn f(n: int) { if n == 0 { return 0 }\nreturn f(n - 1) + f(n - 1) }\nprint(f(60))\n"),
            Kinds{"check_cut_short"});
}

TEST(Check, CopyingLongListsIsWorkToo) {
  std::string text = "let l = [1]\n";
  for (int i = 0; i < 40; ++i) text += "l := l + l\n";
  EXPECT_EQ(kinds(text), Kinds{"check_cut_short"});
}

TEST(Check, AHundredErrorsAreEnough) {
  std::string text;
  for (int i = 0; i < 20000; ++i) text += "print(unknown" + std::to_string(i) + ")\n";
  EXPECT_EQ(kinds(text).size(), 100u);
  for (int i = 0; i < 2000; ++i) text += "fn g" + std::to_string(i) + "() = unknown\n";
  EXPECT_EQ(kinds(text.substr(text.find("fn g0"))).size(), 100u);
}

TEST(Check, GradientsThatNothingComesTo) {
  const std::string net =
      "dim a = 2\nmodel M { param w: [a] = 1; param b: [a] = 0 }\nlet m = M()\nlet x = random.normal([a])\n";
  EXPECT_EQ(kinds(net + "for i in 0..9 { let g = grad(sum(m.w * x), m.params) }\n"), Kinds{"grad_unreached"});
  EXPECT_EQ(rendered(net + "let g = grad(sum(m.w * x), m.params)\n"),
            "warning: a gradient is 0, as the loss does not reach what it is of [grad_unreached]\n"
            " --> test.mtf:5:9\n"
            "  |\n"
            "5 | let g = grad(sum(m.w * x), m.params)\n"
            "  |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ no gradient comes to `b`\n"
            "  = help: leave out what the loss does not depend on\n");
  // For a module the warning shows the program's line, once for each line.
  EXPECT_EQ(
      kinds("import optim\n" + net +
            "let opt = optim.Adam(m.params)\nopt.minimize(sum(m.w))\nfn f() { opt.minimize(sum(m.b)) }\nf()\nf()\n"),
      (Kinds{"grad_unreached", "grad_unreached"}));
  // A value that is declared constant gives no warning.
  EXPECT_EQ(rendered(net + "let g = grad(sum(m.w * stop_gradient(m.b)), m.params)\n"), "");
  EXPECT_EQ(rendered(net + "let c = x\nno_grad { c := m.b * 2 }\nlet g = grad(sum(m.w * c), m.params)\n"), "");
  EXPECT_EQ(rendered(net + "let g = grad(sum(relu(m.w) + m.b), [m.w])[0]\nlet h = grad(sum(g), [m.w])\n"), "");
  EXPECT_EQ(rendered(net + "let g = grad(sum(3 * m.w), [m.w])[0]\nlet h = grad(sum(g), [m.w])\n"), "");
  // An update cuts no path to a target: it was computed from a gradient.
  EXPECT_NE(
      rendered(net + "let c = copy(m.b)\nm.w := m.w + c\nlet g = grad(sum(m.w), [m.b])\n").find("`w` is assigned here"),
      std::string::npos);
  EXPECT_EQ(rendered(net + "let c = grad(sum(m.w * m.b), [m.w])[0]\nm.w := m.w - c\nlet g = grad(sum(m.w), [m.b])\n")
                .find("`w` is assigned here"),
            std::string::npos);
  // If it depends on a number of the run, the run reports it.
  EXPECT_EQ(rendered(net + "let h = x\nif sum(x) > 0 { h := h * m.b }\nlet g = grad(sum(m.w * h), m.params)\n"), "");
  EXPECT_EQ(
      rendered(net + "fn f(y) { if sum(y) > 0 { return m.b }\nreturn y }\nlet g = grad(sum(m.w * f(x)), m.params)\n"),
      "");
  EXPECT_EQ(rendered("dim a = 2\nmodel M { param w: [a] = 1 }\nlet ms = [M() for i in 0..3]\n"
                     "let ws = [m.w for m in ms]\nlet h = ones([a])\nfor i in 0..3 { h := h * ws[i] }\n"
                     "let g = grad(sum(h), ws)\n"),
            "");
  EXPECT_EQ(
      rendered(net + "let h = x\nfor i in 0..3 { if i > 0 { let g = grad(sum(h * m.w), m.params) }\nh := h * m.b }\n"),
      "");
}

TEST(Check, Dims) {
  EXPECT_EQ(kinds("dim a = 0\n"), Kinds{"bad_size"});
  EXPECT_EQ(kinds("dim a = 2, b = nope\nprint(zeros([a]))\n"), Kinds{"unknown_name"});
  EXPECT_EQ(kinds("dim a = 100000000, b = 100000000, c = 1000000\nlet x = zeros([a, b, c])\n"), Kinds{"size_overflow"});
  EXPECT_EQ(kinds("dim a = 2\nlet n = argmax(zeros([a]))\ndim b = n\n"), Kinds{"size_unknown"});
  EXPECT_EQ(rendered("dim a = 2, b = 2\nassert size(a) == size(b)\nassert not (a == b)\nassert a * b == 4\n"), "");
}

TEST(Check, Layouts) {
  const std::string both = "mesh m = [all: 4]\nlayout l = {a -> all, b -> all}\ndim a = 2, b = 3\n";
  EXPECT_EQ(kinds(both + "let x = zeros([a, b])\n"), Kinds{"axis_used_twice"});
  EXPECT_EQ(rendered(both + "let x = zeros([a])\n"), "");
  EXPECT_EQ(kinds("mesh m = [all: 4]\nlayout l = {a -> rows}\ndim a = 2\nlet x = zeros([a])\n"),
            Kinds{"mesh_lacks_axis"});
  EXPECT_EQ(kinds("layout l = {batsh -> all}\ndim batch = 2\n"), Kinds{"layout_dim_unused"});
  EXPECT_EQ(kinds("mesh m = [rows: 2, rows: 2]\n"), Kinds{"duplicate_name"});
  EXPECT_EQ(kinds("mesh m = [rows: 0]\n"), Kinds{"bad_mesh"});
}

TEST(Check, Formats) {
  EXPECT_EQ(kinds("print(\"{1.5:.4d}\")\n"), Kinds{"bad_format"});
  EXPECT_EQ(rendered("print(\"{3:.2f} {\"x\":>4}\")\n"), "");
}

TEST(Check, Settings) {
  const std::string text = "option lr = 0.1\ndim batch = 4\nassert lr == 0.5\nassert size(batch) == 8\n";
  EXPECT_EQ(
      rendered(text, {.mesh = {}, .layout = {}, .set = {{"lr", "0.5"}, {"batch", "8"}}, .stdlib = "", .ranks = 1}), "");
  EXPECT_EQ(kinds("option lr = 0.1\n", {.mesh = {}, .layout = {}, .set = {{"rl", "1"}}, .stdlib = "", .ranks = 1}),
            Kinds{"unknown_option"});
  EXPECT_EQ(kinds("option n = 1\n", {.mesh = {}, .layout = {}, .set = {{"n", "x"}}, .stdlib = "", .ranks = 1}),
            Kinds{"bad_option_value"});
  EXPECT_EQ(rendered("option n = 1\nassert n == 3\n",
                     {.mesh = {}, .layout = {}, .set = {{"n", "2"}, {"n", "3"}}, .stdlib = "", .ranks = 1}),
            "");
  // Options of an imported module are set under the module's name; its dims cannot be set.
  EXPECT_EQ(rendered("import optim\noption size = 0.1\nfn f() { dim inner = 3 }\n",
                     {.mesh = {}, .layout = {}, .set = {{"wide", "1"}}, .stdlib = "", .ranks = 1}),
            "error: the program has no option of this name [unknown_option]\n"
            "  = note: --set wide=1\n"
            "  = help: it has size\n");
}

TEST(Check, ALayoutGivenFromOutsideNamesDimsOfTheProgram) {
  EXPECT_EQ(rendered("dim batch = 4\nlet x = ones([batch])\n",
                     {.mesh = {},
                      .layout = Layout{Name(), {{Name("btch"), {Name("all")}, {}}}, {}},
                      .set = {},
                      .stdlib = "",
                      .ranks = 1}),
            "warning: the layout names a dimension that the program does not have [layout_dim_unused]\n"
            "  = note: --layout: there is no dim `btch`\n  = help: did you mean `batch`?\n");
}

TEST(Check, Models) {
  const std::string m =
      "dim a = 2\nmodel Inner(d: dim) { param w: [d] = 1\nstate s: like w = 0 }\n"
      "model Outer() { let parts = [Inner(a) for i in 0..2]\nlet again = parts[0]\nparam b: [] = 0 }\n"
      "let m = Outer()\n";
  EXPECT_EQ(rendered(m + "assert len(m.params) == 3\nassert m.params[1].path == \"parts[1].w\"\n"), "");
  EXPECT_EQ(kinds(m + "m.b := zeros([a])\n"), Kinds{"assign_type_changed"});
  EXPECT_EQ(kinds(m + "print(m.c)\n"), Kinds{"unknown_attribute"});
  EXPECT_EQ(kinds(m + "m(1)\n"), Kinds{"not_callable"});
}

TEST(Check, GradientsThroughAssignedVariables) {
  const std::string m = "dim a = 2\nmodel M() { param w: [a] = 1 }\nlet m = M()\nlet loss = sum(square(m.w))\n";
  EXPECT_EQ(rendered(m + "let g = grad(loss, m.params)\nm.w := m.w - g[0]\nlet h = grad(sum(m.w), m.params)\n"), "");
  EXPECT_EQ(kinds(m + "m.w := 2 * m.w\nlet g = grad(loss, m.params)\n"), Kinds{"grad_through_assigned"});
  EXPECT_EQ(kinds(m + "let g = grad(square(m.w), m.params)\n"), Kinds{"grad_not_scalar"});
}

TEST(Check, NamesBoundToAPlaceStandForIt) {
  const std::string m = "dim a = 2\nmodel M() { param w: [a] = 1 }\nlet m = M()\nlet p = m.w\n";
  EXPECT_EQ(kinds(m + "let loss = sum(m.w)\np := 2 * p\nlet g = grad(loss, [m.w])\n"), Kinds{"grad_through_assigned"});
}

TEST(Check, CountersAreUnknown) {
  EXPECT_EQ(rendered("dim a = 2\nlet c = counters { let x = zeros([a]) }\nassert c.flops == 17\n"
                     "assert c.all_reduce.over(\"all\").values == 3\n"),
            "");
  EXPECT_EQ(kinds("let c = counters { let x = 1 }\nprint(c.flop)\n"), Kinds{"unknown_attribute"});
}

}  // namespace
}  // namespace mtf::eval
