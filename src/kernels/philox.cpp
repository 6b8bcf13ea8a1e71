#include "kernels/philox.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "kernels/lane_apply.h"

namespace mtf::kernels {
namespace {

using lanes::D;
using lanes::F;
using lanes::I;
using lanes::kBytes;
using lanes::kD;
using lanes::kF;
using lanes::U;

constexpr int kBlocks = 16;            // Philox blocks of a group
constexpr int kGroup32 = 4 * kBlocks;  // 32-bit elements of a group
constexpr std::int64_t kParallelDraws = 16384;

struct Words {
  alignas(64) std::uint32_t word[4][kBlocks];
};

/// 32 × 32 bits, both halves, for packets of 32-bit lanes.
inline void multiply(U a, std::uint32_t b, U& high, U& low) {
  low = a * b;
#ifdef __AVX512F__
  const __m512i x = (__m512i)a, factor = _mm512_set1_epi32(static_cast<int>(b));
  const __m512i even = _mm512_mul_epu32(x, factor), odd = _mm512_mul_epu32(_mm512_srli_epi64(x, 32), factor);
  high = (U)_mm512_mask_blend_epi32(0xaaaa, _mm512_srli_epi64(even, 32), odd);
#else
  for (int k = 0; k < kF; ++k) high[k] = static_cast<std::uint32_t>((static_cast<std::uint64_t>(a[k]) * b) >> 32);
#endif
}

/// The words of the 16 blocks from 16 · group on.
void philox_group(RandomCall call, std::uint64_t group, Words& words) {
  const std::uint64_t first = group * kBlocks;
  for (int part = 0; part < kBlocks; part += kF) {
    U lane;
    for (int k = 0; k < kF; ++k) lane[k] = static_cast<std::uint32_t>(part + k);
    U c0 = lane + static_cast<std::uint32_t>(first);  // no carry: first is a multiple of 16
    U c1 = U{} + static_cast<std::uint32_t>(first >> 32);
    U c2 = U{} + static_cast<std::uint32_t>(call.call);
    U c3 = U{} + static_cast<std::uint32_t>(call.call >> 32);
    std::uint32_t k0 = static_cast<std::uint32_t>(call.seed), k1 = static_cast<std::uint32_t>(call.seed >> 32);
    for (int round = 0; round < 10; ++round) {
      U high0, low0, high1, low1;
      multiply(c0, 0xD2511F53U, high0, low0);
      multiply(c2, 0xCD9E8D57U, high1, low1);
      c0 = high1 ^ c1 ^ k0;
      c1 = low1;
      c2 = high0 ^ c3 ^ k1;
      c3 = low0;
      k0 += 0x9E3779B9U;
      k1 += 0xBB67AE85U;
    }
    const U all[] = {c0, c1, c2, c3};
    for (int w = 0; w < 4; ++w) std::memcpy(&words.word[w][part], &all[w], kBytes);
  }
}

inline U load_words(const Words& words, int w, int part) {
  U result;
  std::memcpy(&result, &words.word[w][part], kBytes);
  return result;
}
/// [0, 1) in steps of 2^-24.
inline F unit(U u) { return __builtin_convertvector((I)(u >> 8), F) * 0x1p-24f; }
inline double unit(std::uint32_t a, std::uint32_t b) {
  return (static_cast<double>(a >> 5) * 0x1p26 + static_cast<double>(b >> 6)) * 0x1p-53;
}

/// Giles, Approximating the erfinv function (GPU Computing Gems 2011), its central branch: |x| < 0.9966.
template <class V>
V erfinv_of(V x) {
  const V w = -lanes::log_of((lanes::splat<V>(1) - x) * (lanes::splat<V>(1) + x)) - lanes::Scalar<V>(2.5);
  V p = lanes::splat<V>(2.81022636e-08f);
  for (float c : {3.43273939e-07f, -3.5233877e-06f, -4.39150654e-06f, 0.00021858087f, -0.00125372503f, -0.00417768164f,
                  0.246640727f, 1.50140941f}) {
    p = lanes::fma(p, w, lanes::splat<V>(c));
  }
  return p * x;
}
constexpr double kErfOfRootTwo = 0.95449973610364158560;
constexpr double kRootTwo = 1.41421356237309504880;

// Each fills the numbers of a group: 64 for f32 and i32, 32 for f64.

struct Uniform {
  RandomCall call;
  double low, high;
  void operator()(std::uint64_t group, float* out) const {
    Words words;
    philox_group(call, group, words);
    const auto l = static_cast<float>(low), width = static_cast<float>(high - low);
    const float last = std::max(l, std::nextafter(static_cast<float>(high), l));
    for (int w = 0; w < 4; ++w) {
      for (int part = 0; part < kBlocks; part += kF) {
        const F x = lanes::minimum_of<F>(unit(load_words(words, w, part)) * width + l, lanes::splat<F>(last));
        std::memcpy(out + w * kBlocks + part, &x, kBytes);
      }
    }
  }
  void operator()(std::uint64_t group, double* out) const {
    Words words;
    philox_group(call, group, words);
    const double last = std::max(low, std::nextafter(high, low));
    for (int k = 0; k < 2 * kBlocks; ++k) {
      const int w = k / kBlocks * 2, b = k % kBlocks;
      out[k] = std::min(unit(words.word[w][b], words.word[w + 1][b]) * (high - low) + low, last);
    }
  }
};

/// The largest bf16 that is at most x.
inline float rounded_down_to_bf16(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  return std::bit_cast<float>((x < 0 ? bits + 0xffffU : bits) & 0xffff0000U);
}

/// The numbers of Uniform as bf16, rounded down, because the nearest bf16 may be `high`.
class UniformBf16 {
 public:
  UniformBf16(RandomCall call, double low, double high)
      : make_{call, low, high},
        least_(next_from(static_cast<float>(low))),
        last_(std::max(least_, last_before(static_cast<float>(high)))) {}
  void operator()(std::uint64_t group, float* out) const {
    make_(group, out);
    for (int k = 0; k < kGroup32; ++k) out[k] = std::min(std::max(rounded_down_to_bf16(out[k]), least_), last_);
  }

 private:
  /// The smallest bf16 that is at least x.
  static float next_from(float x) { return -rounded_down_to_bf16(-x); }
  /// The largest bf16 that is below x and below the bf16 nearest to x.
  static float last_before(float x) {
    const float nearest = mtf::to_float(mtf::to_bf16(x));
    return rounded_down_to_bf16(std::nextafter(std::min(x, nearest), -std::numeric_limits<float>::infinity()));
  }

  Uniform make_;
  float least_, last_;
};

struct Normal {
  RandomCall call;
  double mean, deviation;
  void operator()(std::uint64_t group, float* out) const {
    Words words;
    philox_group(call, group, words);
    const auto m = static_cast<float>(mean), d = static_cast<float>(deviation);
    for (int w = 0; w < 4; w += 2) {
      for (int part = 0; part < kBlocks; part += kF) {
        // (0, 1], down to 2^-33; the angle in steps of 2^-24 of a full circle
        const U u = load_words(words, w, part);
        const F fraction = __builtin_convertvector((I)(u >> 16), F) * 0x1p-16f +
                           (__builtin_convertvector((I)(u & 0xffffU), F) + 0.5f) * 0x1p-32f;
        const F radius = lanes::sqrt_of(lanes::log_of(fraction) * -2.0f) * d;
        const F angle = unit(load_words(words, w + 1, part)) * 6.28318530717958648f;
        const F x = radius * lanes::cos_of(angle) + m, y = radius * lanes::sin_of(angle) + m;
        std::memcpy(out + w * kBlocks + part, &x, kBytes);
        std::memcpy(out + (w + 1) * kBlocks + part, &y, kBytes);
      }
    }
  }
  void operator()(std::uint64_t group, double* out) const {
    Words words;
    philox_group(call, group, words);
    for (int b = 0; b < kBlocks; ++b) {
      const double radius = std::sqrt(-2 * std::log(unit(words.word[0][b], words.word[1][b]) + 0x1p-54)) * deviation;
      const double angle = unit(words.word[2][b], words.word[3][b]) * 6.28318530717958647692;
      out[b] = radius * std::cos(angle) + mean;
      out[kBlocks + b] = radius * std::sin(angle) + mean;
    }
  }
};

struct TruncatedNormal {
  RandomCall call;
  double mean, deviation;
  void operator()(std::uint64_t group, float* out) const {
    Uniform{call, -1, 1}(group, out);
    const auto m = static_cast<float>(mean), d = static_cast<float>(deviation * kRootTwo);
    const float least = static_cast<float>(mean - 2 * deviation), greatest = static_cast<float>(mean + 2 * deviation);
    for (int k = 0; k < kGroup32; k += kF) {
      F u;
      std::memcpy(&u, out + k, kBytes);
      F x = erfinv_of<F>(u * static_cast<float>(kErfOfRootTwo)) * d + m;
      x = lanes::minimum_of<F>(lanes::maximum_of<F>(x, lanes::splat<F>(least)), lanes::splat<F>(greatest));
      std::memcpy(out + k, &x, kBytes);
    }
  }
  void operator()(std::uint64_t group, double* out) const {
    Uniform{call, -1, 1}(group, out);
    for (int k = 0; k < 2 * kBlocks; k += kD) {
      D u;
      std::memcpy(&u, out + k, kBytes);
      D guess = erfinv_of<D>(u * kErfOfRootTwo);
      for (int j = 0; j < kD; ++j) {
        double x = guess[j];
        const double v = u[j] * kErfOfRootTwo;
        // Two Newton steps refine the single-precision polynomial to double.
        for (int step = 0; step < 2; ++step) x -= (std::erf(x) - v) * 0.88622692545275801365 * std::exp(x * x);
        out[k + j] = std::clamp(x * kRootTwo * deviation + mean, mean - 2 * deviation, mean + 2 * deviation);
      }
    }
  }
};

struct Integers {
  RandomCall call;
  std::int64_t low;
  std::uint64_t range;
  void operator()(std::uint64_t group, std::int32_t* out) const {
    Words words;
    philox_group(call, group, words);
    for (int w = 0; w < 4; ++w) {
      for (int b = 0; b < kBlocks; ++b) {
        out[w * kBlocks + b] =
            static_cast<std::int32_t>(low + static_cast<std::int64_t>((words.word[w][b] * range) >> 32));
      }
    }
  }
};

template <class R, class T>
R stored(T value) {
  if constexpr (std::is_same_v<R, Bf16>) return mtf::to_bf16(value);
  else return value;
}

/// T: the generated numbers. R: their stored type.
template <class T, class R, class Make>
void fill(std::span<const RandomDim> block, R* data, const Make& make, Threads& threads) {
  constexpr std::int64_t kPerGroup = sizeof(T) == 8 ? kGroup32 / 2 : kGroup32;
  // Inner dims that are dense and not sharded are joined with the next.
  std::vector<RandomDim> dims;
  for (const RandomDim& dim : block) {
    if (dim.size == 0) return;
    if (!dims.empty() && dim.first == 0 && dim.size == dim.whole && dims.back().stride == dim.stride * dim.size) {
      RandomDim& outer = dims.back();
      outer = {outer.first * dim.size, outer.size * dim.size, outer.whole * dim.size, dim.stride};
    } else {
      dims.push_back(dim);
    }
  }
  if (dims.empty()) dims.push_back({0, 1, 1, 1});
  const RandomDim inner = dims.back();
  std::int64_t rows = 1;
  for (std::size_t d = 0; d + 1 < dims.size(); ++d) rows *= dims[d].size;
  auto run = [&](std::int64_t row, std::int64_t begin, std::int64_t end) {
    std::int64_t index = 0, offset = 0, rest = row, scale = 1;
    for (std::size_t d = dims.size() - 1; d-- > 0;) {
      const std::int64_t i = rest % dims[d].size;
      rest /= dims[d].size;
      scale *= dims[d + 1].whole;
      index += (dims[d].first + i) * scale;
      offset += i * dims[d].stride;
    }
    index += inner.first;
    alignas(64) T numbers[kPerGroup];
    for (std::int64_t k = begin; k < end;) {
      const std::int64_t element = index + k, skip = element % kPerGroup;
      const std::int64_t count = std::min(end - k, kPerGroup - skip);
      make(static_cast<std::uint64_t>(element / kPerGroup), numbers);
      R* to = data + offset + k * inner.stride;
      for (std::int64_t j = 0; j < count; ++j) to[j * inner.stride] = stored<R>(numbers[skip + j]);
      k += count;
    }
  };
  if (rows > 1) {
    threads.parallel_for(rows, kParallelDraws / inner.size + 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = begin; row < end; ++row) run(row, 0, inner.size);
    });
  } else {
    threads.parallel_for(inner.size, kParallelDraws, [&](std::int64_t begin, std::int64_t end) { run(0, begin, end); });
  }
}

template <class Make>
void fill_float(std::span<const RandomDim> block, ElementType type, void* data, const Make& make, Threads& threads) {
  switch (type) {
    case ElementType::kF32: return fill<float>(block, static_cast<float*>(data), make, threads);
    case ElementType::kF64: return fill<double>(block, static_cast<double*>(data), make, threads);
    case ElementType::kBf16: return fill<float>(block, static_cast<Bf16*>(data), make, threads);
    default: throw std::invalid_argument("random numbers of these kinds are f32, f64 or bf16");
  }
}

template <class T>
void fill_kept_as(const Drop& drop, std::uint64_t first, std::int64_t count, T* to) {
  const T factor = drop.rate < 1 ? static_cast<T>(1 / (1 - drop.rate)) : T(0);
  const auto rate = static_cast<float>(drop.rate);
  const Uniform make{drop.random, 0, 1};
  alignas(64) float numbers[kGroup32];
  for (std::int64_t k = 0; k < count;) {
    const auto skip = static_cast<std::int64_t>((first + k) % kGroup32), some = std::min(count - k, kGroup32 - skip);
    make((first + k) / kGroup32, numbers);
    for (std::int64_t j = 0; j < some; ++j) to[k + j] = numbers[skip + j] < rate ? T(0) : factor;
    k += some;
  }
}

}  // namespace

void fill_kept(ElementType type, const Drop& drop, std::uint64_t first, std::int64_t count, void* to) {
  if (type == ElementType::kF64) fill_kept_as(drop, first, count, static_cast<double*>(to));
  else fill_kept_as(drop, first, count, static_cast<float*>(to));
}

void fill_uniform(RandomCall call, std::span<const RandomDim> block, ElementType type, void* data, double low,
                  double high, Threads& threads) {
  if (type == ElementType::kBf16)
    return fill<float>(block, static_cast<Bf16*>(data), UniformBf16(call, low, high), threads);
  fill_float(block, type, data, Uniform{call, low, high}, threads);
}
void fill_normal(RandomCall call, std::span<const RandomDim> block, ElementType type, void* data, double mean,
                 double deviation, Threads& threads) {
  fill_float(block, type, data, Normal{call, mean, deviation}, threads);
}
void fill_truncated_normal(RandomCall call, std::span<const RandomDim> block, ElementType type, void* data, double mean,
                           double deviation, Threads& threads) {
  fill_float(block, type, data, TruncatedNormal{call, mean, deviation}, threads);
}
void fill_integers(RandomCall call, std::span<const RandomDim> block, void* data, std::int64_t low, std::int64_t high,
                   Threads& threads) {
  if (high <= low) throw std::invalid_argument("random integers: an empty range");
  fill<std::int32_t>(block, static_cast<std::int32_t*>(data),
                     Integers{call, low, static_cast<std::uint64_t>(high - low)}, threads);
}

}  // namespace mtf::kernels
