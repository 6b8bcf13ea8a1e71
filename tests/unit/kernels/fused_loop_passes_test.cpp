// The transformations of compile() keep every bit.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "kernels/kernel_table.h"

namespace mtf::kernels {
namespace {

using Int = std::int64_t;

/// `n` elements of `type`, among them infinities, NaN, and numbers of every size.
std::vector<char> elements(ElementType type, Int n) {
  std::mt19937 generator(7);
  std::uniform_real_distribution<double> uniform(-6, 6);
  std::vector<char> result(static_cast<std::size_t>(n * size_of(type)));
  for (Int k = 0; k < n; ++k) {
    double x = uniform(generator);
    if (k % 50 == 1) x *= 1e3;
    if (k % 50 == 2) x *= 1e-30;
    if (k % 50 == 3) x = std::copysign(std::numeric_limits<double>::infinity(), x);
    if (k % 50 == 4) x = std::numeric_limits<double>::quiet_NaN();
    const auto single = static_cast<float>(x);
    const Bf16 narrow = mtf::to_bf16(single);
    const void* from = type == ElementType::kF64   ? static_cast<const void*>(&x)
                       : type == ElementType::kF32 ? static_cast<const void*>(&single)
                                                   : &narrow;
    std::memcpy(result.data() + k * size_of(type), from, static_cast<std::size_t>(size_of(type)));
  }
  return result;
}

/// Returns the elements as bits; all NaNs are equal.
std::vector<std::uint64_t> bits(ElementType type, const std::vector<char>& elements) {
  std::vector<std::uint64_t> result(elements.size() / static_cast<std::size_t>(size_of(type)));
  for (std::size_t k = 0; k < result.size(); ++k) {
    const char* const at = elements.data() + k * static_cast<std::size_t>(size_of(type));
    std::memcpy(&result[k], at, static_cast<std::size_t>(size_of(type)));
    double value = 0;
    if (type == ElementType::kF64) std::memcpy(&value, at, 8);
    else
      value =
          std::bit_cast<float>(static_cast<std::uint32_t>(type == ElementType::kBf16 ? result[k] << 16 : result[k]));
    if (std::isnan(value)) result[k] = ~std::uint64_t{0};
  }
  return result;
}

/// Runs each of `ops` of one operand, all in one loop.
std::vector<std::vector<char>> run(const std::vector<LaneOp>& ops, ElementType type, const std::vector<char>& x) {
  const Int n = static_cast<Int>(x.size()) / size_of(type), one = 1;
  FusionProgram program;
  program.operands = {{OperandKind::kArray, type}};
  std::vector<std::vector<char>> results(ops.size(), std::vector<char>(x.size()));
  std::vector<FusionArgument> outputs;
  for (std::size_t k = 0; k < ops.size(); ++k) {
    program.steps.push_back({ops[k], 0});
    program.outputs.push_back({static_cast<int>(k) + 1, type});
    outputs.push_back(FusionArgument::array(results[k].data(), {&one, 1}));
  }
  const FusionArgument operand = FusionArgument::array(x.data(), {&one, 1});
  Threads threads(1);
  table().compile(program).run({&n, 1}, {&operand, 1}, outputs, threads);
  return results;
}

TEST(LoopPasses, FunctionsThatShareAGateHaveTheBitsThatTheyHaveAlone) {
  const std::vector<LaneOp> ops = {LaneOp::kGelu, LaneOp::kSwishGrad, LaneOp::kGeluGrad, LaneOp::kSigmoid,
                                   LaneOp::kSwish};
  for (ElementType type : {ElementType::kBf16, ElementType::kF32, ElementType::kF64}) {
    const std::vector<char> x = elements(type, 1000);
    const auto together = run(ops, type, x);
    for (std::size_t k = 0; k < ops.size(); ++k) {
      EXPECT_EQ(bits(type, together[k]), bits(type, run({ops[k]}, type, x)[0])) << name(ops[k]) << ' ' << name(type);
    }
  }
}

Int count(const std::string& text, const std::string& what) {
  Int times = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++times;
  return times;
}

TEST(LoopPasses, AGateIsComputedOnceForEachOperand) {
  FusionProgram program;
  program.operands = {{OperandKind::kArray, ElementType::kBf16}, {OperandKind::kArray, ElementType::kBf16}};
  program.steps = {{LaneOp::kGelu, 0}, {LaneOp::kGeluGrad, 0}, {LaneOp::kGelu, 1}};
  program.outputs = {{2, ElementType::kBf16}, {3, ElementType::kBf16}, {4, ElementType::kBf16}};
  const std::string text = table().compile(program).text();
  EXPECT_EQ(count(text, "gelu_gate"), 1) << text;
  EXPECT_EQ(count(text, "gelu_grad tile"), 0) << text;
  EXPECT_EQ(count(text, "gelu tile"), 1) << text;  // of the other operand, which shares nothing
}

TEST(LoopPasses, StepsThatNoOutputNeedsAreLeftOut) {
  FusionProgram program;
  program.operands = {{OperandKind::kArray, ElementType::kF32}};
  program.steps = {{LaneOp::kExp, 0}, {LaneOp::kNeg, 0}, {LaneOp::kLog, 1}};
  program.outputs = {{2, ElementType::kF32}};
  const std::string text = table().compile(program).text();
  EXPECT_EQ(count(text, "exp") + count(text, "log"), 0) << text;
  EXPECT_EQ(count(text, "neg"), 1) << text;
}

TEST(LoopPasses, ACastThatOnlyWidensBf16TakesNoStep) {
  FusionProgram program;
  program.operands = {{OperandKind::kArray, ElementType::kBf16}};
  program.steps = {{LaneOp::kCast, 0, -1, -1, ElementType::kF32}};
  program.outputs = {{1, ElementType::kF32}};
  const std::string text = table().compile(program).text();
  EXPECT_EQ(count(text, "cast"), 0) << text;
}

}  // namespace
}  // namespace mtf::kernels
