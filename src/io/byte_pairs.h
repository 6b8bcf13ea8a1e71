// Byte pair encoding on bytes.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "io/tokenizer.h"

namespace mtf::io {

/// Two parts that are joined. A part below 256 is a byte; 256 + i is the i-th pair.
struct BytePair {
  std::int32_t left = 0;
  std::int32_t right = 0;
};

/// The longest piece of a text, in bytes, within which pairs are joined.
inline constexpr std::size_t kLongestPiece = 64;

/// Learns at most `most` pairs from a text, in the order in which they are joined. Each step takes the most frequent
/// pair. Of equally frequent ones it takes the pair whose parts are older.
std::vector<BytePair> most_frequent_pairs(std::string_view text, std::int64_t most);

/// The tokenizer of these pairs. Pairs are distinct, and their parts precede them. learn_byte_pairs() explains the ids.
class BytePairs : public Tokenizer {
 public:
  BytePairs(std::int64_t size, std::vector<std::string> special, std::vector<BytePair> pairs);
  std::int64_t vocab() const override { return size_; }
  std::vector<std::int32_t> encode(std::string_view text) const override;
  std::string decode(std::span<const std::int32_t> ids) const override;
  std::string save() const override;

 private:
  std::int64_t size_;
  std::vector<std::string> special_;
  std::vector<BytePair> pairs_;
  std::unordered_map<std::uint64_t, std::int32_t> ranks_;  ///< the rank of each pair
  std::vector<std::string> texts_;                         ///< of each part
};

}  // namespace mtf::io
