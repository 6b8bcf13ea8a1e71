// The effect of each LaneOp on SIMD packets. Only the kernels' own .cpp files include it, because it needs Eigen's
// packet functions and GCC's vector extensions.
//
// F, D, I, L are packets of float, double, int32 and int64, all of the native width. A truth value is a mask: all bits
// of the lane are set, or none. Every function computes each lane from that lane alone.
#pragma once

// g++ 12 warns of its own AVX-512 intrinsics (PR 105593), and of vectors as template arguments.
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wignored-attributes"
#pragma GCC diagnostic ignored "-Wpsabi"

#include <Eigen/Core>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numbers>
#include <type_traits>
#include <utility>

namespace mtf::kernels::lanes {

using F = Eigen::internal::packet_traits<float>::type;
using D = Eigen::internal::packet_traits<double>::type;
constexpr int kBytes = sizeof(F);
constexpr int kF = kBytes / 4;
constexpr int kD = kBytes / 8;
typedef std::int32_t I __attribute__((vector_size(kBytes)));
typedef std::uint32_t U __attribute__((vector_size(kBytes)));
typedef std::int64_t L __attribute__((vector_size(kBytes)));
typedef std::int32_t HalfI __attribute__((vector_size(kBytes / 2)));
typedef float HalfF __attribute__((vector_size(kBytes / 2)));

template <class V>
struct Of;
template <>
struct Of<F> {
  using Scalar = float;
  using Mask = I;
};
template <>
struct Of<D> {
  using Scalar = double;
  using Mask = L;
};
template <>
struct Of<I> {
  using Scalar = std::int32_t;
  using Mask = I;
};

template <class V>
using Scalar = typename Of<V>::Scalar;
template <class V>
using Mask = typename Of<V>::Mask;

template <class To, class From>
inline To bits(From from) {
  static_assert(sizeof(To) == sizeof(From));
  return (To)from;
}
template <class V>
inline V splat(Scalar<V> x) {
  return V{} + x;
}
template <>
inline F splat<F>(float x) {
  return Eigen::internal::pset1<F>(x);
}
template <>
inline D splat<D>(double x) {
  return Eigen::internal::pset1<D>(x);
}
inline F fma(F a, F b, F c) { return Eigen::internal::pmadd(a, b, c); }
inline D fma(D a, D b, D c) { return Eigen::internal::pmadd(a, b, c); }
template <class V>
inline V select(Mask<V> mask, V a, V b) {
  return mask ? a : b;
}
/// Converts each element of a part of a packet to a lane of a packet with larger lanes. g++ 12 converts the halves of
/// such a part separately. So this function converts a whole packet, and uses one half of the result.
template <class To, class From, int... kLane>
inline To widened(From from, std::integer_sequence<int, kLane...>) {
  typedef std::remove_reference_t<decltype(from[0])> Whole __attribute__((vector_size(2 * sizeof(From))));
  typedef std::remove_reference_t<decltype(To()[0])> Wide __attribute__((vector_size(2 * sizeof(To))));
  const Whole whole = __builtin_shufflevector(from, from, kLane..., (kLane < 0 ? 0 : -1)...);
  const Wide wide = __builtin_convertvector(whole, Wide);
  return __builtin_shufflevector(wide, wide, kLane...);
}
template <class To, class From>
inline To widened(From from) {
  return widened<To>(from, std::make_integer_sequence<int, sizeof(From) / sizeof(from[0])>());
}
inline F and_bits(F a, std::uint32_t m) { return (F)((U)a & m); }
template <class V>
inline V abs_of(V a) {
  if constexpr (std::is_same_v<V, F>) return (F)((I)a & 0x7fffffff);
  else if constexpr (std::is_same_v<V, D>) return (D)((L)a & 0x7fffffffffffffffLL);
  else return a < 0 ? (I)(-(U)a) : a;
}
template <class V>
inline V with_sign_of(V magnitude, V sign) {
  if constexpr (std::is_same_v<V, F>) return (F)((I)magnitude | ((I)sign & static_cast<std::int32_t>(0x80000000U)));
  else return (D)((L)magnitude | ((L)sign & std::numeric_limits<std::int64_t>::min()));
}

/// Calls fn for each lane, for operations without a packet form.
template <class V, class Fn>
inline V each(Fn fn, V a) {
  alignas(kBytes) Scalar<V> x[kBytes / sizeof(Scalar<V>)];
  std::memcpy(x, &a, kBytes);
  for (auto& e : x) e = fn(e);
  std::memcpy(&a, x, kBytes);
  return a;
}
template <class V, class Fn>
inline V each(Fn fn, V a, V b) {
  constexpr int kN = kBytes / sizeof(Scalar<V>);
  alignas(kBytes) Scalar<V> x[kN], y[kN];
  std::memcpy(x, &a, kBytes);
  std::memcpy(y, &b, kBytes);
  for (int k = 0; k < kN; ++k) x[k] = fn(x[k], y[k]);
  std::memcpy(&a, x, kBytes);
  return a;
}
#define MTF_PER_LANE(function, vector, fn)                     \
  __attribute__((noinline)) inline vector function(vector a) { \
    return each<vector>([](auto x) { return fn(x); }, a);      \
  }
MTF_PER_LANE(std_sin, D, std::sin)
MTF_PER_LANE(std_cos, D, std::cos)
MTF_PER_LANE(std_tanh, D, std::tanh)
MTF_PER_LANE(std_expm1, D, std::expm1)
MTF_PER_LANE(std_log1p, D, std::log1p)
MTF_PER_LANE(std_erf, D, std::erf)
MTF_PER_LANE(std_tan, D, std::tan)
MTF_PER_LANE(std_asin, D, std::asin)
MTF_PER_LANE(std_acos, D, std::acos)
MTF_PER_LANE(std_atan, D, std::atan)
MTF_PER_LANE(std_sinh, D, std::sinh)
MTF_PER_LANE(std_cosh, D, std::cosh)
MTF_PER_LANE(std_asinh, D, std::asinh)
MTF_PER_LANE(std_acosh, D, std::acosh)
MTF_PER_LANE(std_atanh, D, std::atanh)
MTF_PER_LANE(std_sin, F, std::sin)
MTF_PER_LANE(std_cos, F, std::cos)
MTF_PER_LANE(std_floor, F, std::floor)
MTF_PER_LANE(std_floor, D, std::floor)
MTF_PER_LANE(std_round, F, std::nearbyint)
MTF_PER_LANE(std_round, D, std::nearbyint)
#undef MTF_PER_LANE

inline F floor_of(F a) {
  if constexpr (Eigen::internal::packet_traits<float>::HasFloor) return Eigen::internal::pfloor(a);
  else return std_floor(a);
}
inline D floor_of(D a) {
  if constexpr (Eigen::internal::packet_traits<double>::HasFloor) return Eigen::internal::pfloor(a);
  else return std_floor(a);
}
inline F sqrt_of(F a) {
#ifdef __AVX512F__
  return _mm512_sqrt_ps(a);
#elif defined(__AVX__)
  return _mm256_sqrt_ps(a);
#else
  return each<F>([](float x) { return std::sqrt(x); }, a);
#endif
}
inline D sqrt_of(D a) {
#ifdef __AVX512F__
  return _mm512_sqrt_pd(a);
#elif defined(__AVX__)
  return _mm256_sqrt_pd(a);
#else
  return each<D>([](double x) { return std::sqrt(x); }, a);
#endif
}

/// 2^n for integral n in [-126, 127] ([-1022, 1023]).
inline F power_of_two(F n) { return (F)((__builtin_convertvector(n, I) + 127) << 23); }
inline D power_of_two(D n) { return (D)((L)(n + (6755399441055744.0 + 1023)) << 52); }  // 1.5·2^52: n is its low bits

/// The nearest integer, halves to even.
inline F round_of(F a) {
#ifdef __AVX512F__
  return _mm512_roundscale_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
#else
  return std_round(a);
#endif
}
inline D round_of(D a) {
#ifdef __AVX512F__
  return _mm512_roundscale_pd(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
#else
  return std_round(a);
#endif
}
/// The same as round_of, only for |a| far below 2^22 (2^51): adding 1.5·2^23 rounds.
inline F round_small(F a) { return (a + 12582912.0f) - 12582912.0f; }
inline D round_small(D a) { return (a + 6755399441055744.0) - 6755399441055744.0; }

/// Cody and Waite: x = n log 2 + r. exp(r) is its Taylor polynomial, times 2^n in a way that rounds denormal results
/// once. The result is inf for large x, NaN for NaN, and exactly 0 for very small x. It is computed there as exp(0),
/// because a denormal (for example of a masked score) takes a hundred cycles.
inline F exp_of(F x) {
#ifdef __AVX512F__
  const __mmask16 lives = _mm512_cmp_ps_mask(x, splat<F>(-104.0f), _CMP_NLT_UQ);
  const F c = _mm512_maskz_min_ps(lives, splat<F>(90.0f), x);  // gives the second operand for NaN
#else
  const F c = select<F>(x < -104.0f, F{}, select<F>(x > 90.0f, splat<F>(90.0f), x));
#endif
  const F n = round_small(c * 1.44269504088896341f);
  F r = fma(n, splat<F>(-0.693359375f), c);
  r = fma(n, splat<F>(2.12194440e-4f), r);
  F p = splat<F>(1.9875691500e-4f);
  p = fma(p, r, splat<F>(1.3981999507e-3f));
  p = fma(p, r, splat<F>(8.3334519073e-3f));
  p = fma(p, r, splat<F>(4.1665795894e-2f));
  p = fma(p, r, splat<F>(1.6666665459e-1f));
  p = fma(p, r, splat<F>(5.0000001201e-1f));
  p = fma(p, r * r, r) + 1.0f;
#ifdef __AVX512F__
  return _mm512_maskz_scalef_ps(lives, p, n);
#else
  const F half = round_small(n * 0.5f);  // two factors: 2^n may be too large or too small for one
  return select<F>(x < -104.0f, F{}, (p * power_of_two(half)) * power_of_two(n - half));
#endif
}
__attribute__((always_inline)) inline D exp_of(D x) {
#ifdef __AVX512F__
  const __mmask8 lives = _mm512_cmp_pd_mask(x, splat<D>(-745.2), _CMP_NLT_UQ);
  const D c = _mm512_maskz_min_pd(lives, splat<D>(710.0), x);
#else
  const D c = select<D>(x < -745.2, D{}, select<D>(x > 710.0, splat<D>(710.0), x));
#endif
  const D n = round_small(c * 1.4426950408889634);
  D r = fma(n, splat<D>(-6.93147180369123816490e-01), c);
  r = fma(n, splat<D>(-1.90821492927058770002e-10), r);
  D p = splat<D>(1.0 / 6227020800.0);
  p = fma(p, r, splat<D>(1.0 / 479001600.0));
  p = fma(p, r, splat<D>(1.0 / 39916800.0));
  p = fma(p, r, splat<D>(1.0 / 3628800.0));
  p = fma(p, r, splat<D>(1.0 / 362880.0));
  p = fma(p, r, splat<D>(1.0 / 40320.0));
  p = fma(p, r, splat<D>(1.0 / 5040.0));
  p = fma(p, r, splat<D>(1.0 / 720.0));
  p = fma(p, r, splat<D>(1.0 / 120.0));
  p = fma(p, r, splat<D>(1.0 / 24.0));
  p = fma(p, r, splat<D>(1.0 / 6.0));
  p = fma(p, r, splat<D>(1.0 / 2.0));
  p = fma(p, r * r, r) + 1.0;
#ifdef __AVX512F__
  return _mm512_maskz_scalef_pd(lives, p, n);
#else
  const D half = round_small(n * 0.5);
  return select<D>(x < -745.2, D{}, (p * power_of_two(half)) * power_of_two(n - half));
#endif
}
/// True if a lane of the mask is set.
inline bool any_of(I mask) {
#ifdef __AVX512F__
  return _mm512_test_epi32_mask((__m512i)mask, (__m512i)mask) != 0;
#elif defined(__AVX__)
  return _mm256_testz_si256((__m256i)mask, (__m256i)mask) == 0;
#else
  std::int32_t any = 0;
  for (int k = 0; k < kF; ++k) any |= mask[k];
  return any != 0;
#endif
}

/// log x for every x.
template <class V>
inline V any_log_of(V x) {
  // Scales denormals up first, because Eigen's treatment of them varies.
  constexpr bool kSingle = std::is_same_v<V, F>;
  const Mask<V> tiny = (x < std::numeric_limits<Scalar<V>>::min()) & (x > 0);
  const V scaled = select<V>(tiny, x * Scalar<V>(kSingle ? 0x1p24 : 0x1p54), x);
  V y = Eigen::internal::plog(scaled);
  y = select<V>(tiny, y - Scalar<V>(kSingle ? 16.635532333438686 : 37.42994775023704658), y);
  constexpr auto kInf = std::numeric_limits<Scalar<V>>::infinity();
  y = select<V>(x == 0, splat<V>(-kInf), y);
  y = select<V>(x < 0, splat<V>(std::numeric_limits<Scalar<V>>::quiet_NaN()), y);
  return select<V>((x == x) & (x != kInf), y, x);
}
__attribute__((noinline)) inline F denormal_log_of(F x) { return any_log_of(x); }
/// Cephes' logf. For positive normal numbers it gives the same bits as Eigen. Other numbers are corrected afterwards,
/// if there are any.
__attribute__((always_inline)) inline F log_of(F x) {
  const I b = (I)x;
  F e = __builtin_convertvector((b >> 23) - 126, F);
  F m = (F)((b & 0x007fffff) | 0x3f000000);  // in [1/2, 1)
  const I low = m < 0.707106781186547524f;
  e = e - (F)((I)splat<F>(1.0f) & low);
  m = (m - 1.0f) + (F)((I)m & low);
  const F m2 = m * m, m3 = m2 * m;
  F y = fma(splat<F>(7.0376836292e-2f), m, splat<F>(-1.1514610310e-1f));
  F y1 = fma(splat<F>(-1.2420140846e-1f), m, splat<F>(1.4249322787e-1f));
  F y2 = fma(splat<F>(2.0000714765e-1f), m, splat<F>(-2.4999993993e-1f));
  y = fma(y, m, splat<F>(1.1676998740e-1f));
  y1 = fma(y1, m, splat<F>(-1.6668057665e-1f));
  y2 = fma(y2, m, splat<F>(3.3333331174e-1f));
  y = fma(fma(y, m3, y1), m3, y2) * m3;
  y = fma(e, splat<F>(0.693147180559945309f), m + fma(splat<F>(-0.5f), m2, y));
  if (__builtin_expect(!any_of((b < 0x00800000) | (b >= 0x7f800000)), 1)) return y;
  if (any_of((b > 0) & (b < 0x00800000))) return denormal_log_of(x);
  constexpr auto kInf = std::numeric_limits<float>::infinity();
  y = select<F>(x == 0, splat<F>(-kInf), y);
  y = select<F>(x < 0, splat<F>(std::numeric_limits<float>::quiet_NaN()), y);
  return select<F>((x == x) & (x != kInf), y, x);
}
inline D log_of(D x) { return any_log_of(x); }
/// exp(x) - 1 without cancellation: near 0 by the Taylor series.
inline F expm1_of(F x) {
  F p = splat<F>(1.0f / 40320);
  for (float factorial : {5040.0f, 720.0f, 120.0f, 24.0f, 6.0f, 2.0f}) p = fma(p, x, splat<F>(1.0f / factorial));
  const F small = fma(p, x * x, x);
  return select<F>(abs_of(x) < 0.4f, small, exp_of(x) - 1.0f);
}
inline D expm1_of(D x) { return std_expm1(x); }
/// log(1 + u). The rounding of 1 + u is corrected afterwards (Kahan).
inline F log1p_of(F u) {
  const F w = u + 1.0f;
  const F y = log_of(w);
  const F corrected = y * (u / (w - 1.0f));
  return select<F>(w == 1.0f, u, select<F>(abs_of(y) < std::numeric_limits<float>::infinity(), corrected, y));
}
inline D log1p_of(D u) { return std_log1p(u); }
/// Cephes' tanhf.
inline F tanh_of(F x) {
  const F z = abs_of(x);
  const F s = x * x;
  F p = splat<F>(-5.70498872745e-3f);
  p = fma(p, s, splat<F>(2.06390887954e-2f));
  p = fma(p, s, splat<F>(-5.37397155531e-2f));
  p = fma(p, s, splat<F>(1.33314422036e-1f));
  p = fma(p, s, splat<F>(-3.33332819422e-1f));
  const F small = fma(p * s, x, x);
  const F large = with_sign_of<F>(1.0f - 2.0f / (exp_of(z + z) + 1.0f), x);
  return select<F>(z < 0.625f, small, select<F>(x == x, large, x));
}
inline D tanh_of(D x) { return std_tanh(x); }
/// Three-part Cody and Waite reduction by pi/2 with fma, accurate to |x| = 1e5. Larger x use std::.
template <bool kCos>
inline F sin_cos(F x) {
  const F n = round_small(x * 0.636619772367581343f);
  F r = fma(n, splat<F>(-1.57079637050628662109375f), x);
  r = fma(n, splat<F>(4.37113900018624283e-8f), r);
  r = fma(n, splat<F>(1.71512451e-15f), r);
  const I q = __builtin_convertvector(n, I) + (kCos ? 1 : 0);
  const F s = r * r;
  F sine = splat<F>(-1.9515295891e-4f);
  sine = fma(sine, s, splat<F>(8.3321608736e-3f));
  sine = fma(sine, s, splat<F>(-1.6666654611e-1f));
  sine = fma(sine * s, r, r);
  F cosine = splat<F>(2.443315711809948e-5f);
  cosine = fma(cosine, s, splat<F>(-1.388731625493765e-3f));
  cosine = fma(cosine, s, splat<F>(4.166664568298827e-2f));
  cosine = fma(cosine * s, s, fma(s, splat<F>(-0.5f), splat<F>(1.0f)));
  const F value = select<F>((q & 1) == 0, sine, cosine);
  return (F)((I)value ^ ((q & 2) << 30));
}
template <bool kCos>
inline F sin_cos_of(F x) {
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
  const I far = ~(abs_of(x) < 1e5f);
  const F near = sin_cos<kCos>(select<F>(far, F{}, x));
  bool any = false;
  for (int k = 0; k < kF; ++k) any |= far[k] != 0;
  if (__builtin_expect(!any, 1)) return near;
  return select<F>(far, kCos ? std_cos(x) : std_sin(x), near);
#else
  return kCos ? std_cos(x) : std_sin(x);
#endif
}
inline F sin_of(F x) { return sin_cos_of<false>(x); }
inline F cos_of(F x) { return sin_cos_of<true>(x); }
inline D sin_of(D x) { return std_sin(x); }
inline D cos_of(D x) { return std_cos(x); }
inline D tan_of(D x) { return std_tan(x); }
inline F tan_of(F x) { return sin_of(x) / cos_of(x); }
/// A polynomial at z. Coefficients begin with the highest power.
template <std::size_t kCount>
inline F polynomial(F z, const float (&coefficients)[kCount]) {
  F p = splat<F>(coefficients[0]);
  for (std::size_t k = 1; k < kCount; ++k) p = fma(p, z, splat<F>(coefficients[k]));
  return p;
}
/// The polynomials interpolate erf(x) / x, in x², up to 1, and log(1 - erf(x)) from 1 to 4, at Chebyshev points.
inline F erf_of(F x) {
  const F size = abs_of(x);
  const F near = x * polynomial(x * x, {-9.667045788e-06f, 1.12659594e-04f, -8.484080445e-04f, 5.221031809e-03f,
                                        -2.686543073e-02f, 1.12837825e-01f, -3.761263847e-01f, 1.128379167f});
  const F t = select<F>(size < 4.0f, size, splat<F>(4.0f));
  const F rest =
      exp_of(polynomial(t, {1.637151414e-06f, -4.605804268e-05f, 5.968056256e-04f, -4.759596294e-03f, 2.642113601e-02f,
                            -1.10080083e-01f, -6.318260515e-01f, -1.130233435f, 3.201380519e-04f}));
  const F far = with_sign_of<F>(select<F>(size < 4.0f, 1.0f - rest, splat<F>(1.0f)), x);
  return select<F>(size < 1.0f, near, select<F>(x == x, far, x));
}
inline D erf_of(D x) { return std_erf(x); }
/// Up to 1, a polynomial that interpolates atan(x) / x, in x². Beyond, π/2 - atan(1/x).
inline F atan_of(F x) {
  const F size = abs_of(x);
  const I far = size > 1.0f;
  const F u = select<F>(far, 1.0f / size, size);
  const F near = u * polynomial(u * u, {1.057607357e-03f, -7.03066912e-03f, 2.191294523e-02f, -4.392841012e-02f,
                                        6.685281483e-02f, -8.785043271e-02f, 1.105077127e-01f, -1.427857602e-01f,
                                        1.99995581e-01f, -3.333332249e-01f, 1.0f});
  return with_sign_of<F>(select<F>(far, 1.57079632679489662f - near, near), x);
}
inline D atan_of(D x) { return std_atan(x); }
inline F asin_of(F x) { return 2.0f * atan_of(x / (1.0f + sqrt_of((1.0f - x) * (1.0f + x)))); }
inline D asin_of(D x) { return std_asin(x); }
inline F acos_of(F x) { return 2.0f * atan_of(sqrt_of((1.0f - x) / (1.0f + x))); }
inline D acos_of(D x) { return std_acos(x); }
/// e^x / 2 for x ≥ 0, also where e^x overflows.
inline F half_exp_of(F x) {
  const F root = exp_of(x * 0.5f);
  return select<F>(x < 80.0f, exp_of(x) * 0.5f, (root * 0.5f) * root);
}
inline F sinh_of(F x) {
  const F size = abs_of(x), e = expm1_of(size);
  return with_sign_of<F>(select<F>(size < 40.0f, (e + e / (e + 1.0f)) * 0.5f, half_exp_of(size)), x);
}
inline D sinh_of(D x) { return std_sinh(x); }
inline F cosh_of(F x) {
  const F half = half_exp_of(abs_of(x));
  return half + 0.25f / half;
}
inline D cosh_of(D x) { return std_cosh(x); }
/// Beyond 4096 the square root of x² ± 1 is x.
inline F asinh_of(F x) {
  const F size = abs_of(x), square = size * size;
  const F near = log1p_of(size + square / (1.0f + sqrt_of(1.0f + square)));
  return with_sign_of<F>(select<F>(size < 4096.0f, near, log_of(size) + 0.693147180559945309f), x);
}
inline D asinh_of(D x) { return std_asinh(x); }
inline F acosh_of(F x) {
  const F over = x - 1.0f;
  const F near = log1p_of(over + sqrt_of(over * (x + 1.0f)));
  const F value = select<F>(x < 4096.0f, near, log_of(x) + 0.693147180559945309f);
  return select<F>(x < 1.0f, splat<F>(std::numeric_limits<float>::quiet_NaN()), value);
}
inline D acosh_of(D x) { return std_acosh(x); }
inline F atanh_of(F x) {
  const F size = abs_of(x);
  return with_sign_of<F>(0.5f * log1p_of((size + size) / (1.0f - size)), x);
}
inline D atanh_of(D x) { return std_atanh(x); }
/// Where exp(-x) may overflow, the result is exp(x), a denormal.
template <class V>
__attribute__((noinline)) V far_sigmoid_of(V x, V near, Mask<V> far) {
  return select<V>(far, exp_of(x), near);
}
/// The sigmoid, or 0 where exp(-x) overflows.
template <class V>
inline V near_sigmoid_of(V x) {
  return Scalar<V>(1) / (Scalar<V>(1) + exp_of(-x));
}
template <class V>
inline V sigmoid_of(V x) {
  const V near = near_sigmoid_of(x);
  const Mask<V> far = x < Scalar<V>(std::is_same_v<V, F> ? -88 : -709);
  if (__builtin_expect(!any_of((I)far), 1)) return near;
  return far_sigmoid_of(x, near, far);
}
/// x, limited to a magnitude of `bound`.
template <class V>
inline V bounded(V x, Scalar<V> bound) {
  return select<V>(abs_of(x) > bound, with_sign_of<V>(splat<V>(bound), x), x);
}
template <class V>
inline V maximum_of(V a, V b) {
  if constexpr (std::is_same_v<V, I>) return a > b ? a : b;
  else return select<V>((a > b) | (a != a), a, b);
}
template <class V>
inline V minimum_of(V a, V b) {
  if constexpr (std::is_same_v<V, I>) return a < b ? a : b;
  else return select<V>((a < b) | (a != a), a, b);
}
/// Rounds f32 lanes to bf16, nearest even. NaN stays NaN.
inline F round_bf16(F x) {
  const U u = (U)x;
  const U rounded = (u + 0x7fffU + ((u >> 16) & 1U)) & 0xffff0000U;
  return (F)((x == x) ? (I)rounded : (I)((u | 0x400000U) & 0xffff0000U));
}

/// Pairs of bf16 (bf16_pairs.h) from lanes that are already rounded to it. Those of `first` are in the lower halves.
inline F pairs(F first, F second) { return (F)(((U)first >> 16) | (U)second); }
/// Pairs of neighbouring lanes: first those of `low`, then those of `high`.
inline F neighbours(F low, F high) {
  typedef std::uint16_t Halves __attribute__((vector_size(kBytes)));
  return [&]<int... kPair>(std::integer_sequence<int, kPair...>) {
    return (F)__builtin_shufflevector((Halves)low, (Halves)high, (2 * kPair + 1)...);
  }
  (std::make_integer_sequence<int, kBytes / 2>());
}
/// a - q·b for finite a and b and integral q. It is rounded once, so that its sign is always right.
inline D rest_of(D a, D q, D b) {
#ifdef __FMA__
  return fma(-q, b, a);
#else
  D result;
  for (int k = 0; k < kD; ++k) result[k] = std::fma(-q[k], b[k], a[k]);
  return result;
#endif
}
inline F rest_of(F a, F q, F b) {
#ifdef __FMA__
  return fma(-q, b, a);
#else
  HalfF as[2], qs[2], bs[2];
  std::memcpy(as, &a, kBytes);
  std::memcpy(qs, &q, kBytes);
  std::memcpy(bs, &b, kBytes);
  for (std::size_t i = 0; i < 2; ++i)  // the product is exact in f64
    as[i] = __builtin_convertvector(widened<D>(as[i]) - widened<D>(qs[i]) * widened<D>(bs[i]), HalfF);
  F result;
  std::memcpy(&result, as, kBytes);
  return result;
#endif
}
/// The floor of the exact quotient. If the quotient rounds up to an integer, the floor is less. ±inf or NaN where b is
/// 0.
template <class V>
inline V floordiv_of(V a, V b) {
  using S = Scalar<V>;
  const V quotient = floor_of(a / b);
  const V rest = select<V>(abs_of(b) == std::numeric_limits<S>::infinity(), a, rest_of(a, quotient, b));
  return select<V>(((rest < 0) & (b > 0)) | ((rest > 0) & (b < 0)), quotient - S(1), quotient);
}
/// `rest`, or, if rounding made it b, the number before b (`step` bits towards 0).
template <class V>
inline V below_divisor(V rest, V b, std::int32_t step) {
  const V size = abs_of(b);
  const Mask<V> reached = (abs_of(rest) >= size) & (size < std::numeric_limits<Scalar<V>>::infinity());
  return select<V>(reached, (V)((Mask<V>)b - step), rest);
}
/// The same for lanes whose quotient has more digits than the type, by std::fmod.
template <class V>
__attribute__((noinline)) V long_mod_of(V a, V b) {
  for (int k = 0; k < static_cast<int>(kBytes / sizeof(Scalar<V>)); ++k) {
    const auto rest = std::fmod(a[k], b[k]);
    a[k] = rest != 0 && (rest < 0) != (b[k] < 0) ? rest + b[k] : rest;
  }
  return a;
}
/// The exact a - b floor(a / b), rounded once. It has the sign of b, and is smaller than b.
template <class V>
inline V mod_of(V a, V b) {
  using S = Scalar<V>;
  const V quotient = floordiv_of(a, b);
  V rest = rest_of(a, quotient, b);
  const Mask<V> is_short = abs_of(quotient) < S(std::is_same_v<V, F> ? 0x1p24 : 0x1p53);
  const Mask<V> is_finite = abs_of(b) < std::numeric_limits<S>::infinity();
  if (any_of((I) ~(is_short & is_finite))) rest = select<V>(is_short & is_finite, rest, long_mod_of(a, b));
  return with_sign_of(abs_of(below_divisor(rest, b, 1)), b);
}
/// mod_of for bf16, rounded to bf16.
inline F bf16_mod_of(F a, F b) { return below_divisor(round_bf16(mod_of(a, b)), b, 0x10000); }
/// The floors of the quotients of half of the lanes, modulo 2^32. If a quotient of two i32 is not integral, its
/// distance to the next integer exceeds the rounding error of f64. So the floor of the rounded quotient is exact.
inline HalfI floors_of_quotients(HalfI a, HalfI b) {
  const D floors = floor_of(widened<D>(a) / widened<D>(b));
  return __builtin_convertvector((L)(floors + 6755399441055744.0), HalfI);  // 1.5·2^52: the floor is its low bits
}
/// a / b rounded down, or 0 where b is 0.
inline I int_floordiv(I a, I b) {
  HalfI as[2], bs[2];
  std::memcpy(as, &a, kBytes);
  std::memcpy(bs, &b, kBytes);
  for (std::size_t i = 0; i < 2; ++i) as[i] = floors_of_quotients(as[i], bs[i]);
  I result;
  std::memcpy(&result, as, kBytes);
  return result & (b != 0);
}
/// The remainder of int_floordiv with the sign of b, or 0 where b is 0.
inline I int_mod(I a, I b) { return (I)((U)a - (U)int_floordiv(a, b) * (U)b) & (b != 0); }
inline I int_pow(I a, I b) {
  return each<I>(
      [](std::int32_t x, std::int32_t y) -> std::int32_t {
        if (y < 0) return x == 1 ? 1 : x == -1 ? (y % 2 ? -1 : 1) : 0;
        std::uint32_t result = 1, base = static_cast<std::uint32_t>(x);
        for (; y != 0; y >>= 1, base *= base) {
          if (y & 1) result *= base;
        }
        return static_cast<std::int32_t>(result);
      },
      a, b);
}
/// The number of bits by which a shift by b moves.
inline I bits_to_shift(I b) { return b < 0 ? I{} : b > 31 ? I{} + 31 : b; }
/// Two packets. Each step is computed for both before the next step, so that no step waits for its predecessor.
using Pair = std::array<D, 2>;
/// log2 x for normal x above 0, with an error of 2^-48, by the series of the inverse hyperbolic tangent.
inline Pair log2_of(const Pair& x) {
  Pair e, m, s, z, zz, even, odd, result;
  for (std::size_t i = 0; i < 2; ++i) {
    const L b = (L)x[i];
    e[i] = (D)((b >> 52) | 0x4330000000000000) - (4503599627370496.0 + 1023);  // 2^52: e is its low bits
    m[i] = (D)((b & 0x000fffffffffffff) | 0x3ff0000000000000);                 // in [1, 2)
    const Mask<D> high = m[i] > 1.4142135623730951;
    m[i] = select<D>(high, m[i] * 0.5, m[i]);
    e[i] = select<D>(high, e[i] + 1.0, e[i]);
  }
  for (std::size_t i = 0; i < 2; ++i) s[i] = (m[i] - 1.0) / (m[i] + 1.0);
  for (std::size_t i = 0; i < 2; ++i) {
    z[i] = s[i] * s[i], zz[i] = z[i] * z[i];
    even[i] = splat<D>(2 / std::numbers::ln2 / 21), odd[i] = splat<D>(2 / std::numbers::ln2 / 19);  // two chains each
  }
  for (int term = 17; term >= 1; term -= 4)
    for (std::size_t i = 0; i < 2; ++i) {
      even[i] = fma(even[i], zz[i], splat<D>(2 / std::numbers::ln2 / term));
      if (term > 1) odd[i] = fma(odd[i], zz[i], splat<D>(2 / std::numbers::ln2 / (term - 2)));
    }
  for (std::size_t i = 0; i < 2; ++i) result[i] = fma(fma(odd[i], z[i], even[i]), s[i], e[i]);
  return result;
}
/// 2^x for x in [-1000, 1000], with a relative error of 2^-50.
inline Pair exp2_of(const Pair& x) {
  Pair n, r, rr, even, odd, result;
  for (std::size_t i = 0; i < 2; ++i) {
    n[i] = round_small(x[i]), r[i] = (x[i] - n[i]) * std::numbers::ln2, rr[i] = r[i] * r[i];
    even[i] = splat<D>(1.0 / 479001600.0), odd[i] = splat<D>(1.0 / 39916800.0);  // two chains each
  }
  constexpr double kEven[] = {3628800, 40320, 720, 24, 2}, kOdd[] = {362880, 5040, 120, 6, 1};  // factorials
  for (std::size_t term = 0; term < std::size(kEven); ++term)
    for (std::size_t i = 0; i < 2; ++i) {
      even[i] = fma(even[i], rr[i], splat<D>(1.0 / kEven[term]));
      odd[i] = fma(odd[i], rr[i], splat<D>(1.0 / kOdd[term]));
    }
  for (std::size_t i = 0; i < 2; ++i) even[i] = fma(even[i], rr[i], splat<D>(1.0));
  for (std::size_t i = 0; i < 2; ++i) result[i] = fma(odd[i], r[i], even[i]) * power_of_two(n[i]);
  return result;
}
/// x^y in f64, rounded once, for finite x above 0 and finite y. All of 32 million random results were the nearest
/// number. So a layout changes no bit of a power. glibc's powf sometimes returns a neighbour of the nearest number, so
/// the bits may differ from glibc's.
inline F power_of(F x, F y) {
  HalfF xs[2], ys[2], powers[2];
  std::memcpy(xs, &x, kBytes);
  std::memcpy(ys, &y, kBytes);
  Pair power = log2_of({widened<D>(xs[0]), widened<D>(xs[1])});
  for (std::size_t i = 0; i < 2; ++i) {
    power[i] *= widened<D>(ys[i]);
    power[i] = select<D>(power[i] < -200.0, splat<D>(-200.0), select<D>(power[i] > 200.0, splat<D>(200.0), power[i]));
  }
  power = exp2_of(power);
  for (std::size_t i = 0; i < 2; ++i) powers[i] = __builtin_convertvector(power[i], HalfF);
  F result;
  std::memcpy(&result, powers, kBytes);
  return result;
}
/// Small integral and half-integral exponents by multiplication, other powers of f32 above 0 in f64, and the rest by
/// std::pow, lane by lane.
template <class V>
__attribute__((noinline)) V pow_of(V x, V y) {
  using S = Scalar<V>;
  constexpr int kN = kBytes / sizeof(S);
  V r = x;
  Mask<V> done = y == 1;
  const auto put = [&](Mask<V> where, const auto& value) {  // often all exponents are equal, and one case suffices
    if (!any_of((I)where)) return;
    r = select<V>(where, value(), r);
    done |= where;
  };
  if (any_of((I)((y == 2) | (y == 3) | (y == 4) | (y == -1) | (y == S(0.5)) | (y == S(-0.5))))) {
    put(y == 2, [&] { return x * x; });
    put(y == 3, [&] { return x * x * x; });
    put(y == 4, [&] { return (x * x) * (x * x); });
    put(y == -1, [&] { return S(1) / x; });
    put((y == S(0.5)) & (x > 0), [&] { return sqrt_of(x); });
    put((y == S(-0.5)) & (x > 0), [&] { return S(1) / sqrt_of(x); });
  }
  if constexpr (std::is_same_v<V, F>) {
    constexpr S kInf = std::numeric_limits<S>::infinity();
    put((x > 0) & (x < kInf) & (y > -kInf) & (y < kInf) & ~done, [&] { return power_of(x, y); });
  }
  if (!any_of((I)~done)) return r;
  alignas(kBytes) S xs[kN], ys[kN], rs[kN];
  std::memcpy(xs, &x, kBytes);
  std::memcpy(ys, &y, kBytes);
  std::memcpy(rs, &r, kBytes);
  for (int k = 0; k < kN; ++k) {
    if (done[k] == 0) rs[k] = std::pow(xs[k], ys[k]);
  }
  std::memcpy(&r, rs, kBytes);
  return r;
}

/// Float to i32: truncates, saturates, 0 for NaN.
inline I to_int(F x) {
  const I good = (x > -2147483904.0f) & (x < 2147483648.0f);
  const I whole = __builtin_convertvector(select<F>(good, x, F{}), I);
  return good ? whole
              : (x >= 2147483648.0f ? I{} + std::numeric_limits<std::int32_t>::max()
                                    : (x == x ? I{} + std::numeric_limits<std::int32_t>::min() : I{}));
}

}  // namespace mtf::kernels::lanes
