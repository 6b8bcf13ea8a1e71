// Shared by the readers of idx and npy files: reading the numbers behind a header.
#pragma once

#include <string_view>

#include "io/array.h"
#include "io/file.h"

namespace mtf::io {

/// Throws unless the file can hold the numbers that its header promises. The header has just been read. `format` is
/// "idx" or "npy". Decompresses nothing.
void expect_possible_array(const InputFile& file, const ArrayHeader& header, std::string_view format);

/// Reads the numbers, in this machine's byte order. They must be the rest of the file. Throws before it allocates if
/// they are not, or if they take more than `most_memory` bytes.
StoredArray read_array(InputFile& file, ArrayHeader header, bool big_endian, std::string_view format,
                       std::uint64_t most_memory);

}  // namespace mtf::io
