// The operands of a product as lines along k: the rows of A and the columns of B (internal to matmul_blocked.h). Only
// this header knows their form in memory.
#pragma once

#include "kernels/matmul_tile.h"

#include <bit>
#include <cstring>

#include "kernels/element_type.h"
#include "kernels/transpose.h"

namespace mtf::kernels {

/// Transposes a square of steps and lines: to[p * width + i] = step p of line i. Both indices are below the number of
/// lanes. The first step of line i is at lines[i] + offset.
template <class T, class Element>
void transpose_packets(const Element* const* lines, std::int64_t offset, T* to, std::int64_t width) {
  using Number = std::conditional_t<sizeof(T) == 4, float, double>;  // only bits move
  using Packet = typename Tile<Number>::Packet;
  constexpr int kLanes = Tile<Number>::kLanes;
  Packet packets[kLanes];
#pragma GCC unroll 16
  for (int i = 0; i < kLanes; ++i) std::memcpy(&packets[i], lines[i] + offset, sizeof(Packet));
  transpose(packets);
#pragma GCC unroll 16
  for (int i = 0; i < kLanes; ++i) std::memcpy(to + i * width, &packets[i], sizeof(Packet));
}

/// If lines are adjacent, this number of steps of one panel is packed, then the same steps of the next panel. So memory
/// is read where it was prefetched.
constexpr std::int64_t kStepsTogether = 32;

/// Lines of `length` numbers. Number j of line i is data[i * line + j * step]. A step is an element of T: a number, or
/// a pair of neighbouring bf16 in the bits of a float (bf16_pairs.h). If the length is odd, the last pair has a 0.
template <class T, class Number = T>
class Lines {
 public:
  Lines(const Number* data, std::int64_t line, std::int64_t step, std::int64_t length)
      : data_(data), line_(line), step_(step), length_(length) {}

  /// True if a tile can read the lines in place: step p of line i is at(i, p).
  bool are_in_place() const {
    return kNumbers == 1 || (step_ == 1 && length_ % kNumbers == 0 && line_ % kNumbers == 0 &&
                             reinterpret_cast<std::uintptr_t>(data_) % sizeof(T) == 0);
  }
  std::int64_t line() const { return line_ / kNumbers; }
  std::int64_t step() const { return kNumbers == 1 ? step_ : 1; }
  const T* at(std::int64_t i, std::int64_t p) const {
    return reinterpret_cast<const T*>(data_ + i * line_) + p * step();
  }
  /// True if one step of several lines is contiguous in memory (for pairs: each of its two numbers).
  bool are_side_by_side() const { return line_ == 1; }

  /// Packs `count` lines from `i` on, `k` steps from `p` on, as a panel: to[q * width + l] is step p + q of line i + l.
  /// The padding to a multiple of the packet's lanes, at most `width`, may hold any elements. `more`: further steps
  /// follow.
  void pack(std::int64_t i, std::int64_t count, std::int64_t p, std::int64_t k, bool more, T* to,
            std::int64_t width) const {
    using Bits = std::conditional_t<sizeof(T) == 4, float, double>;
    const std::int64_t apart = kNumbers * step_, full = std::min(k, length_ / kNumbers - p);  // steps of kNumbers
    const Number* const from = data_ + i * line_ + p * apart;
    std::int64_t whole = 0;
    if (line_ == 1 &&
        full > 0) {  // if no two steps share memory, a whole width can be read of every step except the last one
      whole = count == width ? full : step_ >= width ? full - (more ? 0 : 1) : 0;
      for (std::int64_t q = 0; q < whole; ++q) {
        for (std::int64_t l = 0; l < width; l += kLanes) {
          for (int n = 0; n < kNumbers; ++n) __builtin_prefetch(from + (q + kStepsTogether) * apart + n * step_ + l);
          copy_packet(from + q * apart + l, to + q * width + l);
        }
      }
    }
    for (std::int64_t first = 0; first < count; first += kLanes) {
      const Number* lines[kLanes];
      for (int l = 0; l < kLanes; ++l) lines[l] = from + std::min(first + l, count - 1) * line_;
      std::int64_t q = whole;
      if constexpr (Tile<Bits>::kLanes == kLanes) {
        for (; step_ == 1 && q + kLanes <= full; q += kLanes)
          transpose_packets(lines, q * kNumbers, to + q * width + first, width);
      }
      for (; q < k; ++q) {
        for (int l = 0; l < kLanes; ++l) to[q * width + first + l] = element(lines[l] + q * apart, q < full);
      }
    }
  }

 private:
  static constexpr int kLanes = Tile<T>::kLanes;
  static constexpr int kNumbers = sizeof(T) / sizeof(Number);  ///< in a step

  T element(const Number* first, bool is_full) const {
    if constexpr (kNumbers == 1) return *first;
    else return std::bit_cast<T>(first->bits | (is_full ? std::uint32_t{first[step_].bits} << 16 : 0));
  }

  /// Copies one step of adjacent lines.
  void copy_packet(const Number* first, T* to) const {
    if constexpr (kNumbers == 1) {
      std::memcpy(to, first, kLanes * sizeof(T));
    } else {
      std::uint32_t pairs[kLanes];
      for (int l = 0; l < kLanes; ++l) pairs[l] = first[l].bits | std::uint32_t{first[step_ + l].bits} << 16;
      std::memcpy(to, pairs, sizeof pairs);
    }
  }

  const Number* data_;
  std::int64_t line_, step_, length_;
};

}  // namespace mtf::kernels
