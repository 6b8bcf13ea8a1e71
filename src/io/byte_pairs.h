// Byte pair encoding on bytes.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "io/tokenizer.h"

namespace mtf::io {

/// Two parts that are joined: a part below 256 is a byte, 256 + i the i-th pair.
struct BytePair {
  std::int32_t left = 0;
  std::int32_t right = 0;
};

/// The bytes of the longest piece of a text within which pairs are joined.
inline constexpr std::size_t kLongestPiece = 64;

/// At most `most` pairs of a text, in the order in which they are joined: always the one that occurs most often, of
/// several the one whose parts were there first.
std::vector<BytePair> most_frequent_pairs(std::string_view text, std::int64_t most);

/// The tokenizer of these pairs, each once and of parts before it: learn_byte_pairs() says what its ids are.
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
  std::unordered_map<std::uint64_t, std::int32_t> ranks_;  ///< the place of each pair
  std::vector<std::string> texts_;                         ///< of each part
};

}  // namespace mtf::io
