// Outputs of a loop in the reused memory of its operands.
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <random>

#include "kernels/kernel_table.h"

namespace mtf::kernels {
namespace {

using Int = std::int64_t;
using Bytes = std::vector<char>;

/// A loop over [rows, columns] of a few arrays and a number, with random steps and outputs. Each output has the index
/// of the array whose memory it reuses, or -1. Sums are over the rows.
struct RandomLoop {
  static constexpr int kArrays = 3;

  RandomLoop(ElementType type, unsigned seed) : generator(seed) {
    program.operands.assign(kArrays, {OperandKind::kArray, type});
    program.operands.push_back({OperandKind::kScalar, type});
    const int steps = upto(4), outputs = 1 + upto(4);
    for (int k = 0; k < steps; ++k)
      program.steps.push_back({upto(1) ? LaneOp::kAdd : LaneOp::kMaximum, upto(kArrays + k), upto(kArrays + k)});
    std::vector<int> free(kArrays);
    std::iota(free.begin(), free.end(), 0);
    std::shuffle(free.begin(), free.end(), generator);
    for (int o = 0; o < outputs; ++o) {
      const bool sum = upto(2) == 0;
      program.outputs.push_back({upto(kArrays + steps), type, sum ? Reduction::kSum : Reduction::kStore});
      over.push_back(sum || free.empty() || upto(3) == 0 ? -1 : free.back());
      if (over.back() >= 0) free.pop_back();
    }
  }

  int upto(int last) { return static_cast<int>(generator() % static_cast<unsigned>(last + 1)); }

  /// Returns the outputs. `in_place`: they reuse the arrays' memory.
  std::vector<Bytes> run(Int rows, Int columns, bool in_place, Threads& threads) const {
    const std::vector<Int> sizes{rows, columns}, strides{columns, 1}, reduced{0, 1};
    const ElementType type = program.operands[0].type;
    std::vector<Bytes> arrays, outputs;
    std::vector<FusionArgument> in, out;
    for (int a = 0; a < kArrays; ++a) arrays.push_back(numbers(type, rows * columns, a));
    for (const Bytes& array : arrays) in.push_back(FusionArgument::array(array.data(), strides));
    in.push_back(FusionArgument::scalar(1));
    for (const FusionOutput& output : program.outputs)
      outputs.emplace_back(
          static_cast<std::size_t>((output.reduction == Reduction::kStore ? rows : 1) * columns * size_of(type)));
    for (std::size_t o = 0; o < outputs.size(); ++o)
      out.push_back(FusionArgument::array(
          in_place && over[o] >= 0 ? arrays[static_cast<std::size_t>(over[o])].data() : outputs[o].data(),
          program.outputs[o].reduction == Reduction::kStore ? strides : reduced));
    table().compile(program).run(sizes, in, out, threads);
    for (std::size_t o = 0; o < outputs.size(); ++o)
      if (in_place && over[o] >= 0) outputs[o] = arrays[static_cast<std::size_t>(over[o])];
    return outputs;
  }

  /// Small integers, so that every type holds every sum.
  static Bytes numbers(ElementType type, Int count, int seed) {
    std::vector<std::int32_t> whole(static_cast<std::size_t>(count));
    for (Int i = 0; i < count; ++i)
      whole[static_cast<std::size_t>(i)] = static_cast<std::int32_t>((i * 7 + seed * 5) % 3);
    Bytes bytes(static_cast<std::size_t>(count * size_of(type)));
    FusionProgram cast;
    cast.operands = {{OperandKind::kArray, ElementType::kI32}};
    cast.steps = {{LaneOp::kCast, 0, -1, -1, type}};
    cast.outputs = {{1, type}};
    const Int one = 1;
    const FusionArgument in[] = {FusionArgument::array(whole.data(), {&one, 1})},
                         out[] = {FusionArgument::array(bytes.data(), {&one, 1})};
    Threads threads(1);
    table().compile(cast).run({&count, 1}, in, out, threads);
    return bytes;
  }

  std::mt19937 generator;
  FusionProgram program;
  std::vector<int> over;
};

TEST(FusedLoopMemory, OutputsInTheMemoryOfOperandsAreTheSameAsInTheirOwn) {
  Threads threads(2);
  for (ElementType type : {ElementType::kF32, ElementType::kF64, ElementType::kBf16, ElementType::kI32})
    for (unsigned seed = 0; seed < 300; ++seed) {
      const RandomLoop loop(type, seed);
      for (const auto& [rows, columns] : {std::pair<Int, Int>{16, 4}, {1, 300}, {300, 1}, {5, 130}, {3, 3}})
        ASSERT_EQ(loop.run(rows, columns, true, threads), loop.run(rows, columns, false, threads))
            << name(type) << ", seed " << seed << ", " << rows << " x " << columns << '\n'
            << table().compile(loop.program).text();
    }
}

TEST(FusedLoopMemory, OnlyThePositionsThatChangeAreWritten) {
  // caches[head, position, k] = position == at or position >= from ? x[head, k] : caches[head, position, k], in place
  const Int heads = 3, positions = 90, size = 64;
  const std::vector<Int> sizes{heads, positions, size}, dense{positions * size, size, 1}, row{size, 0, 1};
  FusionProgram p;
  p.operands = {{OperandKind::kIota, ElementType::kI32, 1},
                {OperandKind::kScalar, ElementType::kI32},
                {OperandKind::kScalar, ElementType::kI32},
                {OperandKind::kArray, ElementType::kF32},
                {OperandKind::kArray, ElementType::kF32}};
  p.steps = {{LaneOp::kEq, 0, 1}, {LaneOp::kGe, 0, 2}, {LaneOp::kOr, 5, 6}, {LaneOp::kWhere, 7, 3, 4}};
  p.outputs = {{8, ElementType::kF32}};
  const FusedLoop loop = table().compile(p);
  for (Int from : {90, 89, 60, 20, 0})
    for (Int at : {0, 7, 89, 90}) {
      std::vector<float> x(heads * size, 0.5F), cache(heads * positions * size);
      std::iota(cache.begin(), cache.end(), 1.0F);
      const std::vector<float> before = cache;
      const FusionArgument in[] = {FusionArgument::iota(0), FusionArgument::scalar(static_cast<double>(at)),
                                   FusionArgument::scalar(static_cast<double>(from)),
                                   FusionArgument::array(x.data(), row), FusionArgument::array(cache.data(), dense)};
      const FusionArgument out[] = {FusionArgument::array(cache.data(), dense)};
      loop.run(sizes, in, out, one_thread());
      for (Int k = 0; k < heads * positions * size; ++k) {
        const Int position = k / size % positions;
        ASSERT_EQ(cache[k], position == at || position >= from ? 0.5F : before[k]) << from << ' ' << at << ' ' << k;
      }
    }
}
TEST(FusedLoopMemory, ANumberStoredOverAnOperandComesAfterTheSumOfThatOperand) {
  const std::vector<Int> sizes{16, 256}, strides{256, 1}, reduced{0, 1};
  std::vector<float> x(16 * 256, 2), sum(256);
  FusionProgram p;
  p.operands = {{OperandKind::kScalar, ElementType::kF32}, {OperandKind::kArray, ElementType::kF32}};
  p.outputs = {{0, ElementType::kF32}, {1, ElementType::kF32, Reduction::kSum}};
  const FusionArgument in[] = {FusionArgument::scalar(1), FusionArgument::array(x.data(), strides)};
  const FusionArgument out[] = {FusionArgument::array(x.data(), strides), FusionArgument::array(sum.data(), reduced)};
  Threads threads(1);
  table().compile(p).run(sizes, in, out, threads);
  EXPECT_EQ(x, std::vector<float>(16 * 256, 1));
  EXPECT_EQ(sum, std::vector<float>(256, 32));
}

}  // namespace
}  // namespace mtf::kernels
