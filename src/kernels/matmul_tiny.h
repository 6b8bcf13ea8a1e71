// A product of a few rows and columns (internal to matmul.cpp), of which a batch may have thousands. The preparations
// of the blocked product would take longer than the product. Terms are added in the same order, so that the bits are
// the same.
#pragma once

#include "kernels/matmul_product.h"
#include "kernels/matmul_tile.h"

namespace mtf::kernels {

/// C (+)= A · B if a row of C is one packet, of the widest or a narrower kind, and the rows of B and C are contiguous.
template <class T>
class TinyProduct {
 public:
  static bool takes(std::int64_t m, std::int64_t n, std::int64_t k, const Matrix<const T>& b, const Matrix<T>& c) {
    return m <= kMostRows && k <= kMostTerms && b.column == 1 && c.column == 1 && is_packet<Widest>(n);
  }
  /// Requires that takes() is true.
  static void run(std::int64_t m, std::int64_t n, std::int64_t k, const Matrix<const T>& a, const Matrix<const T>& b,
                  const Matrix<T>& c, bool accumulate) {
    by_packets<Widest>(m, n, k, a, b, c, accumulate);
  }

 private:
  static constexpr std::int64_t kMostRows = 16, kMostTerms = 64;
  using Widest = typename Tile<T>::Packet;
  template <class Packet>
  using Half = typename Eigen::internal::unpacket_traits<Packet>::half;
  template <class Packet>
  static constexpr bool kHasHalf = !std::is_same_v<Half<Packet>, Packet>;
  template <class Packet>
  static constexpr std::int64_t kLanes = Eigen::internal::unpacket_traits<Packet>::size;

  template <class Packet>
  static bool is_packet(std::int64_t n) {
    if constexpr (kHasHalf<Packet>) return n == kLanes<Packet> || is_packet<Half<Packet>>(n);
    else return n == kLanes<Packet>;
  }

  template <class Packet>
  static void by_packets(std::int64_t m, std::int64_t n, std::int64_t k, const Matrix<const T>& a,
                         const Matrix<const T>& b, const Matrix<T>& c, bool accumulate) {
    if constexpr (kHasHalf<Packet>)
      if (n != kLanes<Packet>) return by_packets<Half<Packet>>(m, n, k, a, b, c, accumulate);
    std::int64_t r = 0;
    for (; r + 8 <= m; r += 8) rows<Packet, 8>(r, k, a, b, c, accumulate);  // more do not fit into registers
    for (; r + 4 <= m; r += 4) rows<Packet, 4>(r, k, a, b, c, accumulate);
    for (; r < m; ++r) rows<Packet, 1>(r, k, a, b, c, accumulate);
  }

  template <class Packet, int kRows>
  static void rows(std::int64_t first, std::int64_t k, const Matrix<const T>& a, const Matrix<const T>& b,
                   const Matrix<T>& c, bool accumulate) {
    using namespace Eigen::internal;
    const T *from = a.data + first * a.row, *row = b.data;
    T* to = c.data + first * c.row;
    Packet sums[kRows];
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) sums[r] = pset1<Packet>(T(0));
    for (std::int64_t p = 0; p < k; ++p, row += b.row, from += a.column) {
      const Packet columns = ploadu<Packet>(row);
#pragma GCC unroll 8
      for (int r = 0; r < kRows; ++r) sums[r] = pmadd(pset1<Packet>(from[r * a.row]), columns, sums[r]);
    }
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r, to += c.row) pstoreu(to, accumulate ? padd(ploadu<Packet>(to), sums[r]) : sums[r]);
  }
};

}  // namespace mtf::kernels
