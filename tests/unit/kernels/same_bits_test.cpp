// The results of kernels have the same bits at every level with fused multiply-add, on every processor. Each case is a
// checksum of results; same_bits.def has the expected values. Results of functions of the C library (kLibrary) may
// differ in the last digit from one library to the next, but not between levels of one processor. All NaNs count as the
// same bits here, because processors make different ones.
//
// When results change on purpose, `test_kernels --gtest_filter=SameBits.*` prints the new lines of same_bits.def.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kernels/elements.h"
#include "kernels/kernel_table.h"
#include "kernels/level.h"

namespace mtf::kernels {
namespace {

using Int = std::int64_t;

enum class Maker { kOwn, kLibrary, kBf16Product };
struct Computed {
  Maker source;
  std::uint64_t sum;
};
using ResultSums = std::map<std::string, Computed>;

/// FNV-1a of the elements' bits.
class Checksum {
 public:
  template <class T>
  void add(const std::vector<T>& elements) {
    for (T element : elements) {
      if constexpr (std::is_same_v<T, Bf16>) {
        if (std::isnan(to_float(element))) element = Bf16{0x7fc0};
      } else if constexpr (std::is_floating_point_v<T>) {
        if (std::isnan(element)) element = std::abs(std::numeric_limits<T>::quiet_NaN());
      }
      unsigned char bytes[sizeof(T)];
      std::memcpy(bytes, &element, sizeof(T));
      for (const unsigned char byte : bytes) sum_ = (sum_ ^ byte) * 0x100000001b3;
    }
  }
  std::uint64_t value() const { return sum_; }

 private:
  std::uint64_t sum_ = 0xcbf29ce484222325;
};

/// DrawnNumbers of many sizes, by integer arithmetic and powers of two alone.
class DrawnNumbers {
 public:
  double next() {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    const auto mantissa = static_cast<double>(static_cast<std::int32_t>(state_ >> 32));
    const int exponent = static_cast<int>(state_ >> 20 & 7) - 4;
    return std::ldexp(mantissa, exponent - 29);
  }
  template <class T>
  std::vector<T> some(Int count) {
    std::vector<T> list(static_cast<std::size_t>(count));
    for (T& x : list) {
      if constexpr (std::is_same_v<T, Bf16>) x = mtf::to_bf16(static_cast<float>(next()));
      else if constexpr (std::is_integral_v<T>) x = static_cast<T>(next() * 1000);
      else x = static_cast<T>(next());
    }
    return list;
  }

 private:
  std::uint64_t state_ = 1;
};

template <class T>
std::vector<T> with_extremes(std::vector<T> list) {
  if constexpr (!std::is_integral_v<T>) {
    const float special[] = {0.0F,   -0.0F,   1.0F,  -1.0F, 0.5F,  2.0F, 3.0F,     1e-40F,    -1e-40F, 88.5F,
                             -87.5F, -103.5F, 1e-5F, 100.F, -20.F, 1e4F, INFINITY, -INFINITY, NAN,     1e-38F};
    std::size_t k = 0;
    for (const float x : special) list[k++ * 3 % list.size()] = from_number<T>(static_cast<Number<T>>(x));
  }
  return list;
}

Threads& calling_thread() {
  static Threads threads(1);
  return threads;
}

/// True for operations that call the C library for f64.
bool calls_library(LaneOp op, ElementType type) {
  switch (op) {
    case LaneOp::kSin:
    case LaneOp::kCos:
    case LaneOp::kTanh:
    case LaneOp::kGelu:
    case LaneOp::kGeluGrad:
    case LaneOp::kGeluGradOf:
    case LaneOp::kGeluGate:
    case LaneOp::kExpm1:
    case LaneOp::kLog1p:
    case LaneOp::kErf:
    case LaneOp::kTan:
    case LaneOp::kAsin:
    case LaneOp::kAcos:
    case LaneOp::kAtan:
    case LaneOp::kSinh:
    case LaneOp::kCosh:
    case LaneOp::kAsinh:
    case LaneOp::kAcosh:
    case LaneOp::kAtanh:
    case LaneOp::kElu:
    case LaneOp::kSelu:
    case LaneOp::kSoftplus: return type == ElementType::kF64;
    case LaneOp::kPow: return true;
    default: return false;
  }
}

template <class T>
void add_elementwise(ResultSums& cases) {
  constexpr ElementType kType = kElementOf<T>;
  const Int n = 1000;
  DrawnNumbers numbers;
  const std::vector<T> a = with_extremes(numbers.some<T>(n)), b = numbers.some<T>(n);
  const Int stride = 1;
#define MTF_LANE_OP(enumerator, op_name, arity, types, result)                                                  \
  if (arity <= 2 && LaneOp::enumerator != LaneOp::kCast && allows(LaneOp::enumerator, kType)) {                 \
    FusionProgram program;                                                                                      \
    for (int k = 0; k < arity; ++k) program.operands.push_back({OperandKind::kArray, kType, 0});                \
    program.steps.push_back({LaneOp::enumerator, 0, arity == 2 ? 1 : -1, -1, kType});                           \
    program.outputs.push_back({arity, program.value_types().back(), Reduction::kStore});                        \
    std::vector<T> y(n);                                                                                        \
    std::vector<std::uint8_t> truth(n);                                                                         \
    const bool is_truth = program.outputs[0].type == ElementType::kBool;                                        \
    const FusionArgument from[] = {FusionArgument::array(a.data(), {&stride, 1}),                               \
                                   FusionArgument::array(b.data(), {&stride, 1})};                              \
    const FusionArgument to[] = {                                                                               \
        FusionArgument::array(is_truth ? static_cast<void*>(truth.data()) : y.data(), {&stride, 1})};           \
    table().compile(program).run({&n, 1}, std::span(from).first(arity), to, calling_thread());                  \
    Checksum sum;                                                                                               \
    sum.add(y), sum.add(truth);                                                                                 \
    const bool library = calls_library(LaneOp::enumerator, kType);                                              \
    cases[std::string(op_name) + " of " + std::string(name(kType))] = {library ? Maker::kLibrary : Maker::kOwn, \
                                                                       sum.value()};                            \
  }
#include "kernels/lane_ops.def"
#undef MTF_LANE_OP
}

/// Reduces the rows, the columns, or the middle of three dims: of the elements, or of their exponentials.
template <class T>
void add_reductions(ResultSums& cases) {
  constexpr ElementType kType = kElementOf<T>;
  struct ReducedShape {
    std::array<Int, 3> sizes;
    std::array<Int, 3> kept;  ///< 0: reduced
  };
  const ReducedShape shapes[] = {{{1, 7, 1000}, {0, 1, 0}},  {{1, 300, 10}, {0, 1, 0}},  {{1, 3, 5000}, {0, 1, 0}},
                                 {{1, 500, 100}, {0, 0, 1}}, {{1, 5000, 7}, {0, 0, 1}},  {{6, 70, 33}, {33, 0, 1}},
                                 {{1, 1, 2500}, {0, 0, 0}},  {{1, 40, 2100}, {0, 0, 1}}, {{1, 90, 64}, {0, 1, 0}}};
  for (const Reduction how : {Reduction::kSum, Reduction::kProd, Reduction::kMax, Reduction::kMin})
    for (const bool of_exp : {false, true}) {
      if (of_exp && std::is_integral_v<T>) continue;
      Checksum sum;
      for (const ReducedShape& shape : shapes) {
        DrawnNumbers numbers;
        const std::vector<T> x = numbers.some<T>(shape.sizes[0] * shape.sizes[1] * shape.sizes[2]);
        Int kept = 1;
        for (std::size_t d = 0; d < 3; ++d)
          if (shape.kept[d] != 0) kept *= shape.sizes[d];
        std::vector<T> y(static_cast<std::size_t>(kept));
        FusionProgram program;
        program.operands.push_back({OperandKind::kArray, kType, 0});
        if (of_exp) program.steps.push_back({LaneOp::kExp, 0, -1, -1, kType});
        program.outputs.push_back({of_exp ? 1 : 0, kType, how});
        const std::array<Int, 3> strides = {shape.sizes[1] * shape.sizes[2], shape.sizes[2], 1};
        const FusionArgument from[] = {FusionArgument::array(x.data(), strides)};
        const FusionArgument to[] = {FusionArgument::array(y.data(), shape.kept)};
        table().compile(program).run(shape.sizes, from, to, calling_thread());
        sum.add(y);
      }
      const char* const names[] = {"", "sum", "prod", "max", "min"};
      cases[std::string(names[static_cast<int>(how)]) + (of_exp ? " of exp" : "") + " of " + std::string(name(kType))] =
          {Maker::kOwn, sum.value()};
    }
}

template <class T>
void add_rows(ResultSums& cases) {
  constexpr ElementType kType = kElementOf<T>;
  Checksum softmax, log_softmax, logsumexp, layer_norm;
  for (const Int n : {1, 3, 8, 10, 16, 33, 100, 1000, 5000}) {
    DrawnNumbers numbers;
    const Rows rows{1, n, 3};
    const std::vector<T> x = numbers.some<T>(3 * n);
    std::vector<T> y(x.size()), mean(3), scale(3);
    table().softmax_rows(kType, rows, {x.data(), 0, 1, n}, {y.data(), 0, 1, n}, calling_thread());
    softmax.add(y);
    table().log_softmax_rows(kType, rows, {x.data(), 0, 1, n}, {y.data(), 0, 1, n}, calling_thread());
    log_softmax.add(y);
    table().logsumexp_rows(kType, rows, {x.data(), 0, 1, n}, {mean.data(), 0, 1, 1}, calling_thread());
    logsumexp.add(mean);
    table().layer_norm_rows(kType, rows, 1e-5, {x.data(), 0, 1, n}, {y.data(), 0, 1, n}, {mean.data(), 0, 1, 1},
                            {scale.data(), 0, 1, 1}, calling_thread());
    layer_norm.add(y), layer_norm.add(mean), layer_norm.add(scale);
  }
  const std::string of = " of " + std::string(name(kType));
  cases["softmax" + of] = {Maker::kOwn, softmax.value()};
  cases["log_softmax" + of] = {Maker::kLibrary, log_softmax.value()};
  cases["logsumexp" + of] = {Maker::kLibrary, logsumexp.value()};
  cases["layer_norm" + of] = {Maker::kOwn, layer_norm.value()};
}

template <class T>
void add_attention(ResultSums& cases) {
  constexpr ElementType kType = kElementOf<T>;
  Checksum sum;
  for (const bool causal : {false, true}) {
    const Int queries = 70, memory = 301, d = 24;
    AttentionRule rule{.queries = queries, .memory = memory, .features = d, .values = d, .sight = {}, .drop = {}};
    rule.scale = 0.25;
    rule.sight = {causal, 0, memory - queries};
    DrawnNumbers numbers;
    std::vector<T> q = numbers.some<T>(queries * d), k = numbers.some<T>(memory * d), v = numbers.some<T>(memory * d),
                   d_out = numbers.some<T>(queries * d), out(q.size()), log_sum(queries), delta(queries), d_q(q.size()),
                   d_k(k.size()), d_v(v.size());
    const auto matrix = [&](std::vector<T>& x, Int row) { return StridedMatrix{kType, x.data(), row, 1}; };
    AttentionQueries position;
    position.q = matrix(q, d), position.out = matrix(out, d), position.log_sum = {kType, log_sum.data(), 1, 0};
    position.d_out = matrix(d_out, d), position.delta = {kType, delta.data(), 1, 0}, position.d_q = matrix(d_q, d);
    const std::unique_ptr<Attention> attention = table().attention(kType, rule);
    attention->load(matrix(k, d), matrix(v, d), false);
    for (Int tile = 0; tile < Attention::query_tiles(rule); ++tile) attention->forward(position, tile);
    attention->load(matrix(k, d), matrix(v, d), true);
    for (Int tile = 0; tile < Attention::query_tiles(rule); ++tile) attention->backward(position, tile);
    attention->store(attention->gradients(), matrix(d_k, d), matrix(d_v, d));
    sum.add(out), sum.add(log_sum), sum.add(d_q), sum.add(d_k), sum.add(d_v);
  }
  cases["attention of " + std::string(name(kType))] = {Maker::kLibrary, sum.value()};
}

template <class T>
void add_products(ResultSums& cases) {
  constexpr ElementType kType = kElementOf<T>;
  Checksum sum;
  for (const auto& [m, n, k] : std::vector<std::array<Int, 3>>{
           {1, 130, 700}, {3, 65, 33}, {17, 40, 1100}, {70, 90, 600}, {4, 4, 9}, {130, 1, 520}, {6, 300, 64}})
    for (const bool turned : {false, true}) {
      DrawnNumbers numbers;
      std::vector<T> a = numbers.some<T>(m * k), b = numbers.some<T>(k * n), c(static_cast<std::size_t>(m * n));
      Matmul product;
      product.operand_type = product.result_type = kType;
      product.m = m, product.n = n, product.k = k;
      product.a = {a.data(), k, 1, {}};
      product.b = {b.data(), turned ? 1 : n, turned ? k : 1, {}};
      product.c = {c.data(), n, 1, {}};
      table().matmul(product, calling_thread());
      sum.add(c);
    }
  cases["product of " + std::string(name(kType))] = {std::is_same_v<T, Bf16> ? Maker::kBf16Product : Maker::kOwn,
                                                     sum.value()};
}

template <class T>
void add_windows(ResultSums& cases) {
  constexpr ElementType kType = kElementOf<T>;
  const Int batch = 2, in = 5, out = 19, size = 23, taps = 3;
  DrawnNumbers numbers;
  std::vector<T> x = numbers.some<T>(batch * size * size * in), w = numbers.some<T>(taps * taps * in * out),
                 y(static_cast<std::size_t>(batch * size * size * out));
  std::array<ConvolutionDim, 2> dims;
  for (std::size_t d = 0; d < 2; ++d) {
    const Int positions = d == 0 ? size : 1;
    dims[d] = {.input = {0, size, size, positions * in},
               .output = {0, size, size, positions * out},
               .taps = taps,
               .tap_stride = (d == 0 ? taps : 1) * in * out,
               .low = 1};
  }
  Convolution c;
  c.batch = batch, c.inputs = in, c.outputs = out, c.dims = dims;
  c.input = {kType, x.data(), size * size * in, 1, 0};
  c.output = {kType, y.data(), size * size * out, 1, 0};
  c.window = {kType, w.data(), out, 1, 0};
  Checksum sum;
  table().convolve(c, calling_thread());
  sum.add(y);
  table().convolve_window_gradient(c, calling_thread());
  sum.add(w);
  table().convolve_input_gradient(c, calling_thread());
  sum.add(x);
  cases["convolution of " + std::string(name(kType))] = {Maker::kOwn, sum.value()};
}

template <class T>
void add_random(ResultSums& cases) {
  constexpr ElementType kType = kElementOf<T>;
  const Int n = 3000;
  const RandomDim dim{0, n, n, 1};
  const auto fill = [&](const char* what, auto member, Maker source) {
    std::vector<T> x(n);
    (table().*member)({7, 3}, {&dim, 1}, kType, x.data(), 0, 1, calling_thread());
    Checksum sum;
    sum.add(x);
    cases[std::string(what) + " of " + std::string(name(kType))] = {source, sum.value()};
  };
  const Maker wide = kType == ElementType::kF64 ? Maker::kLibrary : Maker::kOwn;
  fill("random uniform", &KernelTable::fill_uniform, Maker::kOwn);
  fill("random normal", &KernelTable::fill_normal, wide);
  fill("random truncated normal", &KernelTable::fill_truncated_normal, wide);
}

/// All cases, at the level in use.
ResultSums computed() {
  ResultSums cases;
  add_elementwise<float>(cases), add_elementwise<double>(cases), add_elementwise<Bf16>(cases);
  add_elementwise<std::int32_t>(cases);
  add_reductions<float>(cases), add_reductions<double>(cases), add_reductions<Bf16>(cases);
  add_reductions<std::int32_t>(cases);
  add_rows<float>(cases), add_rows<double>(cases);
  add_attention<float>(cases), add_attention<double>(cases);
  add_products<float>(cases), add_products<double>(cases), add_products<Bf16>(cases);
  add_products<std::int32_t>(cases);
  add_windows<float>(cases), add_windows<double>(cases);
  add_random<float>(cases), add_random<double>(cases), add_random<Bf16>(cases);
  return cases;
}

const std::map<std::string, std::uint64_t>& expected() {
  static const std::map<std::string, std::uint64_t> sums = {
#include "same_bits.def"
  };
  return sums;
}

TEST(SameBits, AtThisLevelAsWrittenDown) {
  if (!fuses_products(level_in_use())) GTEST_SKIP() << level_in_use() << " rounds products before it adds them";
  for (const auto& [what, found] : computed()) {
    if (found.source == Maker::kLibrary) continue;
    if (found.source == Maker::kBf16Product && multiplies_bf16(level_in_use())) continue;
    const auto line = expected().find(what);
    EXPECT_TRUE(line != expected().end() && line->second == found.sum)
        << "expected in same_bits.def:\n{\"" << what << "\", 0x" << std::hex << found.sum << "},";
  }
}

TEST(SameBits, AtAllLevelsWithFusedMultiplyAdd) {
  const std::string_view before = level_in_use();
  std::map<std::string, std::pair<std::uint64_t, std::string_view>> first;
  for (const std::string_view level : usable_levels()) {
    if (!fuses_products(level)) continue;
    use_level(level);
    for (const auto& [what, found] : computed()) {
      if (found.source == Maker::kBf16Product && multiplies_bf16(level)) continue;
      const auto& [sum, other] = first.emplace(what, std::pair(found.sum, level)).first->second;
      EXPECT_EQ(found.sum, sum) << what << " at " << level << " and at " << other;
    }
  }
  use_level(before);
}

}  // namespace
}  // namespace mtf::kernels
