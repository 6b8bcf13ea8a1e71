#include "io/byte_pairs.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <queue>
#include <set>

namespace mtf::io {
namespace {

constexpr std::int32_t kBytes = 256;

enum class Sort { kSpace, kDigit, kLetter, kSign };

Sort sort_of(char c) {
  const auto byte = static_cast<unsigned char>(c);
  if (byte == ' ' || (byte >= '\t' && byte <= '\r')) return Sort::kSpace;
  if (byte >= '0' && byte <= '9') return Sort::kDigit;
  if (byte >= 0x80 || (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z')) return Sort::kLetter;
  return Sort::kSign;
}

/// Calls `visit` with each piece of a text within which pairs are joined: a run of one sort, with one space before it.
template <typename Visit>
void for_each_piece(std::string_view text, const Visit& visit) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t begin = at;
    if (text[at] == ' ' && at + 1 < text.size() && sort_of(text[at + 1]) != Sort::kSpace) ++at;
    const Sort sort = sort_of(text[at]);
    while (at < text.size() && at - begin < kLongestPiece && sort_of(text[at]) == sort) {
      // The last of several spaces belongs to the following word.
      if (sort == Sort::kSpace && at > begin && text[at] == ' ' && at + 1 < text.size() &&
          sort_of(text[at + 1]) != Sort::kSpace)
        break;
      ++at;
    }
    visit(text.substr(begin, at - begin));
  }
}

std::uint64_t key_of(BytePair pair) {
  return static_cast<std::uint64_t>(static_cast<std::uint32_t>(pair.left)) << 32 |
         static_cast<std::uint32_t>(pair.right);
}

/// A pair and its frequency when it was noted.
struct Candidate {
  std::int64_t count;
  BytePair pair;
  bool operator<(const Candidate& other) const {
    return count != other.count ? count < other.count : key_of(pair) > key_of(other.pair);
  }
};

/// The distinct pieces of a text, as parts that are joined step by step.
class Learner {
 public:
  explicit Learner(std::string_view text) {
    std::unordered_map<std::string_view, std::int64_t> counts;
    for_each_piece(text, [&](std::string_view piece) { ++counts[piece]; });
    for (const auto& [piece, count] : counts) {
      if (piece.size() < 2) continue;
      std::vector<std::int32_t> parts;
      for (const char c : piece) parts.push_back(static_cast<unsigned char>(c));
      pieces_.push_back({std::move(parts), count});
    }
    for (std::size_t i = 0; i < pieces_.size(); ++i) add(i, 1);
    for (const auto& [key, pair] : pairs_) note(key);
  }

  std::vector<BytePair> learn(std::int64_t most) {
    std::vector<BytePair> result;
    while (static_cast<std::int64_t>(result.size()) < most && !candidates_.empty()) {
      const Candidate best = candidates_.top();
      candidates_.pop();
      const std::uint64_t key = key_of(best.pair);
      if (pairs_[key].count != best.count) {  // it was noted again with its new count
        continue;
      }
      if (best.count < 2) break;
      join(best.pair, kBytes + static_cast<std::int32_t>(result.size()));
      result.push_back(best.pair);
    }
    return result;
  }

 private:
  struct Piece {
    std::vector<std::int32_t> parts;
    std::int64_t count;
  };
  struct Pair {
    std::int64_t count = 0;
    std::vector<std::size_t> pieces;  ///< that have or had it
  };

  /// Adds (1) or subtracts (-1) the pairs of a piece.
  void add(std::size_t piece, int sign) {
    const std::vector<std::int32_t>& parts = pieces_[piece].parts;
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
      const std::uint64_t key = key_of({parts[i], parts[i + 1]});
      Pair& pair = pairs_[key];
      pair.count += sign * pieces_[piece].count;
      if (sign > 0 && (pair.pieces.empty() || pair.pieces.back() != piece)) pair.pieces.push_back(piece);
      changed_.insert(key);
    }
  }

  void note(std::uint64_t key) {
    const std::int64_t count = pairs_[key].count;
    if (count > 1)
      candidates_.push({count, {static_cast<std::int32_t>(key >> 32), static_cast<std::int32_t>(key & 0xffffffffU)}});
  }

  void join(BytePair pair, std::int32_t joined) {
    std::vector<std::size_t> pieces = std::move(pairs_[key_of(pair)].pieces);
    std::sort(pieces.begin(), pieces.end());
    pieces.erase(std::unique(pieces.begin(), pieces.end()), pieces.end());
    changed_.clear();
    for (const std::size_t piece : pieces) {
      add(piece, -1);
      std::vector<std::int32_t>& parts = pieces_[piece].parts;
      std::size_t to = 0;
      for (std::size_t i = 0; i < parts.size(); ++i) {
        const bool here = i + 1 < parts.size() && parts[i] == pair.left && parts[i + 1] == pair.right;
        parts[to++] = here ? joined : parts[i];
        if (here) ++i;
      }
      parts.resize(to);
      add(piece, 1);
    }
    for (const std::uint64_t key : changed_) note(key);
  }

  std::vector<Piece> pieces_;
  std::unordered_map<std::uint64_t, Pair> pairs_;
  std::set<std::uint64_t> changed_;
  std::priority_queue<Candidate> candidates_;
};

}  // namespace

std::vector<BytePair> most_frequent_pairs(std::string_view text, std::int64_t most) {
  return most > 0 ? Learner(text).learn(most) : std::vector<BytePair>();
}

BytePairs::BytePairs(std::int64_t size, std::vector<std::string> special, std::vector<BytePair> pairs)
    : size_(size), special_(std::move(special)), pairs_(std::move(pairs)) {
  for (std::int32_t byte = 0; byte < kBytes; ++byte) texts_.push_back(std::string(1, static_cast<char>(byte)));
  for (const BytePair& pair : pairs_) {
    ranks_.emplace(key_of(pair), static_cast<std::int32_t>(ranks_.size()));
    texts_.push_back(texts_[static_cast<std::size_t>(pair.left)] + texts_[static_cast<std::size_t>(pair.right)]);
  }
}

std::vector<std::int32_t> BytePairs::encode(std::string_view text) const {
  std::vector<std::int32_t> ids;
  std::unordered_map<std::string_view, std::vector<std::int32_t>> known;
  for_each_piece(text, [&](std::string_view piece) {
    const auto [at, fresh] = known.try_emplace(piece);
    std::vector<std::int32_t>& parts = at->second;
    if (fresh) {
      for (const char c : piece) parts.push_back(static_cast<unsigned char>(c));
      while (true) {  // at most kLongestPiece parts
        std::int32_t first = INT32_MAX;
        for (std::size_t i = 0; i + 1 < parts.size(); ++i)
          if (const auto found = ranks_.find(key_of({parts[i], parts[i + 1]})); found != ranks_.end())
            first = std::min(first, found->second);
        if (first == INT32_MAX) break;
        const BytePair pair = pairs_[static_cast<std::size_t>(first)];
        std::size_t to = 0;
        for (std::size_t i = 0; i < parts.size(); ++i) {
          const bool here = i + 1 < parts.size() && parts[i] == pair.left && parts[i + 1] == pair.right;
          parts[to++] = here ? kBytes + first : parts[i];
          if (here) ++i;
        }
        parts.resize(to);
      }
    }
    for (const std::int32_t part : parts) ids.push_back(part + static_cast<std::int32_t>(special_.size()));
  });
  return ids;
}

std::string BytePairs::decode(std::span<const std::int32_t> ids) const {
  std::string text;
  for (const std::int32_t id : ids) {
    const std::int64_t part = id - static_cast<std::int64_t>(special_.size());
    if (part >= 0 && part < static_cast<std::int64_t>(texts_.size())) text += texts_[static_cast<std::size_t>(part)];
  }
  return text;
}

std::string BytePairs::save() const {
  nlohmann::ordered_json pairs = nlohmann::ordered_json::array();
  for (const BytePair& pair : pairs_) pairs.push_back({pair.left, pair.right});
  return nlohmann::ordered_json{
      {"kind", "byte_pairs"}, {"size", size_}, {"special", special_}, {"pairs", std::move(pairs)}}
      .dump();
}

}  // namespace mtf::io
