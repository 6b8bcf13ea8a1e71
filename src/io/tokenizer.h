// Tokenizers: they divide a text into tokens, and number the tokens.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mtf::io {

/// Thrown for a text that the tokenizer has no token for.
struct CannotEncode : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Tokenizer {
 public:
  virtual ~Tokenizer() = default;
  /// The number of ids. Ids start at 0.
  virtual std::int64_t vocab() const = 0;
  /// The ids of a text. Throws CannotEncode.
  virtual std::vector<std::int32_t> encode(std::string_view text) const = 0;
  /// The text of ids. Each is below vocab().
  virtual std::string decode(std::span<const std::int32_t> ids) const = 0;
  /// The complete tokenizer as JSON text.
  virtual std::string save() const = 0;
};

using TokenizerPtr = std::shared_ptr<const Tokenizer>;

/// The most ids of a tokenizer whose file numbers its tokens.
inline constexpr std::int64_t kMostTokenIds = std::int64_t{1} << 22;

/// How a file of ranks is to be read, which says neither.
struct RanksOptions {
  std::string pattern = "";                                        ///< empty: cl100k
  std::vector<std::pair<std::string, std::int32_t>> special = {};  ///< tokens and their ids; -1 is the next free id
  bool is_given() const { return !pattern.empty() || !special.empty(); }
};

/// Loads a tokenizer from a file: the result of save(), a tokenizer.json of Hugging Face, a file of ranks of tiktoken,
/// or a model of SentencePiece. Throws IoError, which names `path`.
TokenizerPtr load_tokenizer(const std::string& text, const std::string& path, const RanksOptions& options = {});

/// The tokenizer of single characters, numbered in the order of their code points.
TokenizerPtr character_tokenizer(std::vector<char32_t> vocabulary);

/// Learns byte pair encoding (Sennrich et al., 2016). It works on bytes, so that every text has tokens (Radford et al.,
/// 2019). The most frequent pairs of tokens are joined first. Words, numbers, signs and spaces are not joined with each
/// other, except for one space before a word. Nothing longer than 64 bytes is joined. The first ids are those of
/// `special`, which no text has. The 256 bytes and the pairs follow. There are `size` ids, even if the text has fewer
/// pairs.
TokenizerPtr learn_byte_pairs(std::string_view text, std::int64_t size, std::vector<std::string> special);

/// Learns the most frequent words between spaces. The first ids are those of `special`. The ids of unknown words and of
/// line ends follow, then the words. There are `size` ids, even if the text has fewer words.
TokenizerPtr learn_words(std::string_view text, std::int64_t size, std::vector<std::string> special);

}  // namespace mtf::io
