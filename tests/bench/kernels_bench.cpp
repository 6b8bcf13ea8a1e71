// The kernels against their limits: one copy of the memory, or a bare Eigen product. Each benchmark reports `ratio`,
// the median of interleaved pairs: the kernel's time divided by the copy's or Eigen's. It compares the result once with
// a plain computation.
#include <benchmark/benchmark.h>

// g++ 12 warns of its own AVX-512 intrinsics (PR 105593).
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <vector>

#include "kernels/kernel_table.h"
#include "timing.h"

namespace mtf {
namespace {

using Int = std::int64_t;
constexpr auto kF32 = ElementType::kF32;

using enum kernels::LaneOp;
constexpr Int kBig = 4 << 20;             // 16 MiB of f32
constexpr double kBigBytes = 8.0 * kBig;  // read and written

/// Computes an operation of these benchmarks on a number (and on 1.0001), in double precision.
double plain(kernels::LaneOp op, double x) {
  constexpr double other = 1.0001f;
  switch (op) {
    case kAdd: return x + other;
    case kMul: return x * other;
    case kMaximum: return std::max(x, other);
    case kExp: return std::exp(x);
    case kTanh: return std::tanh(x);
    case kLog: return std::log(x);
    case kSin: return std::sin(x);
    case kGelu: return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
    default: return NAN;
  }
}

/// Numbers between 0.25 and 0.75, no two neighbours equal.
std::vector<float> operand(Int count) {
  std::vector<float> x(count);
  for (Int i = 0; i < count; ++i) x[i] = 0.25f + 0.5f * static_cast<float>(i * 7919 % 8191) / 8191;
  return x;
}

/// Element-wise steps over 16 MiB against one memcpy of it.
void chain(benchmark::State& state, const std::vector<kernels::LaneOp>& ops, Int inner) {
  std::vector<float> x = operand(kBig), y(kBig), z(kBig), expected(x);
  for (float& number : expected) {
    double result = number;
    for (const kernels::LaneOp op : ops) result = plain(op, result);
    number = static_cast<float>(result);
  }
  kernels::FusionProgram p;
  p.operands = {{kernels::OperandKind::kArray, kF32}, {kernels::OperandKind::kScalar, kF32}};
  int value = 0;
  for (std::size_t k = 0; k < ops.size(); ++k) {
    p.steps.push_back({ops[k], value, arity(ops[k]) > 1 ? 1 : -1});
    value = 2 + static_cast<int>(k);
  }
  p.outputs = {{value, kF32}};
  const kernels::FusedLoop loop = kernels::table().compile(p);
  kernels::Threads threads(1);
  const Int sizes[] = {kBig / inner, inner}, strides[] = {inner, 1};
  const kernels::FusionArgument in[] = {kernels::FusionArgument::array(x.data(), strides),
                                        kernels::FusionArgument::scalar(1.0001)};
  const kernels::FusionArgument out[] = {kernels::FusionArgument::array(y.data(), strides)};
  compare(
      state, [&] { loop.run(sizes, in, out, threads); }, [&] { std::memcpy(z.data(), x.data(), kBig * 4); }, 0,
      kBigBytes);
  expect_same<float>(state, y, expected);
  expect_same<float>(state, z, x);
}
BENCHMARK_CAPTURE(chain, eight_cheap, {kAdd, kMul, kMaximum, kAdd, kMul, kMaximum, kAdd, kMul}, 4096)->UseManualTime();
BENCHMARK_CAPTURE(chain, one_add, {kAdd}, 4096)->UseManualTime();
BENCHMARK_CAPTURE(chain, with_exp, {kAdd, kMul, kMaximum, kExp, kMul, kMaximum, kAdd, kMul}, 4096)->UseManualTime();
BENCHMARK_CAPTURE(chain, with_tanh, {kAdd, kMul, kMaximum, kTanh, kMul, kMaximum, kAdd, kMul}, 4096)->UseManualTime();
BENCHMARK_CAPTURE(chain, gelu, {kGelu}, 4096)->UseManualTime();
BENCHMARK_CAPTURE(chain, log, {kLog}, 4096)->UseManualTime();
BENCHMARK_CAPTURE(chain, sin, {kSin}, 4096)->UseManualTime();

/// x[rows, columns] + bias[columns], or a transposed operand.
void broadcast(benchmark::State& state, Int columns, int kind) {
  const Int rows = kBig / columns;
  std::vector<float> x = operand(kBig), b = operand(kBig), y(kBig), z(kBig), expected(kBig);
  kernels::FusionProgram p;
  p.operands = {{kernels::OperandKind::kArray, kF32}, {kernels::OperandKind::kArray, kF32}};
  p.steps = {{kAdd, 0, 1}};
  p.outputs = {{2, kF32}};
  const kernels::FusedLoop loop = kernels::table().compile(p);
  kernels::Threads threads(1);
  const Int sizes[] = {rows, columns}, strides[] = {columns, 1};
  const Int other[] = {kind == 0 ? 0 : 1, kind == 0 ? 1 : kind == 1 ? 0 : rows};
  const kernels::FusionArgument in[] = {kernels::FusionArgument::array(x.data(), strides),
                                        kernels::FusionArgument::array(b.data(), other)};
  const kernels::FusionArgument out[] = {kernels::FusionArgument::array(y.data(), strides)};
  for (Int i = 0; i < rows; ++i)
    for (Int j = 0; j < columns; ++j) expected[i * columns + j] = x[i * columns + j] + b[i * other[0] + j * other[1]];
  compare(
      state, [&] { loop.run(sizes, in, out, threads); }, [&] { std::memcpy(z.data(), x.data(), kBig * 4); });
  expect_same<float>(state, y, expected);
}
BENCHMARK_CAPTURE(broadcast, bias_of_1024, 1024, 0)->UseManualTime();
BENCHMARK_CAPTURE(broadcast, bias_of_10, 10, 0)->UseManualTime();
BENCHMARK_CAPTURE(broadcast, by_row_of_1024, 1024, 1)->UseManualTime();
BENCHMARK_CAPTURE(broadcast, by_row_of_10, 10, 1)->UseManualTime();
BENCHMARK_CAPTURE(broadcast, transposed_2048, 2048, 2)->UseManualTime();
BENCHMARK_CAPTURE(broadcast, transposed_1000, 1000, 2)->UseManualTime();

/// Sums of x[rows, columns] over one dim or both, against a memcpy of it.
void reduce(benchmark::State& state, Int elements, Int columns, bool keep_rows, bool keep_columns,
            kernels::Reduction how) {
  const Int rows = elements / columns;
  std::vector<float> x = operand(elements), s((keep_rows ? rows : 1) * (keep_columns ? columns : 1)), z(elements);
  std::vector<double> expected(s.size());
  for (Int i = 0; i < rows; ++i) {
    for (Int j = 0; j < columns; ++j) {
      double& to = expected[keep_rows ? i : keep_columns ? j : 0];
      to = how == kernels::Reduction::kMax ? std::max<double>(to, x[i * columns + j]) : to + x[i * columns + j];
    }
  }
  kernels::FusionProgram p;
  p.operands = {{kernels::OperandKind::kArray, kF32}};
  p.outputs = {{0, kF32, how}};
  const kernels::FusedLoop loop = kernels::table().compile(p);
  kernels::Threads threads(1);
  const Int sizes[] = {rows, columns}, strides[] = {columns, 1}, kept[] = {keep_rows, keep_columns};
  const kernels::FusionArgument in[] = {kernels::FusionArgument::array(x.data(), strides)};
  const kernels::FusionArgument out[] = {kernels::FusionArgument::array(s.data(), kept)};
  compare(
      state, [&] { loop.run(sizes, in, out, threads); }, [&] { std::memcpy(z.data(), x.data(), elements * 4); }, 0,
      elements * 4);
  expect_same<double>(state, std::vector<double>(s.begin(), s.end()), expected);
}
BENCHMARK_CAPTURE(reduce, all, kBig, 1024, false, false, kernels::Reduction::kSum)->UseManualTime();
BENCHMARK_CAPTURE(reduce, over_columns_768, kBig, 768, true, false, kernels::Reduction::kSum)->UseManualTime();
BENCHMARK_CAPTURE(reduce, max_over_columns_768, kBig, 768, true, false, kernels::Reduction::kMax)->UseManualTime();
BENCHMARK_CAPTURE(reduce, over_columns_10, kBig, 10, true, false, kernels::Reduction::kSum)->UseManualTime();
BENCHMARK_CAPTURE(reduce, over_columns_64, kBig, 64, true, false, kernels::Reduction::kSum)->UseManualTime();
BENCHMARK_CAPTURE(reduce, over_rows_1024, kBig, 1024, false, true, kernels::Reduction::kSum)->UseManualTime();
BENCHMARK_CAPTURE(reduce, over_rows_10, kBig, 10, false, true, kernels::Reduction::kSum)->UseManualTime();
BENCHMARK_CAPTURE(reduce, over_columns_256_in_cache, 65536, 256, true, false, kernels::Reduction::kSum)
    ->UseManualTime();
BENCHMARK_CAPTURE(reduce, over_rows_256_in_cache, 65536, 256, false, true, kernels::Reduction::kSum)->UseManualTime();

void small_run(benchmark::State& state) {
  std::vector<float> x = operand(64), y(64), expected(x);
  for (float& number : expected) number += 1;
  kernels::FusionProgram p;
  p.operands = {{kernels::OperandKind::kArray, kF32}, {kernels::OperandKind::kScalar, kF32}};
  p.steps = {{kAdd, 0, 1}};
  p.outputs = {{2, kF32}};
  const kernels::FusedLoop loop = kernels::table().compile(p);
  kernels::Threads threads(1);
  const Int sizes[] = {8, 8}, strides[] = {8, 1};
  const kernels::FusionArgument in[] = {kernels::FusionArgument::array(x.data(), strides),
                                        kernels::FusionArgument::scalar(1)};
  const kernels::FusionArgument out[] = {kernels::FusionArgument::array(y.data(), strides)};
  for (auto _ : state) loop.run(sizes, in, out, threads);
  expect_same<float>(state, y, expected);
}
BENCHMARK(small_run);

/// A product (a, b, c transposed in memory or not) against Eigen's own; the last argument: with progress. On one
/// machine with AVX-512 the ratio was 0.9 at 1024³ and 0.75 at 64³. For a matrix times a vector that runs along the
/// matrix's rows in memory it was 2.
template <int kA, int kB, int kC>
void product(benchmark::State& state) {
  const Int m = state.range(0), k = state.range(1), n = state.range(2);
  constexpr int kR = Eigen::RowMajor;
  Eigen::Matrix<float, -1, -1, kA> a = Eigen::Matrix<float, -1, -1, kA>::Random(m, k);
  Eigen::Matrix<float, -1, -1, kB> b = Eigen::Matrix<float, -1, -1, kB>::Random(k, n);
  Eigen::Matrix<float, -1, -1, kC> c(m, n), d(m, n);
  kernels::Threads threads(1);
  kernels::Matmul p;
  p.m = m, p.n = n, p.k = k;
  p.a = {a.data(), kA == kR ? k : 1, kA == kR ? 1 : m, {}};
  p.b = {b.data(), kB == kR ? n : 1, kB == kR ? 1 : k, {}};
  p.c = {c.data(), kC == kR ? n : 1, kC == kR ? 1 : m, {}};
  if (state.range(3) != 0) p.progress = [] {};
  const Int repeat = std::max<Int>(1, 20000000 / (m * n * k));
  compare(
      state,
      [&] {
        for (Int r = 0; r < repeat; ++r) kernels::table().matmul(p, threads);
      },
      [&] {
        for (Int r = 0; r < repeat; ++r) d.noalias() = a * b;
      },
      2.0 * repeat * m * n * k);
  expect_same<float>(state, {c.data(), static_cast<size_t>(m * n)}, {d.data(), static_cast<size_t>(m * n)});
}
#define MTF_SHAPES                  \
  ->Args({1024, 1024, 1024, 0})     \
      ->Args({1024, 1024, 1024, 1}) \
      ->Args({256, 768, 3072, 0})   \
      ->Args({64, 784, 1024, 0})    \
      ->Args({64, 64, 64, 0})       \
      ->Args({1, 1024, 1024, 0})    \
      ->Args({1024, 1024, 1, 0})    \
      ->Args({512, 1, 512, 0})      \
      ->Args({1, 4096, 4096, 0})    \
      ->Args({4, 4096, 4096, 0})    \
      ->Args({1, 768, 3072, 0})     \
      ->Args({1000000, 10, 1, 0})   \
      ->UseManualTime()
BENCHMARK(product<Eigen::RowMajor, Eigen::RowMajor, Eigen::RowMajor>) MTF_SHAPES;
BENCHMARK(product<Eigen::ColMajor, Eigen::RowMajor, Eigen::RowMajor>) MTF_SHAPES;
BENCHMARK(product<Eigen::RowMajor, Eigen::ColMajor, Eigen::RowMajor>) MTF_SHAPES;
BENCHMARK(product<Eigen::RowMajor, Eigen::RowMajor, Eigen::ColMajor>) MTF_SHAPES;

/// 1,000 products of size³ in one call against a loop over Eigen's.
void batched(benchmark::State& state) {
  const Int n = state.range(0), count = 1000, each = n * n;
  std::vector<float> a = operand(count * each), b = operand(count * each);
  std::vector<float> c(count * each), d(count * each);
  kernels::Threads threads(1);
  kernels::Matmul p;
  p.m = p.n = p.k = n;
  p.batch = {&count, 1};
  p.a = {a.data(), n, 1, {&each, 1}}, p.b = {b.data(), n, 1, {&each, 1}}, p.c = {c.data(), n, 1, {&each, 1}};
  using M = Eigen::Matrix<float, -1, -1, Eigen::RowMajor>;
  compare(
      state, [&] { kernels::table().matmul(p, threads); },
      [&] {
        for (Int i = 0; i < count; ++i) {
          Eigen::Map<M>(d.data() + i * each, n, n).noalias() =
              Eigen::Map<const M>(a.data() + i * each, n, n) * Eigen::Map<const M>(b.data() + i * each, n, n);
        }
      },
      2.0 * count * each * n);
  expect_same<float>(state, c, d);
}
BENCHMARK(batched)->Arg(4)->Arg(8)->Arg(16)->Arg(64)->UseManualTime();

void softmax(benchmark::State& state) {
  const Int n = state.range(0), rows = kBig / n;
  std::vector<float> x = operand(kBig), y(kBig), z(kBig), expected(kBig);
  for (Int i = 0; i < rows; ++i) {
    double sum = 0;
    for (Int j = 0; j < n; ++j) sum += std::exp(x[i * n + j]);
    for (Int j = 0; j < n; ++j) expected[i * n + j] = static_cast<float>(std::exp(x[i * n + j]) / sum);
  }
  kernels::Threads threads(1);
  compare(
      state,
      [&] {
        kernels::table().softmax_rows(kF32, {rows, n, 1}, {x.data(), n, 1, 0}, {y.data(), n, 1, 0}, threads);
      },
      [&] { std::memcpy(z.data(), x.data(), kBig * 4); }, 0, kBigBytes);
  expect_same<float>(state, y, expected);
}
BENCHMARK(softmax)->Arg(64)->Arg(1024)->UseManualTime();

void transpose(benchmark::State& state) {
  const Int n = state.range(0), rows = kBig / n;
  const std::array<Int, 2> sizes = {rows, n}, from = {1, rows}, to = {n, 1};
  std::vector<float> x = operand(kBig), y(kBig), z(kBig), expected(kBig);
  for (Int i = 0; i < rows; ++i)
    for (Int j = 0; j < n; ++j) expected[i * n + j] = x[i + j * rows];
  compare(
      state, [&] { kernels::table().copy_block(sizes, 4, x.data(), from, y.data(), to); },
      [&] { std::memcpy(z.data(), x.data(), kBig * 4); }, 0, kBigBytes);
  expect_same<float>(state, y, expected);
}
BENCHMARK(transpose)->Arg(2048)->Arg(1000)->UseManualTime();

/// items_per_second counts numbers per second. Checks the mean and variance of the numbers.
template <class Fill>
void random(benchmark::State& state, Fill fill, double mean, double variance) {
  std::vector<float> x(1 << 16);
  const kernels::RandomDim dim{0, 1 << 16, 1 << 16, 1};
  kernels::Threads threads(1);
  for (auto _ : state) fill({1, 2}, {&dim, 1}, kF32, x.data(), 0, 1, threads);
  state.SetItemsProcessed(state.iterations() * static_cast<Int>(x.size()));
  double sum = 0, squares = 0;
  for (const float number : x) sum += number, squares += number * number;
  const double count = static_cast<double>(x.size()), average = sum / count;
  expect_same<double>(state, std::array{1 + average, squares / count - average * average},
                      std::array{1 + mean, variance}, 0.03);
}
BENCHMARK_CAPTURE(random, uniform, kernels::table().fill_uniform, 0.5, 1.0 / 12);
BENCHMARK_CAPTURE(random, normal, kernels::table().fill_normal, 0, 1);
BENCHMARK_CAPTURE(random, truncated_normal, kernels::table().fill_truncated_normal, 0, 0.774);

}  // namespace
}  // namespace mtf

BENCHMARK_MAIN();
