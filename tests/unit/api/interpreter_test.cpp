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

TEST(Interpreter, ATensorIsWholeWhateverItsLayout) {
  InterpreterOptions options;
  options.mesh = "all:4";
  options.layout = "b:all";
  Interpreter interpreter(options);
  interpreter.run("dim a = 2, b = 3\nlet x = tensor([[1, 2, 3], [4, 5, 6]], [a, b])");
  const TensorData x = interpreter.tensor("x");
  EXPECT_EQ(x.element, "f32");
  ASSERT_EQ(x.dims.size(), 2u);
  EXPECT_EQ(x.dims[1].name, "b");
  EXPECT_EQ(x.dims[1].size, 3);
  EXPECT_EQ(x.numbers, (std::vector<double>{1, 2, 3, 4, 5, 6}));
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

TEST(Interpreter, CheckingRunsNothing) {
  Interpreter interpreter;
  EXPECT_EQ(interpreter.check("print(1)"), "");
  EXPECT_NE(interpreter.check("print(y)").find("unknown_name"), std::string::npos);
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

}  // namespace
}  // namespace mtf
