#include "kernels/runs.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "kernels/elements.h"

namespace mtf::kernels {
namespace {

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

/// Strides of 1 have a loop of their own, which g++ vectorises.
template <typename From, typename To, typename Fn>
void each_pair(const From* __restrict from, std::int64_t from_stride, To* __restrict to, std::int64_t to_stride,
               std::int64_t count, Fn fn) {
  if (from_stride == 1 && to_stride == 1)
    for (std::int64_t i = 0; i < count; ++i) to[i] = fn(from[i], to[i]);
  else
    for (std::int64_t i = 0; i < count; ++i) to[i * to_stride] = fn(from[i * from_stride], to[i * to_stride]);
}

/// The type in which a running sum of elements of type T is kept.
template <typename T>
using Carry = std::conditional_t<std::is_floating_point_v<Number<T>>, double, std::int64_t>;

/// The number of lines that are summed at once, because each sum waits for the previous one: of lines that are not
/// adjacent, and of adjacent ones.
constexpr std::int64_t kLinesApart = 8, kLinesTogether = 256;

/// Running sums. Those of i32 may not fit in i32.
template <bool exclusive, typename T>
class RunningSums {
 public:
  RunningSums(double before, std::int64_t from_step, std::int64_t to_step, std::int64_t count)
      : before_(static_cast<Carry<T>>(before)), from_step_(from_step), to_step_(to_step), count_(count) {}

  void add(const T* x, std::int64_t x_apart, T* y, std::int64_t y_apart, std::int64_t lines) {
    if (x_apart != 1) {
      for (; lines >= kLinesApart; lines -= kLinesApart, x += kLinesApart * x_apart, y += kLinesApart * y_apart)
        add_lines<kLinesApart>(x, x_apart, y, y_apart, kLinesApart);
      for (; lines > 0; --lines, x += x_apart, y += y_apart) add_lines<1>(x, x_apart, y, y_apart, 1);
      return;
    }
    for (std::int64_t some; lines > 0; lines -= some, x += some, y += some * y_apart) {
      some = std::min(lines, kLinesTogether);
      add_lines<kLinesTogether>(x, 1, y, y_apart, some);
    }
  }
  bool fit() const { return !is_outside_; }

 private:
  /// `lines` is kLines, unless that is kLinesTogether.
  template <std::int64_t kLines>
  void add_lines(const T* x, std::int64_t x_apart, T* y, std::int64_t y_apart, std::int64_t lines) {
    const std::int64_t n = kLines == kLinesTogether ? lines : kLines;
    std::array<Carry<T>, kLines> sums;
    sums.fill(before_);
    bool outside = false;
    for (std::int64_t i = 0; i < count_; ++i, x += from_step_, y += to_step_) {
#pragma GCC unroll 8
      for (std::int64_t k = 0; k < n; ++k) {
        const Carry<T> before = sums[k];
        sums[k] += Carry<T>(to_number(x[k * x_apart]));
        const Carry<T> sum = exclusive ? before : sums[k];
        if constexpr (std::is_integral_v<Carry<T>>) outside |= sum != static_cast<std::int32_t>(sum);
        y[k * y_apart] = from_number<T>(static_cast<Number<T>>(sum));
      }
    }
    is_outside_ |= outside;
  }

  Carry<T> before_;
  std::int64_t from_step_, to_step_, count_;
  bool is_outside_ = false;
};

/// The number of lines that are summed as a tree, and the number of elements of each line at once.
constexpr std::int64_t kLinesOfTree = 8, kElementsOfLines = 256;

template <int kLines, typename Sum, typename T>
Sum tree_of(const T* const* lines, std::int64_t at) {
  if constexpr (kLines == 1) return Sum(to_number(lines[0][at]));
  else return tree_of<(kLines + 1) / 2, Sum>(lines, at) + tree_of<kLines / 2, Sum>(lines + (kLines + 1) / 2, at);
}

/// Calls `write` with each element's index and the sum of up to kLinesOfTree lines there, in type Sum.
template <typename Sum, typename T, typename Fn>
void sum_few_lines(const T* from, std::span<const std::int64_t> offsets, std::int64_t count, Fn write) {
  std::array<const T*, kLinesOfTree> lines;
  for (std::size_t k = 0; k < offsets.size(); ++k) lines[k] = from + offsets[k];
  const auto each = [&]<int kLines>(std::integral_constant<int, kLines>) {
    std::array<const T*, kLines> some;
    std::copy_n(lines.begin(), kLines, some.begin());
#ifdef __clang__
#pragma clang loop vectorize(assume_safety)
#else
#pragma GCC ivdep
#endif
    for (std::int64_t j = 0; j < count; ++j) write(j, tree_of<kLines, Sum>(some.data(), j));
  };
  switch (offsets.size()) {
    case 1: return each(std::integral_constant<int, 1>());
    case 2: return each(std::integral_constant<int, 2>());
    case 3: return each(std::integral_constant<int, 3>());
    case 4: return each(std::integral_constant<int, 4>());
    case 5: return each(std::integral_constant<int, 5>());
    case 6: return each(std::integral_constant<int, 6>());
    case 7: return each(std::integral_constant<int, 7>());
    default: return each(std::integral_constant<int, 8>());
  }
}

/// Converts a sum to an element. No zero is negative.
template <typename To, typename Sum>
To written(Sum sum) {
  return from_number<To>(static_cast<Number<To>>(sum + Sum{}));
}

template <typename T, typename To>
void sum_group(const T* from, std::span<const std::int64_t> lines, std::int64_t length, To* to, std::int64_t step) {
  constexpr bool is_float = std::is_floating_point_v<Number<T>>;
  using Sum = std::conditional_t<is_float, Number<T>, std::int64_t>;
  using Total = std::conditional_t<is_float, double, std::int64_t>;
  for (std::int64_t n; length > 0; length -= n, from += n, to += n * step) {
    n = std::min(length, kElementsOfLines);
    if (lines.empty()) {
      for (std::int64_t j = 0; j < n; ++j) to[j * step] = To{};
    } else if (lines.size() <= kLinesOfTree) {
      if (step == 1) sum_few_lines<Sum>(from, lines, n, [&](std::int64_t j, Sum sum) { to[j] = written<To>(sum); });
      else sum_few_lines<Sum>(from, lines, n, [&](std::int64_t j, Sum sum) { to[j * step] = written<To>(sum); });
    } else {
      std::array<Total, kElementsOfLines> totals;
      std::fill_n(totals.begin(), n, Total{});
      for (std::size_t first = 0; first < lines.size(); first += kLinesOfTree)
        sum_few_lines<Sum>(from, lines.subspan(first, std::min<std::size_t>(kLinesOfTree, lines.size() - first)), n,
                           [&](std::int64_t j, Sum sum) { totals[j] += static_cast<Total>(sum); });
      for (std::int64_t j = 0; j < n; ++j) to[j * step] = written<To>(totals[j]);
    }
  }
}

template <typename T, typename To>
void sum_groups(const T* from, const LineGroups& groups, To* to, SummedLines sums) {
  constexpr std::int64_t kAhead = 16;  // lines at arbitrary addresses are prefetched
  const std::int64_t all = groups.ends.empty() ? 0 : groups.ends.back();
  std::int64_t begin = 0, asked = 0;
  for (const std::int64_t end : groups.ends) {
    for (; asked < std::min(end + kAhead, all); ++asked) __builtin_prefetch(from + groups.lines[asked]);
    sum_group(from, {groups.lines + begin, static_cast<std::size_t>(end - begin)}, groups.length, to, sums.step);
    begin = end;
    to += sums.apart;
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
      by_reduction<Number<T>>(reduction, [&](auto f) { combine_each<T>(a, b, result, count, f); });
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

bool running_sums(ElementType type, bool exclusive, double before, const void* x, SummedLines from, void* y,
                  SummedLines to, std::int64_t count, std::int64_t lines) {
  bool fit = true;
  by_element(type, [&](auto zero) {
    using T = decltype(zero);
    const auto add = [&](auto sums) {
      sums.add(static_cast<const T*>(x), from.apart, static_cast<T*>(y), to.apart, lines);
      fit = sums.fit();
    };
    if (exclusive) add(RunningSums<true, T>(before, from.step, to.step, count));
    else add(RunningSums<false, T>(before, from.step, to.step, count));
  });
  return fit;
}

void line_sums(ElementType type, const void* x, SummedLines from, std::int64_t count, std::int64_t lines, double* sums,
               std::int64_t apart) {
  by_element(type, [&](auto zero) {
    using T = decltype(zero);
    const T* line = static_cast<const T*>(x);
    for (std::int64_t some; lines > 0; lines -= some, line += some * from.apart, sums += some * apart) {
      some = std::min(lines, kLinesTogether);
      std::array<Carry<T>, kLinesTogether> carried{};
      for (std::int64_t i = 0; i < count; ++i)
        for (std::int64_t k = 0; k < some; ++k) carried[k] += Carry<T>(to_number(line[i * from.step + k * from.apart]));
      for (std::int64_t k = 0; k < some; ++k) sums[k * apart] = static_cast<double>(carried[k]);
    }
  });
}

void sum_line_groups(ElementType type, const void* from, const LineGroups& groups, ElementType to_type, void* to,
                     SummedLines sums) {
  by_element(type, [&](auto zero) {
    using T = decltype(zero);
    const T* const read = static_cast<const T*>(from);
    if (to_type == type) sum_groups(read, groups, static_cast<T*>(to), sums);
    else if (to_type == ElementType::kF64) sum_groups(read, groups, static_cast<double*>(to), sums);
    else sum_groups(read, groups, static_cast<Number<T>*>(to), sums);
  });
}

bool ids_below(std::int64_t bound, const std::int32_t* ids, std::int64_t stride, std::int64_t count) {
  std::uint32_t largest = 0;  // ids below 0 are larger than every bound
  if (stride == 1)
    for (std::int64_t i = 0; i < count; ++i) largest = std::max(largest, static_cast<std::uint32_t>(ids[i]));
  else
    for (std::int64_t i = 0; i < count; ++i) largest = std::max(largest, static_cast<std::uint32_t>(ids[i * stride]));
  return count == 0 || largest < bound;
}

std::uint64_t weighted_sum(const void* words, std::int64_t word_bytes, const std::uint32_t* factors,
                           std::int64_t count) {
  if (word_bytes == 1) return weighted_sum_of<std::uint8_t>(words, factors, count);
  if (word_bytes == 2) return weighted_sum_of<std::uint16_t>(words, factors, count);
  return weighted_sum_of<std::uint32_t>(words, factors, count);
}

}  // namespace mtf::kernels
