// Texts as numbers: tokenizers, which cut a text into tokens and know the number of each.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace mtf::io {

/// What a tokenizer has no token for.
struct CannotEncode : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Tokenizer {
 public:
  virtual ~Tokenizer() = default;
  /// How many ids there are, from 0 on.
  virtual std::int64_t vocab() const = 0;
  /// The ids of a text. Throws CannotEncode.
  virtual std::vector<std::int32_t> encode(std::string_view text) const = 0;
  /// The text of ids, each below vocab().
  virtual std::string decode(std::span<const std::int32_t> ids) const = 0;
  /// All that it is, as text: JSON.
  virtual std::string save() const = 0;
};

using TokenizerPtr = std::shared_ptr<const Tokenizer>;

/// What save() wrote. Throws IoError, naming `path`.
TokenizerPtr load_tokenizer(const std::string& text, const std::string& path);

/// The characters of a text, numbered in the order of their code points.
TokenizerPtr character_tokenizer(std::vector<char32_t> vocabulary);

/// Bytes, and pairs of tokens that are joined, those first that occur most often (byte pair encoding: Sennrich et al.,
/// 2016; on bytes, so that every text has tokens: Radford et al., 2019). Words, numbers, signs and spaces are not
/// joined with each other, but for one space before a word; nothing longer than 64 bytes is. `special` names the ids
/// from 0 on, which no text has; the 256 bytes and the pairs follow. There are `size` ids, also where the text has not
/// as many pairs.
TokenizerPtr learn_byte_pairs(std::string_view text, std::int64_t size, std::vector<std::string> special);

/// The words between spaces that occur most often. The ids are those of `special`, of words that are not known, of the
/// ends of lines, and of words; there are `size`, also where the text has not as many words.
TokenizerPtr learn_words(std::string_view text, std::int64_t size, std::vector<std::string> special);

}  // namespace mtf::io
