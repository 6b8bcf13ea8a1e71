#include "kernels/runs.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>

#include "kernels/elements.h"

namespace mtf::kernels {
namespace {

/// Calls `fn` with the function of two numbers that a reduction is.
template <typename N, typename Fn>
void with_function(Reduction reduction, Fn fn) {
  switch (reduction) {
    case Reduction::kSum: return fn([](N x, N y) { return plus(x, y); });
    case Reduction::kProd:
      return fn([](N x, N y) {
        if constexpr (std::is_same_v<N, std::int32_t>)
          return static_cast<N>(static_cast<std::uint32_t>(x) * static_cast<std::uint32_t>(y));
        else return x * y;
      });
    // A NaN is not equal to itself.
    case Reduction::kMax: return fn([](N x, N y) { return x != x ? x : y != y ? y : x > y ? x : y; });
    case Reduction::kMin: return fn([](N x, N y) { return x != x ? x : y != y ? y : x < y ? x : y; });
    default: throw std::invalid_argument("numbers are not reduced by and, or");
  }
}

template <typename T, typename F>
void combine_each(const void* a, const void* b, void* result, std::int64_t count, F f) {
  const T* x = static_cast<const T*>(a);
  const T* y = static_cast<const T*>(b);
  T* z = static_cast<T*>(result);
#ifdef __clang__
#pragma clang loop vectorize(assume_safety)
#else
#pragma GCC ivdep
#endif
  for (std::int64_t i = 0; i < count; ++i) z[i] = from_number<T>(f(to_number(x[i]), to_number(y[i])));
}

/// A run whose stride is 1 at both ends is a loop of its own, which g++ makes packets of.
template <typename From, typename To, typename Fn>
void each_pair(const From* __restrict from, std::int64_t from_stride, To* __restrict to, std::int64_t to_stride,
               std::int64_t count, Fn fn) {
  if (from_stride == 1 && to_stride == 1)
    for (std::int64_t i = 0; i < count; ++i) to[i] = fn(from[i], to[i]);
  else
    for (std::int64_t i = 0; i < count; ++i) to[i * to_stride] = fn(from[i * from_stride], to[i * to_stride]);
}

/// What a running sum of elements of type T is carried in.
template <typename T>
using Carry = std::conditional_t<std::is_floating_point_v<Number<T>>, double, Number<T>>;

/// Lines that do not lie side by side are summed so many at once, since each sum waits for the one before; and others.
constexpr std::int64_t kLinesApart = 8, kLinesTogether = 256;

template <std::int64_t kLines, bool exclusive, typename T>
void sum_lines_apart(const T* x, SummedLines from, T* y, SummedLines to, std::int64_t count) {
  std::array<Carry<T>, kLines> sums{};
  for (std::int64_t i = 0; i < count; ++i, x += from.step, y += to.step) {
#pragma GCC unroll 8
    for (std::int64_t k = 0; k < kLines; ++k) {
      const Carry<T> before = sums[k];
      sums[k] = plus(before, Carry<T>(to_number(x[k * from.apart])));
      y[k * to.apart] = from_number<T>(static_cast<Number<T>>(exclusive ? before : sums[k]));
    }
  }
}

template <bool exclusive, typename T>
void sum_lines(const T* x, SummedLines from, T* y, SummedLines to, std::int64_t count, std::int64_t lines) {
  if (from.apart != 1) {
    for (; lines >= kLinesApart; lines -= kLinesApart, x += kLinesApart * from.apart, y += kLinesApart * to.apart)
      sum_lines_apart<kLinesApart, exclusive>(x, from, y, to, count);
    for (; lines > 0; --lines, x += from.apart, y += to.apart) sum_lines_apart<1, exclusive>(x, from, y, to, count);
    return;
  }
  for (std::int64_t some; lines > 0; lines -= some, x += some, y += some * to.apart) {
    some = std::min(lines, kLinesTogether);
    std::array<Carry<T>, kLinesTogether> sums{};
    const T* read = x;
    T* written = y;
    for (std::int64_t i = 0; i < count; ++i, read += from.step, written += to.step)
      for (std::int64_t k = 0; k < some; ++k) {
        const Carry<T> before = sums[k];
        sums[k] = plus(before, Carry<T>(to_number(read[k])));
        written[k * to.apart] = from_number<T>(static_cast<Number<T>>(exclusive ? before : sums[k]));
      }
  }
}

template <typename Word>
std::uint64_t weighted_sum_of(const void* words, const std::uint32_t* factors, std::int64_t count) {
  constexpr std::int64_t kAtOnce = 1024;
  std::array<Word, kAtOnce> some;
  std::uint64_t sum = 0;
  for (std::int64_t first = 0; first < count; first += kAtOnce) {
    const std::int64_t n = std::min(kAtOnce, count - first);
    std::memcpy(some.data(), static_cast<const Word*>(words) + first, static_cast<std::size_t>(n) * sizeof(Word));
    for (std::int64_t i = 0; i < n; ++i) sum += std::uint64_t{some[i]} * factors[first + i];
  }
  return sum;
}

}  // namespace

void combine_elements(ElementType type, Reduction reduction, const void* a, const void* b, void* result,
                      std::int64_t count) {
  by_element(type, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_same_v<T, std::uint8_t>) {
      const bool both = reduction == Reduction::kAnd || reduction == Reduction::kMin || reduction == Reduction::kProd;
      if (both) combine_each<T>(a, b, result, count, [](std::int32_t x, std::int32_t y) { return x & y; });
      else combine_each<T>(a, b, result, count, [](std::int32_t x, std::int32_t y) { return x | y; });
    } else {
      with_function<Number<T>>(reduction, [&](auto f) { combine_each<T>(a, b, result, count, f); });
    }
  });
}

void add_elements(ElementType from_type, const void* from, std::int64_t from_stride, ElementType to_type, void* to,
                  std::int64_t to_stride, std::int64_t count) {
  by_element(from_type, [&](auto zero) {
    using T = decltype(zero);
    const T* const read = static_cast<const T*>(from);
    if (to_type == from_type)
      each_pair(read, from_stride, static_cast<T*>(to), to_stride, count,
                [](T x, T sum) { return from_number<T>(plus(to_number(sum), to_number(x))); });
    else
      each_pair(read, from_stride, static_cast<Number<T>*>(to), to_stride, count,
                [](T x, Number<T> sum) { return plus(sum, to_number(x)); });
  });
}

void convert_elements(ElementType from_type, const void* from, std::int64_t from_stride, ElementType to_type, void* to,
                      std::int64_t to_stride, std::int64_t count) {
  if (from_type == ElementType::kBf16 && to_type == ElementType::kF32)
    return each_pair(static_cast<const Bf16*>(from), from_stride, static_cast<float*>(to), to_stride, count,
                     [](Bf16 x, float) { return mtf::to_float(x); });
  if (from_type == ElementType::kF32 && to_type == ElementType::kBf16)
    return each_pair(static_cast<const float*>(from), from_stride, static_cast<Bf16*>(to), to_stride, count,
                     [](float x, Bf16) { return mtf::to_bf16(x); });
  throw std::invalid_argument("elements are converted between bf16 and f32");
}

void running_sums(ElementType type, bool exclusive, const void* x, SummedLines from, void* y, SummedLines to,
                  std::int64_t count, std::int64_t lines) {
  by_element(type, [&](auto zero) {
    using T = decltype(zero);
    if (exclusive) sum_lines<true>(static_cast<const T*>(x), from, static_cast<T*>(y), to, count, lines);
    else sum_lines<false>(static_cast<const T*>(x), from, static_cast<T*>(y), to, count, lines);
  });
}

void line_sums(ElementType type, const void* x, SummedLines from, std::int64_t count, std::int64_t lines, void* sums,
               std::int64_t apart) {
  by_element(type, [&](auto zero) {
    using T = decltype(zero);
    const T* line = static_cast<const T*>(x);
    auto* to = static_cast<Number<T>*>(sums);
    for (std::int64_t some; lines > 0; lines -= some, line += some * from.apart, to += some * apart) {
      some = std::min(lines, kLinesTogether);
      std::array<Carry<T>, kLinesTogether> carried{};
      for (std::int64_t i = 0; i < count; ++i)
        for (std::int64_t k = 0; k < some; ++k)
          carried[k] = plus(carried[k], Carry<T>(to_number(line[i * from.step + k * from.apart])));
      for (std::int64_t k = 0; k < some; ++k) to[k * apart] = static_cast<Number<T>>(carried[k]);
    }
  });
}

std::uint64_t weighted_sum(const void* words, std::int64_t word_bytes, const std::uint32_t* factors,
                           std::int64_t count) {
  if (word_bytes == 1) return weighted_sum_of<std::uint8_t>(words, factors, count);
  if (word_bytes == 2) return weighted_sum_of<std::uint16_t>(words, factors, count);
  return weighted_sum_of<std::uint32_t>(words, factors, count);
}

}  // namespace mtf::kernels
