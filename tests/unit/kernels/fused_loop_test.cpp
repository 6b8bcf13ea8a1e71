#include "kernels/kernel_table.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>
#include <random>

namespace mtf::kernels {
namespace fused_loop_test {

using Int = std::int64_t;
constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr auto kF32 = ElementType::kF32;
constexpr auto kF64 = ElementType::kF64;
constexpr auto kI32 = ElementType::kI32;
constexpr auto kBool = ElementType::kBool;
constexpr auto kBf16 = ElementType::kBf16;

template <class T>
ElementType type_of() {
  if (std::is_same_v<T, float>) return kF32;
  if (std::is_same_v<T, double>) return kF64;
  if (std::is_same_v<T, std::int32_t>) return kI32;
  if (std::is_same_v<T, Bf16>) return kBf16;
  return kBool;
}

Threads& one_thread() {
  static Threads threads(1);
  return threads;
}

FusionProgram one_step(LaneOp op, std::vector<ElementType> types, ElementType result, ElementType cast = kF32) {
  FusionProgram p;
  for (ElementType type : types) p.operands.push_back({OperandKind::kArray, type});
  FusionStep step{op};
  step.a = 0;
  if (types.size() > 1) step.b = 1;
  if (types.size() > 2) step.c = 2;
  step.type = cast;
  p.steps.push_back(step);
  p.outputs.push_back({static_cast<int>(types.size()), result, Reduction::kStore});
  return p;
}

template <class R, class A>
std::vector<R> map1(LaneOp op, const std::vector<A>& a) {
  std::vector<R> y(a.size());
  const Int n = static_cast<Int>(a.size()), one = 1;
  const FusedLoop loop = table().compile(one_step(op, {type_of<A>()}, type_of<R>(), type_of<R>()));
  const FusionArgument in[] = {FusionArgument::array(a.data(), {&one, 1})};
  const FusionArgument out[] = {FusionArgument::array(y.data(), {&one, 1})};
  loop.run({&n, 1}, in, out, one_thread());
  return y;
}
template <class R, class A>
std::vector<R> map2(LaneOp op, const std::vector<A>& a, const std::vector<A>& b) {
  std::vector<R> y(a.size());
  const Int n = static_cast<Int>(a.size()), one = 1;
  const FusedLoop loop = table().compile(one_step(op, {type_of<A>(), type_of<A>()}, type_of<R>()));
  const FusionArgument in[] = {FusionArgument::array(a.data(), {&one, 1}), FusionArgument::array(b.data(), {&one, 1})};
  const FusionArgument out[] = {FusionArgument::array(y.data(), {&one, 1})};
  loop.run({&n, 1}, in, out, one_thread());
  return y;
}
template <class T>
std::vector<T> where3(std::vector<char> c, const std::vector<T>& a, const std::vector<T>& b) {
  std::vector<T> y(a.size());
  const Int n = static_cast<Int>(a.size()), one = 1;
  const FusedLoop loop = table().compile(one_step(LaneOp::kWhere, {kBool, type_of<T>(), type_of<T>()}, type_of<T>()));
  const FusionArgument in[] = {FusionArgument::array(c.data(), {&one, 1}), FusionArgument::array(a.data(), {&one, 1}),
                               FusionArgument::array(b.data(), {&one, 1})};
  const FusionArgument out[] = {FusionArgument::array(y.data(), {&one, 1})};
  loop.run({&n, 1}, in, out, one_thread());
  return y;
}

std::vector<float> random_floats(std::size_t n, float low = -4, float high = 4, unsigned seed = 1) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> uniform(low, high);
  std::vector<float> x(n);
  for (float& e : x) e = uniform(generator);
  return x;
}

double ulps(double got, double expected, bool single) {
  if (std::isnan(got) && std::isnan(expected)) return 0;
  if (got == expected) return 0;
  double ulp = 0;
  if (single) {
    const float e = static_cast<float>(std::abs(expected));
    ulp = std::nextafter(e, kInf) - e;
  } else {
    ulp = std::nextafter(std::abs(expected), HUGE_VAL) - std::abs(expected);
  }
  return std::abs(got - expected) / ulp;
}

// ---- values ---------------------------------------------------------------------------------------------------------

TEST(FusedLoop, GeluAndSwishHaveTheirKnownValues) {
  const std::vector<float> x{-1, 0, 1, 2};
  const float gelu[] = {-.158808f, 0, .841192f, 1.954598f}, swish[] = {-.268941f, 0, .731059f, 1.761594f};
  const auto g = map1<float>(LaneOp::kGelu, x), s = map1<float>(LaneOp::kSwish, x);
  for (int k = 0; k < 4; ++k) {
    EXPECT_NEAR(g[k], gelu[k], 1e-6);
    EXPECT_NEAR(s[k], swish[k], 1e-6);
  }
}
TEST(FusedLoop, WhereLetsNothingThroughFromTheSideNotTaken) {
  EXPECT_EQ(where3<float>({1, 0}, {1, kNan}, {5, 6}), (std::vector<float>{1, 6}));
  EXPECT_EQ(where3<double>({1, 0}, {1, NAN}, {5, 6}), (std::vector<double>{1, 6}));
  EXPECT_EQ(where3<std::int32_t>({0, 1}, {1, 2}, {5, 6}), (std::vector<std::int32_t>{5, 2}));
}
TEST(FusedLoop, IntegerDivisionFloorsAndByZeroIsZero) {
  using V = std::vector<std::int32_t>;
  const V a{-7, 7, -7, 5, std::numeric_limits<std::int32_t>::min()}, b{2, -2, 3, 0, -1};
  EXPECT_EQ(map2<std::int32_t>(LaneOp::kFloordiv, a, b), (V{-4, -4, -3, 0, std::numeric_limits<std::int32_t>::min()}));
  EXPECT_EQ(map2<std::int32_t>(LaneOp::kMod, V{-7, 7, 5}, V{3, -3, 0}), (V{2, -2, 0}));
  EXPECT_EQ(map2<float>(LaneOp::kFloordiv, std::vector<float>{-7}, {2}), std::vector<float>{-4});
  EXPECT_EQ(map2<float>(LaneOp::kMod, std::vector<float>{-7}, {3}), std::vector<float>{2});
}
TEST(FusedLoop, IntegerDivisionIsThatOf64BitsForAllSignsAndSizes) {
  constexpr std::int64_t kLeast = std::numeric_limits<std::int32_t>::min(), kMost = -(kLeast + 1);
  std::vector<std::int64_t> values{0, 1, 2, 3, 7, 10, 46340, 46341, 65535, 65536, 1 << 30, kMost - 1, kMost};
  for (std::size_t k = 1, n = values.size(); k < n; ++k) values.push_back(-values[k]);
  values.push_back(kLeast);
  std::mt19937 generator(3);
  for (int k = 0; k < 100; ++k) values.push_back(static_cast<std::int32_t>(generator() >> 1 >> generator() % 31));
  std::vector<std::int32_t> a, b, quotients, rests;
  for (const std::int64_t x : values) {
    for (const std::int64_t y : values) {
      a.push_back(static_cast<std::int32_t>(x));
      b.push_back(static_cast<std::int32_t>(y));
      const std::int64_t floor = y == 0 ? 0 : x / y - (x % y != 0 && (x < 0) != (y < 0));
      quotients.push_back(static_cast<std::int32_t>(floor));  // of the smallest number and -1: wraps
      rests.push_back(y == 0 ? 0 : static_cast<std::int32_t>(x - floor * y));
    }
  }
  EXPECT_EQ(map2<std::int32_t>(LaneOp::kFloordiv, a, b), quotients);
  EXPECT_EQ(map2<std::int32_t>(LaneOp::kMod, a, b), rests);
}
/// Numbers of every size and sign, with the borders of the type.
template <class T>
std::vector<T> numbers_of_all_sizes(std::size_t drawn) {
  using Limits = std::numeric_limits<T>;
  std::vector<T> values{T(0),    T(0.1),        T(0.3),           T(0.5),  T(1),          T(3),
                        T(10),   T(16777216.0), T(1e-30),         T(1e30), Limits::min(), Limits::denorm_min(),
                        T(1e-4), Limits::max(), Limits::epsilon()};
  std::mt19937_64 generator(5);
  for (std::size_t k = 0; k < drawn; ++k) {
    const T mantissa = static_cast<T>(generator() >> 11) * T(0x1p-53) + 1;
    values.push_back(std::ldexp(mantissa, static_cast<int>(generator() % 60) - 30));
    values.push_back(std::floor(values.back()));
  }
  for (std::size_t k = 0, n = values.size(); k < n; ++k) values.push_back(-values[k]);
  return values;
}
template <class T>
void expect_exact_quotients_and_rests(const std::vector<T>& values) {
  std::vector<T> a, b;
  for (const T x : values) {
    for (const T y : values) {
      if (y != 0) a.push_back(x), b.push_back(y);
    }
  }
  const std::vector<T> quotients = map2<T>(LaneOp::kFloordiv, a, b), rests = map2<T>(LaneOp::kMod, a, b);
  const T exact_up_to = T(std::is_same_v<T, float> ? 0x1p24 : 0x1p53);
  for (std::size_t k = 0; k < a.size(); ++k) {
    SCOPED_TRACE(testing::Message() << a[k] << " and " << b[k]);
    const auto is_above_or_at =
        [&](T quotient) {  // a / b: a quotient that is rounded once has the sign of the exact quotient
          const T left = std::fma(-quotient, b[k], a[k]);
          return b[k] > 0 ? left >= 0 : left <= 0;
        };
    if (std::abs(quotients[k]) < exact_up_to) {
      EXPECT_EQ(quotients[k], std::floor(quotients[k]));
      EXPECT_TRUE(is_above_or_at(quotients[k]) && !is_above_or_at(quotients[k] + 1));
    } else {
      EXPECT_LE(ulps(quotients[k], a[k] / b[k], sizeof(T) == sizeof(float)), 1);
    }
    const T smaller = std::fmod(a[k], b[k]);  // exact
    const bool other_sign = smaller != 0 && (smaller < 0) != (b[k] < 0);
    const T sum = smaller + b[k], expected = other_sign ? (sum == b[k] ? std::nextafter(b[k], T(0)) : sum) : smaller;
    ASSERT_EQ(rests[k], expected);
    EXPECT_TRUE(std::abs(rests[k]) < std::abs(b[k]) && std::signbit(rests[k]) == std::signbit(b[k]));
  }
}
TEST(FusedLoop, FloatsHaveExactQuotientsAndRestsBelowTheDivisor) {
  expect_exact_quotients_and_rests(numbers_of_all_sizes<float>(150));
  expect_exact_quotients_and_rests(numbers_of_all_sizes<double>(150));
}
TEST(FusedLoop, QuotientsAndRestsOfInfinitiesAreLimits) {
  using V = std::vector<float>;
  const V a{1, -1, 1, -1, kInf, kNan, 1, 0, -1}, b{kInf, kInf, -kInf, -kInf, 2, 2, kNan, 0, 0};
  const V quotients = map2<float>(LaneOp::kFloordiv, a, b), rests = map2<float>(LaneOp::kMod, a, b);
  const V expected_quotients{0, -1, -1, 0, kInf, kNan, kNan, kNan, -kInf},
      expected_rests{1, kInf, -kInf, -1, kNan, kNan, kNan, kNan, kNan};
  for (std::size_t k = 0; k < a.size(); ++k) {
    EXPECT_EQ(ulps(quotients[k], expected_quotients[k], true), 0) << a[k] << " // " << b[k];
    EXPECT_EQ(ulps(rests[k], expected_rests[k], true), 0) << a[k] << " % " << b[k];
  }
}
TEST(FusedLoop, RestsOfBf16AreBelowTheDivisorAfterRounding) {
  std::vector<Bf16> a, b;
  for (const float x : numbers_of_all_sizes<float>(100)) {
    for (const float y : numbers_of_all_sizes<float>(100)) {
      if (const Bf16 rounded = to_bf16(y); to_float(rounded) != 0 && std::isfinite(to_float(rounded)))
        a.push_back(to_bf16(x)), b.push_back(rounded);
    }
  }
  const std::vector<Bf16> rests = map2<Bf16>(LaneOp::kMod, a, b), quotients = map2<Bf16>(LaneOp::kFloordiv, a, b);
  for (std::size_t k = 0; k < a.size(); ++k) {
    const float x = to_float(a[k]), y = to_float(b[k]), rest = to_float(rests[k]);
    if (std::isinf(x)) continue;
    SCOPED_TRACE(testing::Message() << x << " and " << y);
    ASSERT_TRUE(std::abs(rest) < std::abs(y) && std::signbit(rest) == std::signbit(y)) << rest;
    const double smaller = std::fmod(double{x}, double{y});
    EXPECT_NEAR(rest, smaller != 0 && (smaller < 0) != (y < 0) ? smaller + y : smaller, std::abs(y) / 128);
    if (const double quotient = std::floor(double{x} / y); std::abs(quotient) < 256) {
      EXPECT_EQ(to_float(quotients[k]), quotient);
    }
  }
}
TEST(FusedLoop, PowerIsStandardPower) {
  const std::vector<float> x{-2, 0, 2, -2, 4, -8, 2, 0, kNan, 1}, y{3, 0, .5f, -2, -.5f, .5f, -1, -1, 0, kNan};
  const auto z = map2<float>(LaneOp::kPow, x, y);
  for (std::size_t k = 0; k < x.size(); ++k)
    EXPECT_LE(ulps(z[k], std::pow(x[k], y[k]), true), 1) << x[k] << '^' << y[k];
  using V = std::vector<std::int32_t>;
  EXPECT_EQ(map2<std::int32_t>(LaneOp::kPow, V{-2, 3, 1, 2}, V{3, 4, -5, -1}), (V{-8, 81, 1, 0}));
}
TEST(FusedLoop, RoundGoesToEvenAndSignKeepsNan) {
  EXPECT_EQ(map1<float>(LaneOp::kRound, std::vector<float>{.5f, 1.5f, -2.5f}), (std::vector<float>{0, 2, -2}));
  EXPECT_TRUE(std::isnan(map1<float>(LaneOp::kSign, std::vector<float>{kNan})[0]));
  EXPECT_EQ(map1<std::int32_t>(LaneOp::kSign, std::vector<std::int32_t>{-5, 0, 9}),
            (std::vector<std::int32_t>{-1, 0, 1}));
}
TEST(FusedLoop, CastsTruncateSaturateAndCount) {
  EXPECT_EQ(map1<std::int32_t>(LaneOp::kCast, std::vector<float>{-1.9f, 2.9f, kNan, kInf, -kInf}),
            (std::vector<std::int32_t>{-1, 2, 0, std::numeric_limits<std::int32_t>::max(),
                                       std::numeric_limits<std::int32_t>::min()}));
  EXPECT_EQ(map1<std::int32_t>(LaneOp::kCast, std::vector<double>{-1.9, 2147483646.7, NAN, -1e300}),
            (std::vector<std::int32_t>{-1, 2147483646, 0, std::numeric_limits<std::int32_t>::min()}));
  EXPECT_EQ(map1<float>(LaneOp::kCast, std::vector<double>{0.1}), std::vector<float>{0.1f});
  EXPECT_EQ(map1<double>(LaneOp::kCast, std::vector<std::int32_t>{-3}), std::vector<double>{-3});
  EXPECT_EQ(map1<char>(LaneOp::kCast, std::vector<float>{0, -0.0f, .5f, kNan}), (std::vector<char>{0, 0, 1, 1}));
  EXPECT_EQ(map1<float>(LaneOp::kCast, std::vector<char>{0, 1}), (std::vector<float>{0, 1}));
  EXPECT_EQ(map1<Bf16>(LaneOp::kCast, std::vector<float>{1.00390625f})[0].bits, mtf::to_bf16(1.00390625f).bits);
}
TEST(FusedLoop, MaximumAndMinimumAreNanIfEitherIs) {
  for (LaneOp op : {LaneOp::kMaximum, LaneOp::kMinimum}) {
    EXPECT_TRUE(std::isnan(map2<float>(op, std::vector<float>{kNan}, {1})[0]));
    EXPECT_TRUE(std::isnan(map2<float>(op, std::vector<float>{1}, {kNan})[0]));
    EXPECT_TRUE(std::isnan(map2<double>(op, std::vector<double>{NAN}, {1})[0]));
  }
}
TEST(FusedLoop, NanGoesThroughEveryFloatFunction) {
#define MTF_LANE_OP(enumerator, text, count, types, result)                                         \
  if (count == 1 && allows(LaneOp::enumerator, kF32) && LaneOp::enumerator != LaneOp::kCast) {      \
    EXPECT_TRUE(std::isnan(map1<float>(LaneOp::enumerator, std::vector<float>{kNan})[0])) << text;  \
    EXPECT_TRUE(std::isnan(map1<double>(LaneOp::enumerator, std::vector<double>{NAN})[0])) << text; \
  }
#include "kernels/lane_ops.def"
#undef MTF_LANE_OP
}
TEST(FusedLoop, ExpAndLogAreExactAtTheirEdges) {
  EXPECT_EQ(map1<float>(LaneOp::kExp, std::vector<float>{-kInf, kInf, 0, -200, 89}),
            (std::vector<float>{0, kInf, 1, 0, kInf}));
  const float last = 88.72283f,
              least = std::numeric_limits<float>::denorm_min();  // the largest with a finite exp; the smallest result
  EXPECT_EQ(map1<float>(LaneOp::kExp, std::vector<float>{std::nextafter(last, kInf), -103.5f, -104.0f}),
            (std::vector<float>{kInf, least, 0}));
  EXPECT_NEAR(map1<float>(LaneOp::kExp, std::vector<float>{last})[0] / std::exp(static_cast<double>(last)), 1, 2e-7);
  EXPECT_EQ(map1<double>(LaneOp::kExp, std::vector<double>{-HUGE_VAL, HUGE_VAL, 0, -800, 710}),
            (std::vector<double>{0, HUGE_VAL, 1, 0, HUGE_VAL}));
  const auto l = map1<float>(LaneOp::kLog, std::vector<float>{0, kInf, 1, -1});
  EXPECT_EQ(l[0], -kInf);
  EXPECT_EQ(l[1], kInf);
  EXPECT_EQ(l[2], 0);
  EXPECT_TRUE(std::isnan(l[3]));
  EXPECT_EQ(map1<float>(LaneOp::kTanh, std::vector<float>{kInf, -kInf}), (std::vector<float>{1, -1}));
  EXPECT_TRUE(std::isnan(map1<float>(LaneOp::kSqrt, std::vector<float>{-1})[0]));
  EXPECT_TRUE(std::isnan(map1<float>(LaneOp::kSin, std::vector<float>{kInf})[0]));
}

struct Accurate {
  LaneOp op;
  std::function<double(double)> reference;
  double low, high, ulps;
};
TEST(FusedLoop, FunctionsAreAccurateToAFewUnitsInTheLastPosition) {
  auto sigmoid = [](double x) { return 1 / (1 + std::exp(-x)); };
  const Accurate cases[] = {
      {LaneOp::kExp, [](double x) { return std::exp(x); }, -103, 88.7, 2},
      {LaneOp::kLog, [](double x) { return std::log(x); }, 1e-40, 100, 3},
      {LaneOp::kSin, [](double x) { return std::sin(x); }, -1e5, 1e5, 3},
      {LaneOp::kCos, [](double x) { return std::cos(x); }, -1e5, 1e5, 3},
      {LaneOp::kSin, [](double x) { return std::sin(x); }, -10, 10, 3},
      {LaneOp::kSin, [](double x) { return std::sin(x); }, -1e9, 1e9, 3},
      {LaneOp::kTanh, [](double x) { return std::tanh(x); }, -10, 10, 3},
      {LaneOp::kSigmoid, sigmoid, -80, 20, 4},
      {LaneOp::kElu, [](double x) { return x > 0 ? x : std::expm1(x); }, -5, 1, 4},
      {LaneOp::kSoftplus, [](double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }, -50, 50, 4},
      {LaneOp::kExpm1, [](double x) { return std::expm1(x); }, -5, 5, 4},
      {LaneOp::kLog1p, [](double x) { return std::log1p(x); }, -0.9, 100, 4},
      {LaneOp::kLog1p, [](double x) { return std::log1p(x); }, -0.001, 0.001, 4},
      {LaneOp::kErf, [](double x) { return std::erf(x); }, -5, 5, 4},
      {LaneOp::kTan, [](double x) { return std::tan(x); }, -10, 10, 5},
      {LaneOp::kAsin, [](double x) { return std::asin(x); }, -1, 1, 4},
      {LaneOp::kAcos, [](double x) { return std::acos(x); }, -1, 1, 4},
      {LaneOp::kAtan, [](double x) { return std::atan(x); }, -100, 100, 3},
      {LaneOp::kAtan, [](double x) { return std::atan(x); }, -1, 1, 3},
      {LaneOp::kSinh, [](double x) { return std::sinh(x); }, -89, 89, 5},
      {LaneOp::kSinh, [](double x) { return std::sinh(x); }, -1, 1, 5},
      {LaneOp::kCosh, [](double x) { return std::cosh(x); }, -89, 89, 5},
      {LaneOp::kAsinh, [](double x) { return std::asinh(x); }, -10000, 10000, 4},
      {LaneOp::kAsinh, [](double x) { return std::asinh(x); }, -2, 2, 4},
      {LaneOp::kAcosh, [](double x) { return std::acosh(x); }, 1, 10000, 4},
      {LaneOp::kAtanh, [](double x) { return std::atanh(x); }, -0.999, 0.999, 5},
      {LaneOp::kSqrt, [](double x) { return std::sqrt(x); }, 0, 100, .5001},
      {LaneOp::kRsqrt, [](double x) { return 1 / std::sqrt(x); }, 1e-5, 100, 2},
  };
  for (const Accurate& c : cases) {
    const auto x = random_floats(100000, static_cast<float>(c.low), static_cast<float>(c.high));
    const auto y = map1<float>(c.op, x);
    double worst = 0;
    float at = 0;
    for (std::size_t k = 0; k < x.size(); ++k) {
      const double error = ulps(y[k], c.reference(x[k]), true);
      if (!(error <= worst)) worst = error, at = x[k];
    }
    EXPECT_LE(worst, c.ulps) << name(c.op) << " at " << at;
    std::vector<double> xd(x.begin(), x.end());
    const auto yd = map1<double>(c.op, xd);
    worst = 0;
    for (std::size_t k = 0; k < x.size(); ++k) worst = std::max(worst, ulps(yd[k], c.reference(xd[k]), false));
    EXPECT_LE(worst, c.ulps) << name(c.op) << " f64";
  }
}

// ---- the same bits everywhere ---------------------------------------------------------------------------------------

TEST(FusedLoop, ALogarithmHasTheSameBitsBesideAnyOthers) {
  const auto x = random_floats(1000, 1e-3f, 5);
  const auto alone = map1<float>(LaneOp::kLog, x);
  for (const float other : {0.0f, -0.0f, -1.0f, kInf, -kInf, NAN, 1e-40f, -1e-40f}) {
    const float expected = map1<float>(LaneOp::kLog, std::vector<float>{other})[0];
    const float exact = std::log(other);
    EXPECT_TRUE(expected == exact || std::abs(expected - exact) < 1e-4 || (expected != expected && exact != exact));
    auto mixed = x;
    for (std::size_t k = 0; k < x.size(); k += 3) mixed[k] = other;
    const auto y = map1<float>(LaneOp::kLog, mixed);
    for (std::size_t k = 0; k < x.size(); ++k) {
      const float wanted = k % 3 == 0 ? expected : alone[k];
      ASSERT_TRUE(y[k] == wanted || (std::isnan(y[k]) && std::isnan(wanted))) << other << " at " << k;
    }
  }
}
TEST(FusedLoop, BitsDoNotDependOnOffsetOrSize) {
  const auto x = random_floats(1000, .1f, 5);
  for (LaneOp op : {LaneOp::kExp, LaneOp::kTanh, LaneOp::kLog, LaneOp::kGelu, LaneOp::kSin, LaneOp::kSoftplus}) {
    const auto whole = map1<float>(op, x);
    for (std::size_t first : {0U, 1U, 7U, 130U, 999U}) {
      for (std::size_t n : {1U, 2U, 15U, 17U, 127U, 128U, 129U, 500U}) {
        if (first + n > x.size()) continue;
        const auto part = map1<float>(op, std::vector<float>(x.begin() + first, x.begin() + first + n));
        EXPECT_EQ(0, std::memcmp(part.data(), whole.data() + first, n * 4)) << name(op);
      }
    }
  }
}
TEST(FusedLoop, FusionDoesNotChangeBits) {
  for (ElementType type : {kF32, kBf16, kF64}) {
    const Int n = 777, one = 1;
    const auto x = random_floats(n), y = random_floats(n, 1, 2, 5);
    FusionProgram p;
    p.operands = {{OperandKind::kArray, kF32}, {OperandKind::kArray, kF32}};
    p.steps = {{LaneOp::kCast, 0, -1, -1, type}, {LaneOp::kCast, 1, -1, -1, type}};
    p.outputs = {{2, type}, {3, type}};
    std::vector<double> a(n), b(n), t(n), u(n), fused(n);
    const FusionArgument in[] = {FusionArgument::array(x.data(), {&one, 1}),
                                 FusionArgument::array(y.data(), {&one, 1})};
    const FusionArgument ab[] = {FusionArgument::array(a.data(), {&one, 1}),
                                 FusionArgument::array(b.data(), {&one, 1})};
    table().compile(p).run({&n, 1}, in, ab, one_thread());
    // t = exp(a * b); u = t / (b + t); r = u - a, singly and fused
    auto single = [&](LaneOp op, const void* l, const void* r, void* out) {
      FusionProgram s = one_step(op, r ? std::vector<ElementType>{type, type} : std::vector<ElementType>{type}, type);
      std::vector<FusionArgument> args{FusionArgument::array(l, {&one, 1})};
      if (r) args.push_back(FusionArgument::array(r, {&one, 1}));
      const FusionArgument result[] = {FusionArgument::array(out, {&one, 1})};
      table().compile(s).run({&n, 1}, args, result, one_thread());
    };
    single(LaneOp::kMul, a.data(), b.data(), t.data());
    single(LaneOp::kExp, t.data(), nullptr, t.data());
    single(LaneOp::kAdd, b.data(), t.data(), u.data());
    single(LaneOp::kDiv, t.data(), u.data(), u.data());
    single(LaneOp::kSub, u.data(), a.data(), u.data());
    FusionProgram f;
    f.operands = {{OperandKind::kArray, type}, {OperandKind::kArray, type}};
    f.steps = {
        {LaneOp::kMul, 0, 1}, {LaneOp::kExp, 2}, {LaneOp::kAdd, 1, 3}, {LaneOp::kDiv, 3, 4}, {LaneOp::kSub, 5, 0}};
    f.outputs = {{6, type}};
    const FusionArgument result[] = {FusionArgument::array(fused.data(), {&one, 1})};
    table().compile(f).run({&n, 1}, ab, result, one_thread());
    EXPECT_EQ(0, std::memcmp(fused.data(), u.data(), static_cast<std::size_t>(n * size_of(type)))) << name(type);
  }
}
TEST(FusedLoop, AnOperandCanBeOverwrittenInPositionAndReadAgain) {
  // stores y = (x + 1) over x, and reads x again for z = (x + 1) * x
  const Int n = 300, one = 1;
  std::vector<float> x(n), z(n);
  std::iota(x.begin(), x.end(), 0.0f);
  FusionProgram p;
  p.operands = {{OperandKind::kArray, kF32}, {OperandKind::kScalar, kF32}};
  p.steps = {{LaneOp::kAdd, 0, 1}, {LaneOp::kMul, 2, 0}};
  p.outputs = {{2, kF32}, {3, kF32}};
  const FusionArgument in[] = {FusionArgument::array(x.data(), {&one, 1}), FusionArgument::scalar(1)};
  const FusionArgument out[] = {FusionArgument::array(x.data(), {&one, 1}), FusionArgument::array(z.data(), {&one, 1})};
  table().compile(p).run({&n, 1}, in, out, one_thread());
  for (Int k = 0; k < n; ++k) {
    EXPECT_EQ(x[k], k + 1);
    EXPECT_EQ(z[k], k * (k + 1));
  }
}

// ---- shapes and strides against a slow loop -------------------------------------------------------------------------

Int total(const std::vector<Int>& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), Int{1}, std::multiplies<>());
}
Int offset(const std::vector<Int>& sizes, const std::vector<Int>& strides, Int index) {
  Int result = 0;
  for (std::size_t d = sizes.size(); d-- > 0;) {
    result += index % sizes[d] * strides[d];
    index /= sizes[d];
  }
  return result;
}
/// Dense strides for the dims in some order, then scaled.
std::vector<Int> random_strides(const std::vector<Int>& sizes, std::mt19937& generator, bool broadcast) {
  std::vector<std::size_t> order(sizes.size());
  std::iota(order.begin(), order.end(), 0U);
  std::shuffle(order.begin(), order.end(), generator);
  std::vector<Int> strides(sizes.size());
  Int stride = generator() % 4 == 0 ? 2 : 1;
  for (std::size_t d : order) {
    if (broadcast && generator() % 4 == 0) continue;
    strides[d] = stride;
    stride *= sizes[d];
  }
  return strides;
}
TEST(FusedLoop, AnyShapeAndStridesGiveTheSlowLoopsResult) {
  std::mt19937 generator(3);
  FusionProgram p;
  p.operands = {{OperandKind::kArray, kF32},
                {OperandKind::kArray, kBf16},
                {OperandKind::kIota, kI32, 0},
                {OperandKind::kArray, kBool}};
  p.steps = {{LaneOp::kCast, 1, -1, -1, kF32},
             {LaneOp::kCast, 2, -1, -1, kF32},
             {LaneOp::kMul, 0, 4},
             {LaneOp::kAdd, 6, 5},
             {LaneOp::kWhere, 3, 7, 0}};
  p.outputs = {{8, kF32}, {3, kBool}};
  const FusedLoop loop = table().compile(p);
  Threads two(2);
  for (int round = 0; round < 300; ++round) {
    std::vector<Int> sizes;
    const int dims = 1 + static_cast<int>(generator() % 4);
    for (int d = 0; d < dims; ++d)
      sizes.push_back(generator() % 8 == 0 ? 150 + generator() % 200 : 1 + generator() % 9);
    const Int n = total(sizes);
    if (n > 400000) continue;
    const auto sa = random_strides(sizes, generator, true), sb = random_strides(sizes, generator, true),
               sc = random_strides(sizes, generator, true), sy = random_strides(sizes, generator, false),
               sz = random_strides(sizes, generator, false);
    const auto a = random_floats(2 * n + 1, -9, 9, round);
    std::vector<Bf16> b(2 * n + 1);
    std::vector<char> c(2 * n + 1);
    for (Int k = 0; k <= 2 * n; ++k) b[k] = mtf::to_bf16(static_cast<float>(k % 17)), c[k] = k % 3 == 0;
    std::vector<float> y(2 * n + 1, -777);
    std::vector<char> z(2 * n + 1, 9);
    const FusionArgument in[] = {FusionArgument::array(a.data(), sa), FusionArgument::array(b.data(), sb),
                                 FusionArgument::iota(10), FusionArgument::array(c.data(), sc)};
    const FusionArgument out[] = {FusionArgument::array(y.data(), sy), FusionArgument::array(z.data(), sz)};
    loop.run(sizes, in, out, two);
    std::vector<float> expected(2 * n + 1, -777);
    std::vector<char> expected_z(2 * n + 1, 9);
    const Int inner = n / sizes[0];
    for (Int k = 0; k < n; ++k) {
      const float x = a[offset(sizes, sa, k)];
      const float m = x * to_float(b[offset(sizes, sb, k)]);
      const char truth = c[offset(sizes, sc, k)];
      expected[offset(sizes, sy, k)] = truth ? m + static_cast<float>(10 + k / inner) : x;
      expected_z[offset(sizes, sz, k)] = truth;
    }
    ASSERT_EQ(y, expected) << round;
    ASSERT_EQ(z, expected_z) << round;
  }
}
TEST(FusedLoop, ReductionsOverAnyDimsGiveTheSlowLoopsResult) {
  std::mt19937 generator(4);
  FusionProgram p;
  p.operands = {{OperandKind::kArray, kF32}, {OperandKind::kScalar, kF32}};
  p.steps = {{LaneOp::kMul, 0, 1}, {LaneOp::kGt, 0, 1}, {LaneOp::kCast, 0, -1, -1, kI32}};
  p.outputs = {{2, kF32, Reduction::kSum},  {2, kF32, Reduction::kMax}, {0, kF32, Reduction::kMin},
               {3, kI32, Reduction::kSum},  {3, kBool, Reduction::kOr}, {4, kI32, Reduction::kSum},
               {2, kF32, Reduction::kStore}};
  const FusedLoop loop = table().compile(p);
  Threads one(1), two(2);
  for (int round = 0; round < 300; ++round) {
    std::vector<Int> sizes;
    const int dims = 1 + static_cast<int>(generator() % 4);
    for (int d = 0; d < dims; ++d)
      sizes.push_back(generator() % 6 == 0 ? 150 + generator() % 2000 : 1 + generator() % 9);
    const Int n = total(sizes);
    if (n > 400000) continue;
    const auto sa = random_strides(sizes, generator, generator() % 2 == 0);
    std::vector<Int> so(sizes.size()), sy = random_strides(sizes, generator, false);
    Int cells = 1;
    for (std::size_t d = sizes.size(); d-- > 0;) {
      if (generator() % 2) so[d] = cells, cells *= sizes[d];
      if (sizes[d] == 1) so[d] = 0;
    }
    const auto a = random_floats(2 * n + 1, -9, 9, round);
    struct Result {
      std::vector<float> sum, max, min, y;
      std::vector<std::int32_t> count, whole;
      std::vector<char> any;
      bool operator==(const Result&) const = default;
    };
    const Result blank{std::vector<float>(cells),        std::vector<float>(cells, -kInf),
                       std::vector<float>(cells, kInf),  std::vector<float>(2 * n + 1),
                       std::vector<std::int32_t>(cells), std::vector<std::int32_t>(cells),
                       std::vector<char>(cells)};
    auto run = [&](Threads& threads) {
      Result r = blank;
      const FusionArgument in[] = {FusionArgument::array(a.data(), sa), FusionArgument::scalar(.5)};
      const FusionArgument out[] = {FusionArgument::array(r.sum.data(), so), FusionArgument::array(r.max.data(), so),
                                    FusionArgument::array(r.min.data(), so), FusionArgument::array(r.count.data(), so),
                                    FusionArgument::array(r.any.data(), so), FusionArgument::array(r.whole.data(), so),
                                    FusionArgument::array(r.y.data(), sy)};
      loop.run(sizes, in, out, threads);
      return r;
    };
    const Result r = run(one);
    ASSERT_TRUE(r == run(two)) << round;
    Result e = blank;
    std::vector<double> sum(cells), size(cells);
    for (Int k = 0; k < n; ++k) {
      const float x = a[offset(sizes, sa, k)], m = x * .5f;
      const Int o = offset(sizes, so, k);
      sum[o] += m;
      size[o] += std::abs(m);
      e.max[o] = std::max(e.max[o], m);
      e.min[o] = std::min(e.min[o], x);
      e.count[o] += x > .5f;
      e.any[o] |= x > .5f;
      e.whole[o] += static_cast<std::int32_t>(x);
      e.y[offset(sizes, sy, k)] = m;
    }
    for (Int o = 0; o < cells; ++o) ASSERT_NEAR(r.sum[o], sum[o], size[o] * 6e-7) << round;
    e.sum = r.sum;
    ASSERT_TRUE(r == e) << round;
  }
}
TEST(FusedLoop, DoublesReduceToo) {
  std::mt19937 generator(5);
  FusionProgram p;
  p.operands = {{OperandKind::kArray, kF64}, {OperandKind::kArray, kF32}};
  p.steps = {{LaneOp::kCast, 1, -1, -1, kF64}, {LaneOp::kMul, 0, 2}, {LaneOp::kLt, 0, 2}};
  p.outputs = {
      {3, kF64, Reduction::kSum}, {4, kI32, Reduction::kSum}, {1, kF32, Reduction::kSum}, {1, kF32, Reduction::kMax}};
  const FusedLoop loop = table().compile(p);
  for (Int rows : {1, 5, 100}) {
    for (Int columns : {1, 3, 70, 300, 5000}) {
      for (bool keep_columns : {false, true}) {
        const Int n = rows * columns, cells = keep_columns ? columns : rows;
        const auto b = random_floats(n);
        std::vector<double> a(n), s(cells), es(cells);
        std::vector<std::int32_t> c(cells), ec(cells);
        std::vector<float> t(cells), m(cells), em(cells, -kInf);
        std::vector<double> et(cells);
        for (Int k = 0; k < n; ++k) a[k] = .5 + b[(k * 7) % n];
        const Int sizes[] = {rows, columns}, in_strides[] = {columns, 1},
                  out_strides[] = {keep_columns ? 0 : 1, keep_columns ? 1 : 0};
        const FusionArgument in[] = {FusionArgument::array(a.data(), in_strides),
                                     FusionArgument::array(b.data(), in_strides)};
        const FusionArgument out[] = {
            FusionArgument::array(s.data(), out_strides), FusionArgument::array(c.data(), out_strides),
            FusionArgument::array(t.data(), out_strides), FusionArgument::array(m.data(), out_strides)};
        loop.run(sizes, in, out, one_thread());
        for (Int k = 0; k < n; ++k) {
          const Int o = keep_columns ? k % columns : k / columns;
          es[o] += a[k] * b[k];
          ec[o] += a[k] < b[k];
          et[o] += b[k];
          em[o] = std::max(em[o], b[k]);
        }
        for (Int o = 0; o < cells; ++o) {
          ASSERT_NEAR(s[o], es[o], 1e-9);
          ASSERT_EQ(c[o], ec[o]);
          ASSERT_NEAR(t[o], et[o], 1e-3);
          ASSERT_EQ(m[o], em[o]);
        }
      }
    }
  }
}
TEST(FusedLoop, OutputsMayReduceDifferentDims) {
  const Int sizes[] = {3, 4}, strides[] = {4, 1}, by_row[] = {1, 0}, by_column[] = {0, 1};
  std::vector<float> x(12), y(12), rows(3), columns(4);
  std::iota(x.begin(), x.end(), 0.0f);
  FusionProgram p;
  p.operands = {{OperandKind::kArray, kF32}};
  p.steps = {{LaneOp::kNeg, 0}};
  p.outputs = {{1, kF32}, {0, kF32, Reduction::kSum}, {0, kF32, Reduction::kSum}};
  const FusionArgument in[] = {FusionArgument::array(x.data(), strides)};
  const FusionArgument out[] = {FusionArgument::array(x.data(), strides), FusionArgument::array(rows.data(), by_row),
                                FusionArgument::array(columns.data(), by_column)};
  table().compile(p).run(sizes, in, out, one_thread());
  EXPECT_EQ(rows, (std::vector<float>{6, 22, 38}));
  EXPECT_EQ(columns, (std::vector<float>{12, 15, 18, 21}));
  EXPECT_EQ(x[11], -11);
}
TEST(FusedLoop, AnEmptyReductionIsTheIdentity) {
  FusionProgram p;
  p.operands = {{OperandKind::kArray, kF32}, {OperandKind::kArray, kBool}, {OperandKind::kArray, kI32}};
  p.outputs = {{0, kF32, Reduction::kSum},
               {0, kF32, Reduction::kMax},
               {0, kF32, Reduction::kProd},
               {1, kBool, Reduction::kAnd},
               {2, kI32, Reduction::kMin}};
  const Int sizes[] = {2, 0}, strides[] = {0, 1}, kept[] = {1, 0};
  float sum[2] = {9, 9}, max[2], prod[2];
  char all[2];
  std::int32_t least[2];
  const FusionArgument a = FusionArgument::array(nullptr, strides), in[] = {a, a, a};
  const FusionArgument out[] = {FusionArgument::array(sum, kept), FusionArgument::array(max, kept),
                                FusionArgument::array(prod, kept), FusionArgument::array(all, kept),
                                FusionArgument::array(least, kept)};
  table().compile(p).run(sizes, in, out, one_thread());
  EXPECT_EQ(sum[1], 0);
  EXPECT_EQ(max[1], -kInf);
  EXPECT_EQ(prod[0], 1);
  EXPECT_EQ(all[1], 1);
  EXPECT_EQ(least[0], std::numeric_limits<std::int32_t>::max());
}
TEST(FusedLoop, ANanMakesMaxAndMinNanAndASumOfManyIsAccurate) {
  const Int n = 1 << 22, one = 1, zero = 0;
  std::vector<float> x(n, .1f);
  FusionProgram p;
  p.operands = {{OperandKind::kArray, kF32}};
  p.outputs = {{0, kF32, Reduction::kSum}, {0, kF32, Reduction::kMax}, {0, kF32, Reduction::kMin}};
  const FusedLoop loop = table().compile(p);
  float sum, max, min;
  const FusionArgument in[] = {FusionArgument::array(x.data(), {&one, 1})};
  const FusionArgument out[] = {FusionArgument::array(&sum, {&zero, 1}), FusionArgument::array(&max, {&zero, 1}),
                                FusionArgument::array(&min, {&zero, 1})};
  loop.run({&n, 1}, in, out, one_thread());
  EXPECT_NEAR(sum, static_cast<double>(.1f) * n, .1);
  EXPECT_EQ(max, .1f);
  x[12345] = kNan;
  loop.run({&n, 1}, in, out, one_thread());
  EXPECT_TRUE(std::isnan(max) && std::isnan(min) && std::isnan(sum));
}
TEST(FusedLoop, NothingIsTouchedBeyondTheLastElement) {
  // The sanitizer build finds wrong reads; this finds writes.
  for (std::size_t n : {1U, 5U, 127U, 129U}) {
    std::vector<float> x(n, 1), y(n + 64, 7);
    const Int size = static_cast<Int>(n), one = 1;
    const FusionArgument in[] = {FusionArgument::array(x.data(), {&one, 1})},
                         out[] = {FusionArgument::array(y.data(), {&one, 1})};
    table().compile(one_step(LaneOp::kNeg, {kF32}, kF32)).run({&size, 1}, in, out, one_thread());
    EXPECT_EQ(y[n - 1], -1);
    EXPECT_EQ(std::count(y.begin(), y.end(), 7.0f), 64);
  }
}
TEST(FusedLoop, AnIllFormedProgramIsRefused) {
  EXPECT_THROW(table().compile(one_step(LaneOp::kExp, {kI32}, kI32)), std::invalid_argument);
  EXPECT_THROW(table().compile(one_step(LaneOp::kAdd, {kF32, kI32}, kF32)), std::invalid_argument);
  EXPECT_THROW(table().compile(one_step(LaneOp::kAdd, {kF32}, kF32)), std::invalid_argument);
}
constexpr LaneOp kAllOps[] = {
#define MTF_LANE_OP(enumerator, text, count, types, result) LaneOp::enumerator,
#include "kernels/lane_ops.def"
#undef MTF_LANE_OP
};
TEST(FusedLoop, EveryOperationCompilesForEveryTypeItAllows) {
  for (LaneOp op : kAllOps) {
    for (ElementType type : {kBool, kI32, kBf16, kF32, kF64}) {
      if (!allows(op, type)) continue;
      std::vector<ElementType> in(static_cast<std::size_t>(arity(op)), type);
      if (op == LaneOp::kWhere) in[0] = kBool;
      FusionProgram p = one_step(op, in, type, type);
      p.outputs.clear();
      p.outputs.push_back({arity(op), p.value_types().back()});
      EXPECT_NO_THROW(table().compile(p)) << name(op) << ' ' << name(type);
      p.operands.push_back({OperandKind::kArray, kF64});  // the same with lanes of eight bytes
      p.outputs[0].value += 1;
      EXPECT_NO_THROW(table().compile(p)) << name(op) << ' ' << name(type) << " beside f64";
    }
  }
}
TEST(FusedLoop, LanesOfEightBytesGiveTheSameBitsForSmallerTypes) {
  const Int n = 333, one = 1;
  const auto x = random_floats(n);
  for (LaneOp op : kAllOps) {
    if (arity(op) != 1 || !allows(op, kF32)) continue;
    FusionProgram p = one_step(op, {kF32}, kF32);
    std::vector<float> y(n), z(n);
    const FusionArgument in[] = {FusionArgument::array(x.data(), {&one, 1}), FusionArgument::scalar(1)};
    const FusionArgument out_y[] = {FusionArgument::array(y.data(), {&one, 1})},
                         out_z[] = {FusionArgument::array(z.data(), {&one, 1})};
    table().compile(p).run({&n, 1}, {in, 1}, out_y, one_thread());
    p.operands.push_back({OperandKind::kScalar, kF64});
    p.outputs[0].value = 2;
    table().compile(p).run({&n, 1}, in, out_z, one_thread());
    EXPECT_EQ(0, std::memcmp(y.data(), z.data(), n * 4)) << name(op);
  }
}

}  // namespace fused_loop_test
}  // namespace mtf::kernels
