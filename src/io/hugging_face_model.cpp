#include "io/hugging_face_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "io/likeliest_pieces.h"
#include "io/unicode.h"

namespace mtf::io {
namespace {

/// The ids of a text's bytes; nothing if one has none.
std::optional<std::vector<std::int32_t>> ids_of_bytes(const TokenIds& ids, std::string_view text) {
  std::vector<std::int32_t> found;
  for (const char c : text) {
    const auto byte = ids.find(text_of_byte(static_cast<unsigned char>(c)));
    if (byte == ids.end()) return std::nullopt;
    found.push_back(byte->second);
  }
  return found;
}

[[noreturn]] void fail_without_token(const NameOfPart& name, std::string_view text) {
  throw CannotEncode(name(text) + " has no token");
}

}  // namespace

std::string text_of_byte(unsigned char byte) { return fmt::format("<0x{:02X}>", byte); }

namespace {

const std::array<char32_t, 256>& characters_of_bytes() {
  static const std::array<char32_t, 256> all = [] {
    std::array<char32_t, 256> characters{};
    char32_t next = 256;
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const bool is_printable = (byte >= '!' && byte <= '~') || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
      characters[byte] = is_printable ? static_cast<char32_t>(byte) : next++;
    }
    return characters;
  }();
  return all;
}

}  // namespace

char32_t character_of_byte(unsigned char byte) { return characters_of_bytes()[byte]; }

int byte_of_character(char32_t character) {
  static const std::unordered_map<char32_t, int> bytes = [] {
    std::unordered_map<char32_t, int> all;
    for (int byte = 0; byte < 256; ++byte) all.emplace(character_of_byte(static_cast<unsigned char>(byte)), byte);
    return all;
  }();
  const auto found = bytes.find(character);
  return found == bytes.end() ? -1 : found->second;
}

void MergeModel::encode(std::string_view piece, PieceTokenizer::Ids& out) const {
  if (prefers_whole) {
    if (const auto whole = ids.find(std::string(piece)); whole != ids.end()) return out.push_back(whole->second);
  }
  const CharactersOf characters(piece);
  const std::size_t count = characters.values.size();
  std::vector<PiecePart> parts;
  bool was_unknown = false;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t begin = characters.begins[i], end = characters.begins[i + 1];
    std::string text(piece.substr(begin, end - begin));
    if (i > 0) text = before_inner + text;
    if (i + 1 == count) text += behind_last;
    const auto found = ids.find(text);
    const auto bytes = found == ids.end() && has_bytes ? ids_of_bytes(ids, text) : std::nullopt;
    if (found != ids.end()) {
      parts.push_back({found->second, begin, end});
    } else if (bytes) {
      for (std::size_t k = 0; k < bytes->size(); ++k) {
        const std::size_t byte = begin + std::min(k, end - begin - 1);
        parts.push_back({(*bytes)[k], byte, byte + 1});
      }
    } else if (!unknown) {
      fail_without_token(name, text);
    } else if (was_unknown && fuses_unknown) {
      parts.back().end = end;
    } else {
      parts.push_back({*unknown, begin, end});
    }
    was_unknown = found == ids.end() && !bytes;
  }
  join_parts(parts, [&](const PiecePart& left, const PiecePart& right) -> std::optional<Join> {
    const auto join = joins.find(pair_key(left.id, right.id));
    return join == joins.end() ? std::nullopt : std::optional(join->second);
  });
  for (const PiecePart& part : parts) out.push_back(part.id);
}

void UnigramModel::encode(std::string_view piece, PieceTokenizer::Ids& out) const {
  constexpr double kUnknownPenalty = 10;
  constexpr std::int32_t kUnknown = -1;
  const auto find = [&](std::string_view text) -> std::optional<IdWithScore<double>> {
    const auto found = ids.find(std::string(text));
    if (found == ids.end()) return std::nullopt;
    return IdWithScore<double>{found->second, scores[static_cast<std::size_t>(found->second)]};
  };
  std::string pending;  // unknown characters side by side
  const auto flush = [&] {
    if (pending.empty()) return;
    const auto bytes = has_bytes ? ids_of_bytes(ids, pending) : std::nullopt;
    if (bytes) out.insert(out.end(), bytes->begin(), bytes->end());
    else if (unknown) out.push_back(*unknown);
    else fail_without_token(name, pending);
    pending.clear();
  };
  divide_likeliest<double>(piece, longest, {kUnknown, least - kUnknownPenalty}, find,
                           [&](std::string_view text, std::int32_t id) {
                             if (id == kUnknown || id == unknown) {
                               pending += text;
                               return;
                             }
                             flush();
                             out.push_back(id);
                           });
  flush();
}

void WordPieceModel::encode(std::string_view piece, PieceTokenizer::Ids& out) const {
  const CharactersOf characters(piece);
  const std::size_t count = characters.values.size();
  if (count > most_characters) return out.push_back(unknown);
  std::vector<std::int32_t> found;
  for (std::size_t first = 0, last = count; first < count; last = count) {
    auto token = ids.end();
    for (; last > first; --last) {
      const std::string_view text =
          piece.substr(characters.begins[first], characters.begins[last] - characters.begins[first]);
      token = ids.find((first > 0 ? before_inner : "") + std::string(text));
      if (token != ids.end()) break;
    }
    if (token == ids.end()) return out.push_back(unknown);
    found.push_back(token->second);
    first = last;
  }
  out.insert(out.end(), found.begin(), found.end());
}

}  // namespace mtf::io
