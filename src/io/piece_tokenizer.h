// A tokenizer in stages: it normalizes a text, divides it into pieces, and encodes each piece alone.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "io/pattern.h"
#include "io/tokenizer.h"

namespace mtf::io {

/// A part of a text that is encoded alone.
struct Piece {
  std::string text;
  bool begins_text = false;  ///< nothing of the whole text precedes it
};

/// A token that stands for itself in a text, and is never joined with others.
struct WholeToken {
  std::string text;
  std::int32_t id = 0;
  bool is_special = true;  ///< decoding leaves it out
  bool takes_spaces_before = false, takes_spaces_behind = false;
  bool is_single_word = false;  ///< no letter or digit stands beside it
  bool is_normalized = false;   ///< it is sought in the normalized text
};

/// Finds a token of a set at each place of a text, the longest first.
class WholeTokens {
 public:
  explicit WholeTokens(std::vector<WholeToken> tokens);
  /// Calls `between` with each part of a text that holds no token, and `token` with each token, in their order.
  void divide(std::string_view text, const std::function<void(std::string_view, bool is_first)>& between,
              const std::function<void(const WholeToken&)>& token) const;

 private:
  const WholeToken* at(std::string_view text, std::size_t place) const;
  std::vector<WholeToken> tokens_;
  std::vector<std::vector<std::size_t>> by_byte_;  ///< the tokens that begin with each byte, the longest first
};

class PieceTokenizer : public Tokenizer {
 public:
  using Ids = std::vector<std::int32_t>;
  using Visit = std::function<void(Piece)>;
  struct Stages {
    std::vector<std::function<std::string(std::string)>> normalize;
    std::vector<std::function<void(Piece, const Visit&)>> divide;  ///< into smaller pieces
    std::function<void(std::string_view piece, Ids&)> encode;
    std::vector<std::function<void(std::vector<std::string>&)>> decode;  ///< the texts are concatenated afterwards
    std::unordered_map<std::int32_t, std::string> texts;                 ///< of the ids, before `decode`
    std::vector<WholeToken> whole;                                       ///< with distinct texts that are not empty
    std::string saved;                                                   ///< the result of save()
  };
  explicit PieceTokenizer(Stages stages);

  std::int64_t vocab() const override { return vocab_; }
  Ids encode(std::string_view text) const override;
  std::string decode(std::span<const std::int32_t> ids) const override;
  std::string save() const override { return stages_.saved; }

 private:
  std::string normalized(std::string text) const;
  void encode_from(std::size_t stage, Piece piece, Ids& ids) const;

  Stages stages_;
  std::int64_t vocab_ = 0;
  std::vector<std::int32_t> special_;  ///< sorted
  WholeTokens raw_, normalized_;
};

// ---- parts of stages ----

/// Finds a text, or what a regular expression matches.
struct Finder {
  std::string text = "";
  std::optional<Pattern> pattern = {};
  /// Returns the bytes of each match: its beginning and its end.
  std::vector<std::pair<std::size_t, std::size_t>> matches(std::string_view text) const;
};

/// What becomes of the matches that divide a text.
enum class Division { kIsolated, kRemoved, kMergedWithPrevious, kMergedWithNext, kContiguous };

/// Divides a piece at the matches. `is_inverted`: at the parts between them.
void divide_at(const Finder& finder, Division division, bool is_inverted, const Piece& piece,
               const PieceTokenizer::Visit& visit);

/// An id and the bytes of a piece that it stands for.
struct PiecePart {
  std::int32_t id = 0;
  std::size_t begin = 0, end = 0;
};
struct Join {
  std::int32_t rank = 0, id = 0;
};

/// Joins neighbours in the order of their ranks, the leftmost of equal ranks first, until none can be joined. `join_of`
/// returns nothing for parts that cannot be joined.
void join_parts(std::vector<PiecePart>& parts,
                const std::function<std::optional<Join>(const PiecePart&, const PiecePart&)>& join_of);

}  // namespace mtf::io
