#include "io/array.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <utility>

#include "io/io_error.h"

namespace mtf::io {
namespace {

struct StoredTypeFacts {
  std::string_view name;
  std::int64_t size;
  ElementType element;
};

constexpr StoredTypeFacts kFacts[] = {
    {"bool", 1, ElementType::kBool}, {"u8", 1, ElementType::kI32},  {"i8", 1, ElementType::kI32},
    {"u16", 2, ElementType::kI32},   {"i16", 2, ElementType::kI32}, {"u32", 4, ElementType::kI32},
    {"i32", 4, ElementType::kI32},   {"i64", 8, ElementType::kI32}, {"f32", 4, ElementType::kF32},
    {"f64", 8, ElementType::kF64},   {"f16", 2, ElementType::kF32},
};

const StoredTypeFacts& facts(StoredType type) { return kFacts[static_cast<int>(type)]; }

std::vector<std::byte> as_i32(StoredType type, std::span<const std::byte> bytes, const std::string& path) {
  std::vector<std::byte> result(bytes.size() / static_cast<std::size_t>(size_of(type)) * sizeof(std::int32_t));
  each_integer(type, bytes, [&](std::size_t i, std::int64_t stored) {
    if (!std::in_range<std::int32_t>(stored))
      fail_bad_file(path, "number {} is {}: expected an i32, which ends at {}", i, stored,
                    std::numeric_limits<std::int32_t>::max());
    const auto value = static_cast<std::int32_t>(stored);
    std::memcpy(result.data() + i * sizeof(value), &value, sizeof(value));
  });
  return result;
}

std::vector<std::byte> halves_as_f32(std::span<const std::byte> bytes) {
  std::vector<std::byte> result(2 * bytes.size());
  for (std::size_t i = 0; i < bytes.size() / sizeof(std::uint16_t); ++i) {
    std::uint16_t half;
    std::memcpy(&half, bytes.data() + i * sizeof half, sizeof half);
    const float value = from_half(half);
    std::memcpy(result.data() + i * sizeof value, &value, sizeof value);
  }
  return result;
}

}  // namespace

std::int64_t size_of(StoredType type) { return facts(type).size; }
std::string_view name(StoredType type) { return facts(type).name; }
ElementType element_type_for(StoredType type) { return facts(type).element; }

std::optional<std::int64_t> ArrayHeader::count() const {
  if (std::find(sizes.begin(), sizes.end(), 0) != sizes.end()) return 0;
  std::int64_t count = 1;
  for (const std::int64_t size : sizes) {
    if (__builtin_mul_overflow(count, size, &count)) return std::nullopt;
  }
  return count;
}

std::optional<std::int64_t> ArrayHeader::bytes() const {
  const auto numbers = count();
  std::int64_t bytes = 0;
  if (!numbers || __builtin_mul_overflow(*numbers, size_of(type), &bytes)) return std::nullopt;
  return bytes;
}

ElementArray to_element_array(StoredArray array, const std::string& path, std::uint64_t most_memory) {
  ElementArray result{std::move(array.header.sizes), element_type_for(array.header.type), {}};
  const bool is_integer = result.type == ElementType::kI32 && array.header.type != StoredType::kI32;
  const bool is_half = array.header.type == StoredType::kF16;
  const std::uint64_t copied =
      is_integer || is_half
          ? array.bytes.size() / static_cast<std::size_t>(size_of(array.header.type)) * sizeof(std::int32_t)
          : 0;
  if (copied > most_memory) fail_too_large(path, copied, most_memory);
  if (is_half) {
    result.bytes = halves_as_f32(array.bytes);
    return result;
  }
  if (is_integer) {
    result.bytes = as_i32(array.header.type, array.bytes, path);
    return result;
  }
  if (array.header.type == StoredType::kBool)
    for (std::byte& value : array.bytes) value = std::byte{value != std::byte{0}};
  result.bytes = std::move(array.bytes);
  return result;
}

float from_half(std::uint16_t half) {
  const std::uint32_t sign = (half & 0x8000u) << 16, exponent = (half >> 10) & 31u, fraction = half & 1023u;
  if (exponent == 0)
    return std::bit_cast<float>(sign | 0x3f800000u) * static_cast<float>(fraction) * 0x1p-24f;  // below the normal ones
  const std::uint32_t biased = exponent == 31 ? 255 : exponent + 112;
  return std::bit_cast<float>(sign | biased << 23 | fraction << 13);
}

std::string to_text(std::span<const std::int64_t> sizes) { return fmt::format("[{}]", fmt::join(sizes, ", ")); }

void swap_byte_order(std::span<std::byte> bytes, std::int64_t size_of_number) {
  const auto size = static_cast<std::size_t>(size_of_number);
  if (size == 1) return;
  for (std::size_t i = 0; i + size <= bytes.size(); i += size) std::reverse(&bytes[i], &bytes[i] + size);
}

}  // namespace mtf::io
