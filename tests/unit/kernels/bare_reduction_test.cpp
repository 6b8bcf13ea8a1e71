// Loops of one array and its one reduction, which are computed in registers.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "kernels/kernel_table.h"

namespace mtf::kernels {
namespace {

using Int = std::int64_t;

/// Numbers whose sums depend on their order.
template <class Number>
std::vector<Number> numbers(Int count, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> uniform(-3, 3);
  std::vector<Number> x(static_cast<std::size_t>(count));
  for (Number& each : x) {
    const double number = uniform(generator);
    if constexpr (std::is_same_v<Number, Bf16>) each = to_bf16(static_cast<float>(number));
    else each = static_cast<Number>(std::is_integral_v<Number> ? 1e8 * number : number);
  }
  return x;
}

struct Shape {
  Int rows, columns;
  bool over_rows;
  Int gap;  ///< elements between two rows
};

/// Reduces x[rows, columns] over one dim. With a second output (a copy of x) the loop is no bare reduction.
template <class Number>
std::vector<Number> reduce(const std::vector<Number>& x, ElementType type, Reduction how, const Shape& shape,
                           bool beside) {
  const Int sizes[] = {shape.rows, shape.columns}, strides[] = {shape.columns + shape.gap, 1};
  const Int kept[] = {shape.over_rows ? 0 : 1, shape.over_rows ? 1 : 0}, dense[] = {shape.columns, 1};
  std::vector<Number> result(static_cast<std::size_t>(shape.over_rows ? shape.columns : shape.rows));
  std::vector<Number> copy(static_cast<std::size_t>(shape.rows * shape.columns));
  FusionProgram program;
  program.operands = {{OperandKind::kArray, type}};
  program.outputs = {{0, type, how}};
  std::vector<FusionArgument> out = {FusionArgument::array(result.data(), kept)};
  if (beside) {
    program.outputs.push_back({0, type});
    out.push_back(FusionArgument::array(copy.data(), dense));
  }
  const FusionArgument in[] = {FusionArgument::array(x.data(), strides)};
  Threads threads(1);
  table().compile(program).run(sizes, in, out, threads);
  return result;
}

template <class Number>
bool have_the_same_bits(const std::vector<Number>& a, const std::vector<Number>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(Number)) == 0;
}

template <class Number>
void expect_the_same_bits(ElementType type) {
  std::mt19937 generator(7);
  const auto upto = [&](Int most) { return std::uniform_int_distribution<Int>(1, most)(generator); };
  for (int k = 0; k < 400; ++k) {
    const bool over_rows = k % 2 == 0;
    const Int columns = k % 3 == 0 ? 64 + upto(3000) : over_rows || k % 3 == 1 ? 64 + upto(200) : 7 + upto(57);
    const Shape shape{upto(70), columns, over_rows, k % 5 == 0 ? upto(9) : 0};
    const auto x = numbers<Number>(shape.rows * (shape.columns + shape.gap), static_cast<unsigned>(k));
    for (const Reduction how : {Reduction::kSum, Reduction::kProd, Reduction::kMax, Reduction::kMin})
      ASSERT_TRUE(have_the_same_bits(reduce(x, type, how, shape, false), reduce(x, type, how, shape, true)))
          << shape.rows << " by " << shape.columns << (shape.over_rows ? " over rows" : " over columns");
  }
}

TEST(BareReductions, HaveTheBitsOfTheSameBesideAnotherOutput) {
  expect_the_same_bits<float>(ElementType::kF32);
  expect_the_same_bits<double>(ElementType::kF64);
  expect_the_same_bits<std::int32_t>(ElementType::kI32);
  expect_the_same_bits<Bf16>(ElementType::kBf16);
}

/// The last packets would extend beyond the matrix, or into the next rows.
TEST(BareReductions, ReadNothingBeyondTheLastRow) {
  const float nan = std::nanf("");
  for (const Int columns : {1, 3, 7, 9, 10, 17, 33, 65, 100, 1000, 1025}) {
    for (const Int rows : {1, 2, 9}) {
      std::vector<float> x(static_cast<std::size_t>(rows * columns), 1.0F);
      x.resize(x.size() + 64, nan);
      const auto sums = reduce(x, ElementType::kF32, Reduction::kSum, {rows, columns, false, 0}, false);
      ASSERT_EQ(sums, std::vector<float>(static_cast<std::size_t>(rows), static_cast<float>(columns)));
    }
  }
}

TEST(BareReductions, OfNegativeZerosArePositive) {
  for (const Int columns : {2, 8, 10, 64, 100, 1100}) {
    const std::vector<float> x(static_cast<std::size_t>(5 * columns), -0.0F);
    for (const float sum : reduce(x, ElementType::kF32, Reduction::kSum, {5, columns, false, 0}, false))
      ASSERT_FALSE(std::signbit(sum)) << columns;
  }
}

/// The order of a sum over a column of few lanes: each run of flat rows lane by lane, sixteen rows in the element's
/// type and the runs in f64, then the lanes of a column.
TEST(BareReductions, OfNarrowColumnsAreExactToRounding) {
  for (const Int columns : {1, 2, 3, 5, 10, 31, 63}) {
    const Shape shape{5000, columns, true, 0};
    const auto x = numbers<float>(shape.rows * columns, static_cast<unsigned>(columns));
    const std::vector<float> sums = reduce(x, ElementType::kF32, Reduction::kSum, shape, false);
    for (Int c = 0; c < columns; ++c) {
      double expected = 0;
      for (Int r = 0; r < shape.rows; ++r) expected += x[static_cast<std::size_t>(r * columns + c)];
      ASSERT_NEAR(sums[static_cast<std::size_t>(c)], expected, 1e-6 * std::sqrt(5000.0) * 3) << columns;
    }
  }
}

/// Rows that are shorter than a tile are summed by halves, independent of other rows.
TEST(BareReductions, OfShortRowsAreJoinedByHalves) {
  for (const Int columns : {8, 9, 10, 13, 16, 31, 33, 50, 64}) {
    const Shape shape{300, columns, false, columns % 2};
    const auto x = numbers<float>(shape.rows * (columns + shape.gap), static_cast<unsigned>(columns));
    const std::vector<float> sums = reduce(x, ElementType::kF32, Reduction::kSum, shape, false);
    for (Int r = 0; r < shape.rows; ++r) {
      std::vector<float> lanes(64, 0.0F);
      std::copy_n(x.begin() + r * (columns + shape.gap), columns, lanes.begin());
      for (std::size_t half = 32; half > 0; half /= 2)
        for (std::size_t l = 0; l < half; ++l) lanes[l] += lanes[l + half];
      ASSERT_EQ(sums[static_cast<std::size_t>(r)], lanes[0]) << columns;
    }
  }
}

}  // namespace
}  // namespace mtf::kernels
