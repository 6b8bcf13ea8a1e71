// A checksum of a tensor that is the sum of checksums of its parts. It is the same for every division into blocks, in
// any order. So each rank computes the contribution of its own blocks, and needs no others. Files store the checksum in
// their metadata (io/safetensors.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace mtf::io {

/// The contribution of `bytes` to a tensor's checksum. They are at the byte offset `offset` of the tensor, whose
/// elements have `element_size` bytes. The checksum is the sum, modulo 2^64, of the tensor's words of at most 4 bytes,
/// each times a number that depends on its position (multilinear hashing: Lemire and Kaser, 2014). One wrong word is
/// always found. In a run of 1,024 words, two words with one wrong bit each, or two exchanged words, are found too.
/// Other errors are missed with a probability of at most 2^-32.
std::uint64_t element_sum(std::uint64_t offset, std::span<const std::byte> bytes, std::size_t element_size);

}  // namespace mtf::io
