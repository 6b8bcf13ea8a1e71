// Values of any kind, functions of the host, streams and prepared calls.
#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "mtf/interpreter.h"

namespace mtf {
namespace {

std::string kind_of_error(const std::function<void()>& call) {
  try {
    call();
  } catch (const ScriptError& error) { return error.kind(); }
  return "none";
}

TEST(Values, AreThoseOfTheScript) {
  Interpreter interpreter;
  interpreter.run(
      "dim n = 2\nmodel M { param w: [n] = 1 }\nlet all = [true, 9007199254740993, 0.5, \"ä\", none, [], ones([n])]");
  const ScriptValue all = interpreter.value("all");
  ASSERT_EQ(all.kind(), ScriptValue::Kind::kList);
  EXPECT_TRUE(all.items()[0].truth());
  EXPECT_EQ(all.items()[1].integer(), 9007199254740993);
  EXPECT_EQ(all.items()[2].number(), 0.5);
  EXPECT_EQ(all.items()[3].text(), "ä");
  EXPECT_TRUE(all.items()[4].is_none());
  EXPECT_TRUE(all.items()[5].items().empty());
  EXPECT_EQ(all.items()[6].tensor().numbers(), (std::vector<double>{1, 1}));
  EXPECT_EQ(interpreter.value("(1, 2)").kind(), ScriptValue::Kind::kTuple);
  EXPECT_EQ(interpreter.value("M()").text(), "an instance of M");
}

TEST(Values, GoInAsTheyAre) {
  Interpreter interpreter;
  const std::vector<float> numbers = {1, 2, 3};
  interpreter.bind("all",
                   ScriptValue::list({true, std::int64_t{9007199254740993}, 2.5, "b", ScriptValue(),
                                      ScriptValue::tuple({1, 2}), ScriptValue(TensorView({{"n", 3}}, numbers))}));
  interpreter.run(
      "assert all[0] and all[1] == 9007199254740993 and all[2] == 2.5 and all[3] == \"b\"\n"
      "assert all[4] == none and all[5][1] == 2 and float(sum(all[6])) == 6.0 and size(n) == 3");
}

TEST(Values, OfAnotherKindAreRefused) {
  Interpreter interpreter;
  const ScriptValue model = interpreter.value("range");
  EXPECT_EQ(model.kind(), ScriptValue::Kind::kOther);
  EXPECT_EQ(kind_of_error([&] { interpreter.bind("x", model); }), "bad_value");
  EXPECT_EQ(kind_of_error([&] { interpreter.bind("1x", ScriptValue(1)); }), "bad_value");
  EXPECT_EQ(kind_of_error([&] { interpreter.bind("x", ScriptValue::tuple({1})); }), "bad_value");
  EXPECT_EQ(kind_of_error([&] { (void)model.integer(); }), "type_mismatch");
  EXPECT_EQ(kind_of_error([&] { (void)ScriptValue("a").number(); }), "type_mismatch");
}

TEST(Names, AreToldWithTheirTypes) {
  Interpreter interpreter({.mesh = "p:2", .layout = "n:p"});
  interpreter.run("dim n = 4\nlet x = ones([n])\nlet k = 3");
  const std::vector<NameRecord> names = interpreter.names();
  ASSERT_EQ(names.size(), 3u);
  EXPECT_EQ(names[1].name, "x");
  EXPECT_EQ(names[1].type, "f32[n=4/p]");
  EXPECT_EQ(names[1].bytes, 8);
  EXPECT_EQ(names[2].type, "the int 3");
}

TEST(HostFunctions, AreCalledByScripts) {
  Interpreter interpreter({.mesh = "p:2", .layout = "n:p"});
  int calls = 0;
  interpreter.define("twice(x: tensor, times: int = 2, name: string = none) -> tensor",
                     [&](const std::vector<ScriptValue>& given) -> ScriptValue {
                       ++calls;
                       EXPECT_EQ(given.size(), 3u);
                       static std::vector<float> doubled;
                       doubled.clear();
                       for (float each : given[0].tensor().as<float>())
                         doubled.push_back(each * (given[1].is_none() ? 2 : static_cast<float>(given[1].integer())));
                       return ScriptValue(TensorView(given[0].tensor().dims, doubled));
                     });
  interpreter.run("dim n = 4\nlet y = twice(ones([n])) + twice(ones([n]), times: 3)\nfn f(x) = sum(twice(x))");
  EXPECT_EQ(interpreter.tensor("y").numbers(), (std::vector<double>{5, 5, 5, 5}));
  EXPECT_EQ(interpreter.number("f(y)"), 40);
  EXPECT_EQ(calls, 3);
  EXPECT_TRUE(interpreter.plan("f(y)").is_estimate() || interpreter.plan("f(y)").totals.flops >= 0);
  EXPECT_EQ(calls, 3) << "a plan does not call it";
}

TEST(HostFunctions, AreCalledInEachIteration) {
  Interpreter interpreter;
  std::int64_t calls = 0;
  interpreter.define("count() -> int", [&](const std::vector<ScriptValue>&) { return ScriptValue(++calls); });
  interpreter.run(
      "dim n = 2\nlet x = zeros([n])\nlet seen = []\n"
      "for i in 0..20 { let c = count()\n x := x + float(c)\n seen := seen + [c] }");
  EXPECT_EQ(calls, 20);
  EXPECT_EQ(interpreter.tensor("x").numbers()[0], 210);
  EXPECT_EQ(interpreter.value("seen[19]").integer(), 20);
}

TEST(HostFunctions, ThatThrowEndTheRunAlone) {
  Interpreter interpreter;
  interpreter.define("fails()",
                     [](const std::vector<ScriptValue>&) -> ScriptValue { throw std::runtime_error("no such row"); });
  EXPECT_THROW(interpreter.run("let x = 1\nlet y = fails()"), std::runtime_error);
  EXPECT_EQ(interpreter.number("x"), 1);
  EXPECT_EQ(kind_of_error([&] { interpreter.run("y"); }), "unknown_name");
}

TEST(HostFunctions, WithASignatureThatCannotBeReadAreRefused) {
  Interpreter interpreter;
  for (const char* wrong : {"", "f", "f(x: nothing)", "f(", "(x)"})
    EXPECT_EQ(kind_of_error([&] { interpreter.define(wrong, [](const auto&) { return ScriptValue(); }); }), "bad_value")
        << wrong;
  EXPECT_EQ(kind_of_error([&] { interpreter.define("f()", nullptr); }), "bad_value");
  interpreter.define("f(x: int)", [](const auto& given) { return given[0]; });
  EXPECT_EQ(kind_of_error([&] { interpreter.run("f(\"a\")"); }), "type_mismatch");
}

std::function<NextBatch()> counting(std::int32_t batches) {
  return [batches]() -> NextBatch {
    return [batches, at = std::int32_t{0}](std::span<const std::span<std::byte>> tensors) mutable {
      if (at == batches) return false;
      const std::array<float, 2> x = {static_cast<float>(at), 1};
      std::memcpy(tensors[0].data(), x.data(), sizeof x);
      std::memcpy(tensors[1].data(), &at, sizeof at);
      return ++at > 0;
    };
  };
}

TEST(Streams, AreWalkedToTheirEnd) {
  Interpreter interpreter({.mesh = "p:2", .layout = "n:p"});
  interpreter.define_stream("train", {{Element::kF32, {{"n", 2}}}, {Element::kI32, {}}}, counting(3));
  interpreter.run(
      "let total = zeros([n])\nlet steps = 0\n"
      "for epoch in 0..2 { for (x, i) in train() { total := total + x\n steps := steps + int(i) } }\n"
      "let last = [i for (x, i) in train()]");
  EXPECT_EQ(interpreter.tensor("total").numbers(), (std::vector<double>{6, 6}));
  EXPECT_EQ(interpreter.value("steps").integer(), 6);
  EXPECT_EQ(interpreter.value("last").items().size(), 3u);
  EXPECT_EQ(kind_of_error([&] { interpreter.run("len(train())"); }), "type_mismatch");
}

TEST(Streams, ArePlannedForOneBatch) {
  Interpreter interpreter;
  bool begun = false;
  interpreter.define_stream("train", {{Element::kF32, {{"n", 2}}}}, [&]() -> NextBatch {
    begun = true;
    return [](auto) { return false; };
  });
  const PlanRecord plan = interpreter.plan("for x in train() { print(sum(x * x)) }");
  EXPECT_TRUE(plan.is_estimate());
  EXPECT_GT(plan.totals.flops, 0);
  EXPECT_FALSE(begun);
}

TEST(PreparedCalls, AreComputedWithTheirArguments) {
  Interpreter interpreter;
  interpreter.run("dim n = 2\nlet w = ones([n])\nfn step(x, rate) { w := w + rate * x\n return sum(w) }");
  const Prepared step = interpreter.prepare("step(x, rate)", {"x", "rate"});
  for (float i = 0; i < 3; ++i) {
    const std::vector<float> x = {i, i};
    EXPECT_EQ(step({ScriptValue(TensorView({{"n", 2}}, x)), 0.5}).number(), 2 + i * (i + 1) / 2);
  }
  EXPECT_EQ(interpreter.tensor("w").numbers(), (std::vector<double>{2.5, 2.5}));
}

TEST(PreparedCalls, ThatAreWrongChangeNothing) {
  Interpreter interpreter;
  interpreter.run("dim n = 2\nlet w = 1.0\nfn step(x) { w := w + 1.0\n return x + ones([n]) }");
  EXPECT_EQ(kind_of_error([&] { interpreter.prepare("step(x, y)", {"x"}); }), "unknown_name");
  EXPECT_EQ(kind_of_error([&] { interpreter.prepare("step(", {"x"}); }), "bracket_mismatch");
  const Prepared step = interpreter.prepare("step(x)", {"x"});
  EXPECT_EQ(kind_of_error([&] { step({}); }), "missing_argument");
  EXPECT_EQ(kind_of_error([&] { step({"text"}); }), "type_mismatch");
  EXPECT_EQ(interpreter.number("w"), 1);
}

TEST(Output, ThatThrowsOnceIsUsedAgain) {
  std::string printed;
  bool fails = true;
  InterpreterOptions options;
  options.output = [&](std::string_view text) {
    if (std::exchange(fails, false)) throw std::runtime_error("full");
    printed += text;
  };
  Interpreter interpreter(options);
  EXPECT_THROW(interpreter.run("print(1)"), std::runtime_error);
  interpreter.run("print(2)");
  EXPECT_EQ(printed, "2\n");
}

TEST(Progress, IsToldOfEachIteration) {
  std::vector<std::int64_t> done;
  InterpreterOptions options;
  options.progress = [&](std::span<const ProgressRecord> loops) {
    EXPECT_EQ(loops[0].variable, "step");
    EXPECT_EQ(loops[0].count, 3);
    done.push_back(loops[0].done);
  };
  Interpreter interpreter(options);
  interpreter.run("dim n = 2\nlet x = zeros([n])\nfor step in 0..3 { x := x + 1.0 }");
  EXPECT_EQ(done, (std::vector<std::int64_t>{0, 1, 2, 3}));
}

TEST(Report, IsThatOfEachStatementAndEqualToItsPlan) {
  std::vector<PlanRecord> reports;
  InterpreterOptions options{.mesh = "all:2", .layout = "n:all"};
  options.output = [](std::string_view) {};
  options.report = [&](const PlanRecord& report) { reports.push_back(report); };
  Interpreter interpreter(options);
  interpreter.run("dim n = 4\nlet x = range(n) + 1.0\nprint(sum(x))");
  ASSERT_EQ(reports.size(), 3);
  const PlanRecord& last = reports.back();
  ASSERT_EQ(last.totals.collectives.size(), 1);
  EXPECT_EQ(last.totals.collectives[0].count, 1);
  ASSERT_FALSE(last.parts.empty());
  EXPECT_EQ(last.parts[0].text, "print(sum(x))");
  EXPECT_EQ(last.totals, interpreter.plan("print(sum(x))").totals);
}

}  // namespace
}  // namespace mtf
