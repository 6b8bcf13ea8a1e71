#include "io/idx.h"

#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include "io/array_file.h"
#include "io/io_error.h"

namespace mtf::io {
namespace {

std::optional<StoredType> type_of_code(int code) {
  switch (code) {
    case 0x08: return StoredType::kU8;
    case 0x09: return StoredType::kI8;
    case 0x0B: return StoredType::kI16;
    case 0x0C: return StoredType::kI32;
    case 0x0D: return StoredType::kF32;
    case 0x0E: return StoredType::kF64;
    default: return std::nullopt;
  }
}

ArrayHeader parse_header(InputFile& file) {
  std::array<std::byte, 4> magic;
  file.read(magic, "the idx header");
  const auto at = [&](int i) { return std::to_integer<int>(magic[static_cast<std::size_t>(i)]); };
  const auto type = type_of_code(at(2));
  if (at(0) != 0 || at(1) != 0 || !type) {
    fail_bad_file(file.path(),
                  "not an idx file: expected it to begin with 00 00 and a type, 08 to 0e, found {:02x} {:02x} {:02x}",
                  at(0), at(1), at(2));
  }
  ArrayHeader header{{}, *type};
  for (int i = 0; i < at(3); ++i) {
    std::array<std::byte, 4> size;
    file.read(size, "the idx header's sizes");
    std::int64_t value = 0;
    for (const std::byte byte : size) value = value << 8 | std::to_integer<std::int64_t>(byte);
    header.sizes.push_back(value);
  }
  return header;
}

}  // namespace

ArrayHeader read_idx_header(const std::string& path) {
  InputFile file(path);
  ArrayHeader header = parse_header(file);
  expect_possible_array(file, header, "idx");
  return header;
}

StoredArray read_idx(const std::string& path, std::uint64_t most_memory) {
  InputFile file(path);
  ArrayHeader header = parse_header(file);
  return read_array(file, std::move(header), /*big_endian=*/true, "idx", most_memory);
}

}  // namespace mtf::io
