// The command line: exit statuses, options, output streams.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <regex>

#include "../../places.h"
#include "command.h"
#include "mpi_job.h"
#include "plan/passes.h"
#include "support/text.h"
#include "tool/shell/program_options.h"

namespace mtf::tool {
namespace {

using CommandLine = CommandTest;

TEST_F(CommandLine, SuccessIs0) {
  const ProcessResult result = mtf({"run", write("a.mtf", "print(1 + 1)\n")});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.out, "2\n");
  EXPECT_EQ(result.err, "");
}

TEST_F(CommandLine, AnErrorInTheProgramIs1AndNothingRuns) {
  const ProcessResult result = mtf({"run", write("a.mtf", "print(1)\nprint(y)\n")});
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.out, "");
  EXPECT_MENTIONS(result.err, "a.mtf:2:7");
}

TEST_F(CommandLine, AFailureWhileRunningIs1AfterWhatWasPrinted) {
  const ProcessResult result =
      mtf({"run", write("a.mtf", "dim a = 2\nprint(1)\nassert sum(ones([a])) == 3, \"three\"\n")});
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.out, "1\n");
  EXPECT_MENTIONS(result.err, "[assertion_failed]");
}

TEST_F(CommandLine, WithoutACheckWhatStandsBeforeAnErrorRuns) {
  const ProcessResult result = mtf({"run", "--no-check", write("a.mtf", "print(1)\nprint(y)\n")});
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.out, "1\n");
  EXPECT_MENTIONS(result.err, "a.mtf:2:7");
  EXPECT_EQ(mtf({"run", "--help"}).out.find("--no-check"), std::string::npos);  // only for tests
}

TEST_F(CommandLine, AFileThatTheProgramWritesIsAnotherThanItsCheckFinds) {
  const std::string array = write("x.npy", ""), text = write("x.txt", "a\nb\nc\nd\n");
  const std::string script =
      "import data\ndim a = 3, b = 2\ndata.save_npy(\"" + array + "\", ones([a]))\n" + "print(data.npy(\"" + array +
      "\", [a]))\ndata.save_npy(\"" + array + "\", ones([b]))\nprint(data.npy(\"" + array + "\", [b]))\nwrite(\"" +
      text + "\", \"abab\")\ndim v = data.text(\"" + text + "\").vocab\nprint(zeros([v]) + ones([v]))\n";
  const ProcessResult result = mtf({"run", write("a.mtf", script)});
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(result.out, "[1, 1, 1]\n[1, 1]\n[1, 1]\n");
}

TEST_F(CommandLine, UsageIs2AndSuggestsWhatWasMeant) {
  EXPECT_EQ(mtf({"rnu", "x.mtf"}).status, 2);
  EXPECT_MENTIONS(mtf({"rnu", "x.mtf"}).err, "did you mean `run`?");
  EXPECT_MENTIONS(mtf({"run", "--mehs", "all:2", "x.mtf"}).err, "did you mean `--mesh`?");
  EXPECT_MENTIONS(mtf({"script.mtf"}).err, "mtf run script.mtf");
  EXPECT_EQ(mtf({"run"}).status, 2);
  EXPECT_EQ(mtf({"run", "a.mtf", "b.mtf"}).status, 2);
  EXPECT_EQ(mtf({"run", "--mesh", "x;4", "a.mtf"}).status, 2);
  EXPECT_EQ(mtf({"run", "--placement", "1,1", "a.mtf"}).status, 2);
  EXPECT_EQ(mtf({"run", "--set", "lr", "a.mtf"}).status, 2);
}

TEST_F(CommandLine, AMissingFileIs3) {
  EXPECT_EQ(mtf({"run", "/no/such.mtf"}).status, 3);
  EXPECT_EQ(mtf({"check", "/no/such.mtf"}).status, 3);
  EXPECT_EQ(mtf({"run", "/tmp"}).status, 3);
}

TEST_F(CommandLine, ALimitIs4) {
  EXPECT_EQ(mtf({"check", write("a.mtf", "let x = " + std::string(5000, '(') + "\n")}).status, 4);
}

TEST_F(CommandLine, OptionsStandBeforeOrAfterTheFile) {
  const std::string file = write("a.mtf", "option lr = 1\ndim a = 4\nlet x = ones([a])\nprint(lr)\n");
  for (const auto& words :
       std::vector<std::vector<std::string>>{{"run", file, "--set", "lr=2", "--mesh", "all:2", "--layout", "a:all"},
                                             {"run", "--set", "lr=2", "--mesh", "all:2", "--layout", "a:all", file},
                                             {"--set", "lr=2", "run", file},
                                             {"run", "--set=lr=2", "--layout=", file}}) {
    const ProcessResult result = mtf(words);
    EXPECT_EQ(result.out, "2\n") << result.err;
  }
}

TEST_F(CommandLine, HelpAndVersionGoToStandardOutput) {
  EXPECT_MENTIONS(mtf({"--help"}).out, "Commands:");
  EXPECT_EQ(mtf({"--version"}).out.substr(0, 4), "mtf ");
  for (const std::string command : {"run", "check", "plan", "trace", "test", "help", "reference", "editors"}) {
    const ProcessResult result = mtf({command, "--help"});
    EXPECT_EQ(result.status, 0);
    EXPECT_MENTIONS(result.out, "Examples:");
    EXPECT_EQ(mtf({"help", command}).out, result.out);
  }
  EXPECT_MENTIONS(mtf({"help", "einsum"}).out, "#>");
  EXPECT_MENTIONS(mtf({"help", "->"}).out, "shape of the result");
}

TEST_F(CommandLine, AScriptIsReadFromStandardInput) { EXPECT_EQ(mtf_reading("print(3)\n", "run -").out, "3\n"); }

TEST_F(CommandLine, CheckIsSilentWhenAllIsRight) {
  const std::string file = write("a.mtf", "print(1)\n");
  EXPECT_EQ(mtf({"check", file}).out + mtf({"check", file}).err, "");
  EXPECT_MENTIONS(mtf({"check", "-v", file}).out, "ok");
}

TEST_F(CommandLine, AReaderThatHasGoneEndsTheRun) {
  const std::string file = write("a.mtf", "for i in 0..100000000 { print(i) }\n");
  const ProcessResult result = run_process({"sh", "-c", kMtf + " run " + file + " | head -n 1"}, {}, kPatience);
  EXPECT_EQ(result.out, "0\n");
  EXPECT_FALSE(result.timed_out);
}

TEST_F(CommandLine, PlanComputesNothingOnAMeshOfAnySize) {
  const std::string file =
      write("a.mtf", "dim a = 8192, b = 8192\nlet x = ones([a, b])\nprint(sum(einsum(x, x -> [a])))\n");
  const ProcessResult result =
      mtf({"plan", file, "--mesh", "rows:64;cols:64", "--layout", "a:rows;b:cols", "--by", "value", "--formula"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_MENTIONS(result.out, "all_reduce over rows+cols");
  EXPECT_MENTIONS(result.out, "4,096 processors");
  EXPECT_MENTIONS(result.out, "a/rows");
}

const std::string kLayers =
    "import nn\n"
    "mesh grid = [rows: 2]\n"
    "layout split = {hidden -> rows}\n"
    "dim batch = 4, io = 8, hidden = 16\n"
    "model Net(layers: int) {\n"
    "  let all = [nn.FeedForward(io, hidden) for i in 0..layers]\n"
    "  fn call(x: [.., io]) -> [.., io] { for each in all { x := x + each(x) }; return x }\n"
    "}\n"
    "let net = Net(3)\n"
    "let x = random.normal([batch, io])\n"
    "for step in 0..5 {\n"
    "  let loss = sum(square(net(x)))\n"
    "  for (p, g) in zip(net.params, grad(loss, net.params)) { p := p - 0.1 * g }\n"
    "}\n";

// 3 layers of 2 products: 2·(2·4·8·8) flops, and twice as many backward except for the first product's input.
TEST_F(CommandLine, PlanIsATreeThatFollowsTheSource) {
  const ProcessResult result = mtf({"plan", write("a.mtf", kLayers), "--depth", "3"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_MENTIONS(
      result.out,
      "share   flops  backward  collectives    bytes\n"
      " 100%  52,320    30,400           25  3.1 KiB  a.mtf:11    for step in 0..5 {   ×5 in 2 variants\n"
      "  91%   9,472     6,016            3    384 B  a.mtf:12      net(x)   Net\n"
      "  90%   9,376     6,016            3    384 B  a.mtf:7         each(x)   FeedForward all[0] … all[2]   ×3\n");
}

TEST_F(CommandLine, PlanGroupsCosts) {
  const std::string file = write("a.mtf", kLayers);
  EXPECT_MENTIONS(mtf({"plan", file, "--by", "path"}).out,
                  "  15%  8,000     5,280            5    640 B  all[2].down\n");
  EXPECT_MENTIONS(mtf({"plan", file, "--by", "function"}).out,
                  "  87%  45,440    29,120           15  1.9 KiB  Dense\n");
  EXPECT_MENTIONS(mtf({"plan", file, "--by", "line"}).out,
                  "nn.mtf:13   let y = einsum(renamed(x), w -> [.., outputs])\n");
  EXPECT_MENTIONS(mtf({"plan", file, "--by", "collective"}).out, "all_reduce over rows: ");
  EXPECT_MENTIONS(mtf({"plan", file, "--csv"}).out,
                  "nn.mtf:13,43520,28160,0,0,0,\"let y = einsum(renamed(x), w -> [.., outputs])\"\n");
  EXPECT_MENTIONS(mtf({"plan", file, "--json"}).out, "\"callee\": \"FeedForward all[0]\"");
  const ProcessResult wrong = mtf({"plan", file, "--by", "lines"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_MENTIONS(wrong.err, "--by: expected tree, line, function, path, collective or value, found \"lines\"");
}

// Table 1 of Shoeybi et al. 2019, with 51,200 words and 1,024 positions. Each layer is recomputed and then makes 5
// all_reduces over `model` (4 otherwise). The ends make 2, the loss 3 and the norm of all gradients 1.
TEST_F(CommandLine, MegatronsModelsAsPublished) {
  struct Published {
    int hidden, heads, layers, model;
    const char* parameters;
  };
  for (const Published& each : {Published{1536, 16, 40, 1, "1,213,479,936"},
                                {1920, 20, 54, 2, "2,490,408,960"},
                                {2304, 24, 64, 4, "4,199,109,120"},
                                {3072, 32, 72, 8, "8,317,040,640"}}) {
    const auto set = [](const std::string& what, int value) { return what + "=" + std::to_string(value); };
    const ProcessResult result = mtf(
        {"plan", source_folder() + "/examples/megatron.mtf", "--mesh", "data:64;model:" + std::to_string(each.model),
         "--set", set("hidden", each.hidden), "--set", set("n_heads", each.heads), "--set", set("layers", each.layers),
         "--set", "n_batch=512", "--set", "words=51200", "--set", "n_length=1024", "--set", "steps=1"});
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_MENTIONS(result.out, each.parameters);
    const std::regex all_reduces("all_reduce over model +" + std::to_string(5 * each.layers + 6) + " in ");
    EXPECT_EQ(std::regex_search(result.out, all_reduces), each.model > 1) << result.out;
    // In the memory of the paper's processors, 32 GB.
    std::smatch peak;
    ASSERT_TRUE(std::regex_search(result.out, peak, std::regex("peak memory +([0-9.]+) GiB"))) << result.out;
    EXPECT_LT(std::stod(peak[1]), 32e9 / (1 << 30));
  }
}

// The script asserts how often a step gathers and scatters, and how many values: 4 + 4 times per layer over y, 12 + 6
// times over x, if layers are not recomputed.
TEST_F(CommandLine, DenseModelsOfATrillionWeightsAsPublished) {
  struct Published {
    int hidden, heads, layers;
    bool recomputed;
    std::string parameters, gathered, scattered;
  };
  for (const Published& each : {Published{8192, 128, 32, false, "68,996,841,472", "387 in 387 calls +103,884,521,472",
                                          "387 in 387 calls +103,884,521,472"},
                                {8192, 128, 32, true, "68,996,841,472", "579 in 579 calls +155,424,129,024",
                                 "483 in 483 calls +129,654,325,248"},
                                {16384, 256, 128, true, "1,100,107,251,712", "2,307 in 2,307 calls +1,238,561,193,984",
                                 "1,923 in 1,923 calls +1,032,402,763,776"}}) {
    const auto set = [](const std::string& what, int value) { return what + "=" + std::to_string(value); };
    const ProcessResult result = mtf({"plan",  source_folder() + "/examples/dense.mtf",
                                      "--set", "on_x=16",
                                      "--set", "on_y=128",
                                      "--set", set("hidden", each.hidden),
                                      "--set", set("inner", 8 * each.hidden),
                                      "--set", set("n_heads", each.heads),
                                      "--set", "head=256",
                                      "--set", set("layers", each.layers),
                                      "--set", "n_batch=512",
                                      "--set", "n_length=1024",
                                      "--set", "words=32000",
                                      "--set", each.recomputed ? "recomputed=true" : "recomputed=false"});
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_MENTIONS(result.out, "for each of 2,048 processors");
    EXPECT_MENTIONS(result.out, each.parameters);
    EXPECT_TRUE(std::regex_search(result.out, std::regex("all_gather over y +" + each.gathered))) << result.out;
    EXPECT_TRUE(std::regex_search(result.out, std::regex("reduce_scatter over y +" + each.scattered))) << result.out;
  }
}

TEST_F(CommandLine, ThePlanOfAnExampleFitsAScreen) {
  const ProcessResult result = mtf({"plan", source_folder() + "/examples/char_gpt.mtf"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_LE(std::count(result.out.begin(), result.out.end(), '\n'), 60);
  EXPECT_MENTIONS(result.out, "f(x, block)   f   ×2");
  EXPECT_MENTIONS(result.out, "block(y, mask: mask, counted: counted, along: along)   Layer blocks[0] … blocks[1]\n");
  EXPECT_MENTIONS(result.out, "transformer.mtf:109");
}

TEST_F(CommandLine, EveryStagePrints) {
  const std::string file = write("a.mtf", "dim a = 4\nlet x = ones([a]) + 1\nprint(sum(x))\n");
  std::vector<std::string> stages = {"ast", "ir", "decisions", "spmd", "schedule"};
  for (const plan::Pass& pass : plan::passes()) stages.emplace_back(pass.name);
  std::map<std::string, std::string> printed;
  for (const std::string& stage : stages) {
    const ProcessResult result = mtf({"trace", file, "--stage", stage});
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_MENTIONS(result.out, "sum(");
    printed[stage] = result.out;
  }
  EXPECT_EQ(printed["plan_buffers"], printed["schedule"]);
  EXPECT_EQ(printed["choose_orders"], printed["spmd"]);
  EXPECT_NE(printed["fuse_loops"], printed["share_views"]);
  const ProcessResult unknown = mtf({"trace", file, "--stage", "fuse_lops"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_MENTIONS(unknown.err, "did you mean `fuse_loops`?");
  for (const std::string& stage : stages) EXPECT_MENTIONS(unknown.err, stage);
}

TEST_F(CommandLine, IterationsOfLoopsPassThroughTheSamePasses) {
  const std::string file = write("a.mtf",
                                 "dim t = 3, u = 2, a = 4\nfn f(x, y) = x + sum(y * y -> [a]) + sum(y * y -> [a])\n"
                                 "let rows = fn(x, ys) = scan(f, x, ys, over: u)\n"
                                 "print(scan(rows, zeros([a]), ones([t, u, a]), over: t))\n");
  const std::string expanded = mtf({"trace", file, "--stage", "expand"}).out;
  EXPECT_MENTIONS(expanded, "# an iteration over t:");
  EXPECT_MENTIONS(expanded, "# an iteration over u:");
  const auto sums_in = [](const std::string& text) {
    size_t count = 0;
    for (const std::string& line : split(text.substr(text.find("# an iteration over u:")), '\n'))
      count += line.find("sum(") != std::string::npos;
    return count;
  };
  EXPECT_EQ(sums_in(mtf({"trace", file, "--stage", "sink_layouts"}).out), 2u);
  EXPECT_EQ(sums_in(expanded), 1u) << "equal operations of an iteration are merged";
  EXPECT_EQ(mtf({"trace", "--from", write("expanded", expanded)}).status, 0) << "iterations are comments";
}

TEST_F(CommandLine, WhatAStagePrintsIsReadBack) {
  const std::string file = write(
      "a.mtf",
      "mesh line = [p: 2]\nlayout l = {a -> p}\ndim a = 4\nlet x = ones([a]) + 1\nprint(sum(x))\nprint(sum(x * x))\n");
  const auto without_comments = [](const std::string& text) {
    std::string kept;
    for (const std::string& line : split(text, '\n'))
      if (!line.starts_with("#")) kept += line.substr(0, line.find("   # ")) + "\n";
    return kept;
  };
  std::string read = write("captured", mtf({"trace", file}).out);
  for (const plan::Pass& pass : plan::passes()) {
    SCOPED_TRACE(pass.name);
    const ProcessResult result = mtf({"trace", "--from", read, "--stage", std::string(pass.name)});
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(without_comments(result.out),
              without_comments(mtf({"trace", file, "--stage", std::string(pass.name)}).out));
    read = write(std::string(pass.name), result.out);
  }
  EXPECT_EQ(mtf_reading("captured\n->\n", "trace --from -").out, "after plan_buffers\n->\n");
}

TEST_F(CommandLine, WhatCannotBeReadBackIsSaidWithItsLine) {
  const auto error = [&](const std::string& text, const std::string& stage = "schedule") {
    return mtf({"trace", "--from", write("text", text), "--stage", stage}).err;
  };
  const std::string good = "mesh line = [p: 2]\nx: f32[a=4/p] = input()\ny: f32[a=4/p] = relu(x)\n-> y\n";
  EXPECT_MENTIONS(error(good), "text:1:1");
  EXPECT_MENTIONS(error(good), "expected `captured` or `after` and the name of a pass, found `mesh`");
  EXPECT_MENTIONS(error("after merg\n" + good), "expected the name of a pass, found `merg`");
  EXPECT_MENTIONS(error("after expand\n" + good, "merge"),
                  "--stage merge: this program is after expand, which comes later");
  EXPECT_MENTIONS(error("captured\n" + good, "types"), "a program that is read back has no such stage");
  EXPECT_MENTIONS(error("captured\n" + good, "fuse_lops"), "did you mean `fuse_loops`?");
  EXPECT_MENTIONS(error("captured\nx: f32[a=4/p] = input()\n-> x\n"), "text:2:12");
  EXPECT_MENTIONS(error("captured\n" + good + "after merge\n" + good + "-> z\n"), "found `->`");
  EXPECT_MENTIONS(error("captured\nmesh line = [p: 2]\n-> y\n"), "there is no `y` before this line");
  EXPECT_MENTIONS(error("captured\nmesh line = [p: 2]\nx: f32[a=4] = input()\ny: f32[a=5] = relu(x)\n-> y\n"),
                  "relu gives f32[a=4]");
  EXPECT_MENTIONS(error("captured\nmesh line = [p: 2]\nx: f32[a=4] = input()\ny: f32[a=4] = rely(x)\n-> y\n"),
                  "there is no operation of this name");
  // What a pass ensures, and the text does not hold.
  EXPECT_MENTIONS(error("after merge\nmesh line = [p: 2]\nx: f32[a=4] = input()\ny: f32[a=4] = relu(x)\n"
                        "z: f32[a=4] = relu(x)\n-> y, z\n"),
                  "relu is there twice");
  EXPECT_MENTIONS(error("after split\nmesh line = [p: 2]\nx: f32[a=4] partial over p = input(0)\n-> x\n"),
                  "the output x is still to be summed");
  for (const std::string each : {"--from x a.mtf", "--from x --passes", "--from x --mesh p:2"})
    EXPECT_MENTIONS(mtf_reading("", "trace " + each).err, "cannot be combined");
  EXPECT_MENTIONS(mtf({"trace"}).err, "the script is missing");
  EXPECT_EQ(mtf({"trace", "--from", write("text", good)}).status, 3);
  EXPECT_MENTIONS(mtf({"trace", "--from", write("text", good)}).err, "[bad_stage_text]");
}

TEST_F(CommandLine, EachPassIsTimedOnce) {
  const std::string file = write("a.mtf", "dim a = 4\nlet x = ones([a]) + 1\nprint(sum(x))\nprint(sum(x * x))\n");
  const ProcessResult result = mtf({"trace", file, "--passes"});
  EXPECT_EQ(result.status, 0) << result.err;
  std::vector<std::string> lines = split(result.out, '\n');
  EXPECT_MENTIONS(lines[0], "plans  peak before");
  for (size_t i = 0; i < plan::passes().size(); ++i) {
    EXPECT_MENTIONS(lines[i + 1], " ms      2  ");
    EXPECT_MENTIONS(lines[i + 1], "  " + std::string(plan::passes()[i].name) + "  ");
    EXPECT_MENTIONS(lines[i + 1], std::string(plan::passes()[i].sentence));
  }
  EXPECT_EQ(lines.size(), plan::passes().size() + 2);
  const ProcessResult nothing = mtf({"trace", write("b.mtf", "print(1)\n"), "--passes"});
  EXPECT_EQ(nothing.status, 0) << nothing.err;
  EXPECT_MENTIONS(nothing.out, "0.0 %");
}

// Four consecutive products of a MiB each need two MiB. Before loops are joined, each sum reads a loop's result.
TEST_F(CommandLine, PassesOfAScheduleTellThePeakBeforeAndAfterThem) {
  const std::string file =
      write("a.mtf",
            "dim a = 512, b = 512\nlet total = 0.0\nfor i in 0..4 {\n  let x = random.normal([a, b])\n"
            "  total := total + sum(x * exp(x))\n}\nprint(total)\n");
  const ProcessResult result = mtf({"trace", file, "--passes"});
  EXPECT_EQ(result.status, 0) << result.err;
  const std::vector<std::string> lines = split(result.out, '\n');
  const auto row = [&](std::string_view pass) {
    for (const std::string& line : lines)
      if (line.find("  " + std::string(pass) + "  ") != std::string::npos) return line;
    return std::string();
  };
  EXPECT_MENTIONS(row("fuse_loops"), "2.0 MiB  1.0 MiB  fuse_loops");
  EXPECT_MENTIONS(row("free_early"), "1.0 MiB  1.0 MiB  free_early");
  EXPECT_EQ(row("split").find("MiB"), std::string::npos);
}

TEST_F(CommandLine, TheTypesOfAScriptPrintWithOriginsAndCosts) {
  const std::string file =
      write("a.mtf", "dim a = 4, b = 6\nlet x = ones([a, b])\nfn twice(y) = y + y\nprint(sum(twice(x)))\n");
  const ProcessResult result = mtf({"trace", file, "--stage", "types", "--mesh", "rows:2", "--layout", "a:rows"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_MENTIONS(result.out, "1:5   a                     the dim a=4\n");
  EXPECT_MENTIONS(result.out, "2:5   x                     f32[a=4/rows, b=6]\n");
  EXPECT_MENTIONS(result.out, "3:15  y + y                 f32[a=4/rows, b=6]  12 flops\n");
  EXPECT_MENTIONS(result.out, "4:17  x                     f32[a=4/rows, b=6]  from 2:5\n");
  EXPECT_MENTIONS(result.out, "4:7   sum(twice(x))         f32[]               12 flops, 1 collective, 4 B\n");
}

TEST_F(CommandLine, TestCountsScripts) {
  write("right.mtf", "print(1)\n#> 1\n");
  write("wrong.mtf", "print(1)\n#> 2\n");
  const ProcessResult result = mtf({"test", path("")});
  EXPECT_EQ(result.status, 1);
  EXPECT_MENTIONS(result.out, "1 passed, 1 failed\n");
  EXPECT_MENTIONS(result.out, "wrong.mtf:2:\n    - 2\n    + 1\n");
}

TEST_F(CommandLine, TestUpdateWritesWhatIsPrintedWhereItIsPrinted) {
  const std::string file = write(
      "a.mtf", "print(1)\n# a comment\ndim a = 2\nfor i in 0..2 {\n  print(i)\n}\nprint(sum(ones([a])))\nlet x = 1\n");
  EXPECT_MENTIONS(mtf({"test", "--update", "--yes", file}).out, "1 passed, 0 failed");
  EXPECT_EQ(read("a.mtf"),
            "print(1)\n"
            "#> 1\n"
            "# a comment\n"
            "dim a = 2\n"
            "for i in 0..2 {\n"
            "  print(i)\n"
            "}\n"
            "#> 0\n"
            "#> 1\n"
            "print(sum(ones([a])))\n"
            "#> 2\n"
            "let x = 1\n");
  EXPECT_MENTIONS(mtf({"test", file}).out, "1 passed, 0 failed");
}

TEST_F(CommandLine, TestUpdateWritesNothingUnlessItIsTold) {
  const std::string text = "print(1)\n#> 2\n";
  const ProcessResult result = mtf({"test", "--update", write("a.mtf", text)});
  EXPECT_EQ(result.status, 1);
  EXPECT_MENTIONS(result.out, "    - #> 2\n    + #> 1\n");
  EXPECT_MENTIONS(result.out, "nothing was written: --yes writes what is shown\n0 passed, 1 failed\n");
  EXPECT_EQ(read("a.mtf"), text);
}

TEST_F(CommandLine, TestUpdateMakesNoExpectationOfAnErrorForWhichNothingAsks) {
  const std::string text = "let x = 1\nprint(y)\n#> 5\n";
  const ProcessResult result = mtf({"test", "--update", "--yes", write("a.mtf", text)});
  EXPECT_EQ(result.status, 1);
  EXPECT_MENTIONS(result.out,
                  "it does not expect this error:\n    error: there is nothing of this name here [unknown_name]");
  EXPECT_EQ(read("a.mtf"), text);
}

TEST_F(CommandLine, TestUpdateWritesHowAScriptIsRefused) {
  const std::string file = write("a.mtf", "let x = 1\nprint(y)\n#!\n#> 5\n");
  EXPECT_MENTIONS(mtf({"test", "--update", "--yes", file}).out, "1 passed, 0 failed");
  EXPECT_MENTIONS(read("a.mtf"), "print(y)\n#! unknown_name: ");
  EXPECT_EQ(read("a.mtf").find("#>"), std::string::npos);
}

TEST_F(CommandLine, TestRunsEveryCombination) {
  const std::string header = "#: meshes \"\" \"all:4\" \"rows:2;cols:3\"\n#: layouts \"\" \"a:all\" \"a:rows\"\n";
  const std::string file = write("a.mtf", header + "dim a = 5\nprint(sum(ones([a])))\n#> 5\n");
  EXPECT_MENTIONS(mtf({"test", file}).out, "1 passed, 0 failed");
  EXPECT_MENTIONS(mtf({"test", write("b.mtf", header + "print(1)\n#> 2\n")}).out,
                  "--mesh \"\" --layout \"\", and 5 more");
  const std::string wrong_unless_four =
      mtf({"test", write("c.mtf", header + "let c = counters { ones([]) }\nprint(c.processors)\n#> 4\n")}).out;
  EXPECT_MENTIONS(wrong_unless_four, "--mesh \"\" --layout \"\", and 1 more");
  EXPECT_MENTIONS(wrong_unless_four, "--mesh \"rows:2;cols:3\" --layout \"\", and 1 more");
}

TEST_F(CommandLine, TestStartsRanks) {
  if (!has_mpirun()) GTEST_SKIP() << "no mpirun";
  const std::string file = write("a.mtf",
                                 "#: meshes \"\" \"all:4\"\n#: layouts \"a:all\"\n#: ranks 1 2\ndim a = 5\n"
                                 "print(sum(range(a)))\n#> 10\nassert sum(range(a)) == 11\n#! assertion_failed\n");
  EXPECT_MENTIONS(mtf({"test", file}).out, "1 passed, 0 failed");
}

TEST_F(CommandLine, TheReplReadsAPipePlainly) {
  const ProcessResult result =
      mtf_reading("dim a = 4\nlet x = ones([a])\nlet y = x;\nsum(\nx)\n:type x\n", "--mesh all:2 --layout a:all");
  EXPECT_EQ(result.out,
            "x: f32[a=4/all]   8 B per processor, no communication\n"
            "4: f32[]   4 B per processor\n"
            "   all_reduce over all: 1 value, 4 B   a is summed, and split over all\n"
            "f32[a=4/all]\n");
  EXPECT_EQ(result.status, 0) << result.err;
}

TEST_F(CommandLine, TheReplGoesOnAfterAnErrorAndEndsWith1) {
  const ProcessResult result = mtf_reading("let x = y\n:plann z\n1 + 1\n", "");
  EXPECT_EQ(result.out, "2\n");
  EXPECT_EQ(result.status, 1);
  EXPECT_MENTIONS(result.err, "unknown_name");
  EXPECT_MENTIONS(result.err, "did you mean `:plan`?");
}

TEST_F(CommandLine, TheReplCannotBeARank) {
  const ProcessResult result =
      run_process({kMtf}, {{"OMPI_COMM_WORLD_SIZE", "2"}, {"OMPI_COMM_WORLD_RANK", "0"}}, kPatience);
  EXPECT_EQ(result.status, 2);
  EXPECT_MENTIONS(result.err, "cannot be a rank");
}

// ---- launchers ------------------------------------------------------------------------------------------------------

// Each of these variables says that this is the second process of four. The linked MPI knows only its own launcher.
TEST_F(CommandLine, CopiesStartedByAnotherMpiAreRefused) {
  const std::string file = write("a.mtf", "print(1)\n");
  using Variables = std::vector<std::pair<std::string, std::string>>;
  for (const Variables& variables : {Variables{{"PMI_SIZE", "4"}, {"PMI_RANK", "0"}},
                                     Variables{{"SLURM_STEP_NUM_TASKS", "4"}, {"SLURM_PROCID", "0"}},
                                     Variables{{"MV2_COMM_WORLD_SIZE", "4"}, {"MV2_COMM_WORLD_RANK", "0"}}}) {
    const ProcessResult result = run_process({kMtf, "run", file}, variables, kPatience);
    EXPECT_EQ(result.status, 2) << variables[0].first << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_MENTIONS(result.err, "each would run the whole program on its own");
  }
  const ProcessResult other = run_process({kMtf, "run", file}, {{"PMI_SIZE", "4"}, {"PMI_RANK", "1"}}, kPatience);
  EXPECT_EQ(other.status, 2);
  EXPECT_EQ(other.err, "") << "the first process says it";
}

TEST_F(CommandLine, TheScriptOfASlurmJobIsOneProcess) {
  const ProcessResult result = run_process({kMtf, "run", write("a.mtf", "print(1)\n")},
                                           {{"SLURM_NTASKS", "4"}, {"SLURM_PROCID", "0"}}, kPatience);
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out, "1\n");
}

// ---- limits ---------------------------------------------------------------------------------------------------------

TEST_F(CommandLine, ManySmallValuesAreMoreMemoryThanThereIs) {
  const std::string file = write("a.mtf",
                                 "dim a = 1024 * 1024\n"
                                 "let all = [random.uniform([a])]\n"
                                 "for i in 0..2000 {\n"
                                 "  let x = random.uniform([a]) + i\n"
                                 "  assert sum(x) > 0\n"
                                 "  all := all + [x]\n"
                                 "}\n"
                                 "print(sum(all[0]))\n");
  const ProcessResult result =
      run_process({"sh", "-c", "ulimit -v 1500000; exec " + kMtf + " run --threads 1 " + file}, {}, kPatience);
  EXPECT_EQ(result.status, 4);
  EXPECT_MENTIONS(result.err, "[out_of_memory]");
  EXPECT_MENTIONS(result.err, "are available under the limit of the process");
}

TEST_F(CommandLine, ALargeValueIsComparedWithTheLimitOfTheProcess) {
  const std::string file = write("a.mtf", "dim a = 1024 * 1024 * 512\nlet x = random.uniform([a])\nprint(x[a: 0])\n");
  const ProcessResult result =
      run_process({"sh", "-c", "ulimit -v 1500000; exec " + kMtf + " run --threads 1 " + file}, {}, kPatience);
  EXPECT_EQ(result.status, 4);
  EXPECT_EQ(result.out, "");
  EXPECT_MENTIONS(result.err, "are available under the limit of the process");
}

TEST_F(CommandLine, AMeshOfAThousandMillionsIsPlannedAndNotHosted) {
  const std::string file = write("a.mtf",
                                 "mesh m = [p: 1000000000]\nlayout l = {a -> p}\ndim a = 2 ^ 40\nlet x = ones([a])\n"
                                 "print(sum(shift(x, a: 1, wrap: true)))\n");
  const ProcessResult planned = mtf({"plan", file});
  EXPECT_EQ(planned.status, 0) << planned.err;
  EXPECT_MENTIONS(planned.out, "total for each of 1,000,000,000 processors");
  const ProcessResult run = mtf({"run", file});
  EXPECT_EQ(run.status, 4);
  EXPECT_MENTIONS(run.err, "[limit_exceeded]");
  EXPECT_MENTIONS(run.err, "`mtf plan`");
}

TEST_F(CommandLine, FiguresThatNoNumberHoldsAreShownAsTheLeastTheyAre) {
  const std::string file = write("a.mtf",
                                 "dim a = 2 ^ 31, b = 2 ^ 30, c = 2 ^ 20\nlet x = random.uniform([a, b])\n"
                                 "let y = random.uniform([b, c])\nlet z = einsum(x, y -> [a, c])\nprint(sum(z))\n");
  for (const std::string by : {"tree", "value"}) {
    const ProcessResult planned = mtf({"plan", file, "--by", by});
    EXPECT_EQ(planned.status, 0) << planned.err;
    EXPECT_MENTIONS(planned.out, "at least 9,223,372,036,854,775,806");
    EXPECT_EQ(planned.out.find("-9"), std::string::npos) << planned.out;
  }
}

TEST(ProgramOptions, BecomeSettings) {
  ProgramOptions options;
  options.mesh = "rows:2;cols:3";
  options.layout = "";
  options.set = {"lr=0.1=x"};
  const eval::Settings settings = settings_of(options, 1);
  ASSERT_EQ(settings.mesh->size(), 2u);
  EXPECT_TRUE(settings.layout->rules.empty());
  EXPECT_EQ(settings.set.front().second, "0.1=x");
}

TEST(ProgramOptions, AnEmptyMeshIsOneAxisOverTheRanks) {
  ProgramOptions options;
  options.mesh = "";
  EXPECT_EQ(settings_of(options, 4).mesh, (std::vector<Axis>{{"all", 4}}));
}

}  // namespace
}  // namespace mtf::tool
