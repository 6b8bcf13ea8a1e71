// The operands of a product as it takes them: the lines along k, which are the rows of A and the columns of B (internal to
// matmul_blocked.h). What they are in memory is seen here alone.
#pragma once

#include "kernels/matmul_tile.h"

#include <bit>
#include <cstring>

#include "kernels/element_type.h"

namespace mtf {

/// A square of steps and lines: to[p * width + i] = step p of line i, both below the lanes, of T or as wide; line i's first
/// one is at lines[i] + offset.
template <class T, class Element>
void transpose_packets(const Element* const* lines, std::int64_t offset, T* to, std::int64_t width) {
  using Number = std::conditional_t<sizeof(T) == 4, float, double>;  // only bits move
  using Packet = typename Tile<Number>::Packet;
  constexpr int kLanes = Tile<Number>::kLanes;
  Eigen::internal::PacketBlock<Packet, kLanes> block;
#pragma GCC unroll 16
  for (int i = 0; i < kLanes; ++i) std::memcpy(&block.packet[i], lines[i] + offset, sizeof(Packet));
  Eigen::internal::ptranspose(block);
#pragma GCC unroll 16
  for (int i = 0; i < kLanes; ++i) std::memcpy(to + i * width, &block.packet[i], sizeof(Packet));
}

/// Lines of T: step p of line i is data[i * line + p * step].
template <class T>
class Lines {
 public:
  Lines(const T* data, std::int64_t line, std::int64_t step) : data_(data), line_(line), step_(step) {}

  /// Whether a tile can read them where they are: step p of line i at at(i, p).
  bool are_in_place() const { return true; }
  std::int64_t line() const { return line_; }
  std::int64_t step() const { return step_; }
  const T* at(std::int64_t i, std::int64_t p) const { return data_ + i * line_ + p * step_; }
  /// A step of some lines is one stretch of memory.
  bool are_side_by_side() const { return line_ == 1; }

  /// `count` lines from `i` on, `k` steps from `p` on, as a panel: to[q * width + l] is step p + q of line i + l. What pads
  /// it to a multiple of the packet's lanes, at most `width`, is any of the elements around; `more` steps follow.
  void pack(std::int64_t i, std::int64_t count, std::int64_t p, std::int64_t k, bool more, T* to, std::int64_t width) const {
    constexpr int kLanes = Tile<T>::kLanes;
    using Number = std::conditional_t<sizeof(T) == 4, float, double>;
    const T* const from = at(i, p);
    std::int64_t whole = 0;
    if (line_ == 1 && k > 0) {  // a step ends before the next begins: but for the last, a whole width can be read
      whole = count == width ? k : step_ >= width ? k - (more ? 0 : 1) : 0;
      for (std::int64_t q = 0; q < whole; ++q) {
        for (std::int64_t l = 0; l < width; l += kLanes) std::memcpy(to + q * width + l, from + q * step_ + l, kLanes * sizeof(T));
      }
    }
    for (std::int64_t first = 0; first < count; first += kLanes) {
      const T* lines[kLanes];
      for (int l = 0; l < kLanes; ++l) lines[l] = from + std::min(first + l, count - 1) * line_;
      std::int64_t q = whole;
      if constexpr (Tile<Number>::kLanes == kLanes) {
        for (; step_ == 1 && q + kLanes <= k; q += kLanes) transpose_packets(lines, q, to + q * width + first, width);
      }
      for (; q < k; ++q) {
        for (int l = 0; l < kLanes; ++l) to[q * width + first + l] = lines[l][q * step_];
      }
    }
  }

 private:
  const T* data_;
  std::int64_t line_, step_;
};

/// Lines of `length` numbers of bf16, number j of line i being data[i * line + j * step]. Their steps are pairs of
/// neighbours in the bits of a float (bf16_pairs.h), the last of an odd length beside 0.
class PairedLines {
 public:
  PairedLines(const Bf16* data, std::int64_t line, std::int64_t step, std::int64_t length) : data_(data), line_(line), step_(step), length_(length) {}

  bool are_in_place() const {
    return step_ == 1 && length_ % 2 == 0 && line_ % 2 == 0 && reinterpret_cast<std::uintptr_t>(data_) % sizeof(float) == 0;
  }
  std::int64_t line() const { return line_ / 2; }
  std::int64_t step() const { return 1; }
  const float* at(std::int64_t i, std::int64_t p) const { return reinterpret_cast<const float*>(data_ + i * line_) + p; }
  bool are_side_by_side() const { return line_ == 1; }

  void pack(std::int64_t i, std::int64_t count, std::int64_t p, std::int64_t k, bool more, float* to, std::int64_t width) const {
    constexpr int kLanes = Tile<float>::kLanes;
    const Bf16* const from = data_ + i * line_ + 2 * p * step_;
    const std::int64_t full = std::min(k, length_ / 2 - p);  // pairs of two
    std::int64_t whole = 0;
    if (line_ == 1 && full > 0) {
      whole = count == width ? full : step_ >= width ? full - (more ? 0 : 1) : 0;
      for (std::int64_t q = 0; q < whole; ++q) {
        for (std::int64_t l = 0; l < width; l += kLanes) pair_up(from + 2 * q * step_ + l, from + (2 * q + 1) * step_ + l, to + q * width + l);
      }
    }
    for (std::int64_t first = 0; first < count; first += kLanes) {
      const Bf16* lines[kLanes];
      for (int l = 0; l < kLanes; ++l) lines[l] = from + std::min(first + l, count - 1) * line_;
      std::int64_t q = whole;
      for (; step_ == 1 && q + kLanes <= full; q += kLanes)
        transpose_packets(lines, 2 * q, to + q * width + first, width);
      for (; q < k; ++q) {
        for (int l = 0; l < kLanes; ++l) {
          const std::uint32_t low = lines[l][2 * q * step_].bits, high = q < full ? lines[l][(2 * q + 1) * step_].bits : 0;
          to[q * width + first + l] = std::bit_cast<float>(low | high << 16);
        }
      }
    }
  }

 private:
  /// A packet of pairs from two packets side by side.
  static void pair_up(const Bf16* low, const Bf16* high, float* to) {
    constexpr int kLanes = Tile<float>::kLanes;
    std::uint32_t pairs[kLanes];
    for (int l = 0; l < kLanes; ++l) pairs[l] = low[l].bits | std::uint32_t{high[l].bits} << 16;
    std::memcpy(to, pairs, sizeof pairs);
  }

  const Bf16* data_;
  std::int64_t line_, step_, length_;
};

}  // namespace mtf
