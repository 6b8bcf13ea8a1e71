#include "io/ranks.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "io/io_error.h"
#include "support/text.h"

namespace mtf::io {
std::string pattern_named(const std::string& name) {
  const std::string endings = "(?i:'s|'t|'re|'ve|'m|'ll|'d)";
  if (name == "gpt2") return R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
  if (name == "cl100k") {
    return endings + R"(|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
  }
  if (name == "o200k") {
    const std::string before = R"([^\r\n\p{L}\p{N}]?)", upper = R"([\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}])",
                      lower = R"([\p{Ll}\p{Lm}\p{Lo}\p{M}])";
    return before + upper + "*" + lower + "+" + endings + "?|" + before + upper + "+" + lower + "*" + endings +
           R"(?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
  }
  return name;
}

std::optional<std::string> from_base64(std::string_view text) {
  while (text.ends_with('=')) text.remove_suffix(1);
  std::string bytes;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const int value = c >= 'A' && c <= 'Z'   ? c - 'A'
                      : c >= 'a' && c <= 'z' ? c - 'a' + 26
                      : c >= '0' && c <= '9' ? c - '0' + 52
                      : c == '+'             ? 62
                      : c == '/'             ? 63
                                             : -1;
    if (value < 0) return std::nullopt;
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    count += 6;
    if (count >= 8) {
      count -= 8;
      bytes += static_cast<char>(bits >> count & 0xffU);
    }
  }
  if (count >= 6 || (bits & ((1U << count) - 1)) != 0) return std::nullopt;
  return bytes;
}

namespace {

/// A line `aGVsbG8= 31373`: the bytes of a token, and its rank; nothing if it is another.
std::optional<std::pair<std::string, std::int64_t>> ranked_token(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  const std::size_t space = line.find(' ');
  if (space == std::string_view::npos || space == 0) return std::nullopt;
  const auto bytes = from_base64(line.substr(0, space));
  std::int64_t rank = -1;
  const auto [end, error] = std::from_chars(line.data() + space + 1, line.data() + line.size(), rank);
  if (!bytes || bytes->empty() || error != std::errc() || end != line.data() + line.size() || rank < 0 ||
      rank >= kMostTokenIds)
    return std::nullopt;
  return std::pair(*bytes, rank);
}

}  // namespace

bool looks_like_ranks(std::string_view text) {
  return ranked_token(text.substr(0, std::min(text.find('\n'), text.size()))).has_value();
}

namespace {

/// Encodes pieces as bytes that are joined where a token has the joined bytes: its id is the rank of the join.
class RankedJoins {
 public:
  explicit RankedJoins(std::unordered_map<std::string, std::int32_t> ids) : ids_(std::move(ids)) {}

  void encode(std::string_view piece, PieceTokenizer::Ids& ids) const {
    if (const auto whole = id_of(piece)) return ids.push_back(*whole);
    std::vector<PiecePart> parts;
    for (std::size_t i = 0; i < piece.size(); ++i) parts.push_back({*id_of(piece.substr(i, 1)), i, i + 1});
    join_parts(parts, [&](const PiecePart& left, const PiecePart& right) -> std::optional<Join> {
      const auto id = id_of(piece.substr(left.begin, right.end - left.begin));
      return id ? std::optional(Join{*id, *id}) : std::nullopt;
    });
    for (const PiecePart& part : parts) ids.push_back(part.id);
  }

 private:
  std::optional<std::int32_t> id_of(std::string_view bytes) const {
    const auto found = ids_.find(std::string(bytes));
    return found == ids_.end() ? std::nullopt : std::optional(found->second);
  }
  const std::unordered_map<std::string, std::int32_t> ids_;  ///< of the bytes of each token; each byte has one
};

}  // namespace

TokenizerPtr tokenizer_of_ranks(const std::string& text, const std::string& path, const std::string& pattern,
                                std::vector<WholeToken> special) {
  PieceTokenizer::Stages stages;
  try {
    const Finder finder{.pattern = Pattern(pattern_named(pattern))};
    stages.divide.push_back([finder](const Piece& piece, const PieceTokenizer::Visit& visit) {
      divide_at(finder, Division::kIsolated, false, piece, visit);
    });
  } catch (const BadPattern& error) { fail_bad_file(path, "`pattern`: {}", error.what()); }
  std::unordered_map<std::string, std::int32_t> ids;
  std::unordered_map<std::int32_t, std::int64_t> lines;
  std::int32_t next = 0;
  std::int64_t line = 0;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view here = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), here.size() + 1));
    ++line;
    if (here.empty() || here == "\r") continue;
    const auto token = ranked_token(here);
    if (!token) {
      fail_bad_file(path, "line {}: expected a token in base64, a space and its rank, found `{}`", line,
                    printable(here.substr(0, 40)));
    }
    const auto rank = static_cast<std::int32_t>(token->second);
    const auto [place, is_new] = lines.emplace(rank, line);
    if (!is_new) fail_bad_file(path, "line {}: the rank {} is that of line {} already", line, rank, place->second);
    const auto [known, is_new_token] = ids.emplace(token->first, rank);
    if (!is_new_token) {
      fail_bad_file(path, "line {}: its token is that of line {} already", line, lines.at(known->second));
    }
    stages.texts.emplace(rank, token->first);
    next = std::max(next, rank + 1);
  }
  for (int byte = 0; byte < 256; ++byte) {
    if (!ids.contains(std::string(1, static_cast<char>(byte))))
      fail_bad_file(path, "expected a rank for each byte, found none for the byte {:02x}", byte);
  }
  nlohmann::ordered_json names = nlohmann::ordered_json::array();
  for (WholeToken& token : special) {
    if (token.id < 0) token.id = next;
    const auto [place, is_new] = lines.emplace(token.id, 0);
    if (!is_new) {
      fail_bad_file(path, "expected an id of its own for the special token `{}`, found {}, which {} has",
                    printable(token.text), token.id,
                    place->second == 0 ? "another" : fmt::format("the token of line {}", place->second));
    }
    next = std::max(next, token.id + 1);
    names.push_back({token.text, token.id});
  }
  stages.whole = std::move(special);
  stages.saved =
      nlohmann::ordered_json{{"kind", "ranks"}, {"pattern", pattern}, {"special", names}, {"ranks", text}}.dump();
  const auto joins = std::make_shared<const RankedJoins>(std::move(ids));
  stages.encode = [joins](std::string_view piece, PieceTokenizer::Ids& out) { joins->encode(piece, out); };
  return std::make_shared<PieceTokenizer>(std::move(stages));
}

}  // namespace mtf::io
