// Transposes a square of lanes in registers (internal: it needs Eigen's packets).
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <utility>

namespace mtf::kernels {

/// Lane k of the result is lane kPositions(k) of the concatenation of a and b.
template <auto kPositions, class V, int... kLane>
inline V picked(V a, V b, std::integer_sequence<int, kLane...>) {
  return __builtin_shufflevector(a, b, kPositions(kLane)...);
}

/// Transposes as many packets as a packet has lanes: lane j of packet i becomes lane i of packet j.
template <class Packet>
inline void transpose(Packet* packets) {
  constexpr int kLanes = sizeof(Packet) / sizeof(packets[0][0]);
  if constexpr (kLanes == 16) {
    // First blocks of four by four lanes, then the blocks: 64 steps. Eigen takes twice as many.
    constexpr auto kAll = std::make_integer_sequence<int, kLanes>();
    constexpr auto kLow = [](int k) { return k / 4 * 4 + k % 4 / 2 + k % 2 * kLanes; };
    constexpr auto kHigh = [](int k) { return k / 4 * 4 + k % 4 / 2 + k % 2 * kLanes + 2; };
    constexpr auto kLowPair = [](int k) { return k / 4 * 4 + k % 2 + k % 4 / 2 * kLanes; };
    constexpr auto kHighPair = [](int k) { return k / 4 * 4 + k % 2 + k % 4 / 2 * kLanes + 2; };
    constexpr auto kEvenFours = [](int k) { return k / 4 * 8 + k % 4; };
    constexpr auto kOddFours = [](int k) { return k / 4 * 8 + k % 4 + 4; };
    Packet pairs[kLanes], fours[kLanes], eights[kLanes];
#pragma GCC unroll 8
    for (int i = 0; i < kLanes; i += 2) {
      pairs[i] = picked<kLow>(packets[i], packets[i + 1], kAll);
      pairs[i + 1] = picked<kHigh>(packets[i], packets[i + 1], kAll);
    }
#pragma GCC unroll 8
    for (int i = 0; i < kLanes; i += 4) {  // fours[i + j]: column j of each block of rows i to i + 3
#pragma GCC unroll 2
      for (int h = 0; h < 2; ++h) {
        fours[i + 2 * h] = picked<kLowPair>(pairs[i + h], pairs[i + h + 2], kAll);
        fours[i + 2 * h + 1] = picked<kHighPair>(pairs[i + h], pairs[i + h + 2], kAll);
      }
    }
#pragma GCC unroll 2
    for (int i = 0; i < kLanes; i += 8) {
#pragma GCC unroll 4
      for (int j = 0; j < 4; ++j) {
        eights[i + j] = picked<kEvenFours>(fours[i + j], fours[i + j + 4], kAll);
        eights[i + j + 4] = picked<kOddFours>(fours[i + j], fours[i + j + 4], kAll);
      }
    }
#pragma GCC unroll 8
    for (int j = 0; j < 8; ++j) {
      packets[j] = picked<kEvenFours>(eights[j], eights[j + 8], kAll);
      packets[j + 8] = picked<kOddFours>(eights[j], eights[j + 8], kAll);
    }
  } else {
    Eigen::internal::PacketBlock<Packet, kLanes> block;
    std::copy_n(packets, kLanes, block.packet);
    Eigen::internal::ptranspose(block);
    std::copy_n(block.packet, kLanes, packets);
  }
}

}  // namespace mtf::kernels
