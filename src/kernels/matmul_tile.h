// The innermost part of a product: a tile of C held in registers (internal to matmul_blocked.h).
#pragma once

// g++ 12 warns of its own AVX-512 intrinsics (PR 105593).
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wignored-attributes"

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>

namespace mtf::kernels {

/// Sums up to kRows rows and kColumns columns of C in registers. Each step along k reads one element of A for each row
/// and one or two packets of B. kRows leaves room for the packets of B and one element of A. With kPairs, T is float,
/// and an element of A or B is two bf16 neighbours along k, whose products are both added. With kRuns, A need not have
/// equal distances along k, and parts of B may be left out.
template <class T, bool kPairs = false, bool kRuns = false>
struct Tile {
  using Packet = typename Eigen::internal::packet_traits<T>::type;
  static constexpr int kLanes = Eigen::internal::packet_traits<T>::size;
  static constexpr int kRows = sizeof(Packet) == 64 ? 14 : 6;  // of 32 or 16 registers
  static constexpr int kColumns = 2 * kLanes;
  static constexpr int kRowsPacked =
      (kRows + kLanes - 1) / kLanes * kLanes;  ///< rows of a packed strip of A, with padding

  /// A number of steps with equal distances along k.
  struct Run {
    std::int64_t a;  ///< its beginning, from `a`
    std::int64_t b;  ///< its first step of B
  };
  /// C (+)= A · B. A's rows are `a_row` apart (1 if kTogether). B's and C's columns are contiguous. Terms are added in
  /// the order of k, each with one rounding if the machine has fused multiply-add. So an element of C has the same bits
  /// at any position of a tile. With kRuns, the terms are those of the runs, of `k` steps each.
  struct Operands {
    std::span<const Run> runs;  ///< for kRuns
    std::int64_t k;
    const T* a;
    std::int64_t a_row, a_k;
    const T* b;
    std::int64_t b_k;
    T* c;
    std::int64_t c_row;
    bool accumulate;
  };
  using Function = void (*)(const Operands&);

  /// Requires 1 ≤ rows ≤ kRows and 1 or 2 packets of columns.
  static Function function(int rows, int packets, bool together) {
    static constexpr auto kRange = std::make_integer_sequence<int, kRows>();
    static constexpr std::array<std::array<Function, kRows>, 4> kFunctions{
        row_functions<1, false>(kRange), row_functions<2, false>(kRange), row_functions<1, true>(kRange),
        row_functions<2, true>(kRange)};
    return kFunctions[(together ? 2 : 0) + packets - 1][rows - 1];
  }

  /// Returns sum + factor · columns, as each term is added.
  static Packet add_product(Packet factor, Packet columns, Packet sum) {
#ifdef __AVX512BF16__
    if constexpr (kPairs)
      return _mm512_dpbf16_ps(sum, reinterpret_cast<__m512bh>(factor), reinterpret_cast<__m512bh>(columns));
#endif
    return Eigen::internal::pmadd(factor, columns, sum);
  }

 private:
  template <int kPackets, bool kTogether, int... kIndices>
  static constexpr std::array<Function, kRows> row_functions(std::integer_sequence<int, kIndices...>) {
    return {&run<kIndices + 1, kPackets, kTogether>...};
  }

  template <int kTileRows, int kPackets, bool kTogether>
  static void run(const Operands& o) {
    using namespace Eigen::internal;
    Packet sums[kTileRows][kPackets];
#pragma GCC unroll 16
    for (int i = 0; i < kTileRows; ++i) {
#pragma GCC unroll 2
      for (int j = 0; j < kPackets; ++j) {
        sums[i][j] = pset1<Packet>(T(0));
        __builtin_prefetch(o.c + i * o.c_row + j * kLanes, 1);
      }
    }
    // Rows that are not contiguous are addressed from every fourth one, which needs few registers.
    const std::int64_t row = o.a_row, rows3 = 3 * row, a_k = o.a_k, b_k = o.b_k, k = o.k;
    const T* b = o.b;
    const std::size_t runs = kRuns ? o.runs.size() : 1;
    for (std::size_t r = 0; r < runs; ++r) {
      if constexpr (kRuns) b = o.b + o.runs[r].b * b_k;
      const T *a0 = kRuns ? o.a + o.runs[r].a : o.a, *a4 = a0 + 4 * row, *a8 = a4 + 4 * row, *a12 = a8 + 4 * row;
      for (std::int64_t p = 0; p < k; ++p) {
        Packet columns[kPackets];
#pragma GCC unroll 2
        for (int j = 0; j < kPackets; ++j) columns[j] = ploadu<Packet>(b + j * kLanes);
#pragma GCC unroll 16
        for (int i = 0; i < kTileRows; ++i) {
          const T* base = kTogether || i < 4 ? a0 : i < 8 ? a4 : i < 12 ? a8 : a12;
          const T& element = kTogether ? base[i] : i % 4 == 3 ? base[rows3] : base[i % 4 * row];
          const Packet factor = pset1<Packet>(element);
#pragma GCC unroll 2
          for (int j = 0; j < kPackets; ++j) sums[i][j] = add_product(factor, columns[j], sums[i][j]);
        }
        a0 += a_k;
        if constexpr (!kTogether) {
          a4 += a_k, a8 += a_k, a12 += a_k;
          asm volatile("" : "+r"(a0), "+r"(a4), "+r"(a8), "+r"(a12));  // or g++ keeps a pointer for each row in memory
        }
        b += b_k;
      }
    }
#pragma GCC unroll 16
    for (int i = 0; i < kTileRows; ++i) {
#pragma GCC unroll 2
      for (int j = 0; j < kPackets; ++j) {
        T* const c = o.c + i * o.c_row + j * kLanes;
        pstoreu(c, o.accumulate ? padd(ploadu<Packet>(c), sums[i][j]) : sums[i][j]);
      }
    }
  }
};

}  // namespace mtf::kernels
