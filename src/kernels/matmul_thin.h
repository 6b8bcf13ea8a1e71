// A product with few rows (internal to matmul_blocked.h): a matrix times a vector, or a few vectors. Reading the matrix
// from memory dominates the time. So the matrix is read once, in place, in long runs, and is not packed. The terms of
// an element are added in the order of the blocked product, so that the bits are the same.
#pragma once

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>
#include <utility>

#include "kernels/bf16_pairs.h"
#include "kernels/lane_memory.h"
#include "kernels/matmul_product.h"
#include "kernels/matmul_tile.h"
#include "kernels/scratch.h"
#include "kernels/transpose.h"
#include "support/integers.h"

namespace mtf::kernels {

/// Memory is prefetched, because the hardware does not predict many short runs. It is prefetched into L2, because L1 is
/// too small.
using lanes::kSecondCache;
constexpr std::int64_t kLongLine = 10 << 10, kLineAhead = 512;  // bytes
constexpr std::int64_t kThinBytes = 24 << 10;                   // of sums, which stay in L1
/// Data that arrives faster than this, in bytes a nanosecond, comes from a cache. Then prefetching costs more than
/// waiting.
constexpr double kFromCache = 40, kLeastMeasured = 64 << 10;
constexpr double kProgressNumbers = 4 << 20;  // numbers of the matrix: a millisecond

/// The unit of B that is multiplied at once, as T.
enum class ThinStep : std::uint8_t {
  kNumber,         ///< one number; bf16 as f32
  kRoundedNumber,  ///< f32 that is rounded to bf16
  kPair,           ///< two neighbours along k, rounded to bf16, in the bits of a float
};

/// C (+)= A · B for few rows of A. B's rows or its columns are contiguous; k counts numbers. R is the type of C's
/// numbers in memory, Number of B's. A is given in steps. If k is odd, the second number of the last pair is 0.
template <class T, class R, class Number = T, ThinStep kStep = ThinStep::kNumber>
class ThinProduct {
 public:
  /// True if it can compute such a product.
  static bool can_take(std::int64_t m, std::int64_t n, std::int64_t k, const Matrix<const Number>& b) {
    if (m == 0 || m > kThinRows || n < kLanes || k == 0) return false;
    return b.column == 1 || (kTransposes && b.row == 1 && k % kNumbers == 0 && k >= kNumbers * kLanes);
  }
  /// True if it can, and is faster than the blocked product.
  static bool takes(std::int64_t m, std::int64_t n, std::int64_t k, const Matrix<const Number>& b) {
    return can_take(m, n, k, b) && n >= 4 * kLanes && (b.column != 1 || k >= kNumbers * 4 * kLanes);
  }
  /// Converts A's numbers in memory to steps.
  static Matrix<const T> steps(std::int64_t m, std::int64_t k, const Matrix<const Number>& a, Scratch& scratch) {
    if constexpr (!kPairs) {
      return a;
    } else {
      const std::int64_t pairs = ceil_div(k, kNumbers);
      T* const to = scratch.room<T>(m * pairs);
      for (std::int64_t r = 0; r < m; ++r) {
        const Number* const row = a.data + r * a.row;
        for (std::int64_t p = 0; p < k; p += kNumbers)
          to[r * pairs + p / kNumbers] = pair(row[p * a.column], p + 1 < k ? row[(p + 1) * a.column] : Number{});
      }
      return {to, pairs, 1};
    }
  }

  ThinProduct(std::int64_t m, std::int64_t k, const Matrix<const T>& a, const Matrix<const Number>& b,
              const Matrix<R>& c)
      : m_(m),
        steps_(ceil_div(k, kNumbers)),
        has_odd_end_(k % kNumbers != 0),
        sums_row_(longest_row(m)),
        ahead_(k * kItemBytes >= kLongLine ? kLineAhead / kItemBytes : 2 * kLines * b.column),
        a_(a),
        b_(b),
        c_(c) {}

  void run(std::int64_t n, bool accumulate, const std::function<void()>& progress) {
    thread_local Scratch rows, sums;
    if (a_.column != 1) a_ = packed(rows.room<T>(m_ * steps_));
    sums_ = sums.room<T>(m_ * sums_row_);
    const std::int64_t most = b_.column == 1 ? sums_row_ : kLines, whole = n - n % kLanes;
    for (std::int64_t j = 0; j < whole; j += most) run_columns(j, std::min(most, whole - j), 0, accumulate, progress);
    // The last packet overlaps the one before, and computes its lanes again.
    if (whole < n) run_columns(n - kLanes, kLanes, kLanes - n % kLanes, accumulate, progress);
  }

 private:
  /// The length of a run of B's columns. It is longer for fewer rows.
  static std::int64_t longest_row(std::int64_t m) {
    const std::int64_t most = kThinBytes / static_cast<std::int64_t>(sizeof(T)) / m;
    return static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(most)));
  }

  using Packet = typename Tile<T>::Packet;
  using Bits = std::conditional_t<sizeof(T) == 4, float, double>;  // for the transpose
  static constexpr int kLanes = Tile<T>::kLanes, kRowsTogether = 4, kSteps = 8;
  static constexpr bool kPairs = kStep == ThinStep::kPair;
  static constexpr bool kRounds = std::is_same_v<Number, float> && kStep != ThinStep::kNumber;
  static constexpr int kNumbers = kPairs ? 2 : 1;  ///< in a step
  /// The number of contiguous columns that are summed at once: enough for two chains of sums, but not more runs of
  /// memory than the hardware prefetches.
  static constexpr int kLines = std::min(2 * kLanes, 16);
  static constexpr std::int64_t kItemBytes = sizeof(Number);
  static constexpr bool kTransposes = Tile<Bits>::kLanes == kLanes;
  template <int kCount>
  using Count = std::integral_constant<int, kCount>;

  /// A copy of A with contiguous rows.
  Matrix<const T> packed(T* to) const {
    for (std::int64_t r = 0; r < m_; ++r)
      for (std::int64_t p = 0; p < steps_; ++p) to[r * steps_ + p] = a_.data[r * a_.row + p * a_.column];
    return {to, steps_, 1};
  }

  /// Computes `width` columns from j on, in whole packets. C has the first `done` already.
  void run_columns(std::int64_t j, std::int64_t width, std::int64_t done, bool accumulate,
                   const std::function<void()>& progress) {
    const std::int64_t pieces = ceil_div(steps_, kBlockDepth);
    for (std::int64_t piece = 0; piece < pieces; ++piece) {
      const std::int64_t p = steps_ * piece / pieces, next = steps_ * (piece + 1) / pieces, depth = next - p;
      const Number* const b = b_.data + p * kNumbers * b_.row + j * b_.column;
      if (b_.column == 1) add_rows(a_.data + p, b, depth, has_odd_end_ && next == steps_, width);
      else if constexpr (kTransposes) add_columns(a_.data + p, b, depth, width);
      store(c_.data + j * c_.column, done, width, accumulate || piece > 0);
      numbers_ += static_cast<double>(depth * width);
      if (progress && numbers_ >= kProgressNumbers) progress(), numbers_ = 0;
    }
  }

  /// Loads a packet of contiguous numbers of B.
  static Packet load(const Number* from) {
    // Does not use lanes::widened: from memory, a loop of fewer steps was slower by an eighth.
    if constexpr (std::is_same_v<Number, Bf16>)
      return (Packet)(__builtin_convertvector(lanes::load_bytes<lanes::HalfU16>(from), lanes::U) << 16);
    else if constexpr (kRounds) return lanes::round_bf16(Eigen::internal::ploadu<Packet>(from));
    else return Eigen::internal::ploadu<Packet>(from);
  }
  /// Loads a packet of steps, each from its own column. At an odd end, B has only the first number of each step.
  template <bool kIsOddEnd>
  Packet load_across(const Number* from) const {
    if constexpr (!kPairs) return load(from);
    else if constexpr (kIsOddEnd) return lanes::pairs(load(from), Packet{});
    else return lanes::pairs(load(from), load(from + b_.row));
  }
  /// Loads a packet of steps of one contiguous column.
  static Packet load_along(const Number* from) {
    if constexpr (!kPairs) return load(from);
    else if constexpr (kRounds) return lanes::neighbours(load(from), load(from + kLanes));
    else return Eigen::internal::ploadu<Packet>(reinterpret_cast<const T*>(from));
  }

  static Packet add_product(Packet factor, Packet columns, Packet sum) {
    if constexpr (kPairs) return Tile<T, true>::add_product(factor, columns, sum);
    else return Eigen::internal::pmadd(factor, columns, sum);
  }

  /// Calls `add` for groups of rows of A, with the number of rows, the first row, and its sums.
  template <class Add>
  void for_rows(const T* a, T* sums, const Add& add) const {
    const std::int64_t parts = ceil_div(m_, kRowsTogether);
    for (std::int64_t part = 0; part < parts; ++part) {
      const std::int64_t r = m_ * part / parts, rows = m_ * (part + 1) / parts - r;
      const T* const row = a + r * a_.row;
      T* const to = sums + r * sums_row_;
      switch (rows) {
        case 1: add(Count<1>(), row, to); break;
        case 2: add(Count<2>(), row, to); break;
        case 3: add(Count<3>(), row, to); break;
        default: add(Count<4>(), row, to); break;
      }
    }
  }

  // ---- B's rows are contiguous: several at once are added to all sums ----

  void add_rows(const T* a, const Number* b, std::int64_t depth, bool has_odd_end, std::int64_t width) const {
    for (std::int64_t r = 0; r < m_; ++r) std::fill_n(sums_ + r * sums_row_, width, T(0));
    const std::int64_t full = depth - (has_odd_end ? 1 : 0);
    const double bytes = static_cast<double>(kSteps * kNumbers * width * kItemBytes);
    const bool measures = m_ == 1 && bytes >= kLeastMeasured;  // with more rows there is more to compute meanwhile
    using Clock = std::chrono::steady_clock;
    Clock::time_point began = measures ? Clock::now() : Clock::time_point();
    bool asks = true;
    for (std::int64_t q = 0; q < full; q += kSteps) {
      for_rows(a, sums_, [&](auto rows, const T* row, T* sums) {
        constexpr int kRows = rows, kTogether = kSteps / std::bit_ceil(unsigned{kRows});
        const std::int64_t end = std::min(q + kSteps, full);
        std::int64_t step = q;
        for (; step + kTogether <= end; step += kTogether) {
          const Number* const steps = b + step * kNumbers * b_.row;
          if (asks) add_steps<kRows, kTogether, true>(row + step, steps, width, sums);
          else add_steps<kRows, kTogether, false>(row + step, steps, width, sums);
        }
        for (; step < end; ++step) add_steps<kRows, 1, true>(row + step, b + step * kNumbers * b_.row, width, sums);
      });
      if (!measures) continue;
      const Clock::time_point now = Clock::now();
      asks = bytes < kFromCache * std::chrono::duration<double, std::nano>(now - std::exchange(began, now)).count();
    }
    if constexpr (kPairs) {
      if (!has_odd_end) return;
      for_rows(a + full, sums_, [&](auto rows, const T* row, T* sums) {
        add_steps<rows, 1, true, true>(row, b + full * kNumbers * b_.row, width, sums);
      });
    }
  }

  /// kAsks: prefetches the data of kSteps steps ahead.
  template <int kRows, int kTogether, bool kAsks, bool kIsOddEnd = false>
  void add_steps(const T* a, const Number* b, std::int64_t width, T* sums) const {
    using namespace Eigen::internal;
    Packet factors[kRows][kTogether];
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r)
#pragma GCC unroll 8
      for (int q = 0; q < kTogether; ++q) factors[r][q] = pset1<Packet>(a[r * a_.row + q]);
    for (std::int64_t s = 0; s < width; s += kLanes) {
      Packet sum[kRows];
#pragma GCC unroll 4
      for (int r = 0; r < kRows; ++r) sum[r] = pload<Packet>(sums + r * sums_row_ + s);
#pragma GCC unroll 8
      for (int q = 0; q < kTogether; ++q) {
        const Number* const at = b + q * kNumbers * b_.row + s;
        const Packet row = load_across<kIsOddEnd>(at);
        if constexpr (kAsks)
          for (int i = 0; i < kNumbers; ++i) __builtin_prefetch(at + (kSteps * kNumbers + i) * b_.row, 0, kSecondCache);
#pragma GCC unroll 4
        for (int r = 0; r < kRows; ++r) sum[r] = add_product(factors[r][q], row, sum[r]);
      }
#pragma GCC unroll 4
      for (int r = 0; r < kRows; ++r) pstore(sums + r * sums_row_ + s, sum[r]);
    }
  }

  // ---- B's columns are contiguous: they are transposed in registers ----

  void add_columns(const T* a, const Number* b, std::int64_t depth, std::int64_t width) const {
    std::int64_t s = 0;
    for (; m_ <= 2 && s + kLines <= width; s += kLines) {  // more chains of sums
      if (m_ == 1) add_lines<1, kLines / kLanes>(a, b + s * b_.column, depth, sums_ + s);
      else add_lines<2, kLines / kLanes>(a, b + s * b_.column, depth, sums_ + s);
    }
    for (; s < width; s += kLanes) {
      for_rows(a, sums_ + s,
               [&](auto rows, const T* row, T* sums) { add_lines<rows, 1>(row, b + s * b_.column, depth, sums); });
    }
  }

  /// Transposes kLanes steps of kLanes lines, from `line` on.
  void iteration(const Number* line, T* to) const {
    using namespace Eigen::internal;
    const std::int64_t apart = b_.column, apart3 = 3 * apart, ahead = ahead_;
    typename Tile<Bits>::Packet packets[kLanes];
#pragma GCC unroll 16
    for (int i = 0; i < kLanes; ++i) {
      if (i % 4 == 0 && i > 0) line += 4 * apart;
      if (i % 4 == 0) asm volatile("" : "+r"(line));  // otherwise g++ keeps all addresses in memory
      const Number* at = i % 4 == 3 ? line + apart3 : line + i % 4 * apart;
      const Packet steps = load_along(at);
      __builtin_prefetch(at + ahead, 0, kSecondCache);
      if constexpr (kPairs && kRounds) __builtin_prefetch(at + ahead + kLanes, 0, kSecondCache);
      std::memcpy(&packets[i], &steps, sizeof(Packet));
    }
    transpose(packets);
#pragma GCC unroll 16
    for (int i = 0; i < kLanes; ++i) std::memcpy(to + i * kLanes, &packets[i], sizeof(Packet));
  }

  template <int kRows, int kPackets>
  void add_lines(const T* a, const Number* lines, std::int64_t depth, T* sums) const {
    using namespace Eigen::internal;
    Packet sum[kRows][kPackets];
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r)
#pragma GCC unroll 4
      for (int l = 0; l < kPackets; ++l) sum[r][l] = pset1<Packet>(T(0));
    const std::int64_t apart = b_.column, row = a_.row;
    alignas(64) T columns[kPackets][kLanes * kLanes];
    /// Takes kLanes steps of each line, and adds all except the first `skipped`.
    const auto add = [&](std::int64_t p, int skipped) {
#pragma GCC unroll 4
      for (int l = 0; l < kPackets; ++l) iteration(lines + l * kLanes * apart + p * kNumbers, columns[l]);
      const T* const factors = a + p;
#pragma GCC unroll 16
      for (int i = 0; i < kLanes; ++i) {
        if (i < skipped) continue;
#pragma GCC unroll 4
        for (int r = 0; r < kRows; ++r) {
          const Packet factor = pset1<Packet>(factors[r * row + i]);
#pragma GCC unroll 4
          for (int l = 0; l < kPackets; ++l)
            sum[r][l] = add_product(factor, pload<Packet>(columns[l] + i * kLanes), sum[r][l]);
        }
      }
    };
    std::int64_t p = 0;
    for (; p + kLanes <= depth; p += kLanes) add(p, 0);
    if (p < depth) add(depth - kLanes, static_cast<int>(p - (depth - kLanes)));  // the first were added already
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r)
#pragma GCC unroll 4
      for (int l = 0; l < kPackets; ++l) pstore(sums + r * sums_row_ + l * kLanes, sum[r][l]);
  }

  void store(R* c, std::int64_t begin, std::int64_t end, bool accumulate) const {
    for (std::int64_t r = 0; r < m_; ++r, c += c_.row) {
      const T* const sums = sums_ + r * sums_row_;
      if (c_.column == 1)  // in packets
        for (std::int64_t s = begin; s < end; ++s) c[s] = result(sums[s], c[s], accumulate);
      else
        for (std::int64_t s = begin; s < end; ++s) c[s * c_.column] = result(sums[s], c[s * c_.column], accumulate);
    }
  }

  static R result(T sum, R before, bool accumulate) {
    if constexpr (std::is_integral_v<T>) {  // wraps
      return static_cast<T>(static_cast<std::uint32_t>(sum) + (accumulate ? static_cast<std::uint32_t>(before) : 0));
    } else if constexpr (std::is_same_v<R, T>) {
      return accumulate ? before + sum : sum;
    } else {
      return mtf::to_bf16(accumulate ? mtf::to_float(before) + sum : sum);
    }
  }

  const std::int64_t m_, steps_;
  const bool has_odd_end_;
  const std::int64_t sums_row_;
  /// The prefetch distance if B's columns are contiguous: in the same column if it is long, otherwise in later ones.
  const std::int64_t ahead_;
  Matrix<const T> a_;
  const Matrix<const Number> b_;
  const Matrix<R> c_;
  T* sums_ = nullptr;
  double numbers_ = 0;  ///< of B, read since the last call of `progress`
};

}  // namespace mtf::kernels
