#include "kernels/row_reductions.h"

#include <algorithm>
#include <utility>

#include "kernels/lane_memory.h"

namespace mtf::kernels::lanes {
namespace {

constexpr int kStripPackets = 8;           // as many as registers hold
constexpr std::int64_t kRowsTogether = 4;  // streams that the hardware prefetches at once

/// Joins the two halves of each group of kCells cells of two packets. The groups of the result have half the size, and
/// alternate between a and b.
template <Reduction kHow, int kCells, class V, int... kLane>
inline V joined_halves(V a, V b, std::integer_sequence<int, kLane...>) {
  constexpr int kLanes = sizeof...(kLane), kHalf = kCells / 2;
  constexpr auto from = [](int lane, int half) {
    const int group = lane / kHalf;
    return group % 2 * kLanes + group / 2 * kCells + half * kHalf + lane % kHalf;
  };
  return join<kHow, V>(__builtin_shufflevector(a, b, from(kLane, 0)...),
                       __builtin_shufflevector(a, b, from(kLane, 1)...));
}

/// Lane r of the result joins the lanes of packet r, by halves.
template <Reduction kHow, int kCells, class V>
inline V joined_lanes(V* packets) {
  if constexpr (kCells == 1) {
    return packets[0];
  } else {
    constexpr int kLanes = kBytes / sizeof(Scalar<V>);
#pragma GCC unroll 8
    for (int k = 0; k < kCells / 2; ++k)
      packets[k] =
          joined_halves<kHow, kCells>(packets[k], packets[k + kCells / 2], std::make_integer_sequence<int, kLanes>());
    return joined_lanes<kHow, kCells / 2>(packets);
  }
}

/// Half of a packet in f64.
template <int kFirst, int... kLane>
inline D half_in_f64(F x, std::integer_sequence<int, kLane...>) {
  const HalfF half = __builtin_shufflevector(x, x, (kFirst + kLane)...);
  return widened<D>(half);
}

/// kType: the elements in memory. V: the lanes.
template <class V, ElementType kType, Reduction kHow>
struct ReducedRows {
  static constexpr bool kIsF64 = kType == ElementType::kF64;
  static constexpr bool kFolds = kHow == Reduction::kSum && !std::is_same_v<V, I>;
  static constexpr std::int64_t kLanes = kBytes / sizeof(Scalar<V>), kTile = lanes::kTileBytes / sizeof(Scalar<V>);
  static constexpr int kTilePackets = kTile / kLanes, kFoldedPackets = std::is_same_v<V, F> ? 2 : 1;  // f64, for one
  static constexpr std::int64_t kPacketBytes = kLanes * size_of(kType), kTileBytes = kTilePackets * kPacketBytes;
  static constexpr std::int64_t kStrip = kStripPackets * kLanes, kStripBytes = kStripPackets * kPacketBytes;

  static V packet(const char* p) { return (V)from_memory<kType, std::conditional_t<kIsF64, D, F>>(p); }
  static V identity() {
    using Limits = std::numeric_limits<Scalar<V>>;
    constexpr bool kInfinite = Limits::has_infinity;
    if constexpr (kHow == Reduction::kProd) return splat<V>(1);
    if constexpr (kHow == Reduction::kMax) return splat<V>(kInfinite ? -Limits::infinity() : Limits::lowest());
    if constexpr (kHow == Reduction::kMin) return splat<V>(kInfinite ? Limits::infinity() : Limits::max());
    return V{};
  }
  /// The first `rest` lanes; the others are the identity. `goes_on`: the memory behind the row may be read.
  static V some(const char* p, std::int64_t rest, bool goes_on) {
    char copy[kPacketBytes] = {};
    if (!goes_on) std::memcpy(copy, p, static_cast<std::size_t>(rest * size_of(kType)));
    Mask<V> lane;
    for (int k = 0; k < kLanes; ++k) lane[k] = k;
    return select<V>(lane < static_cast<std::int32_t>(rest), packet(goes_on ? p : copy), identity());
  }

  // ---- one number of each row ----

  /// Joins the rest of a row, n < kTile elements, to the packets of a tile.
  static void join_rest(V* packets, const char* p, std::int64_t n, bool goes_on) {
#pragma GCC unroll 8
    for (int k = 0; k < kTilePackets; ++k) {
      if (n >= kLanes) {
        packets[k] = join<kHow, V>(packets[k], packet(p + k * kPacketBytes));
        n -= kLanes;
      } else {
        if (n > 0) packets[k] = join<kHow, V>(packets[k], some(p + k * kPacketBytes, n, goes_on));
        return;
      }
    }
  }
  template <int kPackets, class P>
  static P joined_packets(P* packets) {
    if constexpr (kPackets > 1) {
#pragma GCC unroll 8
      for (int k = 0; k < kPackets / 2; ++k) packets[k] = join<kHow, P>(packets[k], packets[k + kPackets / 2]);
      return joined_packets<kPackets / 2>(packets);
    }
    return packets[0];
  }

  /// The lanes of a row of up to kPackets packets.
  template <int kPackets>
  static V short_row(const char* p, std::int64_t n, bool goes_on) {
    V packets[kPackets];
#pragma GCC unroll 8
    for (int k = 0; k < kPackets; ++k) {
      const std::int64_t rest = n - k * kLanes;
      packets[k] = rest >= kLanes ? packet(p + k * kPacketBytes)
                   : rest > 0     ? some(p + k * kPacketBytes, rest, goes_on)
                                  : identity();
    }
    return joined_packets<kPackets>(packets);
  }
  /// Reduces one strip of each of `count` tiles.
  template <bool kFirst>
  static void strip(V* packets, const char* p, std::int64_t count) {
    V sums[kStripPackets];
#pragma GCC unroll 8
    for (int k = 0; k < kStripPackets; ++k) {
      if constexpr (kFirst) sums[k] = packet(p + k * kPacketBytes);
      else sums[k] = join<kHow, V>(packets[k], packet(p + k * kPacketBytes));
    }
    p += kTileBytes;
    asm volatile("" : "+r"(count));  // or g++ unrolls the loop, and sums packet by packet, not tile by tile
    for (std::int64_t t = 1; t < count; ++t, p += kTileBytes) {
#pragma GCC unroll 8
      for (int k = 0; k < kStripPackets; ++k) sums[k] = join<kHow, V>(sums[k], packet(p + k * kPacketBytes));
    }
#pragma GCC unroll 8
    for (int k = 0; k < kStripPackets; ++k) packets[k] = sums[k];
  }
  /// Reduces `count` > 0 tiles, lane by lane. Goes strip by strip through as many tiles as stay in L1.
  static void tiles(V* packets, const char*& p, std::int64_t count) {
    if constexpr (kTilePackets == kStripPackets) {
      strip<true>(packets, p, count);
      p += count * kTileBytes;
    } else {
      for (std::int64_t some, done = 0; done < count; done += some, p += some * kTileBytes) {
        some = std::min(count - done, kFoldTiles);
        for (int k = 0; k < kTilePackets; k += kStripPackets) {
          if (done == 0) strip<true>(packets + k, p + k * kPacketBytes, some);
          else strip<false>(packets + k, p + k * kPacketBytes, some);
        }
      }
    }
  }
  static V long_row(const char* p, std::int64_t n, bool goes_on) {
    V packets[kTilePackets];
    tiles(packets, p, n / kTile);
    join_rest(packets, p, n % kTile, goes_on);
    return joined_packets<kTilePackets>(packets);
  }

  template <int kPackets>
  static void fold(const V* packets, D* totals) {
#pragma GCC unroll 8
    for (int k = 0; k < kPackets; ++k) {
      if constexpr (std::is_same_v<V, F>) {
        constexpr auto kLaneNumbers = std::make_integer_sequence<int, kD>();
        totals[2 * k] += half_in_f64<0>(packets[k], kLaneNumbers);
        totals[2 * k + 1] += half_in_f64<kD>(packets[k], kLaneNumbers);
      } else if constexpr (std::is_same_v<V, D>) {
        totals[k] += packets[k];
      }
    }
  }
  static D folded_row(const char* p, std::int64_t n, bool goes_on) {
    D totals[kTilePackets * kFoldedPackets] = {};
    V packets[kTilePackets];
    for (; n >= kFoldTiles * kTile; n -= kFoldTiles * kTile) {
      tiles(packets, p, kFoldTiles);
      fold<kTilePackets>(packets, totals);
    }
    if (n > 0) {
      if (n >= kTile) tiles(packets, p, n / kTile);
      else std::fill_n(packets, kTilePackets, V{});
      join_rest(packets, p, n % kTile, goes_on);
      fold<kTilePackets>(packets, totals);
    }
    return joined_packets<kTilePackets * kFoldedPackets>(totals);
  }

  template <class P, class Row>
  static void each_row(const char* row, std::int64_t stride, std::int64_t rows, std::int64_t n, void* results,
                       const Row& row_of) {
    constexpr std::int64_t kTogether = kBytes / sizeof(Scalar<P>);
    // The last packet of a row may extend into the next rows, if these are adjacent.
    const std::int64_t bytes = n * size_of(kType), beyond = (kLanes - n % kLanes) % kLanes * size_of(kType);
    const std::int64_t last = stride == bytes ? rows - (beyond + bytes - 1) / bytes : 0;
    char* to = static_cast<char*>(results);
    for (std::int64_t r = 0; r < rows; r += kTogether, to += kBytes) {
      P packets[kTogether] = {};
      const std::int64_t count = std::min(kTogether, rows - r);
      for (std::int64_t k = 0; k < count; ++k, row += stride) packets[k] = row_of(row, n, r + k < last);
      P numbers = joined_lanes<kHow, kTogether>(packets);
      if constexpr (kFolds) numbers = numbers + P{};  // no zero is negative
      std::memcpy(to, &numbers, static_cast<std::size_t>(count) * sizeof(Scalar<P>));
    }
  }
  static void along(const char* row, std::int64_t stride, std::int64_t rows, std::int64_t n, void* results) {
    const auto each = [&](const auto& row_of) { each_row<V>(row, stride, rows, n, results, row_of); };
    if (kFolds && n >= (kFoldTiles - 1) * kTile) return each_row<D>(row, stride, rows, n, results, &folded_row);
    if (n > kTile) return each(&long_row);
    by_short_row<kTilePackets>(n, each);
  }
  /// Calls `each` with the short_row of the fewest packets that hold n lanes.
  template <int kPackets, class Each>
  static void by_short_row(std::int64_t n, const Each& each) {
    if constexpr (kPackets > 1) {
      if (n <= kPackets / 2 * kLanes) return by_short_row<kPackets / 2>(n, each);
    }
    each(&short_row<kPackets>);
  }

  // ---- one row of all ----

  template <int kPackets>
  static void add_packets(char* lanes, const char* row, std::int64_t stride, std::int64_t rows) {
    V sums[kPackets];
#pragma GCC unroll 8
    for (int k = 0; k < kPackets; ++k) sums[k] = load<V>(lanes, k);
    for (std::int64_t r = 0; r < rows; ++r, row += stride)
#pragma GCC unroll 8
      for (int k = 0; k < kPackets; ++k) sums[k] = join<kHow, V>(sums[k], packet(row + k * kPacketBytes));
#pragma GCC unroll 8
    for (int k = 0; k < kPackets; ++k) store(lanes, k, sums[k]);
  }
  static void across(char* lanes, const char* row, std::int64_t stride, std::int64_t rows, std::int64_t n) {
    for (; rows > kRowsTogether && n > kStrip; rows -= kRowsTogether, row += kRowsTogether * stride)
      across(lanes, row, stride, kRowsTogether, n);
    for (; n >= kStrip; n -= kStrip, lanes += kStripPackets * kBytes, row += kStripBytes)
      add_packets<kStripPackets>(lanes, row, stride, rows);
    for (; n >= kLanes; n -= kLanes, lanes += kBytes, row += kPacketBytes) add_packets<1>(lanes, row, stride, rows);
    if (n == 0) return;
    V sum{};
    std::memcpy(&sum, lanes, static_cast<std::size_t>(n) * sizeof(Scalar<V>));
    for (std::int64_t r = 0; r < rows; ++r, row += stride) sum = join<kHow, V>(sum, some(row, n, false));
    std::memcpy(lanes, &sum, static_cast<std::size_t>(n) * sizeof(Scalar<V>));
  }

  /// Folds some packets' lanes of kFoldTiles rows.
  template <int kPackets, class Packet>
  static void fold_packets(char* totals, const Packet& packet_of_row) {
    V sums[kPackets];
#pragma GCC unroll 8
    for (int k = 0; k < kPackets; ++k) sums[k] = packet_of_row(0, k);
    for (std::int64_t r = 1; r < kFoldTiles; ++r)
#pragma GCC unroll 8
      for (int k = 0; k < kPackets; ++k) sums[k] = sums[k] + packet_of_row(r, k);
    constexpr int kFolded = kPackets * kFoldedPackets;
    D folded[kFolded];
#pragma GCC unroll 16
    for (int k = 0; k < kFolded; ++k) folded[k] = load<D>(totals, k);
    fold<kPackets>(sums, folded);
#pragma GCC unroll 16
    for (int k = 0; k < kFolded; ++k) store(totals, k, folded[k]);
  }
  static void across_folded(double* totals, const char* row, std::int64_t stride, std::int64_t n) {
    const auto packet_of_row = [&](std::int64_t r, int k) { return packet(row + r * stride + k * kPacketBytes); };
    char* to = reinterpret_cast<char*>(totals);
    for (; n >= kStrip; n -= kStrip, to += kStrip * sizeof(double), row += kStripBytes)
      fold_packets<kStripPackets>(to, packet_of_row);
    for (; n >= kLanes; n -= kLanes, to += kLanes * sizeof(double), row += kPacketBytes)
      fold_packets<1>(to, packet_of_row);
    if (n > 0) fold_packets<1>(to, [&](std::int64_t r, int) { return some(row + r * stride, n, false); });
  }

  static RowReduction get() {
    if constexpr (kFolds) return {&across, &across_folded, &along, kFoldTiles - 1};
    else return {&across, nullptr, &along, 0};
  }
};

template <class V, ElementType kType>
RowReduction number_reduction(Reduction how) {
  switch (how) {
    case Reduction::kSum: return ReducedRows<V, kType, Reduction::kSum>::get();
    case Reduction::kProd: return ReducedRows<V, kType, Reduction::kProd>::get();
    case Reduction::kMax: return ReducedRows<V, kType, Reduction::kMax>::get();
    case Reduction::kMin: return ReducedRows<V, kType, Reduction::kMin>::get();
    default: return {};
  }
}

}  // namespace

RowReduction row_reduction(Group group, Reduction reduction, ElementType type) {
  if (group == Group::kEight)
    return type == ElementType::kF64 ? number_reduction<D, ElementType::kF64>(reduction) : RowReduction{};
  switch (type) {
    case ElementType::kF32: return number_reduction<F, ElementType::kF32>(reduction);
    case ElementType::kBf16: return number_reduction<F, ElementType::kBf16>(reduction);
    case ElementType::kI32: return number_reduction<I, ElementType::kI32>(reduction);
    default: return {};
  }
}

}  // namespace mtf::kernels::lanes
