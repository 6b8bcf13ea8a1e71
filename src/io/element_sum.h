// A checksum of a tensor that is added up from its parts: what each processor has of it, in any blocks and order, gives
// the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace mtf::io {

/// What `bytes`, which lie from `place` on (in bytes) in a tensor whose elements have `element_size`, add to its
/// checksum: the sum, modulo 2^64, of its words of at most 4 bytes, each times a number that depends on its place
/// (multilinear hashing: Lemire and Kaser, 2014). A word that differs is always found; so are, in a run of 1,024, two
/// that differ in one bit each, or were swapped. Others are missed once in 2^32 times or less.
std::uint64_t element_sum(std::uint64_t place, std::span<const std::byte> bytes, std::size_t element_size);

}  // namespace mtf::io
