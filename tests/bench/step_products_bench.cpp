// The matrix products of gpt.mtf's training step alone, at the speed of the kernel: operands have the kernel's
// preferred layout in memory, and nothing runs between two products. against_torch.py divides a step's time by the time
// of these products.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <vector>

#include "kernels/kernel_table.h"

namespace mtf {
namespace {

constexpr std::int64_t kTokens = 2048, kWidth = 256, kHidden = 1024, kVocabulary = 65, kLayers = 4;
constexpr std::int64_t kHeads = 64, kLength = 128, kHeadSize = 64;  // heads of all sequences of the batch

/// y[m, n] = x[m, k] w[k, n] in row-major order, or for operands whose rows have a larger stride.
class Products {
 public:
  explicit Products(ElementType element) : element_(element), x_(room()), w_(room()), y_(room()) {}

  void multiply(std::int64_t m, std::int64_t n, std::int64_t k, bool x_transposed, bool w_transposed, bool wide,
                std::int64_t count = 1) {
    kernels::Matmul product;
    product.operand_type = element_;
    product.result_type = wide ? ElementType::kF32 : element_;
    product.m = m, product.n = n, product.k = k;
    const std::int64_t batch[] = {count}, x_step[] = {m * k}, w_step[] = {k * n}, y_step[] = {m * n};
    product.batch = batch;
    product.a = {x_.data(), x_transposed ? 1 : k, x_transposed ? m : 1, x_step};
    product.b = {w_.data(), w_transposed ? 1 : n, w_transposed ? k : 1, w_step};
    product.c = {y_.data(), n, 1, y_step};
    kernels::table().matmul(product, one_);
  }

  /// y = x w, dx = dy wᵀ, and dw = xᵀ dy, which is f32.
  void layer(std::int64_t tokens, std::int64_t from, std::int64_t to) {
    multiply(tokens, to, from, false, false, false);
    multiply(tokens, from, to, false, true, false);
    multiply(from, to, tokens, true, false, true);
  }

  /// Computes the scores and the output, then the scores again, and the gradients of weights, v, q and k. No score is
  /// masked.
  void attention() {
    for (int pass = 0; pass < 3; ++pass) multiply(kLength, kLength, kHeadSize, false, true, true, kHeads);
    for (int pass = 0; pass < 2; ++pass) multiply(kLength, kHeadSize, kLength, false, false, false, kHeads);
    for (int pass = 0; pass < 2; ++pass) multiply(kLength, kHeadSize, kLength, true, false, false, kHeads);
  }

 private:
  /// A buffer of zeros, for f32 or a type of half the width.
  static std::vector<float> room() { return std::vector<float>(kTokens * kHidden); }

  ElementType element_;
  std::vector<float> x_, w_, y_;
  kernels::Threads one_{1};
};

void step_products(benchmark::State& state, ElementType element) {
  Products products(element);
  for (auto _ : state) {
    for (std::int64_t layer = 0; layer < kLayers; ++layer) {
      for (int projection = 0; projection < 4; ++projection) products.layer(kTokens, kWidth, kWidth);
      products.layer(kTokens, kWidth, kHidden);
      products.layer(kTokens, kHidden, kWidth);
      products.attention();
    }
    products.layer(kTokens, kWidth, kVocabulary);
  }
}
BENCHMARK_CAPTURE(step_products, f32, ElementType::kF32)->Unit(benchmark::kMillisecond)->MinTime(2);
BENCHMARK_CAPTURE(step_products, bf16, ElementType::kBf16)->Unit(benchmark::kMillisecond)->MinTime(2);

}  // namespace
}  // namespace mtf

BENCHMARK_MAIN();
