// Random ways in which operations read a dim.
#pragma once

#include <random>

#include "spmd/local_program.h"

namespace mtf::spmd {

class Dice {
 public:
  int64_t roll(int64_t least, int64_t most) { return std::uniform_int_distribution<int64_t>(least, most)(random_); }

 private:
  std::mt19937 random_{7};
};

inline MeshPtr mesh(const std::string& axes) { return std::make_shared<Mesh>("m", parse_axes(axes)); }

/// One way in which operations read a dim of `size`: shifts, slices, strides, pads, halos, reversals, windows with
/// gaps, and operands with gaps.
inline graph::AccessMap random_map(Dice& dice, int64_t size) {
  switch (dice.roll(0, 7)) {
    case 0: return {.offset = dice.roll(-size, size), .wrap = true, .from = size, .to = size};
    case 1: {
      const int64_t first = dice.roll(0, size - 1), stride = dice.roll(1, 4),
                    count = dice.roll(1, (size - first - 1) / stride + 1);
      return {.stride = stride, .offset = first, .from = count, .to = size};
    }
    case 2: return {.offset = -dice.roll(0, 5), .from = size + dice.roll(5, 9), .to = size};
    case 3:
      return {.offset = -dice.roll(0, 6),
              .window = dice.roll(1, 12),
              .wrap = dice.roll(0, 1) == 1,
              .from = size,
              .to = size};
    case 4: return {.reversed = true, .from = size, .to = size};
    case 5:
      return {.stride = dice.roll(1, 3),
              .offset = -dice.roll(0, 6),
              .window = dice.roll(1, 5),
              .dilation = dice.roll(1, 4),
              .from = dice.roll(1, size),
              .to = size};
    case 6:
      return {.stride = dice.roll(1, 4),
              .offset = -dice.roll(0, 8),
              .window = dice.roll(1, 5),
              .dilation = dice.roll(1, 3),
              .base_dilation = dice.roll(1, 4),
              .reversed = dice.roll(0, 1) == 1,
              .from = dice.roll(1, 2 * size),
              .to = size};
    default: return {.offset = dice.roll(-size, size), .from = size, .to = size};
  }
}

}  // namespace mtf::spmd
