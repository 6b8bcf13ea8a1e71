#include "kernels/matmul.h"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <vector>

#include "kernels/bf16_pairs.h"
#include "kernels/matmul_product.h"
#include "kernels/matmul_tiny.h"
#include "kernels/scratch.h"

namespace mtf::kernels {
namespace {

constexpr double kThreadFlops = 1e6;  // the minimal share of a thread

struct Offsets {
  std::int64_t a = 0, b = 0, c = 0;
};

inline Offsets offsets_of(const Matmul& p, std::int64_t index) {
  if (p.batch.size() == 1)
    return {index * p.a.batch_strides[0], index * p.b.batch_strides[0], index * p.c.batch_strides[0]};
  Offsets result;
  for (std::size_t d = p.batch.size(); d-- > 0;) {
    const std::int64_t i = index % p.batch[d];
    index /= p.batch[d];
    result.a += i * p.a.batch_strides[d];
    result.b += i * p.b.batch_strides[d];
    result.c += i * p.c.batch_strides[d];
  }
  return result;
}

float widen(float x) { return x; }
[[maybe_unused]] float widen(Bf16 x) { return to_float(x); }

/// Converts n numbers to floats, optionally rounded to bf16, in loops that the compiler vectorises.
template <class S, class Stride>
void widen_run(const S* __restrict from, Stride stride, std::int64_t n, bool round, float* __restrict to) {
  if (round)
    for (std::int64_t i = 0; i < n; ++i) to[i] = to_float(mtf::to_bf16(widen(from[i * stride])));
  else
    for (std::int64_t i = 0; i < n; ++i) to[i] = widen(from[i * stride]);
}

/// The matrix as T: in place, or in scratch if it has another type or is rounded to bf16.
template <class T, class S>
Matrix<const T> prepare(Matrix<const S> x, std::int64_t rows, std::int64_t columns, bool round, Scratch& scratch) {
  if constexpr (std::is_same_v<T, S>) {
    if (!round) return x;
  }
  if constexpr (std::is_same_v<T, float>) {
    const bool by_columns = std::abs(x.row) < std::abs(x.column);
    const std::int64_t outer = by_columns ? columns : rows, inner = by_columns ? rows : columns;
    const std::int64_t outer_stride = by_columns ? x.column : x.row, inner_stride = by_columns ? x.row : x.column;
    float* const to = scratch.room<float>(rows * columns);
    for (std::int64_t o = 0; o < outer; ++o) {
      const S* const from = x.data + o * outer_stride;
      if (inner_stride == 1) widen_run(from, std::integral_constant<std::int64_t, 1>(), inner, round, to + o * inner);
      else widen_run(from, inner_stride, inner, round, to + o * inner);
    }
    return {to, by_columns ? 1 : columns, by_columns ? rows : 1};
  }
  throw std::logic_error("matmul: only products in f32 take other types");
}

/// Allocating large memory costs as much as the product. Up to this size, a thread keeps its memory between calls.
constexpr std::int64_t kKeptBytes = 32 << 20;

constexpr std::int64_t kWidenedNumbers = 1 << 17;  // at once: half a MiB in the cache of one core
constexpr std::int64_t kLeastLines = 64;

/// Copies the lines of a matrix along k to scratch, rounded, as pairs of bf16 (bf16_pairs.h). x's row is the stride of
/// a line, its column the stride of a step along k.
[[maybe_unused]] Matrix<const float> prepare_pairs(Matrix<const float> x, std::int64_t lines, std::int64_t k,
                                                   Scratch& scratch) {
  const std::int64_t pairs = (k + 1) / 2;
  float* const to = static_cast<float*>(scratch.at_least(lines * pairs * size_of(ElementType::kF32)));
  std::vector<float> first, second;  // for lines that are not contiguous
  const auto together = [](const float* from, std::int64_t n, std::int64_t stride, std::vector<float>& copy) {
    if (stride == 1) return from;
    copy.resize(static_cast<std::size_t>(n));
    for (std::int64_t i = 0; i < n; ++i) copy[static_cast<std::size_t>(i)] = from[i * stride];
    return static_cast<const float*>(copy.data());
  };
  if (std::abs(x.column) <= std::abs(x.row)) {  // the smaller stride is along k, also for the pairs
    for (std::int64_t i = 0; i < lines; ++i)
      pair_along(together(x.data + i * x.row, k, x.column, first), k, to + i * pairs);
    return {to, pairs, 1};
  }
  for (std::int64_t p = 0; p < pairs; ++p) {
    const float* const from = x.data + 2 * p * x.column;
    const float* const next = 2 * p + 1 < k ? together(from + x.column, lines, x.row, second) : nullptr;
    pair_lines(together(from, lines, x.row, first), next, lines, to + p * lines);
  }
  return {to, 1, lines};
}

/// T: the type of computation. S: the operands in memory. R: the result in memory.
template <class T, class S, class R>
class Product {
 public:
  explicit Product(const Matmul& p) : p_(p) {}

  void run(Threads& threads) {
    std::int64_t count = 1;
    for (std::int64_t size : p_.batch) count *= size;
    if (count == 0 || p_.m == 0 || p_.n == 0) return;
    const double each = 2.0 * static_cast<double>(p_.m) * static_cast<double>(p_.n) *
                        static_cast<double>(std::max<std::int64_t>(1, p_.k));
    const double total = each * static_cast<double>(count);
    if (threads.size() == 1 || total < 2 * kThreadFlops) return some(0, count);
    if (count >= 2 * threads.size()) {
      threads.parallel_for(count, static_cast<std::int64_t>(kThreadFlops / each) + 1,
                           [&](std::int64_t begin, std::int64_t end) { some(begin, end); });
      return;
    }
    const bool by_rows = p_.m >= p_.n;
    const std::int64_t whole = by_rows ? p_.m : p_.n, units = (whole + 15) / 16;
    for (std::int64_t index = 0; index < count; ++index) {
      prepare_operands(index, by_rows, shared_);
      threads.parallel_for(units, 1, [&](std::int64_t begin, std::int64_t end) {
        piece(shared_, by_rows, begin * 16, std::min(whole, end * 16));
      });
    }
  }

 private:
  /// True if bf16 is multiplied in place.
  static constexpr bool kInPosition = kMultipliesBf16 && std::is_same_v<S, Bf16>;
  using Operand = Matrix<const std::conditional_t<kInPosition, S, T>>;
  struct Work {
    Matrix<const S> a_memory{}, b_memory{};
    Scratch a_scratch, b_scratch;
    Operand a{}, b{};  ///< the operands of the product; if they are widened, only the one that is not divided
    Matrix<R> c{};
  };

  /// True if operands that are bf16, or are rounded to it, become f32 before the product.
  static constexpr bool kWidens = !kMultipliesBf16 && std::is_same_v<T, float>;
  bool widens() const { return kWidens && (std::is_same_v<S, Bf16> || p_.bf16_product); }

  /// `by_rows`: the rows are divided into pieces, otherwise the columns.
  void prepare_operands(std::int64_t index, bool by_rows, Work& work) const {
    const Offsets at = offsets_of(p_, index);
    const Matrix<const S> a{static_cast<const S*>(p_.a.data) + at.a, p_.a.row_stride, p_.a.column_stride};
    const Matrix<const S> b{static_cast<const S*>(p_.b.data) + at.b, p_.b.row_stride, p_.b.column_stride};
    work.c = {static_cast<R*>(p_.c.data) + at.c, p_.c.row_stride, p_.c.column_stride};
    if constexpr (kInPosition) {
      work.a = a, work.b = b;
    } else {
      thread_local Scratch kept_a, kept_b;
      const auto scratch = [&](Scratch& kept, Scratch& own, std::int64_t bytes) -> Scratch& {
        return bytes <= kKeptBytes ? kept : own;
      };
      if constexpr (kMultipliesBf16 && std::is_same_v<S, float>) {
        if (pairs_) {
          work.a_memory = a, work.b_memory = b;
          if (pairs_few()) return;
          const std::int64_t line = (p_.k + 1) * size_of(ElementType::kBf16);
          work.a = prepare_pairs(a, p_.m, p_.k, scratch(kept_a, work.a_scratch, p_.m * line));
          work.b = prepare_pairs({b.data, b.column, b.row}, p_.n, p_.k, scratch(kept_b, work.b_scratch, p_.n * line));
          std::swap(work.b.row, work.b.column);
          return;
        }
      }
      const std::int64_t line = p_.k * static_cast<std::int64_t>(sizeof(T));
      work.a_memory = a, work.b_memory = b;
      if (!widens() || !by_rows)
        work.a = prepare<T, S>(a, p_.m, p_.k, p_.bf16_product, scratch(kept_a, work.a_scratch, p_.m * line));
      if (!widens() || by_rows)
        work.b = prepare<T, S>(b, p_.k, p_.n, p_.bf16_product, scratch(kept_b, work.b_scratch, p_.n * line));
    }
  }

  void some(std::int64_t begin, std::int64_t end) const {
    if (run_tiny(begin, end)) return;
    const bool by_rows = p_.m >= p_.n;
    Work work;
    for (std::int64_t index = begin; index < end; ++index) {
      prepare_operands(index, by_rows, work);
      piece(work, by_rows, 0, std::max(p_.m, p_.n));
    }
  }

  /// Computes the products [begin, end) if they have few rows and columns. Otherwise returns false.
  bool run_tiny(std::int64_t begin, std::int64_t end) const {
    if constexpr (std::is_same_v<T, S> && std::is_same_v<T, R>) {
      using Tiny = TinyProduct<T>;
      const Matrix<const T> a{static_cast<const T*>(p_.a.data), p_.a.row_stride, p_.a.column_stride},
          b{static_cast<const T*>(p_.b.data), p_.b.row_stride, p_.b.column_stride};
      const Matrix<T> c{static_cast<T*>(p_.c.data), p_.c.row_stride, p_.c.column_stride};
      const bool is_tiny = Tiny::takes(p_.m, p_.n, p_.k, b, c);
      // The result's transpose is the product of the transposes.
      const bool is_turned = Tiny::takes(p_.n, p_.m, p_.k, {a.data, a.column, a.row}, {c.data, c.column, c.row});
      if (p_.bf16_product || !(is_tiny || is_turned)) return false;
      for (std::int64_t index = begin; index < end; ++index) {
        const Offsets at = offsets_of(p_, index);
        const T *from_a = a.data + at.a, *from_b = b.data + at.b;
        T* const to = c.data + at.c;
        if (is_tiny)
          Tiny::run(p_.m, p_.n, p_.k, {from_a, a.row, a.column}, {from_b, b.row, b.column}, {to, c.row, c.column},
                    p_.accumulate);
        else
          Tiny::run(p_.n, p_.m, p_.k, {from_b, b.column, b.row}, {from_a, a.column, a.row}, {to, c.column, c.row},
                    p_.accumulate);
      }
      return true;
    }
    return false;
  }

  /// Computes rows or columns [begin, end) of one product.
  void piece(const Work& work, bool by_rows, std::int64_t begin, std::int64_t end) const {
    if constexpr (kWidens) {
      if (widens()) return widened_piece(work, by_rows, begin, end);
    }
    if constexpr (kMultipliesBf16 && std::is_same_v<S, float> && std::is_same_v<T, float>) {
      if (pairs_few()) return few_pairs(work, by_rows, begin, end);
    }
    Operand a = work.a, b = work.b;
    Matrix<R> c = work.c;
    if (by_rows) a.data += begin * a.row;
    else b.data += begin * b.column;
    c.data += begin * (by_rows ? c.row : c.column);
    product(by_rows ? end - begin : p_.m, by_rows ? p_.n : end - begin, a, b, c);
  }

  /// The same for few rows or columns of f32 that are multiplied as bf16.
  void few_pairs(const Work& work, bool by_rows, std::int64_t begin, std::int64_t end) const {
    const std::int64_t m = by_rows ? end - begin : p_.m, n = by_rows ? p_.n : end - begin;
    Matrix<const float> a = work.a_memory, b = work.b_memory;
    Matrix<R> c = work.c;
    if (by_rows) a.data += begin * a.row;
    else b.data += begin * b.column;
    c.data += begin * (by_rows ? c.row : c.column);
    if (take_few_pairs(m, n, p_.k, a, b, c, p_.accumulate, p_.progress)) return;
    thread_local Scratch rows, columns;
    a = prepare_pairs(a, m, p_.k, rows);
    b = prepare_pairs({b.data, b.column, b.row}, n, p_.k, columns);
    multiply_pairs(m, n, steps(), a, {b.data, b.column, b.row}, c, p_.accumulate, p_.progress);
  }

  /// The same with widened lines. If the other side has few lines, they are widened as they are read. Otherwise so many
  /// are widened at once that they are still in a cache for the product.
  void widened_piece(const Work& work, bool by_rows, std::int64_t begin, std::int64_t end) const {
    const auto turned = [&](auto matrix) {
      return by_rows ? decltype(matrix){matrix.data, matrix.column, matrix.row} : matrix;
    };
    const std::int64_t few = by_rows ? p_.n : p_.m;
    const Matrix<const float> few_rows = by_rows ? turned(work.b) : work.a;
    const Matrix<const S> columns = by_rows ? turned(work.a_memory) : work.b_memory;
    const Matrix<R> c = turned(work.c);
    if (take_few(few, end - begin, few_rows, {columns.data + begin * columns.column, columns.row, columns.column},
                 {c.data + begin * c.column, c.row, c.column}))
      return;
    thread_local Scratch widened;
    const std::int64_t at_once = std::max(kLeastLines, kWidenedNumbers / std::max<std::int64_t>(p_.k, 1));
    for (; begin < end; begin += at_once) {
      const std::int64_t n = std::min(at_once, end - begin);
      const Matrix<const float> some = prepare<float, S>(
          {columns.data + begin * columns.column, columns.row, columns.column}, p_.k, n, p_.bf16_product, widened);
      product(few, n, few_rows, some, {c.data + begin * c.column, c.row, c.column});
    }
  }

  /// Computes few rows of a times b, and widens b as it is read, if that is the faster way. Otherwise returns false.
  bool take_few(std::int64_t m, std::int64_t n, const Matrix<const float>& a, const Matrix<const S>& b,
                const Matrix<R>& c) const {
    const auto run = [&](const Matrix<float>& to, bool accumulate) {
      if constexpr (std::is_same_v<S, Bf16>) return take_few_widened(m, n, p_.k, a, b, to, accumulate, p_.progress);
      else return take_few_rounded(m, n, p_.k, a, b, to, accumulate, p_.progress);
    };
    if constexpr (std::is_same_v<R, float>) {
      return run(c, p_.accumulate);
    } else {
      if (m > kThinRows) return false;
      thread_local Scratch kept;
      float* const sums = kept.room<float>(m * n);
      if (!run({sums, n, 1}, false)) return false;
      round_sums(m, n, sums, n, c);
      return true;
    }
  }

  /// True if few rows or columns of f32 that are multiplied as bf16 are paired as they are read.
  bool pairs_few() const { return pairs_ && std::min(p_.m, p_.n) <= kThinRows; }
  /// The number of steps along k in the operands of the product.
  std::int64_t steps() const { return kMultipliesBf16 && pairs_ ? (p_.k + 1) / 2 : p_.k; }

  template <class To>
  void sum(std::int64_t m, std::int64_t n, const Operand& a, const Operand& b, const Matrix<To>& c,
           bool accumulate) const {
    if constexpr (kInPosition) {
      return multiply_bf16(m, n, p_.k, a, b, c, accumulate, p_.progress);
    } else {
      if constexpr (kMultipliesBf16 && std::is_same_v<T, float>) {
        if (pairs_) return multiply_pairs(m, n, steps(), a, b, c, accumulate, p_.progress);
      }
      multiply<T>(m, n, p_.k, a, b, c, accumulate, p_.progress);
    }
  }

  void product(std::int64_t m, std::int64_t n, const Operand& a, const Operand& b, const Matrix<R>& c) const {
    if constexpr (std::is_same_v<T, R>) {
      sum(m, n, a, b, c, p_.accumulate);
    } else {  // summed in T, then rounded once
      if (steps() <= kBlockDepth) return sum(m, n, a, b, c, p_.accumulate);
      thread_local Scratch kept;
      Scratch own;
      const std::int64_t bytes = m * n * static_cast<std::int64_t>(sizeof(T));
      T* const sums = static_cast<T*>((bytes <= kKeptBytes ? kept : own).at_least(bytes));
      sum(m, n, a, b, Matrix<T>{sums, n, 1}, false);
      round_sums(m, n, sums, n, c);
    }
  }

  /// c (+)= sums, rounded once. Rows of `sums` are `row` apart.
  void round_sums(std::int64_t m, std::int64_t n, const float* sums, std::int64_t row, const Matrix<R>& c) const {
    for (std::int64_t i = 0; i < m; ++i) {
      for (std::int64_t j = 0; j < n; ++j) {
        R& target = c.data[i * c.row + j * c.column];
        const float added = sums[i * row + j];
        target = mtf::to_bf16(p_.accumulate ? mtf::to_float(target) + added : added);
      }
    }
  }

  const Matmul& p_;
  const bool pairs_ = std::is_same_v<S, Bf16> || p_.bf16_product;  ///< of bf16, if the processor multiplies them
  Work shared_;
};

}  // namespace

void matmul(const Matmul& p, Threads& threads) {
  if (p.a.batch_strides.size() != p.batch.size() || p.b.batch_strides.size() != p.batch.size() ||
      p.c.batch_strides.size() != p.batch.size()) {
    throw std::invalid_argument("matmul: a stride for each batch dim");
  }
  const bool same = p.result_type == p.operand_type;
  switch (p.operand_type) {
    case ElementType::kF32:
      if (same) return Product<float, float, float>(p).run(threads);
      break;
    case ElementType::kF64:
      if (same) return Product<double, double, double>(p).run(threads);
      break;
    case ElementType::kI32:
      if (same) return Product<std::int32_t, std::int32_t, std::int32_t>(p).run(threads);
      break;
    case ElementType::kBf16:
      if (same) return Product<float, Bf16, Bf16>(p).run(threads);
      if (p.result_type == ElementType::kF32) return Product<float, Bf16, float>(p).run(threads);
      break;
    default: break;
  }
  throw std::invalid_argument("matmul: no product of these element types");
}

}  // namespace mtf::kernels
