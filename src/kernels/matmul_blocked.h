// A product in blocks that stay in the caches (K. Goto and R. van de Geijn, Anatomy of High-Performance Matrix
// Multiplication, 2008); each matmul_*.cpp instantiates one type. On AVX-512 it takes 0.9 of the time of Eigen's product
// for large matrices and 0.75 for small ones, takes any strides, and the order of its terms depends on k alone, so that
// the bits of a result do not depend on how its rows and columns are split over processors and threads.
#pragma once

#include "kernels/matmul_tile.h"

#include <cstring>

#include "kernels/matmul_product.h"
#include "kernels/scratch.h"

namespace mtf {

constexpr std::int64_t kBlockRows = 256, kBlockColumns = 2048;
constexpr std::int64_t kFewRows = 128, kFewColumns = 128;  // no more do not repay packing what they are multiplied by,
constexpr std::int64_t kNear = 256;                        // if its lines lie no further apart
constexpr std::int64_t kPanelsTogether = 8;                // packed side by side, so that memory is read in long runs
constexpr double kProgressFlops = 6e7;                     // half a millisecond or more

/// `count` lines along k as a panel: to[p * width + i] = from[i * line + p * step]. What pads it to a multiple of the
/// packet's lanes, at most `width`, is any of the elements around; `more` steps follow.
template <class T>
void pack_panel(std::int64_t count, std::int64_t k, bool more, const T* from, std::int64_t line, std::int64_t step, T* to, std::int64_t width) {
  using Number = std::conditional_t<sizeof(T) == 4, float, double>;  // only bits move
  using Packet = typename Tile<Number>::Packet;
  constexpr int kLanes = Tile<T>::kLanes;
  std::int64_t whole = 0;
  if (line == 1 && k > 0) {  // a step ends before the next begins: but for the last, a whole width can be read
    whole = count == width ? k : step >= width ? k - (more ? 0 : 1) : 0;
    for (std::int64_t p = 0; p < whole; ++p) {
      for (std::int64_t i = 0; i < width; i += kLanes) std::memcpy(to + p * width + i, from + p * step + i, kLanes * sizeof(T));
    }
  }
  for (std::int64_t first = 0; first < count; first += kLanes) {
    const T* lines[kLanes];
    for (int i = 0; i < kLanes; ++i) lines[i] = from + std::min(first + i, count - 1) * line;
    std::int64_t p = whole;
    if constexpr (Tile<Number>::kLanes == kLanes) {
      for (; step == 1 && p + kLanes <= k; p += kLanes) {
        Eigen::internal::PacketBlock<Packet, kLanes> block;
#pragma GCC unroll 16
        for (int i = 0; i < kLanes; ++i) std::memcpy(&block.packet[i], lines[i] + p, sizeof(Packet));
        Eigen::internal::ptranspose(block);
#pragma GCC unroll 16
        for (int i = 0; i < kLanes; ++i) std::memcpy(to + (p + i) * width + first, &block.packet[i], sizeof(Packet));
      }
    }
    for (; p < k; ++p) {
      for (int i = 0; i < kLanes; ++i) to[p * width + first + i] = lines[i][p * step];
    }
  }
}

/// One product. Fast where C's columns lie together; others are stored through a tile in memory, and so is C of another type
/// than T. kPairs: see Tile.
template <class T, bool kPairs, class R>
class BlockedProduct {
 public:
  BlockedProduct(std::int64_t m, std::int64_t n, std::int64_t k, const Matrix<const T>& a, const Matrix<const T>& b,
                 const Matrix<R>& c, bool accumulate, const std::function<void()>& progress)
      : m_(m), n_(n), k_(k), a_(a), b_(b), c_(c), accumulate_(accumulate), progress_(progress) {}

  void run() {
    thread_local Scratch packed_rows, packed_columns;
    const std::int64_t pieces = std::max<std::int64_t>(1, (k_ + kBlockDepth - 1) / kBlockDepth), depth = (k_ + pieces - 1) / pieces;
    packs_rows_ = a_.row != 1 ? n_ > kFewColumns : m_ > kBlockRows;
    packs_columns_ = b_.column != 1 || m_ > kFewRows || (m_ > 1 && b_.row > kNear);
    keeps_columns_ = m_ > kBlockRows;  // they are used again; else panels are packed where the last ones were
    columns_ = room(packed_columns, depth * round_up(std::min(n_, keeps_columns_ ? kBlockColumns : kColumnsTogether), kColumns));
    if (packs_rows_) rows_ = room(packed_rows, depth * kRowsPacked * strips(std::min(m_, kBlockRows)));
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
  static constexpr std::int64_t kLanes = Tile<T, kPairs>::kLanes, kColumns = Tile<T, kPairs>::kColumns, kRowsPacked = Tile<T, kPairs>::kRowsPacked;

  static std::int64_t round_up(std::int64_t size, std::int64_t to) { return (size + to - 1) / to * to; }
  static T* room(Scratch& scratch, std::int64_t count) { return static_cast<T*>(scratch.at_least(count * static_cast<std::int64_t>(sizeof(T)))); }
  static constexpr std::int64_t kColumnsTogether = kPanelsTogether * kColumns;

  /// Panel s, at s * room * depth, holds the lines from begin(s) to begin(s + 1).
  template <class Begin>
  static void pack(std::int64_t panels, const Begin& begin, std::int64_t depth, const T* from, std::int64_t line, std::int64_t step, T* to, std::int64_t room) {
    const std::int64_t chunk = line == 1 ? 32 : depth;
    for (std::int64_t p = 0; p < depth; p += chunk) {
      for (std::int64_t s = 0; s < panels; ++s) {
        const std::int64_t count = begin(s + 1) - begin(s), wide = round_up(count, kLanes);
        pack_panel(count, std::min(chunk, depth - p), p + chunk < depth, from + begin(s) * line + p * step, line, step, to + s * room * depth + p * wide, wide);
      }
    }
  }

  static std::int64_t strips(std::int64_t rows) { return (rows + Tile<T, kPairs>::kRows - 1) / Tile<T, kPairs>::kRows; }

  /// Rows [i, i + rows), columns [j, j + columns), terms [p, p + depth).
  void block(std::int64_t i, std::int64_t rows, std::int64_t j, std::int64_t columns, std::int64_t p, std::int64_t depth) {
    const T* const a = a_.data + i * a_.row + p * a_.column;
    const std::int64_t count = strips(rows);  // of even heights
    Operands tile{};
    tile.k = depth;
    tile.a_row = packs_rows_ ? 1 : a_.row;
    tile.a_k = a_.column;
    tile.accumulate = accumulate_ || p > 0;
    const auto strip = [&](std::int64_t s) { return rows * s / count; };
    if (packs_rows_) pack(count, strip, depth, a, a_.row, a_.column, rows_, kRowsPacked);
    for (std::int64_t at = 0; at < columns; at += kColumns) {
      const std::int64_t wide = std::min(kColumns, columns - at), lanes = round_up(wide, kLanes);
      const T* const b = b_.data + p * b_.row + (j + at) * b_.column;
      if (packs_columns_ || wide != lanes) {  // packets that reach beyond the matrix are packed in any case
        T* const panel = columns_ + (keeps_columns_ ? at : at % kColumnsTogether) * depth;
        if (i == 0 && (at % kColumnsTogether == 0 || !packs_columns_)) {
          const std::int64_t near = std::min(packs_columns_ ? kColumnsTogether : kColumns, columns - at);
          const auto begin = [&](std::int64_t s) { return std::min(s * kColumns, near); };
          pack((near + kColumns - 1) / kColumns, begin, depth, b, b_.column, b_.row, panel, kColumns);
        }
        tile.b = panel;
        tile.b_k = lanes;
      } else {
        tile.b = b;
        tile.b_k = b_.row;
      }
      for (std::int64_t s = 0; s < count; ++s) {
        const std::int64_t height = strip(s + 1) - strip(s);
        tile.a = packs_rows_ ? rows_ + s * kRowsPacked * depth : a + strip(s) * a_.row;
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
    else return to_float(x);
  }
  static R rounded(T x) {
    if constexpr (std::is_same_v<R, T>) return x;
    else return to_bf16(x);
  }

  void report(double flops) {
    if (!progress_) return;
    flops_ += flops;
    if (flops_ < kProgressFlops) return;
    flops_ = 0;
    progress_();
  }

  std::int64_t m_, n_, k_;
  Matrix<const T> a_, b_;
  Matrix<R> c_;
  bool accumulate_;
  const std::function<void()>& progress_;
  bool packs_rows_ = false, packs_columns_ = false, keeps_columns_ = false;
  T *rows_ = nullptr, *columns_ = nullptr;
  double flops_ = 0;
};

/// multiply, and with kPairs multiply_pairs, where k counts pairs.
template <class T, bool kPairs, class R>
void multiply_blocked(std::int64_t m, std::int64_t n, std::int64_t k, Matrix<const T> a, Matrix<const T> b, Matrix<R> c,
                      bool accumulate, const std::function<void()>& progress) {
  // A column-major result is the row-major result of the transposes; so is a column.
  if (m > 1 && (n == 1 || (c.column != 1 && c.row == 1))) {
    std::swap(m, n);
    std::swap(a, b);
    std::swap(a.row, a.column);
    std::swap(b.row, b.column);
    std::swap(c.row, c.column);
  }
  BlockedProduct<T, kPairs, R>(m, n, k, a, b, c, accumulate, progress).run();
}

template <class T, class R>
void multiply(std::int64_t m, std::int64_t n, std::int64_t k, Matrix<const T> a, Matrix<const T> b, Matrix<R> c,
              bool accumulate, const std::function<void()>& progress) {
  multiply_blocked<T, false>(m, n, k, a, b, c, accumulate, progress);
}

}  // namespace mtf
