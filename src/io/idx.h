// The idx format of the MNIST files (http://yann.lecun.com/exdb/mnist), compressed or not.
//
//   0 0 type order | size (big-endian u32), `order` times | numbers (big-endian), row-major
#pragma once

#include <string>

#include "io/array.h"

namespace mtf::io {

/// The header alone. Throws IoError if it is malformed or promises what the file cannot hold.
ArrayHeader read_idx_header(const std::string& path);

/// The whole file. Throws IoError, before allocating for it, unless it holds exactly what its header promises, or if
/// its numbers take more than `most_memory` bytes.
StoredArray read_idx(const std::string& path, std::uint64_t most_memory = kAnyMemory);

}  // namespace mtf::io
