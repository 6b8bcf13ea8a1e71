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

}  // namespace
}  // namespace mtf
