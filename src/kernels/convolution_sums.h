// The innermost loops of a convolution besides Tile (internal to convolution.cpp). They keep sums in registers in cases
// in which Tile would leave lanes empty.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>

#include "kernels/matmul_tile.h"
#include "support/integers.h"

namespace mtf::kernels {

/// Sums of packets: c[r, l] (+)= Σ over s of a[rows[r] + steps[s] + l] · b[s b_step + l] for the lanes l of a packet.
template <class T>
struct LaneSums {
  using Packet = typename Tile<T>::Packet;
  static constexpr int kRows = 8;
  std::span<const std::int64_t> rows, steps;  // up to kRows
  const T *a, *b;
  std::int64_t b_step;
  T* c;
  std::int64_t c_row;
  bool accumulate;

  void run() const { run_rows(std::make_integer_sequence<int, kRows>()); }

 private:
  template <int... kIndices>
  void run_rows(std::integer_sequence<int, kIndices...>) const {
    static constexpr std::array<void (*)(const LaneSums&), kRows> kFunctions{&sum<kIndices + 1>...};
    kFunctions[rows.size() - 1](*this);
  }
  template <int kCount>
  static void sum(const LaneSums& o) {
    using namespace Eigen::internal;
    Packet sums[kCount];
    const T* from[kCount];
#pragma GCC unroll 8
    for (int r = 0; r < kCount; ++r) sums[r] = pset1<Packet>(T(0)), from[r] = o.a + o.rows[r];
    const T* b = o.b;
    for (const std::int64_t step : o.steps) {
      const Packet factor = ploadu<Packet>(b);
#pragma GCC unroll 8
      for (int r = 0; r < kCount; ++r) sums[r] = pmadd(ploadu<Packet>(from[r] + step), factor, sums[r]);
      b += o.b_step;
    }
#pragma GCC unroll 8
    for (int r = 0; r < kCount; ++r) {
      T* const c = o.c + r * o.c_row;
      pstoreu(c, o.accumulate ? padd(ploadu<Packet>(c), sums[r]) : sums[r]);
    }
  }
};

/// Few rows and many columns: c[r, l] (+)= Σ over the runs and i < k of a[i, r] · b[run + i b_k + l]. A is contiguous
/// across runs. This is Tile with kRuns, but the runs are in B. The number of columns is a multiple of the packet's
/// lanes. The terms are added in Tile's order, so that the bits are the same.
template <class T>
struct FewRows {
  using Packet = typename Tile<T>::Packet;
  static constexpr int kLanes = Tile<T>::kLanes;
  static constexpr int kRows = std::max(1, kLanes / 2);
  static constexpr int kSums = sizeof(Packet) == 64 ? 24 : 12;  // of 32 or 16 registers
  static constexpr int kPackets = 8;
  static constexpr int kLatency = 8;  // additions that can start before the first one ends

  std::span<const std::int64_t> runs;
  std::int64_t k;
  const T* a;  ///< its rows are contiguous
  std::int64_t a_k;
  const T* b;
  std::int64_t b_k;
  T* c;
  std::int64_t c_row;
  bool accumulate;

  /// Requires 1 ≤ rows ≤ kRows.
  void run(std::int64_t rows, std::int64_t packets) const {
    static constexpr auto kFunctions = functions(std::make_integer_sequence<int, kRows * kPackets>());
    const std::int64_t count = strips(rows, packets);
    FewRows strip = *this;
    for (std::int64_t s = 0; s < count; ++s) {
      const std::int64_t first = packets * s / count, own = packets * (s + 1) / count - first;
      strip.b = b + first * kLanes, strip.c = c + first * kLanes;
      kFunctions[static_cast<std::size_t>((rows - 1) * kPackets + own - 1)](strip);
    }
  }
  /// The time for one term of each element, in units of an addition.
  static std::int64_t time(std::int64_t rows, std::int64_t packets) {
    const std::int64_t count = strips(rows, packets);
    return count * std::max<std::int64_t>(kLatency, rows * ceil_div(packets, count));
  }

 private:
  using Function = void (*)(const FewRows&);

  static std::int64_t strips(std::int64_t rows, std::int64_t packets) {
    return ceil_div(packets, std::min<std::int64_t>(kPackets, kSums / rows));
  }
  template <int... kIndices>
  static constexpr std::array<Function, sizeof...(kIndices)> functions(std::integer_sequence<int, kIndices...>) {
    return {function<kIndices / kPackets + 1, kIndices % kPackets + 1>()...};
  }
  template <int kTileRows, int kTilePackets>
  static constexpr Function function() {
    if constexpr (kTileRows * kTilePackets <= kSums) return &sum<kTileRows, kTilePackets>;
    else return nullptr;
  }
  template <int kTileRows, int kTilePackets>
  static void sum(const FewRows& o) {
    using namespace Eigen::internal;
    Packet sums[kTileRows][kTilePackets];
#pragma GCC unroll 8
    for (int r = 0; r < kTileRows; ++r)
#pragma GCC unroll 8
      for (int j = 0; j < kTilePackets; ++j) sums[r][j] = pset1<Packet>(T(0));
    const T* a = o.a;
    for (const std::int64_t run : o.runs) {
      const T* b = o.b + run;
      for (std::int64_t p = 0; p < o.k; ++p, a += o.a_k, b += o.b_k) {
        if constexpr (kTileRows <= kTilePackets) {  // the smaller set stays in registers
          Packet factors[kTileRows];
#pragma GCC unroll 8
          for (int r = 0; r < kTileRows; ++r) factors[r] = pset1<Packet>(a[r]);
#pragma GCC unroll 8
          for (int j = 0; j < kTilePackets; ++j) {
            const Packet columns = ploadu<Packet>(b + j * kLanes);
#pragma GCC unroll 8
            for (int r = 0; r < kTileRows; ++r) sums[r][j] = pmadd(factors[r], columns, sums[r][j]);
          }
        } else {
          Packet columns[kTilePackets];
#pragma GCC unroll 8
          for (int j = 0; j < kTilePackets; ++j) columns[j] = ploadu<Packet>(b + j * kLanes);
#pragma GCC unroll 8
          for (int r = 0; r < kTileRows; ++r) {
            const Packet factor = pset1<Packet>(a[r]);
#pragma GCC unroll 8
            for (int j = 0; j < kTilePackets; ++j) sums[r][j] = pmadd(factor, columns[j], sums[r][j]);
          }
        }
      }
    }
#pragma GCC unroll 8
    for (int r = 0; r < kTileRows; ++r) {
#pragma GCC unroll 8
      for (int j = 0; j < kTilePackets; ++j) {
        T* const c = o.c + r * o.c_row + j * kLanes;
        pstoreu(c, o.accumulate ? padd(ploadu<Packet>(c), sums[r][j]) : sums[r][j]);
      }
    }
  }
};

}  // namespace mtf::kernels
