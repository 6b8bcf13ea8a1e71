#include "io/byte_level.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <queue>

#include "io/io_error.h"
#include "io/json_object.h"
#include "io/text.h"
#include "io/unicode.h"
#include "support/text.h"

namespace mtf::io {
namespace {

constexpr const char* kGpt2Pattern = R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

}  // namespace

std::string pattern_named(const std::string& name) {
  const std::string endings = "(?i:'s|'t|'re|'ve|'m|'ll|'d)";
  if (name == "gpt2") return kGpt2Pattern;
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

namespace {

/// Calls `visit` with each piece of a text.
template <typename Visit>
void for_each_piece_of(const PieceRule& rule, std::string_view text, const Visit& visit) {
  const CharactersOf characters(text);
  const auto piece = [&](std::size_t first, std::size_t last) {
    if (first < last) visit(text.substr(characters.begins[first], characters.begins[last] - characters.begins[first]));
  };
  std::size_t rest = 0, at = 0;
  while (at < characters.values.size()) {
    const std::optional<std::size_t> count = rule.pattern->match(characters.values, at);
    if (!count || *count == 0) {
      ++at;
      continue;
    }
    if (rule.keeps_rest) piece(rest, at);
    piece(at, at + *count);
    rest = at = at + *count;
  }
  if (rule.keeps_rest) piece(rest, at);
}

/// A token of a piece while pairs are joined.
struct JoinedToken {
  std::int32_t id;
  std::size_t begin, end;  ///< its bytes
  std::size_t before, behind;
  bool is_there = true;
};

struct JoinCandidate {
  std::int32_t rank;
  std::size_t left, right;
  std::int32_t left_id, right_id, id;
  bool operator<(const JoinCandidate& other) const {  // the lowest rank, then the leftmost, comes first
    return rank != other.rank ? rank > other.rank : left > other.left;
  }
};

}  // namespace

ByteLevel::ByteLevel(Parts parts) : parts_(std::move(parts)), by_byte_(256) {
  std::int32_t most = -1;
  for (const auto& [text, id] : parts_.ids) most = std::max(most, id);
  for (const auto& [id, text] : parts_.texts) most = std::max(most, id);
  for (const WholeToken& token : parts_.whole) most = std::max(most, token.id);
  texts_.resize(static_cast<std::size_t>(most) + 1);
  for (const auto& [text, id] : parts_.ids) texts_[static_cast<std::size_t>(id)] = text;
  for (const auto& [id, text] : parts_.texts) texts_[static_cast<std::size_t>(id)] = text;
  for (std::size_t i = 0; i < parts_.whole.size(); ++i) {
    const WholeToken& token = parts_.whole[i];
    texts_[static_cast<std::size_t>(token.id)] = token.is_special ? "" : token.text;
    by_byte_[static_cast<unsigned char>(token.text[0])].push_back(i);
  }
  for (std::vector<std::size_t>& tokens : by_byte_) {
    std::sort(tokens.begin(), tokens.end(),
              [&](std::size_t a, std::size_t b) { return parts_.whole[a].text.size() > parts_.whole[b].text.size(); });
  }
}

const WholeToken* ByteLevel::whole_at(std::string_view text) const {
  for (const std::size_t i : by_byte_[static_cast<unsigned char>(text[0])])
    if (text.starts_with(parts_.whole[i].text)) return &parts_.whole[i];
  return nullptr;
}

std::vector<std::int32_t> ByteLevel::encode(std::string_view text) const {
  constexpr std::string_view kSpaces = " \t\n\r\v\f";
  std::vector<std::int32_t> ids;
  std::size_t begin = 0, at = 0;
  while (at < text.size()) {
    const WholeToken* token = parts_.whole.empty() ? nullptr : whole_at(text.substr(at));
    if (!token) {
      ++at;
      continue;
    }
    std::string_view before = text.substr(begin, at - begin);
    if (token->takes_spaces_before) before = before.substr(0, before.find_last_not_of(kSpaces) + 1);
    encode_plain(before, ids);
    ids.push_back(token->id);
    at += token->text.size();
    if (token->takes_spaces_behind) at = std::min(text.size(), text.find_first_not_of(kSpaces, at));
    begin = at;
  }
  encode_plain(text.substr(begin), ids);
  return ids;
}

void ByteLevel::encode_plain(std::string_view text, std::vector<std::int32_t>& ids) const {
  const auto divide = [&](const auto& self, std::size_t rule, std::string_view piece) -> void {
    if (piece.empty()) return;
    if (rule == parts_.rules.size()) return encode_piece(piece, ids);
    std::string with_space;
    if (parts_.rules[rule].adds_space && piece[0] != ' ') {
      with_space = " " + std::string(piece);
      piece = with_space;
    }
    if (!parts_.rules[rule].pattern) return self(self, rule + 1, piece);
    for_each_piece_of(parts_.rules[rule], piece, [&](std::string_view part) { self(self, rule + 1, part); });
  };
  divide(divide, 0, text);
}

std::optional<ByteLevel::Join> ByteLevel::join_of(std::int32_t left, std::int32_t right, std::string_view both) const {
  if (parts_.joins.empty()) {
    const auto found = parts_.ids.find(std::string(both));
    return found == parts_.ids.end() ? std::nullopt : std::optional(Join{found->second, found->second});
  }
  const auto found = parts_.joins.find(pair_key(left, right));
  return found == parts_.joins.end() ? std::nullopt : std::optional(found->second);
}

void ByteLevel::encode_piece(std::string_view piece, std::vector<std::int32_t>& ids) const {
  constexpr std::size_t kNone = SIZE_MAX;
  if (parts_.prefers_whole) {
    if (const auto found = parts_.ids.find(std::string(piece)); found != parts_.ids.end()) {
      ids.push_back(found->second);
      return;
    }
  }
  std::vector<JoinedToken> tokens;
  for (std::size_t i = 0; i < piece.size(); ++i) {
    const auto found = parts_.ids.find(std::string(piece.substr(i, 1)));
    if (found == parts_.ids.end())
      throw CannotEncode(fmt::format("the byte {:02x} has no token", static_cast<unsigned char>(piece[i])));
    tokens.push_back({found->second, i, i + 1, i == 0 ? kNone : i - 1, i + 1 < piece.size() ? i + 1 : kNone});
  }
  std::priority_queue<JoinCandidate> candidates;
  const auto note = [&](std::size_t left, std::size_t right) {
    if (left == kNone || right == kNone) return;
    const JoinedToken &l = tokens[left], &r = tokens[right];
    if (const auto join = join_of(l.id, r.id, piece.substr(l.begin, r.end - l.begin)))
      candidates.push({join->rank, left, right, l.id, r.id, join->id});
  };
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) note(i, i + 1);
  while (!candidates.empty()) {
    const JoinCandidate best = candidates.top();
    candidates.pop();
    JoinedToken &left = tokens[best.left], &right = tokens[best.right];
    const bool is_current = left.is_there && right.is_there && left.behind == best.right && left.id == best.left_id &&
                            right.id == best.right_id;
    if (!is_current) continue;
    left.id = best.id;
    left.end = right.end;
    left.behind = right.behind;
    right.is_there = false;
    if (left.behind != kNone) tokens[left.behind].before = best.left;
    note(left.before, best.left);
    note(best.left, left.behind);
  }
  for (const JoinedToken& token : tokens)
    if (token.is_there) ids.push_back(token.id);
}

std::string ByteLevel::decode(std::span<const std::int32_t> ids) const {
  std::string text;
  for (const std::int32_t id : ids) text += texts_[static_cast<std::size_t>(id)];
  return text;
}

namespace {

/// The characters that GPT-2 writes for bytes: a printable byte stands for itself, the others for those from 256 on.
std::unordered_map<char32_t, char> bytes_of_characters() {
  std::unordered_map<char32_t, char> bytes;
  char32_t next = 256;
  for (int byte = 0; byte < 256; ++byte) {
    const bool is_printable = (byte >= '!' && byte <= '~') || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
    bytes.emplace(is_printable ? static_cast<char32_t>(byte) : next++, static_cast<char>(byte));
  }
  return bytes;
}

/// A tokenizer.json, with checks. Messages name the part by its keys.
class HuggingFaceFile {
 public:
  HuggingFaceFile(const std::string& text, const std::string& path)
      : path_(path),
        json_(parse_object(text, path, "expected a tokenizer as JSON: the file")),
        bytes_(bytes_of_characters()) {
    parts_.saved = text;
  }

  TokenizerPtr tokenizer() {
    expect_none(json_, "normalizer", "the file");
    const Json& model = object(part(json_, "model", "the file"), "`model`");
    read_model(model);
    read_rules();
    read_added();
    if (parts_.ids.empty()) fail_bad_file(path_, "`model.vocab` has no token");
    return std::make_shared<ByteLevel>(std::move(parts_));
  }

 private:
  using Json = nlohmann::json;

  const Json& part(const Json& of, const char* key, std::string_view what) const {
    const auto found = of.find(key);
    if (found == of.end()) fail_bad_file(path_, "expected `{}` in {}, found none", key, what);
    return *found;
  }
  const Json& object(const Json& value, std::string_view what) const {
    if (!value.is_object()) fail_bad_file(path_, "{}: expected an object, found {}", what, excerpt_of(value));
    return value;
  }
  std::string string(const Json& value, std::string_view what) const {
    if (!value.is_string()) fail_bad_file(path_, "{}: expected a string, found {}", what, excerpt_of(value));
    return value.get<std::string>();
  }
  bool flag(const Json& of, const char* key, bool otherwise, std::string_view what) const {
    const auto found = of.find(key);
    if (found == of.end() || found->is_null()) return otherwise;
    if (!found->is_boolean())
      fail_bad_file(path_, "{}, `{}`: expected true or false, found {}", what, key, excerpt_of(*found));
    return found->get<bool>();
  }
  std::int32_t id(const Json& value, std::string_view what) const {
    if (!value.is_number_integer() || value.get<std::int64_t>() < 0 || value.get<std::int64_t>() >= kMostTokenIds ||
        (value.is_number_unsigned() && value.get<std::uint64_t>() >= static_cast<std::uint64_t>(kMostTokenIds)))
      fail_bad_file(path_, "{}: expected an id from 0 to {}, found {}", what, kMostTokenIds - 1, excerpt_of(value));
    return static_cast<std::int32_t>(value.get<std::int64_t>());
  }
  /// Fails if a part is there that changes what a text's tokens are, and is none that this tokenizer has.
  void expect_none(const Json& of, const char* key, std::string_view what) const {
    const auto found = of.find(key);
    if (found == of.end() || found->is_null() || *found == "" || *found == false || *found == 0.0) return;
    fail_bad_file(path_, "expected no `{}` in {}, as byte-level BPE of GPT-2 and Llama 3 has none, found {}", key, what,
                  excerpt_of(*found));
  }

  std::optional<std::string> bytes_of(const std::string& token) const {
    std::string bytes;
    for (const char32_t c : code_points(token)) {
      const auto found = bytes_.find(c);
      if (found == bytes_.end()) return std::nullopt;
      bytes += found->second;
    }
    return bytes;
  }

  void read_model(const Json& model) {
    const auto type = model.find("type");
    if (type != model.end() && *type != "BPE") {
      fail_bad_file(
          path_,
          "`model.type`: expected \"BPE\", found {}; `data.tokenizer` reads SentencePiece's models from their `.model`",
          excerpt_of(*type));
    }
    for (const char* key : {"dropout", "continuing_subword_prefix", "end_of_word_suffix", "byte_fallback"})
      expect_none(model, key, "`model`");
    parts_.prefers_whole = flag(model, "ignore_merges", false, "`model`");
    std::unordered_map<std::string, std::int32_t> written;
    std::unordered_map<std::int32_t, std::string> tokens;
    for (const auto& [token, value] : object(part(model, "vocab", "`model`"), "`model.vocab`").items()) {
      const std::int32_t number = id(value, fmt::format("`model.vocab`, `{}`", printable(token)));
      const auto [place, is_new] = tokens.emplace(number, token);
      if (!is_new) {
        fail_bad_file(path_, "`model.vocab`: `{}` and `{}` have one id, {}", printable(place->second), printable(token),
                      number);
      }
      written.emplace(token, number);
      if (const auto bytes = bytes_of(token); bytes && !bytes->empty()) parts_.ids.emplace(*bytes, number);
      else parts_.texts.emplace(number, token);
    }
    const Json& merges = part(model, "merges", "`model`");
    if (!merges.is_array()) fail_bad_file(path_, "`model.merges`: expected a list, found {}", excerpt_of(merges));
    for (std::size_t rank = 0; rank < merges.size(); ++rank) read_merge(merges[rank], rank, written);
  }

  void read_merge(const Json& merge, std::size_t rank, const std::unordered_map<std::string, std::int32_t>& ids) {
    const std::string what = fmt::format("`model.merges`, {}", rank);
    std::string parts[2];
    if (merge.is_string()) {
      const std::string both = merge.get<std::string>();
      const std::size_t space = both.find(' ');
      if (space == std::string::npos || both.find(' ', space + 1) != std::string::npos)
        fail_bad_file(path_, "{}: expected two tokens with a space between them, found {}", what, excerpt_of(merge));
      parts[0] = both.substr(0, space);
      parts[1] = both.substr(space + 1);
    } else {
      if (!merge.is_array() || merge.size() != 2)
        fail_bad_file(path_, "{}: expected two tokens, found {}", what, excerpt_of(merge));
      for (const std::size_t i : {0, 1}) parts[i] = string(merge[i], what);
    }
    const auto id_of = [&](const std::string& token) {
      const auto found = ids.find(token);
      if (found == ids.end())
        fail_bad_file(path_, "{}: expected tokens of `model.vocab`, found `{}`", what, printable(token));
      return found->second;
    };
    const std::int32_t joined = id_of(parts[0] + parts[1]);
    const std::uint64_t key = pair_key(id_of(parts[0]), id_of(parts[1]));
    parts_.joins.emplace(key, ByteLevel::Join{static_cast<std::int32_t>(rank), joined});
  }

  void read_rules() {
    const Json& rules = part(json_, "pre_tokenizer", "the file");
    bool is_byte_level = false;
    const auto read = [&](const Json& rule, const std::string& what) {
      const std::string type = string(part(object(rule, what), "type", what), what + ", `type`");
      if (type == "ByteLevel") {
        is_byte_level = true;
        PieceRule all{.adds_space = flag(rule, "add_prefix_space", true, what)};
        if (flag(rule, "use_regex", true, what)) all.pattern = Pattern(kGpt2Pattern);
        parts_.rules.push_back(std::move(all));
      } else if (type == "Split") {
        read_split(rule, what);
      } else if (type == "Digits") {
        parts_.rules.push_back({Pattern(flag(rule, "individual_digits", false, what) ? "\\p{N}" : "\\p{N}+")});
      } else {
        fail_bad_file(path_, "{}: expected ByteLevel, Split, Digits or a Sequence of them, found {}", what,
                      printable(type));
      }
    };
    if (rules.is_object() && rules.contains("type") && rules["type"] == "Sequence") {
      const Json& list = part(rules, "pretokenizers", "`pre_tokenizer`");
      if (!list.is_array()) fail_bad_file(path_, "`pretokenizers`: expected a list, found {}", excerpt_of(list));
      for (std::size_t i = 0; i < list.size(); ++i) read(list[i], fmt::format("`pre_tokenizer`, {}", i));
    } else {
      read(rules, "`pre_tokenizer`");
    }
    if (!is_byte_level) fail_bad_file(path_, "`pre_tokenizer`: expected a ByteLevel in it, found none");
  }

  void read_split(const Json& rule, const std::string& what) {
    const Json& pattern = object(part(rule, "pattern", what), what + ", `pattern`");
    std::string expression;
    if (pattern.contains("Regex")) {
      expression = string(pattern["Regex"], what + ", `Regex`");
    } else {
      for (const char c : string(part(pattern, "String", what + ", `pattern`"), what + ", `String`"))
        expression += std::string(static_cast<unsigned char>(c) < 0x80 && std::ispunct(c) != 0 ? "\\" : "") + c;
    }
    const std::string behavior = string(part(rule, "behavior", what), what + ", `behavior`");
    const bool is_inverted = flag(rule, "invert", false, what);
    // Inverted, what is between the matches is removed: the matches are the pieces.
    if (behavior != "Isolated" && !(behavior == "Removed" && is_inverted))
      fail_bad_file(path_, "{}, `behavior`: expected Isolated, or Removed of what is inverted, found {}", what,
                    printable(behavior));
    try {
      parts_.rules.push_back({Pattern(expression), behavior == "Isolated"});
    } catch (const BadPattern& error) { fail_bad_file(path_, "{}, `pattern`: {}", what, error.what()); }
  }

  void read_added() {
    const auto list = json_.find("added_tokens");
    if (list == json_.end() || list->is_null()) return;
    if (!list->is_array()) fail_bad_file(path_, "`added_tokens`: expected a list, found {}", excerpt_of(*list));
    for (std::size_t i = 0; i < list->size(); ++i) {
      const std::string what = fmt::format("`added_tokens`, {}", i);
      const Json& token = object((*list)[i], what);
      WholeToken whole{.text = string(part(token, "content", what), what + ", `content`"),
                       .id = id(part(token, "id", what), what + ", `id`"),
                       .is_special = flag(token, "special", false, what),
                       .takes_spaces_before = flag(token, "lstrip", false, what),
                       .takes_spaces_behind = flag(token, "rstrip", false, what)};
      if (whole.text.empty()) fail_bad_file(path_, "{}, `content`: expected a text, found none", what);
      if (flag(token, "single_word", false, what))
        fail_bad_file(path_, "{}: expected `single_word` to be false, found true", what);
      for (const WholeToken& other : parts_.whole)
        if (other.text == whole.text) fail_bad_file(path_, "{}: `{}` stands twice", what, printable(whole.text));
      parts_.whole.push_back(std::move(whole));
    }
  }

  const std::string& path_;
  const Json json_;
  const std::unordered_map<char32_t, char> bytes_;
  ByteLevel::Parts parts_;
};

/// The bytes of a base64 text; nothing if it is none.
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

TokenizerPtr hugging_face_tokenizer(const std::string& text, const std::string& path) {
  return HuggingFaceFile(text, path).tokenizer();
}

bool looks_like_ranks(std::string_view text) {
  return ranked_token(text.substr(0, std::min(text.find('\n'), text.size()))).has_value();
}

TokenizerPtr tokenizer_of_ranks(const std::string& text, const std::string& path, const std::string& pattern,
                                std::vector<WholeToken> special) {
  ByteLevel::Parts parts;
  parts.prefers_whole = true;
  try {
    parts.rules.push_back({Pattern(pattern_named(pattern))});
  } catch (const BadPattern& error) { fail_bad_file(path, "`pattern`: {}", error.what()); }
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
    const auto [known, is_new_token] = parts.ids.emplace(token->first, rank);
    if (!is_new_token) {
      fail_bad_file(path, "line {}: its token is that of line {} already", line, lines.at(known->second));
    }
    next = std::max(next, rank + 1);
  }
  for (int byte = 0; byte < 256; ++byte) {
    if (!parts.ids.contains(std::string(1, static_cast<char>(byte))))
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
  parts.whole = std::move(special);
  parts.saved =
      nlohmann::ordered_json{{"kind", "ranks"}, {"pattern", pattern}, {"special", names}, {"ranks", text}}.dump();
  return std::make_shared<ByteLevel>(std::move(parts));
}

}  // namespace mtf::io
