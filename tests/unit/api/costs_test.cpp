// The counts of an interpreter, its plans, and files that it runs as one program.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "../../execution_on.h"
#include "../../places.h"
#include "../file_test.h"
#include "api/records.h"
#include "mtf/interpreter.h"
#include "session/session.h"

namespace mtf {
namespace {

constexpr char kTwoLayers[] =
    "import nn, optim\n"
    "dim batch = 64, io = 32, hidden = 128\n"
    "model TwoLayer {\n"
    "  let inner = nn.Dense(io, hidden)\n"
    "  let outer = nn.Dense(hidden, io)\n"
    "  fn call(x) = outer(relu(inner(x)))\n"
    "}\n"
    "let net = TwoLayer()\n"
    "let adam = optim.Adam(net.params, lr: 0.01)\n"
    "fn step(x) {\n"
    "  let loss = mean(square(net(x) - x))\n"
    "  adam.step(grad(loss, net.params))\n"
    "  return loss\n"
    "}\n";

InterpreterOptions on(const std::string& mesh, const std::string& layout) {
  InterpreterOptions options;
  options.mesh = mesh;
  options.layout = layout;
  options.output = [](std::string_view) {};
  return options;
}

CountersRecord without_peak(CountersRecord counters) {
  counters.peak_bytes = 0;
  return counters;
}

/// Returns the counts of `mtf run` for a file.
CountersRecord counted_by_run(const std::string& path, const InterpreterOptions& options) {
  eval::Settings settings;
  if (!options.mesh.empty()) settings.mesh = parse_axes(options.mesh);
  if (!options.layout.empty()) settings.layout = parse_layout(options.layout);
  settings.set = options.set;
  ExecutionOn<run::MpiRuntime> execution;
  std::ostringstream out;
  session::Session session(settings, &execution, out);
  session.run_file(path);
  return counters_record(execution.counters());
}

TEST(InterpreterCounters, AreOfAllThatWasComputed) {
  Interpreter interpreter(on("p:2", "a:p"));
  interpreter.run("dim a = 4\nlet x = ones([a])\nlet y = x * 3\nlet s = sum(y)");
  const CountersRecord counters = interpreter.counters();
  EXPECT_EQ(counters.flops, 2 + 2);
  EXPECT_EQ(counters.processors, 2);
  EXPECT_GT(counters.peak_bytes, 0);
  ASSERT_EQ(counters.collectives.size(), 1u);
  EXPECT_EQ(counters.collectives[0],
            (CollectiveCounts{"all_reduce", {"p"}, 1, 1, 1, 4, counters.collectives[0].wire_bytes}));
}

TEST(InterpreterCounters, CountAnewFromAMark) {
  Interpreter interpreter(on("rows:2;cols:2", "batch:rows;hidden:cols"));
  interpreter.run(kTwoLayers);
  interpreter.set("x", {{{"batch", 64}, {"io", 32}}, std::vector<float>(64 * 32, 1)});
  interpreter.number("step(x)");
  interpreter.mark_counters();
  EXPECT_EQ(interpreter.counters().flops, 0);
  EXPECT_TRUE(interpreter.counters().collectives.empty());
  interpreter.number("step(x)");
  const CountersRecord first = interpreter.counters();
  interpreter.number("step(x)");
  EXPECT_GT(first.flops, 0);
  EXPECT_EQ(interpreter.counters().flops, 2 * first.flops);
  EXPECT_EQ(interpreter.counters().collectives.size(), first.collectives.size());
}

TEST(InterpreterPlan, IsWhatARunCounts) {
  Interpreter interpreter(on("rows:2;cols:2", "batch:rows;hidden:cols"));
  interpreter.run(kTwoLayers);
  interpreter.set("x", {{{"batch", 64}, {"io", 32}}, std::vector<float>(64 * 32, 1)});
  interpreter.number("step(x)");
  const PlanRecord plan = interpreter.plan("step(x)");
  EXPECT_FALSE(plan.is_estimate());
  interpreter.mark_counters();
  interpreter.number("step(x)");
  EXPECT_EQ(without_peak(plan.totals), without_peak(interpreter.counters()));
  EXPECT_GT(plan.totals.peak_bytes, 0);
}

TEST(InterpreterPlan, SaysWhatItsLinesCost) {
  Interpreter interpreter(on("rows:2;cols:2", "batch:rows;hidden:cols"));
  interpreter.run(kTwoLayers);
  interpreter.set("x", {{{"batch", 64}, {"io", 32}}, std::vector<float>(64 * 32, 1)});
  const PlanRecord plan = interpreter.plan("for i in 0..3 { step(x) }");
  std::int64_t flops = 0, wire_bytes = 0, of_totals = 0;
  for (const LineRecord& line : plan.lines) {
    flops += line.flops;
    wire_bytes += line.wire_bytes;
    EXPECT_LE(line.backward_flops, line.flops);
  }
  for (const CollectiveCounts& each : plan.totals.collectives) of_totals += each.wire_bytes;
  EXPECT_EQ(flops, plan.totals.flops);
  EXPECT_EQ(wire_bytes, of_totals);
  const auto loss =
      std::find_if(plan.lines.begin(), plan.lines.end(), [](const LineRecord& line) { return line.line == 11; });
  ASSERT_NE(loss, plan.lines.end());
  EXPECT_EQ(loss->file, "<1>");
  EXPECT_EQ(loss->text, "let loss = mean(square(net(x) - x))");
  EXPECT_GT(loss->backward_flops, 0);
}

TEST(InterpreterPlan, AnswersForAnotherMeshAndLayout) {
  Interpreter interpreter;
  interpreter.run(kTwoLayers);
  interpreter.set("x", {{{"batch", 64}, {"io", 32}}, std::vector<float>(64 * 32, 1)});
  interpreter.mark_counters();
  EXPECT_TRUE(interpreter.plan("step(x)").totals.collectives.empty());
  const PlanRecord plan = interpreter.plan("step(x)", {"rows:2;cols:2", "batch:rows;hidden:cols"});
  EXPECT_EQ(interpreter.counters().flops, 0) << "nothing is computed";

  Interpreter other(on("rows:2;cols:2", "batch:rows;hidden:cols"));
  other.run(kTwoLayers);
  other.set("x", {{{"batch", 64}, {"io", 32}}, std::vector<float>(64 * 32, 1)});
  other.mark_counters();
  other.number("step(x)");
  EXPECT_EQ(without_peak(plan.totals), without_peak(other.counters()));
  EXPECT_EQ(interpreter.plan("net(x)", {"p:64", "batch:p"}).totals.processors, 64);
}

TEST(InterpreterPlan, SaysWhyItIsAnEstimate) {
  Interpreter interpreter;
  interpreter.run("dim n = 2\nlet x = ones([n])");
  const PlanRecord plan = interpreter.plan("while sum(x) < 100 { x := x * 2 }");
  EXPECT_TRUE(plan.is_estimate());
  ASSERT_EQ(plan.doubts.size(), 1u);
  EXPECT_EQ(plan.doubts[0].kind, DoubtRecord::Kind::kTurns);
  EXPECT_EQ(plan.doubts[0].place.line, 1u);
  EXPECT_EQ(interpreter.number("sum(x)"), 2) << "nothing is changed";
}

TEST(InterpreterPlan, IsRefusedWhereTheLayoutIs) {
  Interpreter interpreter;
  interpreter.run("dim a = 2, b = 2\nlet x = ones([a, b])");
  const auto kind = [&](const std::string& text, const PlanAssumption& assumption) -> std::string {
    try {
      interpreter.plan(text, assumption);
    } catch (const ScriptError& error) { return error.kind(); }
    return {};
  };
  EXPECT_EQ(kind("x + 1", {"p:2", "a:p;b:p"}), "axis_used_twice");
  EXPECT_EQ(kind("x + 1", {"p;2", ""}), "bad_option_value");
  EXPECT_EQ(kind("x + 1", {"", "a"}), "bad_option_value");
  EXPECT_EQ(kind("y + 1", {}), "unknown_name");
  interpreter.interrupt();
  EXPECT_EQ(kind("x + 1", {"p:2", "a:p"}), "") << "what is interrupted is what is under way";
}

using InterpreterFiles = FileTest;

TEST_F(InterpreterFiles, ComputeWhatARunComputes) {
  std::vector<std::string> scripts = {
      source_folder() + "/examples/two_layer.mtf", source_folder() + "/examples/section8.mtf",
      write("a.mtf", std::string(kTwoLayers) + "for i in 0..70 { let loss = step(random.uniform([batch, io])) }\n"
                                               "let unread = ones([batch]) * 2\nprint(step(ones([batch, io])))\n")};
  for (const char* folder : {"models", "counters", "gradients"})
    for (const auto& file : std::filesystem::directory_iterator(source_folder() + "/tests/scripts/" + folder))
      if (file.path().extension() == ".mtf") scripts.push_back(file.path());
  for (const std::string& script : scripts) {
    for (const InterpreterOptions& options : {on("", ""), on("rows:2;cols:2", "batch:rows;hidden:cols;a:rows")}) {
      CountersRecord counted;
      try {
        counted = counted_by_run(script, options);
      } catch (const UserError&) {
        continue;  // the layout does not fit
      }
      Interpreter interpreter(options);
      interpreter.run_file(script);
      EXPECT_EQ(without_peak(interpreter.counters()), without_peak(counted)) << script << " " << options.mesh;
    }
  }
}

TEST_F(InterpreterFiles, AreOneProgram) {
  const std::string program =
      "dim n = 100\nlet x = ones([n])\nlet y = x * 2\nlet z = y + 1\nlet s = sum(z)\nprint(s)\n";
  Interpreter one, many;
  one.run_file(write("a.mtf", program));
  many.run(program);
  EXPECT_LT(one.counters().peak_bytes, many.counters().peak_bytes) << "what nobody else reads has no memory of its own";
  EXPECT_EQ(one.number("s"), 300);
  EXPECT_EQ(one.tensor("y").numbers(), std::vector<double>(100, 2)) << "its names can be asked for";
  one.run("let t = s * 2");
  EXPECT_EQ(one.number("t"), 600);
}

TEST_F(InterpreterFiles, SeeWhatIsThere) {
  Interpreter interpreter;
  interpreter.set("x", {{{"n", 2}}, std::vector<float>{1, 2}});
  interpreter.run_file(write("a.mtf", "let y = x * 2\n"));
  EXPECT_EQ(interpreter.number("sum(y)"), 6);
}

TEST_F(InterpreterFiles, KnowTheAxesOfMeshesThatAreThere) {
  Interpreter interpreter;
  interpreter.run("mesh m = [rows: 2]\nlayout l = {n -> rows}\ndim n = 2\nlet x = ones([n])");
  const std::string count = "counters { sum(x) }.all_reduce.over(\"rows\").count";
  EXPECT_FALSE(interpreter.plan("let c = " + count, {"cols:2", "n:cols"}).totals.collectives.empty());
  interpreter.run_file(write("a.mtf", "let c = " + count + "\n"));
  EXPECT_EQ(interpreter.number("c"), 1);
}

TEST_F(InterpreterFiles, AreCheckedBeforeTheyRun) {
  std::string printed;
  std::vector<std::string> warnings;
  InterpreterOptions options;
  options.output = [&](std::string_view text) { printed += text; };
  options.warning = [&](const DiagnosticRecord& warning) { warnings.push_back(warning.kind); };
  Interpreter interpreter(options);
  interpreter.run("dim n = 2\nlet x = ones([n])\nlet l = [1]");
  try {
    interpreter.run_file(write("a.mtf", "print(1)\nx := x + 1\nl := l + [2]\nlet z = 3\nprint(missing)\n"));
    FAIL();
  } catch (const ScriptError& error) {
    EXPECT_EQ(error.diagnostic().place.file, path("a.mtf"));
    EXPECT_EQ(error.diagnostic().place.line, 5u);
  }
  EXPECT_EQ(printed, "");
  EXPECT_EQ(interpreter.number("sum(x)"), 2);
  EXPECT_EQ(interpreter.number("len(l)"), 1);
  EXPECT_THROW(interpreter.number("z"), ScriptError);
  interpreter.run_file(write("b.mtf", "dim a = 2\ndim a = 3\n"));
  EXPECT_EQ(warnings, std::vector<std::string>{"dim_declared_twice"}) << "told once";
  EXPECT_THROW(interpreter.run_file(path("missing.mtf")), ScriptError);
}

TEST_F(InterpreterFiles, AreNamedInErrors) {
  Interpreter interpreter;
  try {
    interpreter.run_file(write("a.mtf", "let x = 1\nlet y = z\n"));
    FAIL();
  } catch (const ScriptError& error) { EXPECT_MENTIONS(error.what(), path("a.mtf") + ":2:9"); }
}

TEST_F(InterpreterFiles, ImportsAreRelativeToThem) {
  write("m.mtf", "let x = 7\n");
  Interpreter interpreter;
  interpreter.run_file(write("a.mtf", "import \"m.mtf\"\nlet y = m.x\n"));
  EXPECT_EQ(interpreter.number("y"), 7);
  EXPECT_THROW(interpreter.run_file(write("self.mtf", "import \"self.mtf\"\n")), ScriptError);
}

}  // namespace
}  // namespace mtf
