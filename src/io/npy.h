// NumPy's .npy format, versions 1 to 3 (numpy.lib.format), compressed with gzip or not.
//
// Read: b1 u1 i1 u2 i2 u4 i4 i8 f2 f4 f8, either byte order, in C or Fortran order. Written: b1 i4 f4 f8,
// little-endian, C order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "io/array.h"

namespace mtf::io {

/// The header alone. Throws IoError if it is malformed or promises what the file cannot hold.
ArrayHeader read_npy_header(const std::string& path);

/// Where the numbers of a file lie, for who reads some of them.
struct NpyNumbers {
  ArrayHeader header;
  bool fortran_order = false;
  bool big_endian = false;
  std::uint64_t first = 0;  ///< the place of their first byte
};
/// Throws IoError as read_npy_header does, and if the file is compressed.
NpyNumbers find_npy_numbers(const std::string& path);

/// The whole file, in row-major order. Throws IoError, before allocating for it, unless it holds exactly what its
/// header promises, or if that takes more than `most_memory` bytes: those of its numbers, twice if it is in Fortran
/// order.
StoredArray read_npy(const std::string& path, std::uint64_t most_memory = kAnyMemory);

/// Writes elements that stand in row-major order; bf16, which NumPy does not have, is written as f32 (exact).
/// Throws IoError if the file cannot be written.
void write_npy(const std::string& path, std::span<const std::int64_t> sizes, ElementType type,
               std::span<const std::byte> bytes);

}  // namespace mtf::io
