// Copies, products, rows, random numbers, threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <numeric>
#include <random>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "kernels/elements.h"
#include "kernels/kernel_table.h"
#include "kernels/level.h"
#include "kernels/threads.h"

namespace mtf::kernels {
namespace {

using Int = std::int64_t;
constexpr auto kF32 = ElementType::kF32;
constexpr auto kF64 = ElementType::kF64;

Threads& one_thread() {
  static Threads threads(1);
  return threads;
}

TEST(ElementType, NamesParseBackAndBf16RoundsToEven) {
  for (int k = 0; k < 5; ++k)
    EXPECT_EQ(mtf::parse_element_type(name(static_cast<ElementType>(k))), static_cast<ElementType>(k));
  EXPECT_FALSE(mtf::parse_element_type("f16"));
  EXPECT_EQ(to_float(mtf::to_bf16(1.00390625f)), 1.0f);
  EXPECT_EQ(to_float(mtf::to_bf16(1.01171875f)), 1.015625f);
  EXPECT_TRUE(std::isnan(to_float(mtf::to_bf16(NAN))));
  EXPECT_EQ(promote(ElementType::kI32, ElementType::kBf16), ElementType::kBf16);
}

TEST(Threads, EveryIndexIsVisitedOnceAndErrorsComeBack) {
  Threads threads(3);
  for (Int n : {0, 1, 5, 1000}) {
    std::vector<std::atomic<int>> seen(n);
    threads.parallel_for(n, 2, [&](Int begin, Int end) {
      for (Int k = begin; k < end; ++k) ++seen[k];
    });
    for (auto& s : seen) EXPECT_EQ(s, 1);
  }
  EXPECT_THROW(threads.parallel_for(100, 1,
                                    [](Int begin, Int) {
                                      if (begin > 0) throw std::runtime_error("x");
                                    }),
               std::runtime_error);
  int inner = 0;
  threads.parallel_for(1, 1, [&](Int, Int) { threads.parallel_for(1, 1, [&](Int, Int) { ++inner; }); });
  EXPECT_EQ(inner, 1);
}

TEST(Copy, AnyStridesArriveWhereTheyShould) {
  std::mt19937 generator(1);
  for (int round = 0; round < 300; ++round) {
    const int dims = static_cast<int>(generator() % 5);
    std::vector<Int> sizes, from(dims), to(dims);
    Int n = 1;
    for (int d = 0; d < dims; ++d) sizes.push_back(1 + generator() % (dims < 3 ? 70 : 9)), n *= sizes[d];
    for (auto* strides : {&from, &to}) {
      std::vector<int> order(dims);
      std::iota(order.begin(), order.end(), 0);
      std::shuffle(order.begin(), order.end(), generator);
      Int stride = 1;
      for (int d : order) (*strides)[d] = stride, stride *= sizes[d];
    }
    // Every second round repeats some dims.
    for (int d = 0; d < dims; ++d)
      if (round % 2 == 1 && generator() % 2 == 0) from[d] = 0;
    for (int bytes : {1, 2, 4, 8}) {
      std::vector<unsigned char> x(n * bytes), y(n * bytes, 0), expected(n * bytes, 0);
      for (auto& e : x) e = static_cast<unsigned char>(generator());
      table().copy_block(sizes, bytes, x.data(), from, y.data(), to);
      for (Int k = 0; k < n; ++k) {
        Int rest = k, f = 0, t = 0;
        for (int d = dims; d-- > 0; rest /= sizes[d]) f += rest % sizes[d] * from[d], t += rest % sizes[d] * to[d];
        std::memcpy(&expected[t * bytes], &x[f * bytes], bytes);
      }
      ASSERT_EQ(y, expected);
    }
  }
}

template <class T, class R = T>
void check_products(ElementType type, ElementType result_type, bool bf16_product, double tolerance) {
  std::mt19937 generator(7);
  Threads one(1), two(2);
  auto value = [](auto x) {
    if constexpr (std::is_same_v<decltype(x), Bf16>) return static_cast<double>(mtf::to_float(x));
    else return static_cast<double>(x);
  };
  auto make = [](double x, auto& into) {
    using E = std::decay_t<decltype(into)>;
    if constexpr (std::is_same_v<E, Bf16>) into = mtf::to_bf16(static_cast<float>(x));
    else into = static_cast<E>(x);
  };
  for (int round = 0; round < 200; ++round) {
    auto size = [&] {
      return static_cast<Int>(generator() % 5 == 0    ? 1
                              : generator() % 7 == 0  ? 100
                              : generator() % 23 == 0 ? 600
                                                      : 1 + generator() % 20);
    };
    const Int m = size(), n = size(), k = round % 20 == 0 ? 0 : size();
    const std::vector<Int> batch = round % 3 == 0 ? std::vector<Int>{2, 3} : std::vector<Int>{};
    const Int count = batch.empty() ? 1 : 6;
    auto layout = [&](Int rows, Int columns, Int& row, Int& column, std::vector<Int>& strides, bool repeat) {
      const Int gap = generator() % 4 == 0 ? 2 : 1;
      if (generator() % 2) column = gap, row = columns * gap + generator() % 3;
      else row = gap, column = rows * gap + generator() % 3;
      const Int each = (rows + 3) * (columns + 3) * 2;
      if (!batch.empty()) strides = {repeat ? 0 : 3 * each, each};
      return each * count + 8;
    };
    Matmul p;
    p.operand_type = type;
    p.result_type = result_type;
    p.bf16_product = bf16_product;
    p.accumulate = generator() % 2;
    p.m = m, p.n = n, p.k = k, p.batch = batch;
    std::vector<Int> as, bs, cs;
    std::vector<T> a(layout(m, k, p.a.row_stride, p.a.column_stride, as, round % 2));
    std::vector<T> b(layout(k, n, p.b.row_stride, p.b.column_stride, bs, false));
    std::vector<R> c(layout(m, n, p.c.row_stride, p.c.column_stride, cs, false));
    for (auto* list : {&a, &b})
      for (auto& e : *list)
        make(static_cast<double>(static_cast<int>(generator() % 2001) - 1000) / (std::is_integral_v<T> ? 1 : 500), e);
    for (auto& e : c) make(3, e);
    p.a.data = a.data(), p.b.data = b.data(), p.c.data = c.data();
    p.a.batch_strides = as, p.b.batch_strides = bs, p.c.batch_strides = cs;
    std::atomic<int> calls = 0;
    if (round % 2) p.progress = [&] { ++calls; };
    table().matmul(p, round % 5 == 0 ? two : one);
    for (Int i = 0; i < count; ++i) {
      const Int ao = batch.empty() ? 0 : i / 3 * as[0] + i % 3 * as[1],
                bo = batch.empty() ? 0 : i / 3 * bs[0] + i % 3 * bs[1],
                co = batch.empty() ? 0 : i / 3 * cs[0] + i % 3 * cs[1];
      for (Int r = 0; r < m; ++r)
        for (Int s = 0; s < n; ++s) {
          double e = p.accumulate ? 3 : 0;
          for (Int j = 0; j < k; ++j)
            e += value(a[ao + r * p.a.row_stride + j * p.a.column_stride]) *
                 value(b[bo + j * p.b.row_stride + s * p.b.column_stride]);
          ASSERT_NEAR(value(c[co + r * p.c.row_stride + s * p.c.column_stride]), e,
                      tolerance * (1 + std::abs(e) + 4.0 * k))
              << m << ' ' << n << ' ' << k;
        }
    }
  }
}
TEST(Matmul, EveryShapeAndOrderGivesTheSlowProduct) {
  check_products<float>(kF32, kF32, false, 1e-6);
  check_products<double>(kF64, kF64, false, 1e-14);
  check_products<std::int32_t>(ElementType::kI32, ElementType::kI32, false, 0);
  check_products<Bf16, float>(ElementType::kBf16, kF32, false, 1e-6);
  check_products<Bf16>(ElementType::kBf16, ElementType::kBf16, false, 4e-3);
  check_products<float>(kF32, kF32, true, 1e-2);
}
TEST(Matmul, KnownEinsum) {
  const float a[] = {1, 2, 3, 4}, b[] = {5, 6, 7, 8};
  float c[4];
  Matmul p;
  p.m = p.n = p.k = 2;
  p.a = {const_cast<float*>(a), 2, 1, {}}, p.b = {const_cast<float*>(b), 2, 1, {}}, p.c = {c, 2, 1, {}};
  table().matmul(p, one_thread());
  EXPECT_EQ(std::vector<float>(c, c + 4), (std::vector<float>{19, 22, 43, 50}));
}
float rounded(float x, float) { return x; }
Bf16 rounded(float x, Bf16) { return mtf::to_bf16(x); }
template <class T>
void check_bits(bool bf16_product, Int k, bool b_lies_along_k) {
  const Int m = 300, n = 150, b_row = b_lies_along_k ? 1 : n, b_column = b_lies_along_k ? k : 1;
  std::mt19937 generator(3);
  std::normal_distribution<float> normal;
  std::vector<T> a(m * k), b(k * n);
  std::vector<float> whole(m * n);
  for (auto* list : {&a, &b})
    for (T& x : *list) x = rounded(normal(generator), x);
  auto product = [&](Int row, Int rows, Int column, Int columns, Matmul p, Threads& threads) {
    std::vector<float> c(rows * columns);
    p.m = rows, p.n = columns, p.k = k, p.bf16_product = bf16_product;
    p.operand_type = std::is_same_v<T, Bf16> ? ElementType::kBf16 : kF32;
    p.a = {a.data() + row * k, k, 1, {}}, p.b = {b.data() + column * b_column, b_row, b_column, {}};
    p.c.data = c.data();
    table().matmul(p, threads);
    return c;
  };
  Matmul by_rows, by_columns;
  by_rows.c = {nullptr, n, 1, {}};
  whole = product(0, m, 0, n, by_rows, one_thread());
  Threads two(2);
  by_rows.progress = [] {};
  EXPECT_EQ(product(0, m, 0, n, by_rows, two), whole);
  for (Int rows : {1, 2, 5, 13, 77, 290})
    for (Int columns : {1, 2, 6, 15, 17, 140}) {
      by_rows.c = {nullptr, columns, 1, {}}, by_columns.c = {nullptr, 1, rows, {}};
      const auto part = product(7, rows, 9, columns, by_rows, one_thread()),
                 turned = product(7, rows, 9, columns, by_columns, one_thread());
      for (Int r = 0; r < rows; ++r)
        for (Int c = 0; c < columns; ++c) {
          ASSERT_EQ(part[r * columns + c], whole[(7 + r) * n + 9 + c]) << rows << ' ' << columns;
          ASSERT_EQ(turned[c * rows + r], whole[(7 + r) * n + 9 + c]) << rows << ' ' << columns;
        }
    }
}
TEST(Matmul, AnElementHasTheSameBitsWhereverItStands) {
  for (const Int k : {1100, 1101})  // few rows of bf16 read the columns of an even one in place, and the rows of both
    for (const bool b_lies_along_k : {false, true}) {
      check_bits<float>(false, k, b_lies_along_k);
      check_bits<float>(true, k, b_lies_along_k);
      check_bits<Bf16>(false, k, b_lies_along_k);
    }
}
TEST(Matmul, ProductsOfAFewRowsAddTheirTermsInOrder) {
  std::mt19937 generator(4);
  std::normal_distribution<float> normal;
  auto draw = [&](Int low, Int high) { return low + static_cast<Int>(generator() % (high - low + 1)); };
  for (int iteration = 0; iteration < 2000; ++iteration) {
    const Int m = draw(1, 18), n = draw(0, 1) == 0 ? Int{1} << draw(0, 4) : draw(1, 18), k = draw(0, 66), count = 3;
    Matmul p;
    p.m = m, p.n = n, p.k = k, p.batch = {&count, 1}, p.accumulate = draw(0, 1) == 0;
    std::vector<float> a(count * m * k), b(count * k * n), c(count * m * n), expected;
    for (auto* list : {&a, &b, &c})
      for (float& x : *list) x = normal(generator);
    const Int a_each = m * k, b_each = k * n, c_each = m * n;
    const bool a_turned = draw(0, 1) == 0, b_turned = draw(0, 2) == 0, c_turned = draw(0, 2) == 0;
    p.a = {a.data(), a_turned ? 1 : k, a_turned ? m : 1, {&a_each, 1}};
    p.b = {b.data(), b_turned ? 1 : n, b_turned ? k : 1, {&b_each, 1}};
    p.c = {c.data(), c_turned ? 1 : n, c_turned ? m : 1, {&c_each, 1}};
    expected = c;
    for (Int each = 0; each < count; ++each)
      for (Int i = 0; i < m; ++i)
        for (Int j = 0; j < n; ++j) {
          float sum = 0;
          for (Int q = 0; q < k; ++q) {
            const float x = a[each * a_each + i * p.a.row_stride + q * p.a.column_stride],
                        y = b[each * b_each + q * p.b.row_stride + j * p.b.column_stride];
            sum = fuses_products(level_in_use()) ? std::fma(x, y, sum) : sum + x * y;
          }
          float& to = expected[each * c_each + i * p.c.row_stride + j * p.c.column_stride];
          to = p.accumulate ? to + sum : sum;
        }
    table().matmul(p, one_thread());
    ASSERT_EQ(c, expected) << m << ' ' << n << ' ' << k;
  }
}
TEST(Matmul, FewRowsReadTheMatrixRoundedAsItIsElsewhere) {
  const Int k = 64, n = 64;
  // The processor's bf16 instructions treat denormals as 0.
  const float smallest = multiplies_bf16(level_in_use()) ? 1e-37F : 1e-40F;
  const float special[] = {1 + 0x1p-8F, 1 + 0x3p-8F, NAN, INFINITY, -INFINITY, 3.4e38F, smallest, -2.7F};
  std::vector<float> ones(2 * k, 1), c(2 * n);
  for (Int row : {Int{1}, n})  // of the matrix, in which each column holds one number
    for (bool is_bf16 : {false, true}) {
      std::vector<float> b(k * n);
      std::vector<Bf16> narrow(k * n), narrow_ones(2 * k, mtf::to_bf16(1));
      const Int column = row == 1 ? k : 1;
      for (Int p = 0; p < k; ++p)
        for (Int j = 0; j < n; ++j) {
          b[p * row + j * column] = special[j % 8];
          narrow[p * row + j * column] = mtf::to_bf16(special[j % 8]);
        }
      Matmul product;
      product.m = 2, product.n = n, product.k = k, product.bf16_product = !is_bf16;
      product.operand_type = is_bf16 ? ElementType::kBf16 : kF32;
      product.a = {is_bf16 ? static_cast<void*>(narrow_ones.data()) : ones.data(), k, 1, {}};
      product.b = {is_bf16 ? static_cast<void*>(narrow.data()) : b.data(), row, column, {}};
      product.c = {c.data(), n, 1, {}};
      table().matmul(product, one_thread());
      for (Int j = 0; j < 2 * n; ++j) {
        const float expected = static_cast<float>(k) * to_float(mtf::to_bf16(special[j % 8]));
        ASSERT_TRUE(c[j] == expected || (std::isnan(c[j]) && std::isnan(expected))) << c[j] << " for " << expected;
      }
    }
}
TEST(Matmul, ALongProductReportsProgress) {
  const Int n = 600;
  std::vector<float> a(n * n, 1), b(n * n, 1), c(n * n);
  Matmul p;
  p.m = p.n = p.k = n;
  p.a = {a.data(), n, 1, {}}, p.b = {b.data(), n, 1, {}}, p.c = {c.data(), n, 1, {}};
  int calls = 0;
  p.progress = [&] { ++calls; };
  table().matmul(p, one_thread());
  EXPECT_GE(calls, 5);
  EXPECT_EQ(c[n * n - 1], n);
  struct Stopped {};
  std::atomic<int> left = 3;
  p.progress = [&] {
    if (--left <= 0) throw Stopped();
  };
  Threads two(2);
  EXPECT_THROW(table().matmul(p, two), Stopped);
  EXPECT_GE(left, -1);  // the other thread ends too
}

TEST(Rows, SoftmaxAndLogsumexpHaveTheirKnownValues) {
  const float x[] = {1, 2, 3, 4}, expected[] = {.0320586f, .0871443f, .2368828f, .6439142f};
  float y[4], l[1];
  table().softmax_rows(kF32, {1, 4, 1}, {x, 4, 1, 0}, {y, 4, 1, 0}, one_thread());
  table().logsumexp_rows(kF32, {1, 4, 1}, {x, 4, 1, 0}, {l, 1, 1, 0}, one_thread());
  for (int k = 0; k < 4; ++k) EXPECT_NEAR(y[k], expected[k], 1e-7);
  EXPECT_NEAR(l[0], 4.4401898, 1e-6);
  table().log_softmax_rows(kF32, {1, 4, 1}, {x, 4, 1, 0}, {y, 4, 1, 0}, one_thread());
  for (int k = 0; k < 4; ++k) EXPECT_NEAR(y[k], x[k] - l[0], 1e-6);
}
TEST(Rows, LayerNormHasItsKnownValues) {
  const double x[] = {1, 2, 3, 4}, expected[] = {-1.3416404, -.4472134, .4472134, 1.3416404};
  double y[4], mean, scale;
  table().layer_norm_rows(kF64, {1, 4, 1}, 1e-6, {x, 4, 1, 0}, {y, 4, 1, 0}, {&mean, 0, 0, 0}, {&scale, 0, 0, 0},
                          one_thread());
  for (int k = 0; k < 4; ++k) EXPECT_NEAR(y[k], expected[k], 1e-6);
  EXPECT_EQ(mean, 2.5);
  EXPECT_NEAR(scale, 1 / std::sqrt(1.25 + 1e-6), 1e-12);
}
/// Computes each kernel of rows on x; element k of row i is x[i * row_stride + k * stride].
template <class T>
std::vector<std::vector<T>> all_of_rows(const std::vector<T>& x, Int count, Int n, Int row_stride, Int stride) {
  const ElementType type = std::is_same_v<T, float> ? kF32 : kF64;
  std::vector<std::vector<T>> results(8, std::vector<T>(x.size()));
  const Rows rows{1, n, count};
  const RowsIn in{x.data(), 0, stride, row_stride};
  const auto whole = [&](int which) { return RowsOut{results[which].data(), 0, stride, row_stride}; };
  const auto one_each = [&](int which) { return RowsOut{results[which].data(), 0, 0, row_stride}; };
  table().softmax_rows(type, rows, in, whole(0), one_thread());
  table().log_softmax_rows(type, rows, in, whole(1), one_thread());
  table().layer_norm_rows(type, rows, 1e-6, in, whole(2), one_each(3), one_each(4), one_thread());
  table().logsumexp_rows(type, rows, in, one_each(5), one_thread());
  table().log_sum_rows(type, rows, in, one_each(6), one_each(7), one_thread());
  return results;
}

template <class T>
void expect_rows_alone_have_the_same_bits() {
  for (const Int n : {1, 2, 3, 7, 8, 9, 10, 15, 16, 17, 37})
    for (const bool side_by_side : {true, false}) {
      const Int count = 21, row_stride = side_by_side ? n : 1, stride = side_by_side ? 1 : count;
      std::vector<T> x(static_cast<std::size_t>(n * count));
      for (std::size_t k = 0; k < x.size(); ++k) x[k] = std::sin(static_cast<T>(k));
      const auto together = all_of_rows(x, count, n, row_stride, stride);
      for (Int i = 0; i < count; ++i) {
        std::vector<T> row(static_cast<std::size_t>(n));
        for (Int k = 0; k < n; ++k) row[k] = x[i * row_stride + k * stride];
        const auto alone = all_of_rows(row, 1, n, n, 1);
        for (std::size_t which = 0; which < alone.size(); ++which)
          for (Int k = 0; k < (which < 3 ? n : 1); ++k)
            ASSERT_EQ(alone[which][k], together[which][i * row_stride + k * stride])
                << "result " << which << " of rows of " << n;
      }
    }
}
TEST(Rows, ARowsBitsDependOnItsElementsOnly) {
  expect_rows_alone_have_the_same_bits<float>();
  expect_rows_alone_have_the_same_bits<double>();
}
TEST(Rows, OfBf16AreThoseOfF32RoundedOnce) {
  for (const Int n : {1, 3, 16, 37, 100})
    for (const bool side_by_side : {true, false}) {
      const Int count = 21, row_stride = side_by_side ? n : 1, stride = side_by_side ? 1 : count;
      const Rows rows{1, n, count};
      std::vector<Bf16> x;
      std::vector<float> wide;
      for (Int i = 0; i < n * count; ++i) {
        x.push_back(to_bf16(std::sin(static_cast<float>(i)) + 2));
        wide.push_back(to_float(x.back()));
      }
      const auto of = [&](ElementType type, auto& from) {
        auto y = from;
        std::vector<std::vector<float>> each(4, std::vector<float>(count));
        const RowsIn in{from.data(), 0, stride, row_stride};
        const auto one = [&](int which) { return RowsOut{each[which].data(), 0, 0, 1}; };
        table().layer_norm_rows(type, rows, 1e-6, in, {y.data(), 0, stride, row_stride}, one(0), one(1), one_thread());
        table().log_sum_rows(type, rows, in, one(2), one(3), one_thread());
        return std::pair(y, each);
      };
      const auto [narrow_y, narrow_each] = of(ElementType::kBf16, x);
      const auto [wide_y, wide_each] = of(kF32, wide);
      EXPECT_EQ(narrow_each, wide_each) << "rows of " << n;
      for (std::size_t i = 0; i < x.size(); ++i)
        ASSERT_EQ(narrow_y[i].bits, to_bf16(wide_y[i]).bits) << "rows of " << n;
    }
}
TEST(Rows, InfinitiesAndNans) {
  const float inf = INFINITY;
  float masked[] = {1, -inf, 1}, none[] = {-inf, -inf}, bad[] = {1, NAN}, y[3];
  table().softmax_rows(kF32, {1, 3, 1}, {masked, 3, 1, 0}, {y, 3, 1, 0}, one_thread());
  EXPECT_EQ(std::vector<float>(y, y + 3), (std::vector<float>{.5f, 0, .5f}));
  table().softmax_rows(kF32, {1, 2, 1}, {none, 2, 1, 0}, {y, 2, 1, 0}, one_thread());
  EXPECT_TRUE(std::isnan(y[0]));
  table().logsumexp_rows(kF32, {1, 2, 1}, {none, 2, 1, 0}, {y, 0, 1, 0}, one_thread());
  EXPECT_EQ(y[0], -inf);
  table().softmax_rows(kF32, {1, 2, 1}, {bad, 2, 1, 0}, {y, 2, 1, 0}, one_thread());
  EXPECT_TRUE(std::isnan(y[0]) && std::isnan(y[1]));
}

TEST(Philox, TheWordsAreThoseOfThePaper) {
  // Random123's known answer: counter 0, key 0 gives 6627e8d5 e169c58d bc57ac4c 9b00dbd8.
  std::int32_t x[64];
  const RandomDim dim{0, 64, 64, 1};
  table().fill_integers({0, 0}, {&dim, 1}, x, -2147483648LL, 2147483648LL, one_thread());
  const std::uint32_t expected[] = {0x6627e8d5U, 0xe169c58dU, 0xbc57ac4cU, 0x9b00dbd8U};
  for (int w = 0; w < 4; ++w) EXPECT_EQ(static_cast<std::uint32_t>(x[16 * w]) ^ 0x80000000U, expected[w]);
}
TEST(Philox, ABlockHoldsThePartOfTheWhole) {
  const Int whole[] = {7, 11, 13};
  for (ElementType type : {kF32, kF64}) {
    const std::size_t bytes = static_cast<std::size_t>(size_of(type));
    std::vector<char> all(7 * 11 * 13 * bytes), part(3 * 5 * 6 * bytes);
    const RandomDim full[] = {{0, 7, 7, 143}, {0, 11, 11, 13}, {0, 13, 13, 1}};
    const RandomDim some[] = {{2, 3, 7, 1}, {4, 5, 11, 3}, {5, 6, 13, 15}};
    for (auto* fill : {table().fill_uniform, table().fill_normal, table().fill_truncated_normal}) {
      Threads two(2);
      fill({3, 4}, {full, 3}, type, all.data(), 0, 1, two);
      fill({3, 4}, {some, 3}, type, part.data(), 0, 1, one_thread());
      for (Int i = 0; i < 3; ++i)
        for (Int j = 0; j < 5; ++j)
          for (Int k = 0; k < 6; ++k) {
            ASSERT_EQ(0, std::memcmp(&part[(i + 3 * j + 15 * k) * bytes],
                                     &all[(((2 + i) * whole[1] + 4 + j) * whole[2] + 5 + k) * bytes], bytes));
          }
    }
  }
}
TEST(Philox, UniformNumbersLieBetweenTheBoundsInEveryType) {
  const Int n = 1 << 16;
  const RandomDim dim{0, n, n, 1};
  const double bounds[][2] = {{0, 1},     {0, 4},     {-1, 1},      {-3, -2},  {-1, 0},
                              {0.3, 0.7}, {0.7, 0.9}, {-0.7, -0.3}, {1, 1.01}, {-1e30, 1e30}};
  const auto check = [&](auto zero, ElementType type) {
    using T = decltype(zero);
    std::vector<T> x(n);
    for (const auto& [low, high] : bounds) {
      table().fill_uniform({2, 9}, {&dim, 1}, type, x.data(), low, high, one_thread());
      // Scripts compare with the bounds rounded to the type.
      const auto least = to_number(from_number<T>(static_cast<Number<T>>(low))),
                 end = to_number(from_number<T>(static_cast<Number<T>>(high)));
      for (const T number : x) {
        ASSERT_GE(to_number(number), least) << low << ".." << high << " of " << name(type);
        ASSERT_LT(to_number(number), end) << low << ".." << high << " of " << name(type);
      }
    }
  };
  check(float{}, kF32);
  check(double{}, kF64);
  check(Bf16{}, ElementType::kBf16);
}
TEST(Philox, TheNumbersHaveTheirDistribution) {
  const Int n = 1 << 18;
  const RandomDim dim{0, n, n, 1};
  auto moments = [&](auto zero, auto* fill, double a, double b) {
    using T = decltype(zero);
    std::vector<T> x(n);
    fill({11, 5}, {&dim, 1}, sizeof(T) == 8 ? kF64 : kF32, x.data(), a, b, one_thread());
    double mean = 0, variance = 0;
    for (T e : x) mean += e;
    mean /= n;
    for (T e : x) variance += (e - mean) * (e - mean);
    return std::tuple(mean, std::sqrt(variance / n), static_cast<double>(*std::min_element(x.begin(), x.end())),
                      static_cast<double>(*std::max_element(x.begin(), x.end())));
  };
  auto check = [&](auto zero) {
    auto [um, us, ul, uh] = moments(zero, table().fill_uniform, -1, 3);
    EXPECT_NEAR(um, 1, .02);
    EXPECT_NEAR(us, 4 / std::sqrt(12.0), .02);
    EXPECT_GE(ul, -1);
    EXPECT_LT(uh, 3);
    auto [nm, ns, nl, nh] = moments(zero, table().fill_normal, 2, 3);
    EXPECT_NEAR(nm, 2, .03);
    EXPECT_NEAR(ns, 3, .03);
    EXPECT_LT(nl, 2 - 9);
    EXPECT_GT(nh, 2 + 9);
    auto [tm, ts, tl, th] = moments(zero, table().fill_truncated_normal, 0, 1);
    EXPECT_NEAR(tm, 0, .01);
    EXPECT_NEAR(ts, .8796, .01);
    EXPECT_GE(tl, -2);
    EXPECT_LE(th, 2);
    EXPECT_GT(th, 1.99);
  };
  check(float{});
  check(double{});
  std::vector<std::int32_t> x(n);
  table().fill_integers({1, 1}, {&dim, 1}, x.data(), -3, 4, one_thread());
  std::vector<int> count(7);
  for (int e : x) ++count.at(static_cast<std::size_t>(e + 3));
  for (int c : count) EXPECT_NEAR(c, n / 7.0, 1000);
}

}  // namespace
}  // namespace mtf::kernels
