// Tiles that repeat one number (internal to fused_nest.cpp).
#pragma once

#include <algorithm>
#include <cstring>

#include "kernels/lane_steps.h"

namespace mtf::kernels {

/// Writes `n` elements of `size` bytes, each with these bits.
inline void fill_with_element(int size, std::int64_t bits, std::int64_t n, char* target) {
  switch (size) {
    case 1: std::fill_n(reinterpret_cast<std::uint8_t*>(target), n, static_cast<std::uint8_t>(bits)); break;
    case 2: std::fill_n(reinterpret_cast<std::uint16_t*>(target), n, static_cast<std::uint16_t>(bits)); break;
    case 4: std::fill_n(reinterpret_cast<std::uint32_t*>(target), n, static_cast<std::uint32_t>(bits)); break;
    default: std::fill_n(reinterpret_cast<std::int64_t*>(target), n, bits); break;
  }
}

/// Fills a tile of lanes of the group with the number that is given for an operand of `type`.
inline void fill_with_number(lanes::Group group, ElementType type, const FusionArgument& given, char* target) {
  std::int64_t bits = 0;  // of an 8-byte lane; a 4-byte lane has the lower half
  if (type == ElementType::kF64) {
    std::memcpy(&bits, &given.real, sizeof bits);
  } else if (type == ElementType::kBool) {
    bits = given.integer != 0 ? -1 : 0;
  } else if (type == ElementType::kI32) {
    bits = static_cast<std::int32_t>(given.integer);
  } else {
    auto value = static_cast<float>(given.real);
    if (type == ElementType::kBf16) value = to_float(mtf::to_bf16(value));
    std::int32_t pattern = 0;
    std::memcpy(&pattern, &value, sizeof pattern);
    bits = pattern;
  }
  fill_with_element(group == lanes::Group::kFour ? 4 : 8, bits, lanes::tile_of(group), target);
}

}  // namespace mtf::kernels
