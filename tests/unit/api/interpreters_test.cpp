// Several interpreters in one process, also at once.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

#include "../file_test.h"
#include "mtf/interpreter.h"

namespace mtf {
namespace {

/// A different program for each thread: names, meshes, layouts, random numbers, a loop, a function, a gradient, and
/// errors.
std::string program(int i) {
  return fmt::format(
      "mesh m{0} = [p{0}: {1}]\n"
      "layout split{0} = {{a{0} -> p{0}}}\n"
      "seed {0}\n"
      "dim a{0} = {2}, b{0} = 3\n"
      "use m{0}\n"
      "use split{0}\n"
      "model M{0} {{ param w: f32[a{0}, b{0}] = fill([a{0}, b{0}], 0.5) }}\n"
      "let net{0} = M{0}()\n"
      "fn loss{0}(x) {{ return sum(einsum(x, net{0}.w -> [b{0}]) * 2) }}\n"
      "let x{0} = range(a{0}) + 1.0\n"
      "let r{0} = random.uniform([a{0}])\n"
      "for i in 0..20 {{\n"
      "  let l = loss{0}(x{0})\n"
      "  let g = grad(l, net{0}.w)\n"
      "  net{0}.w := net{0}.w - 0.001 * g\n"
      "}}\n"
      "print(\"of {0}:\", {0} * 1000)\n",
      i, 1 + i % 4, 4 + i);
}

struct Result {
  std::vector<double> w, r;
  std::string printed, error;
  bool operator==(const Result&) const = default;
};

Result result_of(int i) {
  Result result;
  InterpreterOptions options;
  options.threads = 2;
  options.output = [&](std::string_view text) { result.printed += text; };
  Interpreter interpreter(options);
  interpreter.run(program(i));
  result.w = interpreter.tensor(fmt::format("net{}.w", i)).numbers();
  result.r = interpreter.tensor(fmt::format("r{}", i)).numbers();
  try {
    interpreter.run(fmt::format("let z = missing{}", i));
  } catch (const ScriptError& error) { result.error = error.what(); }
  return result;
}

TEST(Interpreters, OnSeveralThreadsGiveWhatEachGivesAlone) {
  constexpr int kThreads = 4, kPrograms = 12;
  std::vector<Result> alone(kPrograms), together(kPrograms);
  for (int i = 0; i < kPrograms; ++i) alone[static_cast<std::size_t>(i)] = result_of(i);
  std::atomic<int> next{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (int i = next++; i < kPrograms; i = next++) together[static_cast<std::size_t>(i)] = result_of(i);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (int i = 0; i < kPrograms; ++i) {
    const Result& result = together[static_cast<std::size_t>(i)];
    EXPECT_TRUE(result == alone[static_cast<std::size_t>(i)]) << "program " << i;
    EXPECT_EQ(result.printed, fmt::format("of {}: {}\n", i, i * 1000));
    EXPECT_MENTIONS(result.error, fmt::format("missing{}", i));
    EXPECT_EQ(result.w.size(), static_cast<std::size_t>((4 + i) * 3));
    EXPECT_NE(result.w.front(), 0.5);
  }
}

TEST(Interpreters, TakeIterationsOnOneThread) {
  Interpreter a, b;
  a.run("dim n = 3\nlet x = ones([n])");
  b.run("dim n = 5\nlet x = ones([n]) * 2");
  a.run("let y = sum(x)");
  b.run("let y = sum(x)");
  EXPECT_EQ(a.number("y"), 3);
  EXPECT_EQ(b.number("y"), 10);
}

TEST(Interpreters, OneIsMovedToAnotherThread) {
  Interpreter interpreter;
  interpreter.run("dim n = 3\nlet x = ones([n])");
  double sum = 0;
  std::thread([&] { sum = interpreter.number("sum(x)"); }).join();
  EXPECT_EQ(sum, 3);
}

/// Interrupts an endless program from another thread.
void expect_to_be_interrupted(const std::string& text) {
  std::atomic<bool> started{false}, ended{false};
  InterpreterOptions options;
  options.output = [&](std::string_view) { started = true; };
  Interpreter interpreter(options);
  std::thread other([&] {
    while (!started) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    interpreter.interrupt();
  });
  try {
    interpreter.run(text);
    ADD_FAILURE() << "it was not interrupted: " << text;
  } catch (const ScriptError& error) { EXPECT_EQ(error.kind(), "interrupted") << error.what(); }
  other.join();
  EXPECT_EQ(interpreter.number("1 + 1"), 2) << "it can be used again";
}

TEST(Interpreters, AreInterruptedWhereverTheyAre) {
  expect_to_be_interrupted("print(1)\nwhile true { }");
  expect_to_be_interrupted("print(1)\nfor i in 0..4000000000000 { }");
  expect_to_be_interrupted("print(1)\nlet x = [[j for j in 0..16000000] for i in 0..16000000]");
  expect_to_be_interrupted("dim n = 2\nlet x = ones([n])\nprint(1)\nwhile true { x := x * 0.5 }");
  expect_to_be_interrupted("fn f(n) { return n * 0 }\nprint(1)\nwhile f(1) == 0 { let y = f(1) }");
}

TEST(Interpreters, AnInterruptOfOneLeavesTheOthers) {
  Interpreter a, b;
  a.interrupt();
  b.run("let x = [i for i in 0..1000]");
  a.run("let x = 1");  // an interrupt affects only the current computation
  EXPECT_EQ(a.number("x"), 1);
}

TEST(Interpreters, WhatTheOutputThrowsEndsTheRun) {
  InterpreterOptions options;
  options.output = [](std::string_view) { throw std::runtime_error("full"); };
  Interpreter interpreter(options);
  EXPECT_THROW(interpreter.run("print(1)"), std::runtime_error);
}

TEST(Interpreters, WhatTheOutputThrowsOnceLeavesItsInterpreterUsable) {
  int left = 0;
  std::string printed;
  InterpreterOptions options;
  options.output = [&](std::string_view text) {
    if (left-- > 0) throw std::runtime_error("full");
    printed += text;
  };
  Interpreter interpreter(options);
  interpreter.run("fn f() {\n  print(\"said\")\n  return ones([])\n}");
  const std::vector<std::function<void()>> reads = {
      [&] { interpreter.value("f()"); }, [&] { interpreter.tensor("f()"); }, [&] { interpreter.number("f()"); }};
  for (const auto& read : reads) {
    left = 1;
    EXPECT_THROW(read(), std::runtime_error);
    printed.clear();
    read();
    EXPECT_EQ(printed, "said\n");
  }
}

}  // namespace
}  // namespace mtf
