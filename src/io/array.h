// Numbers as files store them.
//
// A StoredArray is the contents of an idx or npy file: sizes, the type of the numbers, and the numbers, in row-major
// order and in this machine's byte order. Files have types that tensors lack (u8, i64 …). `to_element_array` converts
// an array to a type of tensors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/element_type.h"

namespace mtf::io {

enum class StoredType : std::uint8_t { kBool, kU8, kI8, kU16, kI16, kU32, kI32, kI64, kF32, kF64, kF16 };

/// The bytes of one number.
std::int64_t size_of(StoredType type);
/// "bool", "u8", "i8", "u16", "i16", "u32", "i32", "i64", "f32", "f64", "f16".
std::string_view name(StoredType type);
/// The element type that holds it: every integer becomes i32 (u32 and i64 only if they fit), f16 becomes f32, the
/// others stay.
ElementType element_type_for(StoredType type);

/// Calls `take(i, number)` with each number in `bytes`. They are of an integer type, in this machine's byte order.
template <typename Take>
void each_integer(StoredType type, std::span<const std::byte> bytes, const Take& take) {
  const auto each = [&]<typename Stored>(Stored number) {
    for (std::size_t i = 0; i < bytes.size() / sizeof(Stored); ++i) {
      std::memcpy(&number, bytes.data() + i * sizeof(Stored), sizeof(Stored));
      take(i, static_cast<std::int64_t>(number));
    }
  };
  switch (type) {
    case StoredType::kU8: return each(std::uint8_t{});
    case StoredType::kI8: return each(std::int8_t{});
    case StoredType::kU16: return each(std::uint16_t{});
    case StoredType::kI16: return each(std::int16_t{});
    case StoredType::kU32: return each(std::uint32_t{});
    case StoredType::kI32: return each(std::int32_t{});
    default: return each(std::int64_t{});
  }
}

struct ArrayHeader {
  std::vector<std::int64_t> sizes;  // each ≥ 0; none for a single number
  StoredType type = StoredType::kF32;

  /// The number of numbers, and their bytes. Nothing if that overflows 63 bits.
  std::optional<std::int64_t> count() const;
  std::optional<std::int64_t> bytes() const;
};

struct StoredArray {
  ArrayHeader header;
  std::vector<std::byte> bytes;  // header.bytes() of them
};

/// No limit of memory.
inline constexpr std::uint64_t kAnyMemory = std::numeric_limits<std::uint64_t>::max();

/// Numbers in an element type of tensors.
struct ElementArray {
  std::vector<std::int64_t> sizes;
  ElementType type = ElementType::kF32;
  std::vector<std::byte> bytes;
};

/// Converts `array` to its element type. Does not copy an array that has it already. Throws IoError, which names
/// `path`, for an integer that i32 cannot hold, and before it copies more than `most_memory` bytes.
ElementArray to_element_array(StoredArray array, const std::string& path, std::uint64_t most_memory = kAnyMemory);

/// Sizes as messages show them: "[60000, 28, 28]".
std::string to_text(std::span<const std::int64_t> sizes);

/// The number that the 16 bits of an f16 stand for (IEEE 754), exactly.
float from_half(std::uint16_t half);

/// Reverses the bytes of each number: between big-endian and little-endian.
void swap_byte_order(std::span<std::byte> bytes, std::int64_t size_of_number);

}  // namespace mtf::io
