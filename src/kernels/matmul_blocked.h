// A product in blocks that stay in the caches (K. Goto and R. van de Geijn, Anatomy of High-Performance Matrix
// Multiplication, 2008). Each matmul_*.cpp instantiates one type. Operands may have any strides. The order of the terms
// depends on k alone, so the bits do not depend on how rows and columns are divided among processors and threads.
//
// This is why the product is our own, made of Eigen's packets. In Eigen's product, the order of an element's terms
// depends on the element's position. In oneDNN's, the bits of a column depend on the number of columns, and loading the
// library makes the start of the program longer.
#pragma once

#include "kernels/matmul_pack.h"
#include "kernels/matmul_product.h"
#include "kernels/matmul_thin.h"
#include "kernels/scratch.h"
#include "support/integers.h"

namespace mtf::kernels {

constexpr std::int64_t kBlockRows = 256, kBlockColumns = 2048;
constexpr std::int64_t kFewRows = 128, kFewColumns = 128;  // up to these sizes, packing the other matrix does not pay
constexpr std::int64_t kNear = 256;                        // if its lines are no further apart
constexpr std::int64_t kSetsBytes = 4096;                  // addresses this far apart share a set of L1
constexpr std::int64_t kPanelsTogether = 8;                // packed together, so that memory is read in long runs
constexpr double kProgressFlops = 6e7;                     // half a millisecond or more

/// One product. It is fast if C's columns are contiguous. Other results, and results of another type than T, are stored
/// through a tile in memory. kPairs: see Tile. Lines: the rows of A or the columns of B (matmul_pack.h).
template <class T, bool kPairs, class R, class Lines>
class BlockedProduct {
 public:
  BlockedProduct(std::int64_t m, std::int64_t n, std::int64_t k, const Lines& a, const Lines& b, const Matrix<R>& c,
                 bool accumulate, const std::function<void()>& progress)
      : m_(m), n_(n), k_(k), a_(a), b_(b), c_(c), accumulate_(accumulate), progress_(progress) {}

  void run() {
    thread_local Scratch packed_rows, packed_columns;
    const std::int64_t pieces = std::max<std::int64_t>(1, ceil_div(k_, kBlockDepth)), depth = ceil_div(k_, pieces);
    packs_rows_ = !a_.are_in_place() || (a_.line() == 1 ? m_ > kBlockRows : n_ > kFewColumns && !is_read_well(a_));
    packs_columns_ = !b_.are_in_place() || b_.line() != 1 || m_ > kFewRows || (m_ > 1 && b_.step() > kNear);
    keeps_columns_ = m_ > kBlockRows;  // they are reused; else panels reuse the memory of the previous ones
    columns_ = packed_columns.room<T>(
        depth * round_up(std::min(n_, keeps_columns_ ? kBlockColumns : kColumnsTogether), kColumns));
    if (packs_rows_) rows_ = packed_rows.room<T>(depth * kRowsPacked * strips(std::min(m_, kBlockRows)));
    const std::int64_t block_columns = keeps_columns_ ? kBlockColumns : n_;
    for (std::int64_t j = 0; j < n_; j += block_columns) {
      for (std::int64_t piece = 0; piece < pieces; ++piece) {
        const std::int64_t p = k_ * piece / pieces, next = k_ * (piece + 1) / pieces;
        for (std::int64_t i = 0; i < m_; i += kBlockRows) {
          block(i, std::min(kBlockRows, m_ - i), j, std::min(block_columns, n_ - j), p, next - p);
        }
      }
    }
  }

 private:
  using Operands = typename Tile<T, kPairs>::Operands;
  static constexpr std::int64_t kLanes = Tile<T, kPairs>::kLanes, kColumns = Tile<T, kPairs>::kColumns,
                                kRowsPacked = Tile<T, kPairs>::kRowsPacked;

  /// True for contiguous rows that do not all map to one set of L1: packing them gains nothing.
  static bool is_read_well(const Lines& rows) {
    return rows.step() == 1 && rows.line() * static_cast<std::int64_t>(sizeof(T)) % kSetsBytes != 0;
  }
  static constexpr std::int64_t kColumnsTogether = kPanelsTogether * kColumns;

  /// Panel s is at s * room * depth. It holds the lines from begin(s) to begin(s + 1), steps [p, p + depth).
  template <class Begin>
  static void pack(const Lines& lines, std::int64_t first, std::int64_t panels, const Begin& begin, std::int64_t p,
                   std::int64_t depth, T* to, std::int64_t room) {
    const std::int64_t chunk = lines.are_side_by_side() ? kStepsTogether : depth;
    for (std::int64_t done = 0; done < depth; done += chunk) {
      for (std::int64_t s = 0; s < panels; ++s) {
        const std::int64_t count = begin(s + 1) - begin(s), wide = round_up(count, kLanes);
        lines.pack(first + begin(s), count, p + done, std::min(chunk, depth - done), done + chunk < depth,
                   to + s * room * depth + done * wide, wide);
      }
    }
  }

  static std::int64_t strips(std::int64_t rows) { return (rows + Tile<T, kPairs>::kRows - 1) / Tile<T, kPairs>::kRows; }

  /// Computes rows [i, i + rows), columns [j, j + columns), terms [p, p + depth).
  void block(std::int64_t i, std::int64_t rows, std::int64_t j, std::int64_t columns, std::int64_t p,
             std::int64_t depth) {
    const std::int64_t count = strips(rows);  // of nearly equal heights
    Operands tile{};
    tile.k = depth;
    tile.a_row = packs_rows_ ? 1 : a_.line();
    tile.a_k = a_.step();
    tile.accumulate = accumulate_ || p > 0;
    const auto strip = [&](std::int64_t s) { return rows * s / count; };
    if (packs_rows_) pack(a_, i, count, strip, p, depth, rows_, kRowsPacked);
    for (std::int64_t at = 0; at < columns; at += kColumns) {
      const std::int64_t wide = std::min(kColumns, columns - at), lanes = round_up(wide, kLanes);
      if (packs_columns_ || wide != lanes) {  // packets that exceed the matrix are always packed
        T* const panel = columns_ + (keeps_columns_ ? at : at % kColumnsTogether) * depth;
        if (i == 0 && (at % kColumnsTogether == 0 || !packs_columns_)) {
          const std::int64_t near = std::min(packs_columns_ ? kColumnsTogether : kColumns, columns - at);
          const auto begin = [&](std::int64_t s) { return std::min(s * kColumns, near); };
          pack(b_, j + at, (near + kColumns - 1) / kColumns, begin, p, depth, panel, kColumns);
        }
        tile.b = panel;
        tile.b_k = lanes;
      } else {
        tile.b = b_.at(j + at, p);
        tile.b_k = b_.step();
      }
      for (std::int64_t s = 0; s < count; ++s) {
        const std::int64_t height = strip(s + 1) - strip(s);
        tile.a = packs_rows_ ? rows_ + s * kRowsPacked * depth : a_.at(i + strip(s), p);
        if (packs_rows_) tile.a_k = round_up(height, kLanes);
        one_tile(tile, i + strip(s), height, j + at, wide);
      }
      report(2.0 * static_cast<double>(rows) * static_cast<double>(wide) * static_cast<double>(depth));
    }
  }

  void one_tile(Operands& tile, std::int64_t i, std::int64_t rows, std::int64_t j, std::int64_t columns) const {
    const std::int64_t packets = (columns + kLanes - 1) / kLanes;
    const auto function = Tile<T, kPairs>::function(static_cast<int>(rows), static_cast<int>(packets), tile.a_row == 1);
    R* const c = c_.data + i * c_.row + j * c_.column;
    if constexpr (std::is_same_v<R, T>) {
      if (c_.column == 1 && columns == packets * kLanes) {
        tile.c = c;
        tile.c_row = c_.row;
        return function(tile);
      }
    }
    alignas(64) T sums[Tile<T, kPairs>::kRows * kColumns];
    for (std::int64_t r = 0; tile.accumulate && r < rows; ++r)
      for (std::int64_t s = 0; s < columns; ++s) sums[r * kColumns + s] = widened(c[r * c_.row + s * c_.column]);
    tile.c = sums;
    tile.c_row = kColumns;
    function(tile);
    for (std::int64_t r = 0; r < rows; ++r) {
      R* const row = c + r * c_.row;
      if (c_.column == 1)  // in packets
        for (std::int64_t s = 0; s < columns; ++s) row[s] = rounded(sums[r * kColumns + s]);
      else
        for (std::int64_t s = 0; s < columns; ++s) row[s * c_.column] = rounded(sums[r * kColumns + s]);
    }
  }

  static T widened(R x) {
    if constexpr (std::is_same_v<R, T>) return x;
    else return mtf::to_float(x);
  }
  static R rounded(T x) {
    if constexpr (std::is_same_v<R, T>) return x;
    else return mtf::to_bf16(x);
  }

  void report(double flops) {
    if (!progress_) return;
    flops_ += flops;
    if (flops_ < kProgressFlops) return;
    flops_ = 0;
    progress_();
  }

  std::int64_t m_, n_, k_;
  const Lines a_, b_;
  const Matrix<R> c_;
  bool accumulate_;
  const std::function<void()>& progress_;
  bool packs_rows_ = false, packs_columns_ = false, keeps_columns_ = false;
  T *rows_ = nullptr, *columns_ = nullptr;
  double flops_ = 0;
};

/// Computes C (+)= A · B from A's rows and B's columns. k counts their steps.
template <class T, bool kPairs, class R, class Lines>
void multiply_blocked(std::int64_t m, std::int64_t n, std::int64_t k, Lines rows, Lines columns, Matrix<R> c,
                      bool accumulate, const std::function<void()>& progress) {
  // A column-major result is the row-major result of the transposes. A single column is handled in the same way.
  if (m > 1 && (n == 1 || (c.column != 1 && c.row == 1))) {
    std::swap(m, n);
    std::swap(rows, columns);
    std::swap(c.row, c.column);
  }
  BlockedProduct<T, kPairs, R, Lines>(m, n, k, rows, columns, c, accumulate, progress).run();
}

/// Computes C (+)= A · B with Thin, a ThinProduct, if that is faster. Otherwise returns false.
template <class Thin, class Number, class R>
bool take_thin(std::int64_t m, std::int64_t n, std::int64_t k, const Matrix<const Number>& a,
               const Matrix<const Number>& b, const Matrix<R>& c, bool accumulate,
               const std::function<void()>& progress) {
  const bool is_turned = m > n;  // transposes the result, which has the same elements
  const std::int64_t rows = std::min(m, n), columns = std::max(m, n);
  const Matrix<const Number> few = is_turned ? Matrix<const Number>{b.data, b.column, b.row} : a,
                             many = is_turned ? Matrix<const Number>{a.data, a.column, a.row} : b;
  if (!Thin::takes(rows, columns, k, many)) return false;
  const Matrix<R> result = is_turned ? Matrix<R>{c.data, c.column, c.row} : c;
  thread_local Scratch steps;
  Thin(rows, k, Thin::steps(rows, k, few, steps), many, result).run(columns, accumulate, progress);
  return true;
}

template <class T, class R>
void multiply(std::int64_t m, std::int64_t n, std::int64_t k, Matrix<const T> a, Matrix<const T> b, Matrix<R> c,
              bool accumulate, const std::function<void()>& progress) {
  if (take_thin<ThinProduct<T, R>>(m, n, k, a, b, c, accumulate, progress)) return;
  multiply_blocked<T, false>(m, n, k, Lines<T>(a.data, a.row, a.column, k), Lines<T>(b.data, b.column, b.row, k), c,
                             accumulate, progress);
}

}  // namespace mtf::kernels
