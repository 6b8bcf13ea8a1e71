// The models of a tokenizer.json: they encode a piece.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "io/piece_tokenizer.h"

namespace mtf::io {

using TokenIds = std::unordered_map<std::string, std::int32_t>;

/// A token for bytes, as <0x0A>.
std::string text_of_byte(unsigned char byte);

/// The characters that GPT-2 writes for bytes: a printable byte stands for itself, the others for those from 256 on.
char32_t character_of_byte(unsigned char byte);
/// The opposite: -1 for a character that stands for none.
int byte_of_character(char32_t character);

/// How a text is named that has no token, in an error.
using NameOfPart = std::function<std::string(std::string_view)>;

/// Joins the characters of a piece in the order of merges.
struct MergeModel {
  TokenIds ids = {};
  std::unordered_map<std::uint64_t, Join> joins = {};  ///< of pair_key()
  std::optional<std::int32_t> unknown = {};
  bool fuses_unknown = false;  ///< unknown characters side by side are one token
  bool has_bytes = false;      ///< the bytes of an unknown character have tokens
  bool prefers_whole = false;  ///< a piece that is a token is not joined
  std::string before_inner = "", behind_last = "";
  NameOfPart name = {};

  static std::uint64_t pair_key(std::int32_t left, std::int32_t right) {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32 | static_cast<std::uint32_t>(right);
  }
  void encode(std::string_view piece, PieceTokenizer::Ids& out) const;
};

/// Divides a piece into the tokens with the largest sum of scores.
struct UnigramModel {
  TokenIds ids = {};
  std::vector<double> scores = {};  ///< of each id
  std::size_t longest = 0;          ///< the bytes of the longest token
  double least = 0;                 ///< the least score
  std::optional<std::int32_t> unknown = {};
  bool has_bytes = false;
  NameOfPart name = {};

  void encode(std::string_view piece, PieceTokenizer::Ids& out) const;
};

/// Takes the longest token at the beginning of what is left of a piece, as BERT does.
struct WordPieceModel {
  TokenIds ids = {};
  std::int32_t unknown = 0;  ///< of the whole piece, if a part of it has no token
  std::string before_inner = "##";
  std::size_t most_characters = 100;

  void encode(std::string_view piece, PieceTokenizer::Ids& out) const;
};

}  // namespace mtf::io
