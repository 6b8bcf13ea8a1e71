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

/// Reads the header. Throws IoError if it is malformed, or promises more than the file can hold.
ArrayHeader read_npy_header(const std::string& path);

/// The position of a file's numbers, for callers that read some of them.
struct NpyNumbers {
  ArrayHeader header;
  bool fortran_order = false;
  bool big_endian = false;
  std::uint64_t first = 0;  ///< the offset of the first byte
};
/// Throws IoError as read_npy_header does, and if the file is compressed.
NpyNumbers find_npy_numbers(const std::string& path);

/// Reads the whole file, in row-major order. Throws IoError, before it allocates, unless the file holds exactly the
/// promised numbers. Also throws if that takes more than `most_memory` bytes: the size of the numbers, twice if they
/// are in Fortran order.
StoredArray read_npy(const std::string& path, std::uint64_t most_memory = kAnyMemory);

/// Writes elements in row-major order. bf16, which NumPy lacks, is written as f32 (exactly).
/// Throws IoError if the file cannot be written.
void write_npy(const std::string& path, std::span<const std::int64_t> sizes, ElementType type,
               std::span<const std::byte> bytes);

}  // namespace mtf::io
