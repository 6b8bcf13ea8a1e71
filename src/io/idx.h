// The idx format of the MNIST files (http://yann.lecun.com/exdb/mnist), compressed or not.
//
//   0 0 type order | size (big-endian u32), `order` times | numbers (big-endian), row-major
#pragma once

#include <string>

#include "io/array.h"

namespace mtf::io {

/// Reads the header. Throws IoError if it is malformed, or promises more than the file can hold.
ArrayHeader read_idx_header(const std::string& path);

/// Reads the whole file. Throws IoError, before it allocates, unless the file holds exactly the promised numbers, or if
/// they take more than `most_memory` bytes.
StoredArray read_idx(const std::string& path, std::uint64_t most_memory = kAnyMemory);

}  // namespace mtf::io
