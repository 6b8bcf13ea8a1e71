// Programs that nest, call and import deeply, on a small stack and on the usual one: they give a result or the error of
// a limit, never a crash.
#include <gtest/gtest.h>

#include "command.h"

namespace mtf::tool {
namespace {

std::string repeated(const std::string& text, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

class Stack : public CommandTest {
 protected:
  /// On 1 MiB, then on 8.
  void expect_no_crash(const std::string& text) const {
    const std::string file = write("deep.mtf", text);
    for (const char* kib : {"1024", "8192"}) {
      for (const char* command : {"check", "run"}) {
        const ProcessResult result = run_process(
            {"bash", "-c", std::string("ulimit -s ") + kib + " && exec " + kMtf + " " + command + " " + file}, {},
            kPatience);
        if (result.status == 0) {
          EXPECT_EQ(result.err, "");
          continue;
        }
        EXPECT_EQ(result.status, 4) << command << " on " << kib << " KiB: " << result.err.substr(0, 500);
        EXPECT_EQ(result.out, "");
        EXPECT_MENTIONS(result.err, "too_deep]");
        EXPECT_EQ(result.err.find("error:", result.err.find("error:") + 1), std::string::npos)
            << result.err.substr(0, 2000);
      }
    }
  }

  /// Returns `fn f`, which calls itself `calls` times, with `before` and `after` around the call.
  static std::string recursion(int calls, const std::string& before, const std::string& after) {
    return "fn id(x) = x\nfn f(n: int) {\n  if n > 0 { " + before + "f(n - 1)" + after + " }\n  return 0\n}\nf(" +
           std::to_string(calls) + ")\n";
  }
};

TEST_F(Stack, ASmallOneIsEnoughForAnOrdinaryProgram) {
  const std::string file = write(
      "a.mtf",
      "import nn\ndim a = 2, b = 3\nlet net = nn.Dense(a, b)\nprint(sum(grad(sum(net(ones([a]))), net.params)[0]))\n");
  const ProcessResult result =
      run_process({"bash", "-c", "ulimit -s 1024 && exec " + kMtf + " run " + file}, {}, kPatience);
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out, "6\n");
}

TEST_F(Stack, CallsOfNestedBlocks) {
  expect_no_crash(recursion(395, repeated("counters { ", 8), repeated(" }", 8)));
  expect_no_crash(recursion(395, repeated("no_grad { ", 100), repeated(" }", 100)));
  expect_no_crash(recursion(395, repeated("for i in 0..1 { ", 60), repeated(" }", 60)));
}

TEST_F(Stack, CallsInsideExpressions) {
  expect_no_crash(recursion(395, repeated("id(", 19), repeated(")", 19)));
  expect_no_crash(recursion(395, "return " + repeated("1 + (", 200), repeated(")", 200)));
  expect_no_crash(recursion(395, "return [" + repeated("[", 100), repeated("]", 100) + "][0]"));
  expect_no_crash(recursion(395, "let s = \"" + repeated("{\"", 40) + "{", "}" + repeated("\"}", 40) + "\""));
  expect_no_crash("fn f(n) { f(n + 1)\n f(n + 2) }\nf(0)\n");
}

TEST_F(Stack, CutsInsideCalls) {
  expect_no_crash("dim a = 4\nlet x = ones([a])\nfn id(x) = x\nfn f(n: int) {\n  if float(sum(x)) + n > 4 { return " +
                  repeated("id(", 40) + "f(n - 1)" + repeated(")", 40) + " }\n  return 0\n}\nf(390)\n");
}

TEST_F(Stack, LongChains) {
  expect_no_crash("let a = 1\nprint(a" + repeated(" + a", 100000) + ")\n");
  expect_no_crash("let a = 1\nprint(a" + repeated(" + a", 900) + ")\n");
  expect_no_crash("let a = [1]\nprint(a" + repeated("[0]", 100000) + ")\n");
  expect_no_crash("fn f() = f\nlet g = f" + repeated("()", 990) + "\n");
  expect_no_crash("fn f() = f\nlet g = f" + repeated("()", 100000) + "\n");
  expect_no_crash("import nn\nprint(nn" + repeated(".x", 100000) + ")\n");
  expect_no_crash("let a = 1\nprint(" + repeated("- ", 100000) + "a)\n");
  expect_no_crash("let a = 1\nif a == 0 { print(0) }" + repeated(" else if a == 2 { print(2) }", 20000) + "\n");
  expect_no_crash("let a = 1\n" + repeated("if a == 1 { ", 250) + repeated("}", 250) + "\n");
  expect_no_crash("let a = 1\n" + repeated("if a == 1 { ", 100000) + repeated("}", 100000) + "\n");
}

TEST_F(Stack, AChainOfImports) {
  for (int i = 0; i < 5000; ++i)
    write("m" + std::to_string(i) + ".mtf", "import \"m" + std::to_string(i + 1) + ".mtf\" as next\n");
  write("m5000.mtf", "let x = 1\n");
  expect_no_crash("import \"m0.mtf\" as first\n");
}

}  // namespace
}  // namespace mtf::tool
