// Loops whose outputs reduce rows: together with the columns of the same matrix, or short rows.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>

#include "kernels/kernel_table.h"

namespace mtf::kernels {
namespace {

using Int = std::int64_t;

/// Results for a matrix of batch × rows × columns: twice the matrix, the sums and maxima of its rows, the sums of its
/// columns.
struct Results {
  std::vector<float> twice, row_sums, greatest, column_sums;
  bool operator==(const Results&) const = default;
};

template <class Number>
Results run(const std::vector<Number>& x, ElementType type, Int batch, Int rows, Int columns, bool transposed, int on) {
  const Int sizes[] = {batch, rows, columns};
  const Int dense[] = {rows * columns, columns, 1}, turned[] = {1, batch, batch * rows};
  const Int by_row[] = {rows, 1, 0}, by_column[] = {0, 0, 1};
  const std::size_t all = static_cast<std::size_t>(batch * rows * columns),
                    lines = static_cast<std::size_t>(batch * rows);
  Results r{std::vector<float>(all), std::vector<float>(lines), std::vector<float>(lines),
            std::vector<float>(static_cast<std::size_t>(columns))};
  FusionProgram program;
  program.operands = {{OperandKind::kArray, type}, {OperandKind::kScalar, ElementType::kF32}};
  program.steps = {{LaneOp::kCast, 0, -1, -1, ElementType::kF32}, {LaneOp::kMul, 2, 1}};
  program.outputs = {{2, ElementType::kF32, Reduction::kSum},
                     {3, ElementType::kF32},
                     {2, ElementType::kF32, Reduction::kSum},
                     {2, ElementType::kF32, Reduction::kMax}};
  const FusionArgument in[] = {FusionArgument::array(x.data(), transposed ? turned : dense), FusionArgument::scalar(2)};
  const FusionArgument out[] = {
      FusionArgument::array(r.column_sums.data(), by_column), FusionArgument::array(r.twice.data(), dense),
      FusionArgument::array(r.row_sums.data(), by_row), FusionArgument::array(r.greatest.data(), by_row)};
  Threads threads(on);
  table().compile(program).run(sizes, in, out, threads);
  return r;
}

template <class Number>
void expect_slow_loops_results(ElementType type, Int batch, Int rows, Int columns, bool transposed) {
  std::mt19937 generator(static_cast<unsigned>(rows * columns));
  std::uniform_real_distribution<float> uniform(-3, 3);
  std::vector<Number> x(static_cast<std::size_t>(batch * rows * columns));
  auto number = [](float v) {
    if constexpr (std::is_same_v<Number, Bf16>) return mtf::to_bf16(v);
    else return static_cast<Number>(v);
  };
  auto value = [](Number v) {
    if constexpr (std::is_same_v<Number, Bf16>) return mtf::to_float(v);
    else return static_cast<float>(v);
  };
  for (Number& e : x) e = number(uniform(generator));
  const Results r = run(x, type, batch, rows, columns, transposed, 1);
  EXPECT_EQ(r, run(x, type, batch, rows, columns, transposed, 2));
  std::vector<double> row_sums(r.row_sums.size()), column_sums(r.column_sums.size());
  std::vector<float> greatest(r.greatest.size(), -9), twice(r.twice.size());
  for (Int b = 0; b < batch; ++b) {
    for (Int i = 0; i < rows; ++i) {
      for (Int j = 0; j < columns; ++j) {
        const auto line = static_cast<std::size_t>(b * rows + i),
                   at = line * static_cast<std::size_t>(columns) + static_cast<std::size_t>(j);
        const float v = value(x[transposed ? static_cast<std::size_t>(b + i * batch + j * batch * rows) : at]);
        row_sums[line] += v;
        column_sums[static_cast<std::size_t>(j)] += v;
        greatest[line] = std::max(greatest[line], v);
        twice[at] = 2 * v;
      }
    }
  }
  EXPECT_EQ(r.twice, twice);
  EXPECT_EQ(r.greatest, greatest);
  for (std::size_t k = 0; k < row_sums.size(); ++k) ASSERT_NEAR(r.row_sums[k], row_sums[k], 2e-4) << k;
  for (std::size_t k = 0; k < column_sums.size(); ++k) ASSERT_NEAR(r.column_sums[k], column_sums[k], 2e-3) << k;
}

TEST(FusedLoopMatrix, SumsOfRowsAndColumnsAreTheSlowLoops) {
  for (bool transposed : {false, true}) {
    for (Int columns : {1, 40, 128, 130, 256, 1000, 1500, 2048, 2500}) {
      SCOPED_TRACE(columns);
      expect_slow_loops_results<float>(ElementType::kF32, 3, 35, columns, transposed);
      expect_slow_loops_results<double>(ElementType::kF64, 2, 17, columns, transposed);
      expect_slow_loops_results<Bf16>(ElementType::kBf16, 3, 35, columns, transposed);
    }
  }
}
TEST(FusedLoopMatrix, ManyRowsAreSummedInChunks) {
  expect_slow_loops_results<Bf16>(ElementType::kBf16, 7, 331, 200, false);
  expect_slow_loops_results<float>(ElementType::kF32, 7, 331, 200, false);
}

/// Sums, maxima and counts of rows of `columns` elements with the stride `apart`, times one number per row.
void expect_sums_of_short_rows(Int rows, Int heads, Int columns, Int apart) {
  const Int sizes[] = {rows, heads, columns}, x_strides[] = {heads * apart, apart, 1}, by_row[] = {1, rows, 0},
            y_strides[] = {heads * columns, columns, 1};
  std::vector<Bf16> x(static_cast<std::size_t>(rows * heads * apart));
  for (std::size_t k = 0; k < x.size(); ++k) x[k] = mtf::to_bf16(static_cast<float>(static_cast<Int>(k * 7 % 31) - 15));
  const auto lines = static_cast<std::size_t>(rows * heads);
  std::vector<float> factor(lines), sums(lines), greatest(lines), y(lines * static_cast<std::size_t>(columns), 7);
  std::vector<std::int32_t> positive(lines);
  for (std::size_t k = 0; k < lines; ++k) factor[k] = static_cast<float>(k % 5) - 1;
  FusionProgram program;
  program.operands = {{OperandKind::kArray, ElementType::kBf16},
                      {OperandKind::kArray, ElementType::kF32},
                      {OperandKind::kScalar, ElementType::kF32}};
  program.steps = {{LaneOp::kCast, 0, -1, -1, ElementType::kF32}, {LaneOp::kMul, 3, 1}, {LaneOp::kGt, 4, 2}};
  program.outputs = {{4, ElementType::kF32, Reduction::kSum},
                     {4, ElementType::kF32, Reduction::kMax},
                     {5, ElementType::kI32, Reduction::kSum},
                     {4, ElementType::kF32}};
  const FusionArgument in[] = {FusionArgument::array(x.data(), x_strides), FusionArgument::array(factor.data(), by_row),
                               FusionArgument::scalar(0)};
  const FusionArgument out[] = {
      FusionArgument::array(sums.data(), by_row), FusionArgument::array(greatest.data(), by_row),
      FusionArgument::array(positive.data(), by_row), FusionArgument::array(y.data(), y_strides)};
  Threads threads(2);
  table().compile(program).run(sizes, in, out, threads);
  for (Int i = 0; i < rows; ++i) {
    for (Int h = 0; h < heads; ++h) {
      const auto line = static_cast<std::size_t>(i + h * rows);
      float sum = 0, most = -1e9f;
      Int count = 0;
      for (Int j = 0; j < columns; ++j) {
        const float v = to_float(x[static_cast<std::size_t>((i * heads + h) * apart + j)]) * factor[line];
        sum += v;  // of integers: exact
        most = std::max(most, v);
        count += v > 0;
        ASSERT_EQ(y[static_cast<std::size_t>((i * heads + h) * columns + j)], v);
      }
      ASSERT_EQ(sums[line], sum);
      ASSERT_EQ(greatest[line], most);
      ASSERT_EQ(positive[line], count);
    }
  }
}
TEST(FusedLoopMatrix, ShortRowsAreReducedSideBySide) {
  for (Int columns : {7, 8, 16, 64, 96, 128}) {
    for (Int rows : {1, 2, 33, 700}) {
      SCOPED_TRACE(std::to_string(rows) + " rows of " + std::to_string(columns));
      expect_sums_of_short_rows(rows, 1, columns, columns);
      expect_sums_of_short_rows(rows, 3, columns, columns);
      expect_sums_of_short_rows(rows, 3, columns, columns + 5);
    }
  }
}

}  // namespace
}  // namespace mtf::kernels
