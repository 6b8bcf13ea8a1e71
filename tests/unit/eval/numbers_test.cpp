// The quick ways of names, numbers and calls give the same as the ways that record each expression, to the last word of
// an error.
#include <gtest/gtest.h>

#include <sstream>

#include "../../execution_on.h"
#include "eval/evaluator.h"
#include "eval/span_table.h"
#include "run/mpi_runtime.h"
#include "syntax/parse.h"

namespace mtf::eval {
namespace {

/// Returns the output of a program, and the error that ends it. A table of spans needs the type of each expression, so
/// with a table nothing takes a quick way.
std::string said_by(const std::string& text, bool quickly) {
  static ExecutionOn<run::MpiRuntime> execution(run::MpiRuntimeOptions{.threads = 1});
  std::ostringstream out;
  SpanTable table;
  Evaluator evaluator({}, &execution, out);
  if (!quickly) evaluator.fill(table);
  try {
    evaluator.run_program(evaluator.settings.parsed->parse_or_throw(SourceFile::create("test.mtf", text)));
  } catch (const UserError& error) { out << error.diagnostic().render(); }
  return out.str();
}

TEST(Numbers, AreWhatEvaluatingEachExpressionGives) {
  const std::vector<std::string> programs = {
      "print(7 // 2, -7 // 2, 7 % -2, 2 ^ 10, 2 ^ -1, 7 / 2, 1.5 + 2, 3 - 0.5 * 4, -(3 + 1))",
      "print(1 < 2, 1 == 1.0, 2.5 >= 3, 1 != 2 and 3 > 2, false or 1 > 2, not (1 < 2))",
      "let a = 3\nlet b = 0.5\nprint(a * b + a, a + a * a, if a > 2 { b } else { a })",
      "print(9223372036854775807 + 1)",
      "let a = 1\nlet b = 0\nprint(a // b)",
      "let a = 1\nprint(2 * (a % (a - 1)))",
      "print(1 + true)",
      "print(true and 1)",
      "let a = true\nprint(a == true, a and not a)",
      "print(false and nobody)",
      "print(true and nobody)",
      "print(1 + nobody)",
      "print(1 in [1, 2], \"a\" + \"b\", \"a\" < \"b\", none == none)",
      "dim a = 4\nprint(a * 2, a == 4, a + 0.5)",
      "let list = [3, 0.5, true, [1], none]\nprint(list[0] + list[1], list[2 - 0], list[1 + 2][0] + 1)",
      "let list = [3]\nprint(1 + list[1])",
      "let list = [3]\nprint(1 + list[0 - 1])",
      "let list = [3]\nprint(1 + list[0.5])",
      "let x = zeros([])\nprint(1 + x, x * 2 + 3 * 2)",
  };
  for (const std::string& text : programs) EXPECT_EQ(said_by(text, true), said_by(text, false)) << text;
}

TEST(Numbers, AFunctionOfThemGivesWhatCallingItGives) {
  const std::vector<std::string> programs = {
      "fn f(k: int) -> int {\n  if k > 2 { return 0 }\n  return k + 1\n}\nfor i in 0..4 { print(f(i)) }",
      "fn f(x) = x * x - 2 * x\nprint(f(3), f(0.5), f(zeros([])), f(4))",
      "fn f(x) = x * x - 2 * x\nprint(f(zeros([])), f(3))",
      "fn fib(n: int) -> int {\n  if n < 2 { return n }\n  return fib(n - 1) + fib(n - 2)\n}\nprint(fib(15))",
      "fn down(n: int) -> int {\n"
      "  if n == 0 { return 0 }\n"
      "  return 1 + down(n - 1)\n"
      "}\n"
      "print(down(63), down(65), down(300))\n"
      "print(down(500))",
      "let k = 5\n"
      "fn f(x) {\n"
      "  let k = x + 1\n"
      "  if k > 2 {\n"
      "    let k = 10 * k\n"
      "    return k\n"
      "  }\n"
      "  return k\n"
      "}\n"
      "print(f(1), f(2), k)",
      "let k = 5\nfn f(x) {\n  if x > 2 {\n    let k = 10\n    let y = k\n  }\n  return k + x\n}\nprint(f(3))",
      "let k = 1\nfn f(x) = x + k\nk := 2\nprint(f(1))\nlet k = 7\nprint(f(1))",
      "fn f(x) = x + later\nlet later = 1\nprint(f(1))",
      "fn f(x: float) = x / 2\nprint(f(3), f(0.5))",
      "fn f(x: int) = x + 1\nprint(f(0.5))",
      "fn f(x) -> int { return x / 2 }\nprint(f(3))",
      "fn f(x) {\n  if x > 2 { return 1 }\n}\nprint(f(3))\nprint(f(1))",
      "fn f(x) = 1 // x\nprint(f(1))\nprint(f(0))",
      "fn f(x) = x + nobody\nprint(f(0))",
      "fn f(x, y = 2) = x + y\nprint(f(1), f(1, 3), f(y: 1, 2))",
      "fn f(x) = x\nprint(f(1, 2))",
      "fn f(a, b) = a - b\nfn g(b, a) = f(b + a, f(a, b))\nprint(g(1, 2), g(0.5, 3))",
      "fn f(x) {\n  print(x)\n  return x + 1\n}\nprint(f(1) + f(2))",
      "fn f(on: bool) = if on { 1 } else { 2 }\nprint(f(true), f(1 > 2), not f(true) == 1)",
      "let makers = [fn(x) = x + i for i in 0..3]\nlet g = makers[1]\nprint(g(10), g(20))",
      "for i in 0..3 {\n  fn f(x) = x * i\n  print(f(2))\n}",
      "print([f(i) for i in 0..3 if f(i) > 1])\nfn f(x) = x * 2",
      "fn f(x) = x\nlet f = 3\nprint(f + 1)\nprint(f(1))",
  };
  for (const std::string& text : programs) EXPECT_EQ(said_by(text, true), said_by(text, false)) << text;
}

TEST(Numbers, ANameIsFoundWhereverTheScopesHaveIt) {
  const std::vector<std::pair<std::string, std::string>> programs = {
      {"fn f(x) {\n  let a = 1\n  let a = a + x\n  let g = fn() = a\n  let a = 10\n  return g() + a\n}\nprint(f(1), "
       "f(2))",
       "12 13\n"},
      {"let l = []\nfor i in 0..3 {\n  if i == 1 { let y = i\n    l := l + [fn() = y + i] }\n  let x = i\n"
       "  l := l + [fn() = x]\n}\nprint([f() for f in l])",
       "[0, 2, 1, 2]\n"},
      {"let x = 7\nfor i in 0..2 {\n  print(x)\n  let x = i\n  print(x)\n}", "7\n0\n7\n1\n"},
      {"for i in 0..2 {\n  print(f())\n  let f = fn() = i + 10\n  print(f())\n}\nfn f() = 1", "1\n10\n1\n11\n"},
      {"fn f(g, n) = if n == 0 { g() } else { f(g, n - 1) }\nlet n = 5\nprint(f(fn() = n, 3), f(fn() = f(fn() = 2, 1), "
       "2))",
       "5 2\n"},
      {"let list = [1, 2]\nfn longer() {\n  list := list + [3]\n  return 2\n}\nlet first = list[longer() - 2]\n"
       "print(first, list[longer()], len(list))",
       "1 3 4\n"},
  };
  for (const auto& [text, output] : programs) {
    EXPECT_EQ(said_by(text, true), output) << text;
    EXPECT_EQ(said_by(text, false), output) << text;
  }
}

TEST(Numbers, IterationsOfALoopHaveTheirNamesEach) {
  const std::string text =
      "let all = []\nfor i in 0..3 {\n  let j = i * i\n  all := all + [fn() = j]\n}\nprint([f() for f in all])\n"
      "print([fn() = k for k in 0..3][1]())\nprint([[a + b for b in 0..a] for a in 0..4])\n";
  EXPECT_EQ(said_by(text, true), "[0, 1, 4]\n1\n[[], [1], [2, 3], [3, 4, 5]]\n");
  EXPECT_EQ(said_by(text, true), said_by(text, false));
}

}  // namespace
}  // namespace mtf::eval
