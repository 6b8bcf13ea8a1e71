// The embedding API.
#include "mtf/interpreter.h"

#include <gtest/gtest.h>

namespace mtf {
namespace {

TEST(Interpreter, NamesStayFromOneRunToTheNext) {
  Interpreter interpreter;
  interpreter.run("dim a = 2, b = 3\nlet x = tensor([[1, 2, 3], [4, 5, 6]], [a, b])");
  interpreter.run("let total = sum(x)");
  EXPECT_EQ(interpreter.number("total"), 21);
}

TEST(Interpreter, AnExpressionCanBeRead) {
  Interpreter interpreter;
  EXPECT_EQ(interpreter.number("2 + 3"), 5);
}

TEST(Interpreter, WhatIsPrintedGoesToTheFunction) {
  std::string printed;
  InterpreterOptions options;
  options.output = [&](std::string_view text) { printed += text; };
  Interpreter interpreter(options);
  interpreter.run("print(\"a\", 1)\nprint(2)");
  EXPECT_EQ(printed, "a 1\n2\n");
}

TEST(Interpreter, AnErrorHasAKindAndLeavesTheInterpreterUsable) {
  Interpreter interpreter;
  interpreter.run("let x = 1");
  try {
    interpreter.run("let y = xx");
    FAIL();
  } catch (const ScriptError& error) {
    EXPECT_EQ(error.kind(), "unknown_name");
    EXPECT_NE(std::string(error.what()).find("let y = xx"), std::string::npos);
  }
  EXPECT_EQ(interpreter.number("x"), 1);
}

TEST(Interpreter, AnErrorIsARecord) {
  Interpreter interpreter;
  try {
    interpreter.run("dim batch = 2\nlet x = ones([batch])\nlet y = x +  ones([bach])");
    FAIL();
  } catch (const ScriptError& error) {
    const DiagnosticRecord& wrong = error.diagnostic();
    EXPECT_EQ(wrong.kind, "unknown_name");
    EXPECT_TRUE(wrong.is_error);
    EXPECT_EQ(wrong.message, "there is nothing of this name here");
    EXPECT_EQ(wrong.found, "`bach` is neither declared nor an operation");
    EXPECT_EQ(wrong.place.file, "<1>");
    EXPECT_EQ(wrong.place.line, 3u);
    EXPECT_EQ(wrong.place.column, 20u);
    EXPECT_EQ(wrong.place.end_line, 3u);
    EXPECT_EQ(wrong.place.end_column, 24u);
    EXPECT_EQ(wrong.helps, std::vector<std::string>{"did you mean `batch`?"});
    EXPECT_EQ(wrong.text, error.what());
  }
}

TEST(Interpreter, CheckingRunsNothing) {
  Interpreter interpreter;
  EXPECT_TRUE(interpreter.check("print(1)").empty());
  const std::vector<DiagnosticRecord> found = interpreter.check("dim a = 2\ndim a = 3\nprint(y)\nprint(ones([a]) + z)");
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].kind, "dim_declared_twice");
  EXPECT_FALSE(found[0].is_error);
  ASSERT_EQ(found[0].related.size(), 1u);
  EXPECT_EQ(found[0].related[0].place.line, 1u);
  EXPECT_EQ(found[1].kind, "unknown_name");
  EXPECT_EQ(found[1].place.line, 3u);
  EXPECT_EQ(found[2].place.line, 4u);
  EXPECT_THROW(interpreter.number("a"), ScriptError) << "a check leaves nothing";
}

TEST(Interpreter, ATextThatDoesNotParseIsRefusedWhole) {
  Interpreter interpreter;
  try {
    interpreter.run("let x = 1\nlet y = (");
    FAIL();
  } catch (const ScriptError& error) { EXPECT_EQ(error.diagnostic().place.line, 2u); }
  EXPECT_THROW(interpreter.number("x"), ScriptError);
  EXPECT_THROW(interpreter.number("1 +"), ScriptError);
  EXPECT_THROW(interpreter.tensor("let x = 1"), ScriptError);
  EXPECT_THROW(interpreter.plan("("), ScriptError);
}

TEST(Interpreter, WarningsOfWhatIsRunAreTold) {
  std::vector<std::string> kinds;
  InterpreterOptions options;
  options.warning = [&](const DiagnosticRecord& warning) { kinds.push_back(warning.kind); };
  Interpreter interpreter(options);
  interpreter.run("mesh m = [p: 2]\nlayout l = {a -> q}");
  EXPECT_EQ(kinds, std::vector<std::string>{"layout_axis_unused"});
}

TEST(Interpreter, AnExpressionThatIsAskedForAgainIsEvaluatedAgain) {
  Interpreter interpreter;
  interpreter.run("dim n = 2\nlet x = ones([n])\nfn step() {\n  x := x * 2\n  return sum(x)\n}");
  EXPECT_EQ(interpreter.number("step()"), 4);
  EXPECT_EQ(interpreter.number("step()"), 8);
  EXPECT_EQ(interpreter.number("step()"), 16);
}

TEST(Interpreter, OptionsReachTheProgram) {
  InterpreterOptions options;
  options.set = {{"lr", "0.5"}};
  Interpreter interpreter(options);
  interpreter.run("option lr = 0.1");
  EXPECT_EQ(interpreter.number("lr"), 0.5);
}

TEST(Interpreter, AnOptionThatCannotBeReadIsRefused) {
  InterpreterOptions options;
  options.mesh = "x;4";
  EXPECT_THROW(Interpreter{options}, ScriptError);
}

TEST(Interpreter, FunctionsAreKnownBehindAnExpression) {
  Interpreter interpreter;
  interpreter.run("len([1])\nfn twice(x) = 2 * x\nlet y = twice(3)");
  EXPECT_EQ(interpreter.number("y"), 6);
}

TEST(Interpreter, ExplainsTheTypeTheOriginAndTheCostOfEachPart) {
  const std::string text = "dim a = 4\nlet x = ones([a])\nlet y = sum(x * x)\nprint(y)\n";
  const std::vector<TextPart> parts = Interpreter().explain(text);
  const auto part = [&](std::string_view of, std::size_t from) {
    const std::size_t begin = text.find(of, from);
    for (const TextPart& each : parts)
      if (each.begin == begin && each.end == begin + of.size()) return each;
    ADD_FAILURE() << of;
    return TextPart{};
  };
  const TextPart product = part("x * x", 0), use = part("x", text.find("sum(") + 4);
  EXPECT_EQ(product.types, std::vector<std::string>{"f32[a=4]"});
  EXPECT_TRUE(product.has_cost);
  EXPECT_EQ(product.flops, 4);
  EXPECT_EQ(use.definition_file, "<text>");
  EXPECT_EQ(use.definition_begin, text.find("x ="));
  EXPECT_FALSE(use.has_cost);
  EXPECT_EQ(part("print(y)", 0).flops, 4 + 4) << "a statement's in all";
}

TEST(Interpreter, AStatementThatCannotBeReadHidesNoOthers) {
  const std::string text = "dim a = 4\nlet x = = 1\nlet y = ones([a])\n";
  std::vector<std::string> types;
  for (const TextPart& part : Interpreter().explain(text))
    if (part.begin == text.find("y =")) types = part.types;
  EXPECT_EQ(types, std::vector<std::string>{"f32[a=4]"});
}

TEST(Interpreter, AHelpThatCanBeCarriedOutHasItsEdits) {
  const std::vector<DiagnosticRecord> found = Interpreter().check("let value = 1\nprint(valu)\n");
  ASSERT_EQ(found.size(), 1u);
  ASSERT_EQ(found[0].fixes.size(), 1u);
  EXPECT_EQ(found[0].fixes[0].title, "did you mean `value`?");
  ASSERT_EQ(found[0].fixes[0].edits.size(), 1u);
  EXPECT_EQ(found[0].fixes[0].edits[0].text, "value");
  EXPECT_EQ(found[0].fixes[0].edits[0].place.column, 7u);
}

}  // namespace
}  // namespace mtf
