// Programs through every stage: the cost of the language besides its kernels. `ratio` is a median of interleaved pairs:
// the program's time divided by the bare operation's. The result is compared once with the reference evaluation.

// g++ 12 warns of its own AVX-512 intrinsics (PR 105593).
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"

#include <Eigen/Core>
#include <algorithm>
#include <cstring>
#include <functional>

#include "bench.h"

namespace mtf {
namespace {

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// ---- contractions against a bare product of the same sizes ----------------------------------------------------------

/// `statement` computes z from x and y, which `declare` makes. The bare product is of m×k and k×n, `batch` times.
void contraction(benchmark::State& state, const std::string& declare, const std::string& statement, int batch, int m,
                 int k, int n) {
  Bench bench;
  bench.run(declare);
  std::vector<Matrix> a(batch, Matrix::Random(m, k)), b(batch, Matrix::Random(k, n)), c(batch, Matrix(m, n));
  compare(
      state, [&] { bench.run(statement + ";"); },
      [&] {
        for (int i = 0; i < batch; ++i) c[i].noalias() = a[i] * b[i];
        benchmark::ClobberMemory();
      },
      2.0 * batch * m * k * n);
  expect_reference(state, bench, declare, statement + ";", "z");
}
#define CONTRACTION(name, ...) \
  BENCHMARK_CAPTURE(contraction, name, __VA_ARGS__)->UseManualTime()->MinTime(2)->Unit(benchmark::kMillisecond)
const std::string kAb =
    "dim m = 1024, k = 1024, n = 1024; let x = random.normal([m, k]); let y = random.normal([k, n]);";
CONTRACTION(plain_1024, kAb, "let z = einsum(x, y -> [m, n])", 1, 1024, 1024, 1024);
CONTRACTION(result_transposed_1024, kAb, "let z = einsum(x, y -> [n, m])", 1, 1024, 1024, 1024);
CONTRACTION(operand_transposed_1024,
            "dim m = 1024, k = 1024, n = 1024; let x = random.normal([k, m]); let y = random.normal([k, n]);",
            "let z = einsum(x, y -> [m, n])", 1, 1024, 1024, 1024);
CONTRACTION(both_transposed_1024,
            "dim m = 1024, k = 1024, n = 1024; let x = random.normal([k, m]); let y = random.normal([n, k]);",
            "let z = einsum(x, y -> [m, n])", 1, 1024, 1024, 1024);
CONTRACTION(mnist_forward,
            "dim m = 256, k = 784, n = 1024; let x = random.normal([m, k]); let y = random.normal([k, n]);",
            "let z = einsum(x, y -> [m, n])", 1, 256, 784, 1024);
CONTRACTION(feed_forward,
            "dim m = 256, k = 768, n = 3072; let x = random.normal([m, k]); let y = random.normal([k, n]);",
            "let z = einsum(x, y -> [m, n])", 1, 256, 768, 3072);
CONTRACTION(
    batched_256_of_128,
    "dim b = 256, m = 128, k = 128, n = 128; let x = random.normal([b, m, k]); let y = random.normal([b, k, n]);",
    "let z = einsum(x, y -> [b, m, n])", 256, 128, 128, 128);
CONTRACTION(attention_scores,
            "dim b = 64, h = 4, l = 128, d = 64, s = 128; let x = random.normal([b, l, h, d]); let y = "
            "random.normal([b, s, h, d]);",
            "let z = einsum(x, y -> [b, h, l, s])", 256, 128, 64, 128);
CONTRACTION(attention_values,
            "dim b = 64, h = 4, l = 128, d = 64, s = 128; let x = random.normal([b, h, l, s]); let y = "
            "random.normal([b, s, h, d]);",
            "let z = einsum(x, y -> [b, l, h, d])", 256, 128, 128, 64);

// ---- element-wise chains against one copy ---------------------------------------------------------------------------

/// Runs 20 statements with `expression` of x. Each begins when the previous result is computed.
void chain(benchmark::State& state, const std::string& expression) {
  Bench bench;
  const std::string declare = "dim n = 4194304; let x = random.uniform([n], low: 0.5, high: 1.5);",
                    statement = "let y = " + expression + ";";
  bench.run(declare);
  std::vector<float> from(4 << 20, 1), to(4 << 20);
  compare(
      state,
      [&] {
        for (int i = 0; i < 20; ++i) bench.run(statement);
      },
      [&] {
        for (int i = 0; i < 20; ++i) {
          std::memcpy(to.data(), from.data(), to.size() * sizeof(float));
          benchmark::DoNotOptimize(to.data());
          benchmark::ClobberMemory();
        }
      },
      0, 20.0 * 2 * sizeof(float) * (4 << 20));
  expect_reference(state, bench, declare, statement, "y");
}
#define CHAIN(name, expression) \
  BENCHMARK_CAPTURE(chain, name, expression)->UseManualTime()->MinTime(1)->Unit(benchmark::kMillisecond)
CHAIN(eight_cheap, "maximum(maximum((x + 1) * 2 + 3, 0.5) * 0.7 + 4, 0.25) * 0.3");
CHAIN(eight_with_exp, "maximum(exp((x + 1) * 0.2) + 3, 0.5) * 0.7 + 4 + x * 0.25");
CHAIN(eight_with_tanh, "maximum(tanh((x + 1) * 0.2) + 3, 0.5) * 0.7 + 4 + x * 0.25");

// ---- looking up, adding and ordering along a dim, against plain loops -----------------------------------------------

using Numbers = std::vector<float>;
using Ids = std::vector<int>;

/// `statement` computes z from x and ids i, which `declare` makes. `plainly` computes the same from the same numbers.
void along(benchmark::State& state, const std::string& declare, const std::string& statement, size_t size,
           void (*plainly)(const Numbers& x, const Ids& i, Numbers& z)) {
  Bench bench;
  bench.run(declare);
  bench.run(statement + ";");
  auto read = [&](const std::string& name) { return bench.numbers(name); };
  const std::vector<double> of_x = read("x"), of_i = read("i");
  const Numbers x(of_x.begin(), of_x.end());
  const Ids i(of_i.begin(), of_i.end());
  Numbers z(size);
  compare(
      state, [&] { bench.run(statement + ";"); },
      [&] {
        plainly(x, i, z);
        benchmark::ClobberMemory();
      });
  const std::vector<double> computed = read("z");
  expect_same<float>(state, Numbers(computed.begin(), computed.end()), z);
}
#define ALONG(name, ...) \
  BENCHMARK_CAPTURE(along, name, __VA_ARGS__)->UseManualTime()->MinTime(1)->Unit(benchmark::kMillisecond)
ALONG(gather_rows_of_768,
      "dim v = 8192, d = 768, n = 1024; let x = random.normal([v, d]); let i = random.integers([n], 0, 8192);",
      "let z = gather(x, i, over: v)", 1024 * 768, [](const Numbers& x, const Ids& i, Numbers& z) {
        for (size_t n = 0; n < i.size(); ++n) std::memcpy(z.data() + n * 768, x.data() + i[n] * 768, 4 * 768);
      });
ALONG(gather_numbers,
      "dim v = 1000000, n = 1000000; let x = random.normal([v]); let i = random.integers([n], 0, 1000000);",
      "let z = gather(x, i, over: v)", 1000000, [](const Numbers& x, const Ids& i, Numbers& z) {
        for (size_t n = 0; n < i.size(); ++n) z[n] = x[i[n]];
      });
ALONG(scatter_add_rows_of_768,
      "dim v = 8192, d = 768, n = 1024; let x = random.normal([n, d]); let i = random.integers([n], 0, 8192);",
      "let z = scatter_add(x, i, into: v)", 8192 * 768, [](const Numbers& x, const Ids& i, Numbers& z) {
        std::fill(z.begin(), z.end(), 0.0f);
        for (size_t n = 0; n < i.size(); ++n)
          for (size_t d = 0; d < 768; ++d) z[i[n] * 768 + d] += x[n * 768 + d];
      });
ALONG(scatter_add_numbers,
      "dim v = 1000000, n = 1000000; let x = random.normal([n]); let i = random.integers([n], 0, 1000000);",
      "let z = scatter_add(x, i, into: v)", 1000000, [](const Numbers& x, const Ids& i, Numbers& z) {
        std::fill(z.begin(), z.end(), 0.0f);
        for (size_t n = 0; n < i.size(); ++n) z[i[n]] += x[n];
      });

const std::string kWords = "dim a = 64, b = 50257; let x = random.normal([a, b]); let i = random.integers([a], 0, 2);";
void largest_places(const Numbers& x, const Ids& /*i*/, Numbers& z) {
  const size_t size = x.size() / z.size();
  for (size_t a = 0; a < z.size(); ++a)
    z[a] =
        static_cast<float>(std::max_element(x.begin() + a * size, x.begin() + (a + 1) * size) - x.begin() - a * size);
}
ALONG(argmax_of_50257, kWords, "let z = argmax(x, over: b)", 64, largest_places);
ALONG(argmax_of_10, "dim a = 100000, b = 10; let x = random.normal([a, b]); let i = random.integers([a], 0, 2);",
      "let z = argmax(x, over: b)", 100000, largest_places);
ALONG(top_40_of_50257, "dim k = 40;" + kWords, "let z = top_k(x, k, over: b)[0]", 64 * 40,
      [](const Numbers& x, const Ids& /*i*/, Numbers& z) {
        for (size_t a = 0; a < 64; ++a)
          std::partial_sort_copy(x.begin() + a * 50257, x.begin() + (a + 1) * 50257, z.begin() + a * 40,
                                 z.begin() + (a + 1) * 40, std::greater<>());
      });

const std::string kThousand =
    "dim a = 1000, b = 1000; let x = random.normal([a, b]); let i = random.integers([a], 0, 2);";
template <size_t kLine, size_t kStep>
void running_sums(const Numbers& x, const Ids& /*i*/, Numbers& z) {
  for (size_t line = 0; line < 1000; ++line) {
    double sum = 0;
    for (size_t k = 0; k < 1000; ++k)
      z[line * kLine + k * kStep] = static_cast<float>(sum += x[line * kLine + k * kStep]);
  }
}
ALONG(cumsum_along_1000, kThousand, "let z = cumsum(x, over: b)", 1000000, running_sums<1000, 1>);
ALONG(cumsum_across_1000, kThousand, "let z = cumsum(x, over: a)", 1000000, running_sums<1, 1000>);

// ---- what a statement costs beyond its kernels ----------------------------------------------------------------------

/// A loop with `operations` operations on eight numbers in each iteration. Reports microseconds per operation, without
/// the fixed cost of an iteration.
void cached_statement(benchmark::State& state, const std::string& iteration, int operations) {
  auto iterations = [&](int count, std::shared_ptr<plan::Execution> execution = std::make_shared<OneThread>()) {
    Bench bench(std::move(execution));
    bench.session.run_text(
        "loop.mtf", "dim n = 8, m = 8\nlet v = random.uniform([n])\nlet w = random.uniform([n, m])\nfor i in 0.." +
                        std::to_string(count) + " { " + iteration + " }\nprint(v)\n");
    return bench.out.str();
  };
  if (iterations(3) != iterations(3, std::make_shared<ExecutionOn<run::ReferenceRuntime>>()))
    return state.SkipWithError("what was timed computed something else");
  const int count = 2000;
  std::vector<double> micros;
  for (auto _ : state) {
    const double one = seconds([&] { iterations(1); }), all = seconds([&] { iterations(count + 1); });
    micros.push_back(1e6 * (all - one) / (static_cast<double>(count) * operations));
  }
  state.counters["us_per_operation"] = median(micros);
}
BENCHMARK_CAPTURE(cached_statement, element_wise_10, "v := ((v + 1) * 0.5 + 2) * 0.25 - 3 + (v * v - v) * 0.125", 10)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(cached_statement, one_operation, "v := v * 0.5", 1)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(cached_statement, products_and_sums_6,
                  "let h = relu(einsum(v, w -> [m])); let s = sum(h * 0.01); v := v * 0.5 + s", 6)
    ->Unit(benchmark::kMillisecond);

// ---- checking and lowering ------------------------------------------------------------------------------------------

void check_thousand_lines(benchmark::State& state) {
  std::string text =
      "dim batch = 64, io = 32, hidden = 128\nlet x = random.normal([batch, io])\nlet w = random.normal([io, "
      "hidden])\nlet v = random.normal([hidden, io])\n";
  for (int i = 0; i < 249; ++i)
    text += "let h" + std::to_string(i) + " = relu(einsum(x, w -> [batch, hidden]) * " + std::to_string(i) +
            ")\n"
            "let y" +
            std::to_string(i) + " = einsum(h" + std::to_string(i) +
            ", v -> [batch, io])\n"
            "let z" +
            std::to_string(i) + " = sum(square(y" + std::to_string(i) +
            " - x), over: io)\n"
            "assert mean(z" +
            std::to_string(i) + ") >= 0, \"squares\"\n";
  for (auto _ : state) {
    Diagnostics found = session::Session::check_text("thousand.mtf", text, Bench::settings("", "", 1));
    if (!found.empty()) state.SkipWithError(found.render().c_str());
  }
}
BENCHMARK(check_thousand_lines)->Unit(benchmark::kMillisecond);

const char* const kGptStep =
    "import nn, optim, transformer\n"
    "dim batch = 4096, length = 128, d_model = 4096, heads = 64, d_head = 64, d_ff = 16384, vocab = 8192\n"
    "let embedding = nn.Embedding(vocab, d_model)\n"
    "let block = transformer.Layer(d_model, length, heads, d_head, d_ff, bias: false)\n"
    "let ids = random.integers([batch, length], 0, 8192)\n"
    "let loss = mean(cross_entropy(embedding.logits(block(embedding(ids))), ids, over: vocab))\n"
    "let g = grad(loss, block.params)\n"
    "for (p, q) in zip(block.params, g) { p := p - 0.1 * q }\n"
    "print(loss)\n";

/// Lowering a training step for 4,096 processors against lowering it for 4.
void lowering(benchmark::State& state) {
  auto plan = [](const char* mesh) {
    Bench bench(std::make_shared<ExecutionOn<run::DryRuntime>>(), mesh, "batch:rows;heads:cols;d_ff:cols;vocab:cols");
    bench.session.run_text("step.mtf", kGptStep);
  };
  compare(
      state, [&] { plan("rows:64;cols:64"); }, [&] { plan("rows:2;cols:2"); });
}
BENCHMARK(lowering)->UseManualTime()->MinTime(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace mtf

BENCHMARK_MAIN();
