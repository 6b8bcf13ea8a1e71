// Byte pair encoding on bytes as others store it: Hugging Face's tokenizer.json, and the files of ranks of tiktoken.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "io/pattern.h"
#include "io/tokenizer.h"

namespace mtf::io {

/// Divides a text into pieces, within which pairs are joined.
struct PieceRule {
  std::optional<Pattern> pattern = {};  ///< none: the text is one piece
  bool keeps_rest = true;               ///< what lies between matches is a piece too
  bool adds_space = false;              ///< before a text that begins with none
};

/// A token that stands for itself in a text, and is never joined with others.
struct WholeToken {
  std::string text;
  std::int32_t id = 0;
  bool is_special = true;  ///< decoding leaves it out
  bool takes_spaces_before = false, takes_spaces_behind = false;
};

/// A tokenizer of bytes whose joined pairs have ranks.
class ByteLevel : public Tokenizer {
 public:
  struct Join {
    std::int32_t rank = 0, id = 0;
  };
  struct Parts {
    std::vector<PieceRule> rules;
    std::unordered_map<std::string, std::int32_t> ids;    ///< of the bytes of each token
    std::unordered_map<std::uint64_t, Join> joins;        ///< of two ids; empty: the rank of a joined pair is its id
    std::vector<WholeToken> whole;                        ///< with distinct texts that are not empty
    std::unordered_map<std::int32_t, std::string> texts;  ///< of tokens that encoding does not give
    bool prefers_whole = false;                           ///< a piece that is a token is not made of pairs
    std::string saved;                                    ///< what save() gives
  };
  explicit ByteLevel(Parts parts);

  std::int64_t vocab() const override { return static_cast<std::int64_t>(texts_.size()); }
  std::vector<std::int32_t> encode(std::string_view text) const override;
  std::string decode(std::span<const std::int32_t> ids) const override;
  std::string save() const override { return parts_.saved; }

 private:
  const WholeToken* whole_at(std::string_view text) const;
  void encode_plain(std::string_view text, std::vector<std::int32_t>& ids) const;
  void encode_piece(std::string_view piece, std::vector<std::int32_t>& ids) const;
  std::optional<Join> join_of(std::int32_t left, std::int32_t right, std::string_view both) const;

  Parts parts_;
  std::vector<std::string> texts_;            ///< of each id, empty for special ones
  std::vector<std::vector<size_t>> by_byte_;  ///< the whole tokens that begin with each byte, the longest first
};

inline std::uint64_t pair_key(std::int32_t left, std::int32_t right) {
  return static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32 | static_cast<std::uint32_t>(right);
}

/// Reads a tokenizer.json whose model is byte-level BPE. Throws IoError.
TokenizerPtr hugging_face_tokenizer(const std::string& text, const std::string& path);

/// True for lines of a base64 text and a number each.
bool looks_like_ranks(std::string_view text);

/// Returns the expression that is known by a name: gpt2, cl100k or o200k. Another name is an expression itself.
std::string pattern_named(const std::string& name);

/// Reads a file of ranks. `pattern` is a regular expression, or the name of a known one.
/// `special` are tokens with their ids; -1 is the next free id. Throws IoError.
TokenizerPtr tokenizer_of_ranks(const std::string& text, const std::string& path, const std::string& pattern,
                                std::vector<WholeToken> special);

}  // namespace mtf::io
