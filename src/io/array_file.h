// What the readers of idx and npy files share: the numbers that follow a header.
#pragma once

#include <string_view>

#include "io/array.h"
#include "io/file.h"

namespace mtf::io {

/// Throws unless the file, whose header has just been read, can hold what the header promises. `format` is "idx" or
/// "npy". Decompresses nothing.
void expect_possible_array(const InputFile& file, const ArrayHeader& header, std::string_view format);

/// Reads the numbers, which must be all that is left of the file, into this machine's byte order. Throws before
/// allocating for them if they are not, or take more than `most_memory` bytes.
StoredArray read_array(InputFile& file, ArrayHeader header, bool big_endian, std::string_view format,
                       std::uint64_t most_memory);

}  // namespace mtf::io
