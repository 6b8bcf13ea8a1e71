// Tensors in and out of an interpreter.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <thread>

#include "../file_test.h"
#include "mtf/interpreter.h"

namespace mtf {
namespace tensors_test {

InterpreterOptions on(const std::string& mesh, const std::string& layout) {
  InterpreterOptions options;
  options.mesh = mesh;
  options.layout = layout;
  return options;
}

/// Returns the kind of the error that `step` throws, or nothing.
template <typename Step>
std::string refused(const Step& step) {
  try {
    step();
  } catch (const ScriptError& error) {
    EXPECT_MENTIONS(error.what(), "[" + error.kind() + "]");
    return error.kind();
  }
  return {};
}

const std::vector<float> kSix = {1, 2, 3, 4, 5, 6};

TEST(Tensors, AreWholeWhateverTheirLayout) {
  for (const char* layout : {"", "b:all", "a:all"}) {
    Interpreter interpreter(on("all:4", layout));
    interpreter.run("dim a = 2, b = 3\nlet x = tensor([[1, 2, 3], [4, 5, 6]], [a, b])");
    const TensorData x = interpreter.tensor("x");
    EXPECT_EQ(x.element, Element::kF32);
    EXPECT_EQ(x.dims, (std::vector<TensorDim>{{"a", 2}, {"b", 3}}));
    EXPECT_EQ(x.numbers(), (std::vector<double>{1, 2, 3, 4, 5, 6})) << layout;
    EXPECT_TRUE(std::ranges::equal(x.as<float>(), kSix));
  }
}

TEST(Tensors, GoInAndComeOutInEveryElementType) {
  Interpreter interpreter;
  const std::array<bool, 2> bools = {true, false};
  interpreter.set("bools", {{{"n", 2}}, bools});
  interpreter.set("ints", {{{"n", 2}}, std::vector<std::int32_t>{-1, 7}});
  interpreter.set("halves", {{{"n", 2}}, std::vector<BFloat16>{{0x3f80}, {0xc000}}});
  interpreter.set("doubles", {{{"n", 2}}, std::vector<double>{0.1, 1e300}});
  EXPECT_EQ(interpreter.tensor("bools").numbers(), (std::vector<double>{1, 0}));
  EXPECT_EQ(interpreter.tensor("bools").as<bool>()[0], true);
  EXPECT_EQ(interpreter.tensor("ints").as<std::int32_t>()[0], -1);
  EXPECT_EQ(interpreter.tensor("halves").numbers(), (std::vector<double>{1, -2}));
  EXPECT_EQ(interpreter.tensor("halves").as<BFloat16>()[1].bits, 0xc000);
  EXPECT_EQ(interpreter.tensor("doubles").as<double>()[1], 1e300);
  EXPECT_EQ(name(interpreter.tensor("ints + 1").element), "i32");
  EXPECT_EQ(interpreter.tensor("2 + 3").element, Element::kF64);
}

TEST(Tensors, DeclareTheDimsThatAProgramLacks) {
  Interpreter interpreter;
  interpreter.run("dim a = 2");
  interpreter.set("x", {{{"a", 2}, {"b", 3}}, kSix});
  EXPECT_EQ(interpreter.number("sum(x * ones([b]))"), 21);
  interpreter.set("y", {{{"b", 3}, {"a", 2}}, kSix});
  EXPECT_EQ(interpreter.number("sum(x * y)"), 1 * 1 + 2 * 3 + 3 * 5 + 4 * 2 + 5 * 4 + 6 * 6);
  interpreter.set("one", {{}, std::vector<float>{7}});
  EXPECT_EQ(interpreter.number("one"), 7);
}

TEST(Tensors, LieAsTheRulesInForceSay) {
  Interpreter interpreter(on("all:2", "a:all"));
  interpreter.set("x", {{{"a", 2}, {"b", 3}}, kSix});
  EXPECT_EQ(interpreter.counters().flops, 0);
  EXPECT_EQ(interpreter.number("sum(x)"), 21);
  EXPECT_EQ(interpreter.counters().collectives.size(), 1u) << "each processor adds up what it has";
}

TEST(Tensors, ReplaceWhatTheNameWas) {
  Interpreter interpreter;
  interpreter.run("dim n = 2\nlet x = ones([n])\nlet y = x\nfn f() = sum(x)");
  interpreter.set("x", {{{"n", 2}}, std::vector<float>{5, 6}});
  EXPECT_EQ(interpreter.number("sum(x)"), 11);
  EXPECT_EQ(interpreter.number("sum(y)"), 2);
  EXPECT_EQ(interpreter.number("f()"), 2) << "a function sees what was there when it was written";
}

TEST(Tensors, AreAssignedToParamsWhereThoseLie) {
  Interpreter interpreter(on("p:2", ""));
  interpreter.run("dim a = 2, b = 3\nmodel M { param w: [a, b] @ {b -> p} = 0 }\nlet net = M()\nlet w = net.w");
  interpreter.set("net.w", {{{"a", 2}, {"b", 3}}, kSix});
  EXPECT_EQ(interpreter.tensor("net.w").numbers(), (std::vector<double>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(interpreter.number("sum(grad(sum(net.w * net.w), net.w))"), 42);
  EXPECT_TRUE(interpreter.tensor("net.w").is_copy) << "it lies in two blocks";
  interpreter.mark_counters();
  interpreter.set("w", {{{"a", 2}, {"b", 3}}, std::vector<float>(6, 2)});
  EXPECT_TRUE(interpreter.counters().collectives.empty());
  EXPECT_EQ(interpreter.tensor("net.w").element, Element::kF32);
  EXPECT_EQ(interpreter.number("sum(net.w)"), 12);
}

TEST(Tensors, AreNotCopiedWhereOneBlockIsTheWhole) {
  Interpreter alone, together(on("p:4", "a:p"));
  for (Interpreter* interpreter : {&alone, &together}) interpreter->set("x", {{{"a", 2}, {"b", 3}}, kSix});
  EXPECT_FALSE(alone.tensor("x").is_copy);
  EXPECT_EQ(alone.tensor("x").bytes.data(), alone.tensor("x").bytes.data());
  EXPECT_TRUE(together.tensor("x").is_copy);
  EXPECT_FALSE(together.tensor("x @ {}").is_copy) << "each processor holds all of it";
  EXPECT_TRUE(alone.tensor("1 + 1").is_copy);
  EXPECT_EQ(alone.tensor("einsum(x, x -> [b, a])").numbers(), (std::vector<double>{1, 16, 4, 25, 9, 36}));
}

TEST(Tensors, ThatAreNotCopiesAreNotWrittenOver) {
  Interpreter interpreter;
  interpreter.run(
      "dim n = 1000\nmodel M { param w: [n] = 1 }\nlet net = M()\n"
      "fn step() { net.w := net.w * 2 + 1 }\nlet x = ones([n])");
  const TensorData w = interpreter.tensor("net.w"), x = interpreter.tensor("x");
  EXPECT_FALSE(w.is_copy);
  for (int i = 0; i < 5; ++i) interpreter.run("step()\nx := x + 1");
  interpreter.run("for i in 0..5 { step() }");
  for (int i = 0; i < 5; ++i) interpreter.number("sum(random.uniform([n]))");
  EXPECT_EQ(w.numbers(), std::vector<double>(1000, 1));
  EXPECT_EQ(x.numbers(), std::vector<double>(1000, 1));
  EXPECT_EQ(interpreter.number("sum(net.w)"), 2047 * 1000);
}

TEST(Tensors, OutliveTheirInterpreter) {
  TensorData x;
  {
    Interpreter interpreter;
    interpreter.set("x", {{{"a", 2}, {"b", 3}}, kSix});
    x = interpreter.tensor("x * 2");
  }
  EXPECT_FALSE(x.is_copy);
  EXPECT_EQ(x.numbers(), (std::vector<double>{2, 4, 6, 8, 10, 12}));
  Interpreter other;
  other.set("y", x.view());
  EXPECT_EQ(other.number("sum(y)"), 42);
}

TEST(Tensors, AreRefusedInWrongSizes) {
  Interpreter interpreter;
  interpreter.run("dim a = 2\nlet t = 1");
  const auto set = [&](std::vector<TensorDim> dims, std::size_t elements) {
    return refused([&] { interpreter.set("x", {std::move(dims), std::vector<float>(elements, 1)}); });
  };
  EXPECT_EQ(set({{"a", 3}}, 3), "size_conflict");
  EXPECT_EQ(set({{"a", 2}}, 3), "size_mismatch");
  EXPECT_EQ(set({{"a", 2}}, 1), "size_mismatch");
  EXPECT_EQ(set({{"a", 2}, {"a", 2}}, 4), "dim_twice");
  EXPECT_EQ(set({{"t", 2}}, 2), "not_a_dim");
  EXPECT_EQ(set({{"c", 0}}, 0), "bad_size");
  EXPECT_EQ(set({{"c", -1}}, 1), "bad_size");
  EXPECT_EQ(set({{"c", std::int64_t{1} << 40}, {"d", std::int64_t{1} << 40}}, 1), "size_overflow");
  EXPECT_EQ(set({{"c d", 2}}, 2), "bad_value");
  EXPECT_EQ(set({{"", 2}}, 2), "bad_value");
  EXPECT_EQ(set({{"for", 2}}, 2), "bad_value");
  EXPECT_EQ(refused([&] { interpreter.number("x"); }), "unknown_name");
  EXPECT_EQ(refused([&] { interpreter.number("c"); }), "unknown_name") << "a dim that was declared for it is gone too";
  EXPECT_EQ(set({{"a", 2}, {"c", 2}}, 4), "");
}

TEST(Tensors, AreRefusedUnderWrongNames) {
  Interpreter interpreter;
  interpreter.run("dim n = 2\nmodel M { param w: [n] = 0 }\nlet net = M()");
  const auto set = [&](const std::string& name) {
    return refused([&] { interpreter.set(name, {{{"n", 2}}, std::vector<float>{1, 2}}); });
  };
  for (const char* name :
       {"", " x", "x y", "let", "1", "_", "x = 1 #", "x := 1 #", "net.w := 1\nnet.w", "(", "f(x)", "x\n"})
    EXPECT_EQ(set(name), "bad_value") << name;
  EXPECT_EQ(set("net.v"), "unknown_attribute");
  EXPECT_EQ(set("nett.w"), "unknown_name");
  EXPECT_EQ(set("net.w"), "");
  EXPECT_EQ(interpreter.tensor("net.w").numbers(), (std::vector<double>{1, 2}));
}

TEST(Tensors, AreRefusedInWrongElementTypes) {
  Interpreter interpreter;
  interpreter.run("dim n = 2\nmodel M { param w: [n] = 1 }\nlet net = M()");
  EXPECT_NE(refused([&] { interpreter.set("net.w", {{{"n", 2}}, std::array<bool, 2>{}}); }), "");
  EXPECT_EQ(interpreter.number("sum(net.w)"), 2);
  EXPECT_EQ(refused([&] { interpreter.tensor("net.w").as<double>(); }), "wrong_element_type");
  const std::array<unsigned char, 2> bytes = {1, 2};
  EXPECT_EQ(refused([&] {
              interpreter.set("x", {Element::kBool, {{"n", 2}}, std::as_bytes(std::span(bytes))});
            }),
            "bad_value");
  EXPECT_EQ(refused([&] { interpreter.set("x", {}); }), "size_mismatch");
  EXPECT_EQ(refused([&] { interpreter.tensor("net"); }), "type_mismatch");
  EXPECT_EQ(refused([&] { interpreter.number("net.w"); }), "type_mismatch");
  EXPECT_EQ(refused([&] { interpreter.tensor("missing"); }), "unknown_name");
}

TEST(Tensors, ARuleThatDoesNotFitIsRefused) {
  Interpreter interpreter(on("p:2", "a:p;b:p"));
  EXPECT_EQ(refused([&] { interpreter.set("x", {{{"a", 2}, {"b", 3}}, kSix}); }), "axis_used_twice");
}

TEST(Tensors, OfSeveralInterpretersOnSeveralThreadsAreTheirOwn) {
  std::vector<double> sums(8);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < sums.size(); ++t) {
    threads.emplace_back([&sums, t] {
      Interpreter interpreter(on("p:2", t % 2 == 0 ? "n:p" : ""));
      interpreter.run("fn step(x) = x * 2");
      std::vector<float> numbers(1000, static_cast<float>(t));
      for (int i = 0; i < 20; ++i) {
        interpreter.set("x", {{{"n", 1000}}, numbers});
        const TensorData y = interpreter.tensor("step(x)");
        numbers.assign(y.as<float>().begin(), y.as<float>().end());
        for (float& number : numbers) number /= 2;
      }
      sums[t] = interpreter.number("sum(x)");
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t t = 0; t < sums.size(); ++t) EXPECT_EQ(sums[t], 1000.0 * static_cast<double>(t));
}

}  // namespace tensors_test
}  // namespace mtf
