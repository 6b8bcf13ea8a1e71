// Totals in `mtf plan` and other predictions: estimates and their reasons, unread values, the position of numbers, and
// combinations of options.
#include <nlohmann/json.hpp>
#include <sstream>

#include "../pseudo_terminal.h"
#include "command.h"
#include "library/library.h"
#include "tool/prompt/repl.h"
#include "tool/shell/program_options.h"

namespace mtf::tool {
namespace {

using Plans = CommandTest;
using Json = nlohmann::json;

const std::string kNumbers = "dim a = 100\nlet x = random.uniform([a])\n";
const std::string kBranch = kNumbers + "if sum(x) > 1000 { print(sum(square(x))) }\n";

Json totals(const ProcessResult& plan) { return Json::parse(plan.out)["totals"]; }

struct Doubtful {
  std::string statements;
  int line;
  std::string why;
};

const std::string kWays = "only the run knows which way it goes: each is counted";
const std::string kIterations = "only the run knows how often: one turn is counted";
const std::string kRest = "only the run knows whether it ends here: what follows is counted";
const std::string kUnknown = "only the run knows what this works on: it is not counted";

const std::vector<Doubtful> kDoubtful = {
    {"if sum(x) > 1000 { print(sum(square(x))) }\n", 3, kWays},
    {"let y = x\nif sum(x) > 1000 { y := square(y) }\nprint(sum(y))\n", 4, kWays},
    {"let y = if sum(x) > 1000 { square(x) } else { tanh(x) }\nprint(sum(y))\n", 3, kWays},
    {"model M { param w: [a] = 1 }\nlet m = M()\nif sum(x) > 1000 { m.w := m.w * 2 }\n", 5, kWays},
    {"if int(sum(x)) > 1000 and sum(square(x)) > 3 { print(1) }\n", 3, kWays},
    {"while sum(x) > 1 { x := 0.5 * x }\nprint(sum(x))\n", 3, kIterations},
    {"for i in 0..int(sum(x)) { print(sum(square(x))) }\n", 3, kIterations},
    {"for i in 0..4 {\n  if sum(x) > i { break }\n  x := square(x)\n}\nprint(sum(x))\n", 4, kRest},
    {"for i in 0..4 {\n  if sum(x) > i { continue }\n  x := square(x)\n}\nprint(sum(x))\n", 4, kRest},
    {"fn f(y) {\n  if sum(y) > 3 { return y }\n  return square(y)\n}\nprint(sum(f(x)))\n", 4, kRest},
    {"let l = [square(y) for y in [x, x + 1] if sum(y) > 3]\n", 3, kWays},
    {"let n = int(sum(x))\nprint(sum(square(x[a: 0..n])))\n", 4, kUnknown},
    {"let f = [square, tanh][int(sum(x))]\nprint(sum(f(x)))\n", 4, kUnknown},
};

TEST_F(Plans, SayWhichLinesMakeThemEstimates) {
  for (const Doubtful& each : kDoubtful) {
    const ProcessResult plan = mtf({"plan", write("a.mtf", kNumbers + each.statements), "--json"});
    ASSERT_EQ(plan.status, 0) << plan.err << each.statements;
    const Json all = Json::parse(plan.out);
    EXPECT_TRUE(all["is_estimate"]) << each.statements << all;
    ASSERT_EQ(all["doubts"].size(), 1) << each.statements << all;
    EXPECT_EQ(all["doubts"][0]["place"]["line"], each.line) << each.statements;
    EXPECT_EQ(all["doubts"][0]["why"], each.why) << each.statements;
  }
}

/// Both branches count, also if no later value depends on one of them.
TEST_F(Plans, CountEachWay) {
  const auto flops = [&](const std::string& statements) {
    return totals(mtf({"plan", write("a.mtf", kNumbers + statements), "--json"}))["flops"].get<int>();
  };
  EXPECT_EQ(flops("if sum(x) > 1000 { print(sum(square(x))) }\n"), 101 + 200);
  EXPECT_EQ(flops("let y = x\nif sum(x) > 1000 { y := square(y) } else { y := tanh(y) }\nprint(sum(y))\n"),
            101 + 100 + 100 + 100);
  EXPECT_EQ(flops("model M { param w: [a] = 1 }\nlet m = M()\nif sum(x) > 1000 { m.w := m.w * 2 }\n"), 101 + 100);
  // The assignments of a branch are undone after it. A later gradient through the old value is still planned.
  const std::string step = "model M { param w: [a] = 1 }\nlet m = M()\nlet loss = sum(m.w * x)\nprint(loss)\n",
                    behind = "print(sum(grad(loss, m.w)))\n";
  EXPECT_EQ(flops(step + "if sum(x) > 1000 { m.w := m.w * 2 }\n" + behind), flops(step + behind) + 101 + 100);
}

TEST_F(Plans, OfWhatIsKnownAreExact) {
  for (const std::string& statements : std::vector<std::string>{
           "if sum(x) > 1000 { print(\"much\") }\n", "assert sum(x) < 1000, \"their squares {sum(square(x))}\"\n",
           "let best = 0\n"
           "for i in 0..3 {\n"
           "  let loss = sum(x)\n"
           "  if loss > best { best := loss }\n"
           "  x := square(x)\n"
           "}\n"
           "print(sum(x))\n",
           "fn f(y) { if size(a) > 3 { return y }; return square(y) }\nprint(sum(f(x)))\n"}) {
    const ProcessResult plan = mtf({"plan", write("a.mtf", kNumbers + statements), "--json"});
    ASSERT_EQ(plan.status, 0) << plan.err << statements;
    EXPECT_FALSE(Json::parse(plan.out)["is_estimate"]) << statements << plan.out;
  }
}

TEST_F(Plans, LeaveOutWhatAMessageComputes) {
  const std::string file = write(
      "a.mtf",
      kNumbers + "let c = counters { assert sum(x) < 1000, \"their squares {sum(square(x))}\" }\nprint(c.flops)\n");
  EXPECT_EQ(mtf({"run", file}).out, "101\n");
  EXPECT_EQ(totals(mtf({"plan", file, "--json"}))["flops"], 101);
}

TEST_F(Plans, TheNamesOfAScriptAreAStageBeforeThem) {
  EXPECT_MENTIONS(mtf({"trace", write("a.mtf", kBranch), "--stage", "names"}).out,
                  "  3:block; reads print square sum x; calls print sum square\n");
}

TEST_F(Plans, SayThatTheyAreEstimatesInEveryForm) {
  const std::string file = write("a.mtf", kBranch),
                    line = "a.mtf:3  if sum(x) > 1000 { print(sum(square(x))) }  " + kWays;
  EXPECT_MENTIONS(mtf({"plan", file}).out, "an estimate:\n    " + line + "\n");
  EXPECT_MENTIONS(mtf({"plan", file}).out, "   (an estimate)\n");
  EXPECT_MENTIONS(mtf({"plan", file, "--by", "value"}).out, line);
  EXPECT_MENTIONS(mtf({"plan", file, "--symbolic"}).out, line);
  EXPECT_MENTIONS(mtf({"plan", file, "--csv"}).out, "estimate,a.mtf:3,\"" + kWays + "\"\n");
  EXPECT_MENTIONS(mtf({"compare", file, "--mesh", "r:2", "--layout", "a:r"}).out, line);
  EXPECT_MENTIONS(mtf({"search", file, "--processors", "2"}).out, line);
  EXPECT_MENTIONS(mtf({"trace", file, "--stage", "types"}).out, line);
  EXPECT_EQ(mtf({"plan", file, "--report", path("a.html")}).status, 0);
  EXPECT_MENTIONS(read("a.html"), kWays);
}

TEST(PlanPrompt, SaysThatItIsAnEstimate) {
  eval::Settings settings;
  settings.stdlib = standard_library();
  settings.library = &library::host_library();
  std::ostringstream out, err;
  Repl repl(settings, {.threads = 1}, out, err);
  repl.enter("mesh m = [r: 2]\nlayout l = {}\ndim a = 100\nlet x = random.uniform([a])\n");
  for (const std::string command : {":plan if sum(x) > 1000 { print(sum(square(x))) }",
                                    ":plan --layout a:r if sum(x) > 1000 { print(sum(square(x))) }",
                                    ":compare if sum(x) > 1000 { print(sum(square(x))) } --layout a:r"}) {
    out.str("");
    EXPECT_TRUE(repl.enter(command)) << err.str();
    EXPECT_MENTIONS(out.str(), "an estimate:\n") << command;
  }
  out.str("");
  EXPECT_TRUE(repl.enter(":plan sum(square(x))"));
  EXPECT_EQ(out.str().find("an estimate"), std::string::npos) << out.str();
}

/// A loop that computes nothing is not left out: `counters` shows the present values.
TEST(PlanPrompt, AFileLoadedWithoutItsLoopsSaysWhatIsThere) {
  eval::Settings settings;
  settings.stdlib = standard_library();
  settings.library = &library::host_library();
  std::ostringstream out, err;
  Repl repl(settings, {.threads = 1}, out, err);
  EXPECT_TRUE(repl.enter(":load --dry " + source_folder() + "/examples/megatron.mtf")) << err.str();
  EXPECT_MENTIONS(out.str(), "134912 parameters\n");
  EXPECT_MENTIONS(out.str(), ", loops left out: line ");
}

const std::string kStep =
    "dim batch = 64, io = 32\nmodel Net { param w: [batch, io] = 1 }\nlet net = Net()\n"
    "let x = random.uniform([batch, io])\nlet h = x * net.w\nlet loss = sum(square(h))\n";

TEST_F(Plans, SayWhatNobodyReads) {
  const ProcessResult nothing = mtf({"plan", write("a.mtf", kStep), "--mesh", "r:8"});
  EXPECT_MENTIONS(nothing.out, "total for each of 8 processors of [r: 8]\n");
  EXPECT_MENTIONS(nothing.out, "nothing is computed, because nobody reads what these lines make");
  EXPECT_MENTIONS(nothing.out, "    a.mtf:6  let loss = sum(square(h))  loss\n");
  EXPECT_EQ(nothing.out.find("a.mtf:5"), std::string::npos) << "`h` is read\n" << nothing.out;

  const ProcessResult step = mtf(
      {"plan",
       write("a.mtf",
             kStep + "for (p, g) in zip(net.params, grad(loss, net.params)) { p := p - 0.1 * g }\nprint(sum(x))\n")});
  EXPECT_MENTIONS(step.out, "not computed, because nobody reads it:\n");
  EXPECT_MENTIONS(step.out, "p := p - 0.1 * g }  w\n");

  const ProcessResult read = mtf({"plan", write("a.mtf", kStep + "print(loss)\n")});
  EXPECT_EQ(read.out.find("nobody reads"), std::string::npos) << read.out;
  EXPECT_EQ(Json::parse(mtf({"plan", write("a.mtf", kStep), "--json"}).out)["not_read"][0]["name"], "loss");
}

/// A part of a loss that is only differentiated is not computed, but its line has costs.
TEST_F(Plans, AreSilentOfLinesThatCostSomething) {
  const ProcessResult plan = mtf({"plan", write("a.mtf", kStep + "print(grad(loss, x))\n")});
  EXPECT_EQ(plan.out.find("nobody reads"), std::string::npos) << plan.out;
}

const std::string kTrained =
    "dim a = 100\n"
    "model M { param w: [a] = 1 }\n"
    "let m = M()\n"
    "fn train(turns: int) {\n"
    "  let x = random.uniform([a])\n"
    "  print(sum(x))\n"
    "  for i in 0..turns {\n"
    "    m.w := m.w * x\n"
    "  }\n"
    "}\n"
    "if size(a) > 3 {\n"
    "  train(10)\n"
    "}\n"
    "print(sum(m.w))\n";

TEST_F(Plans, ALoopStandsBelowTheCallThatReachesIt) {
  const ProcessResult plan = mtf({"plan", write("a.mtf", kTrained), "--depth", "9"});
  EXPECT_MENTIONS(plan.out,
                  "a.mtf:11  if size(a) > 3 {\n"
                  "  92%  1,100                                a.mtf:12    train(10)   train\n"
                  " 8.3%    100                                a.mtf:6       print(sum(x))\n"
                  " 8.3%    100                                a.mtf:6         print(sum(x))\n"
                  "  83%    100                                a.mtf:7       for i in 0..turns {   ×10\n"
                  "  83%    100                                a.mtf:8         m.w := m.w * x\n");
}

TEST_F(Plans, OfTheTreeAreJsonInItsOrder) {
  const Json plan = Json::parse(mtf({"plan", write("a.mtf", kTrained), "--json"}).out);
  const Json& call = plan["parts"][0]["parts"][0];
  EXPECT_EQ(call["callee"], "train");
  EXPECT_EQ(call["flops"], 1100);
  EXPECT_EQ(call["parts"][1]["turns"], 10);
  EXPECT_EQ(call["parts"][1]["flops"], 100);
}

const std::string kTwoLayer = "/examples/two_layer.mtf";

TEST_F(Plans, HoldInJsonAndCsvWhatTheTextHolds) {
  const std::string file = source_folder() + kTwoLayer;
  const std::vector<std::string> words = {"plan", file, "--machine",
                                          write("m.json", "{\"name\": \"a \\\"slow\\\" one\"}")};
  const auto with = [&](const std::string& option) {
    std::vector<std::string> all = words;
    all.push_back(option);
    return mtf(all).out;
  };
  const std::string text = mtf(words).out, csv = with("--csv");
  const Json all = Json::parse(with("--json"));
  const auto holds = [&](const std::string& name, const std::string& shown) {
    const Json& held = all["totals"].contains(name) ? all["totals"] : all["stored"];
    const auto number = held[name].get<std::int64_t>();
    EXPECT_MENTIONS(csv, "\n" + name + ",," + std::to_string(number) + "\n");
    EXPECT_MENTIONS(text, shown);
    return number;
  };
  EXPECT_GT(holds("flops", "flops"), 0);
  EXPECT_GT(holds("peak_bytes", "peak memory"), 0);
  EXPECT_GT(holds("parameters", "parameters"), 0);
  EXPECT_GT(holds("parameter_bytes", "on a processor"), 0);
  EXPECT_GT(holds("unique_flops", "flops of one processor alone"), 0);
  EXPECT_EQ(holds("processors", "total for each of 4 processors of [rows: 2, cols: 2]"), 4);
  EXPECT_EQ(all["mesh"], "[rows: 2, cols: 2]");
  for (const Json& figures : all["totals"]["collectives"]) {
    const std::string what = figures["kind"].get<std::string>() + " over " + figures["axes"][0].get<std::string>();
    EXPECT_MENTIONS(text, "    " + what);
    for (const char* figure : {"count", "calls", "values", "bytes", "wire_bytes"})
      EXPECT_MENTIONS(csv, "\n" + std::string(figure) + "," + what + "," + figures[figure].dump() + "\n");
  }
  EXPECT_GT(all["totals"]["collectives"].size(), 1);
  EXPECT_GT(all["seconds"]["in all"], 0);
  EXPECT_MENTIONS(csv, "\nmachine,,\"a \"\"slow\"\" one\"\n");
  EXPECT_MENTIONS(csv, "\nseconds,in all,");
}

struct Pair {
  std::vector<std::string> words;
  std::string said;
};

TEST_F(Plans, RefuseOptionsThatCannotBeCombined) {
  const std::string file = source_folder() + kTwoLayer, out = path("out");
  const auto cannot = [](const std::string& a, const std::string& b) {
    return "`" + a + "` and `" + b + "` cannot be combined";
  };
  std::vector<Pair> pairs;
  const std::vector<std::vector<std::string>> forms = {{"--symbolic"}, {"--json"}, {"--csv"}, {"--report", out}};
  const std::vector<std::vector<std::string>> views = {
      {"--by", "line"}, {"--sort", "flops"}, {"--depth", "2"}, {"--lines", "9"}, {"--formula"}};
  const auto add = [&](std::vector<std::string> words, const std::vector<std::string>& a,
                       const std::vector<std::string>& b, const std::string& said) {
    words.insert(words.end(), a.begin(), a.end());
    words.insert(words.end(), b.begin(), b.end());
    pairs.push_back({std::move(words), said});
  };
  for (size_t i = 0; i < forms.size(); ++i) {
    for (size_t k = i + 1; k < forms.size(); ++k)
      add({"plan", file}, forms[i], forms[k], cannot(forms[i][0], forms[k][0]));
    for (const auto& view : views) add({"plan", file}, forms[i], view, cannot(view[0], forms[i][0]));
  }
  for (const std::string list : {"line", "function", "path", "collective", "value"}) {
    add({"plan", file}, {"--by", list}, {"--depth", "2"}, "`--depth` says something only of the tree");
    add({"plan", file}, {"--by", list}, {"--lines", "2"}, "`--lines` says something only of the tree");
    if (list != "value")
      add({"plan", file}, {"--by", list}, {"--formula"}, "`--formula` says something only beside `--by value`");
  }
  add({"plan", file}, {"--by", "value"}, {"--sort", "flops"}, "`--sort` says something only of the tree and of lists");
  add({"plan", file}, {"--depth", "2"}, {"--lines", "9"}, cannot("--depth", "--lines"));
  add({"plan", file}, {"--symbolic"}, {"--machine", out}, cannot("--symbolic", "--machine"));
  add({"plan", file}, {"--against", "batch:rows"}, {}, "`--against` says something only beside `--report`");
  add({"plan", file}, {"--draw", "x"}, {}, "`--draw` says something only beside `--report`");
  add({"plan", file}, {"--depth", "-2"}, {}, "expected a number");
  add({"plan", file}, {"--lines", "0"}, {}, "expected a number");
  add({"search", file}, {"--mesh", "r:4"}, {"--processors", "4"}, cannot("--mesh", "--processors"));
  add({"search", file}, {"--mesh", "r:4"}, {"--axes", "1"}, cannot("--mesh", "--axes"));
  add({"--mesh", "r:4", "search", file}, {"--processors", "4"}, {},
      "a mesh says how many processors and axes there are");
  add({"run", file}, {"--reference"}, {"--timeline", out}, cannot("--reference", "--timeline"));
  add({"trace", file}, {"--stage", "ast"}, {"--mesh", "r:4"},
      "the script as it was read has no mesh, layout or options");
  add({"trace", file}, {"--passes"}, {"--stage", "ir"}, cannot("--passes", "--stage"));
  add({"test", file}, {"--yes"}, {}, "`--yes` says something only beside `--update`");
  add({"--mesh", "r:4", "fmt", file}, {}, {}, "`mtf fmt` has no option `--mesh`");
  add({"--threads", "2", "compare", file}, {}, {}, "`mtf compare` has no option `--threads`");
  add({"--threads", "2", "plan", file}, {}, {}, "`mtf plan` has no option `--threads`");
  add({"plan", file}, {"--threads", "2"}, {}, "there is no option `--threads`");
  add({"trace", file}, {"--threads", "2"}, {}, "there is no option `--threads`");
  add({"--layout", "", "test", file}, {}, {}, "`mtf test` has no option `--layout`");
  add({"--placement", "0", "calibrate"}, {}, {}, "`mtf calibrate` has no option `--placement`");
  add({"--set", "a=1", "help"}, {}, {}, "`mtf help` has no option `--set`");
  add({"reference"}, {"--stdout"}, {"--check", out}, cannot("--stdout", "--check"));
  add({"editors"}, {"--write", out}, {"--check", out}, cannot("--write", "--check"));
  for (const Pair& each : pairs) {
    const ProcessResult result = mtf(each.words);
    EXPECT_EQ(result.status, 2) << each.said << result.out;
    EXPECT_MENTIONS(result.err, each.said);
    EXPECT_EQ(result.out, "") << each.said;
  }
  EXPECT_FALSE(std::filesystem::exists(out));
  EXPECT_EQ(mtf({"plan", file, "--json", "--csv", "--help"}).status, 0);
}

TEST_F(Plans, HonourOptionsBeforeTheCommand) {
  const std::string file = source_folder() + kTwoLayer;
  EXPECT_EQ(mtf({"--mesh", "r:4", "--layout", "batch:r", "compare", file}).out,
            mtf({"compare", file, "--mesh", "r:4", "--layout", "batch:r"}).out);
}

TEST_F(Plans, LinesOfFilesThatAreCalledAlikeStandApart) {
  std::filesystem::create_directories(path("one"));
  std::filesystem::create_directories(path("two"));
  write("one/part.mtf", "fn double(x) = x * 2\n");
  write("two/part.mtf", "fn triple(x) = x * 3\n");
  const std::string file = write("a.mtf",
                                 "import \"one/part.mtf\" as one\nimport \"two/part.mtf\" as two\ndim a = 4\n"
                                 "let x = ones([a])\nprint(two.triple(one.double(x)))\n");
  const std::string text = mtf({"plan", file, "--by", "line"}).out;
  EXPECT_MENTIONS(text, "part.mtf:1  fn double(x) = x * 2");
  EXPECT_MENTIONS(text, "part.mtf:1  fn triple(x) = x * 3");
}

TEST_F(Plans, ListsAreInTheOrderOfTheSourceWhereThatIsAskedFor) {
  const std::string file = write("a.mtf", "dim a = 4, b = 100\nprint(sum(ones([a]) + 1))\nprint(sum(ones([b]) + 1))\n");
  const auto first_is_small = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"plan", file, "--by", "line"};
    words.insert(words.end(), more.begin(), more.end());
    const std::string text = mtf(words).out;
    return text.find("a.mtf:2") < text.find("a.mtf:3");
  };
  EXPECT_FALSE(first_is_small({}));
  EXPECT_TRUE(first_is_small({"--sort", "source"}));
}

/// There are as many rows as lines: none continues on the next row.
TEST_F(Plans, FitTheTerminal) {
  const std::string long_line =
      "print(sum(square(x)) + sum(tanh(x)) + sum(exp(x)) + sum(square(x + 1)) + sum(square(x + 2)) + sum(square(x + "
      "3)))\n";
  const auto rows = [&](const std::string& file, std::size_t columns, const std::vector<const char*>& more) {
    PseudoTerminal terminal(200, columns, [&] {
      std::vector<const char*> words = {"mtf", "plan", file.c_str()};
      words.insert(words.end(), more.begin(), more.end());
      words.push_back(nullptr);
      execv(kMtf.c_str(), const_cast<char* const*>(words.data()));
      return 127;
    });
    EXPECT_EQ(terminal.wait(), 0);
    return terminal.screen().rows();
  };
  const std::string exact = write("a.mtf", kNumbers + long_line);
  for (const std::vector<const char*>& more :
       std::vector<std::vector<const char*>>{{}, {"--by", "line"}, {"--by", "value"}}) {
    const auto narrow = rows(exact, 72, more), wide = rows(exact, 250, more);
    EXPECT_EQ(narrow.size(), wide.size()) << more.size();
    EXPECT_NE(std::find_if(narrow.begin(), narrow.end(),
                           [](const std::string& row) { return row.find("…") != std::string::npos; }),
              narrow.end())
        << more.size();
  }
  // A reason is not cut off: it is written below its line.
  const std::string estimate =
      write("b.mtf", kNumbers + "if sum(x) > 1000 { " + long_line.substr(0, long_line.size() - 1) + " }\n");
  std::string shown;
  for (const std::string& row : rows(estimate, 72, {})) shown += row + "\n";
  EXPECT_MENTIONS(shown,
                  "    b.mtf:3  if sum(x) > 1000 { print(sum(square(x)) + sum(tanh(x)) + s…\n        " + kWays + "\n");
}

/// The bytes of a row below `it fits`, as the text rounds them; 0 without such a row.
double bytes_of_row(const std::string& plan, const std::string& row) {
  const size_t at = plan.find("\n    " + row + "  ", plan.find("\nit "));
  if (at == std::string::npos) return 0;
  std::istringstream text(plan.substr(at + 5 + row.size()));
  double number = 0;
  std::string unit;
  text >> number >> unit;
  return number * (unit == "MiB" ? 0x1p20 : unit == "KiB" ? 0x1p10 : 1);
}

// Eight layers save tanh(h), 512 KiB each on each of two processors; a param takes 64 KiB there, and its momentum too.
TEST_F(Plans, SayWhatThePeakConsistsOf) {
  const std::string script = write("a.mtf", R"(import optim
mesh line = [all: 2]
layout split = {batch -> all}
dim batch = 2048, io = 128
model Layer {
  param w: [io, io'] = 0.01
  fn call(x: [batch, io]) = rename(tanh(einsum(x, w -> [batch, io'])), io' -> io)
}
let layers = [Layer() for i in 0..8]
let opt = optim.Sgd([layer.w for layer in layers], momentum: 0.9)
for step in 0..2 {
  let x = ones([batch, io])
  for layer in layers { x := layer(x) }
  opt.minimize(mean(square(x)))
}
)");
  const std::string plan = mtf({"plan", script, "--memory", "16MiB"}).out;
  EXPECT_NE(plan.find("\nit fits in 16.0 MiB: "), std::string::npos) << plan;
  EXPECT_EQ(bytes_of_row(plan, "params"), 8 * 0x1p16) << plan;
  EXPECT_EQ(bytes_of_row(plan, "states"), 8 * 0x1p16) << plan;
  EXPECT_NEAR(bytes_of_row(plan, "values that the backward pass reads"), 8 * 0x1p19, 0x1p19) << plan;
  EXPECT_GT(bytes_of_row(plan, "gradients"), 0) << plan;
  const Json record = Json::parse(mtf({"plan", script, "--json"}).out);
  std::int64_t sum = 0;
  for (const auto& [kind, bytes] : record["peak"].items()) sum += bytes.get<std::int64_t>();
  EXPECT_EQ(sum, record["totals"]["peak_bytes"]) << record["peak"];
  const std::string small = mtf({"plan", script, "--memory", "1MiB"}).out;
  EXPECT_NE(small.find("\nit does not fit in 1.0 MiB: "), std::string::npos) << small;
}

}  // namespace
}  // namespace mtf::tool
