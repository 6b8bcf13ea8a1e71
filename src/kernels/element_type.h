// The element types.
//
// They are declared in promotion order: the sum of two types has the later one. In memory, bool is one byte, 0 or 1;
// i32 is four bytes; bf16 is two bytes (the upper half of an f32, rounded to nearest even); f32 and f64 are IEEE 754.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

namespace mtf {

enum class ElementType : std::uint8_t { kBool, kI32, kBf16, kF32, kF64 };

/// Bytes of one stored element.
constexpr std::int64_t size_of(ElementType type) {
  constexpr std::int64_t kSizes[] = {1, 4, 2, 4, 8};
  return kSizes[static_cast<int>(type)];
}

/// The type as a script writes it: "bool", "i32", "bf16", "f32", "f64".
constexpr std::string_view name(ElementType type) {
  constexpr std::string_view kNames[] = {"bool", "i32", "bf16", "f32", "f64"};
  return kNames[static_cast<int>(type)];
}

/// The type with this name, if there is one.
constexpr std::optional<ElementType> parse_element_type(std::string_view text) {
  for (int i = 0; i < 5; ++i) {
    if (name(static_cast<ElementType>(i)) == text) return static_cast<ElementType>(i);
  }
  return std::nullopt;
}

/// The type of an arithmetic result of operands of types `a` and `b`.
constexpr ElementType promote(ElementType a, ElementType b) { return a < b ? b : a; }

constexpr bool is_float(ElementType type) { return type >= ElementType::kBf16; }

/// One bf16 number as it is stored.
struct Bf16 {
  std::uint16_t bits = 0;
};

/// Rounds to nearest even. A NaN stays a NaN, and an overflow becomes infinity.
inline Bf16 to_bf16(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, 4);
  if ((bits & 0x7fffffffU) > 0x7f800000U) return {static_cast<std::uint16_t>((bits >> 16) | 0x40U)};
  return {static_cast<std::uint16_t>((bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16)};
}

/// Converts exactly.
inline float to_float(Bf16 value) {
  const std::uint32_t bits = static_cast<std::uint32_t>(value.bits) << 16;
  float result;
  std::memcpy(&result, &bits, 4);
  return result;
}

}  // namespace mtf
