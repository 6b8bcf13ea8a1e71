// Numbers as files keep them.
//
// A StoredArray is what an idx or npy file holds: sizes, the type of its numbers, and the numbers themselves, in
// row-major order and in this machine's byte order. A file knows types that tensors do not have (u8, i64 …);
// `to_element_array` turns an array into one that a tensor can be made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/element_type.h"

namespace mtf {

enum class StoredType : std::uint8_t { kBool, kU8, kI8, kU16, kI16, kU32, kI32, kI64, kF32, kF64 };

/// Bytes of one number.
std::int64_t size_of(StoredType type);
/// "bool", "u8", "i8", "u16", "i16", "u32", "i32", "i64", "f32", "f64".
std::string_view name(StoredType type);
/// The element type that holds it: every integer becomes i32 (u32 and i64 only if they fit), the others stay.
ElementType element_type_for(StoredType type);

struct ArrayHeader {
  std::vector<std::int64_t> sizes;  // each ≥ 0; none for a single number
  StoredType type = StoredType::kF32;

  /// The numbers there are, and their bytes; nothing if that overflows 63 bits.
  std::optional<std::int64_t> count() const;
  std::optional<std::int64_t> bytes() const;
};

struct StoredArray {
  ArrayHeader header;
  std::vector<std::byte> bytes;  // header.bytes() of them
};

/// Where memory is not bounded.
inline constexpr std::uint64_t kAnyMemory = std::numeric_limits<std::uint64_t>::max();

/// Numbers that are elements of a tensor.
struct ElementArray {
  std::vector<std::int64_t> sizes;
  ElementType type = ElementType::kF32;
  std::vector<std::byte> bytes;
};

/// `array` in its element type; what has it already is not copied. Throws IoError, naming `path`, for an integer that
/// i32 cannot hold, and before it copies more than `most_memory` bytes.
ElementArray to_element_array(StoredArray array, const std::string& path, std::uint64_t most_memory = kAnyMemory);

/// Sizes as messages show them: "[60000, 28, 28]".
std::string to_text(std::span<const std::int64_t> sizes);

/// Reverses the bytes of each number: between big-endian and little-endian.
void swap_byte_order(std::span<std::byte> bytes, std::int64_t size_of_number);

}  // namespace mtf
