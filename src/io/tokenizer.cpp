#include "io/tokenizer.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "io/byte_pairs.h"
#include "io/hugging_face.h"
#include "io/io_error.h"
#include "io/json_object.h"
#include "io/ranks.h"
#include "io/sentence_piece.h"
#include "io/text.h"
#include "support/text.h"

namespace mtf::io {
namespace {

using OrderedJson = nlohmann::ordered_json;  // keeps the order of keys

class Characters : public Tokenizer {
 public:
  explicit Characters(std::vector<char32_t> vocabulary) : vocabulary_(std::move(vocabulary)) {}
  std::int64_t vocab() const override { return static_cast<std::int64_t>(vocabulary_.size()); }
  std::vector<std::int32_t> encode(std::string_view text) const override {
    std::vector<std::int32_t> ids;
    for (const char32_t c : code_points(text)) {
      const auto place = std::lower_bound(vocabulary_.begin(), vocabulary_.end(), c);
      if (place == vocabulary_.end() || *place != c) throw CannotEncode("`" + utf8(c) + "` does not occur in the text");
      ids.push_back(static_cast<std::int32_t>(place - vocabulary_.begin()));
    }
    return ids;
  }
  std::string decode(std::span<const std::int32_t> ids) const override {
    std::string text;
    for (const std::int32_t id : ids) text += utf8(vocabulary_[static_cast<std::size_t>(id)]);
    return text;
  }
  std::string save() const override {
    return OrderedJson{{"kind", "characters"},
                       {"characters", std::vector<std::uint32_t>(vocabulary_.begin(), vocabulary_.end())}}
        .dump();
  }

 private:
  std::vector<char32_t> vocabulary_;
};

constexpr std::string_view kSpaces = " \t\r\n";

/// Calls `visit` with each word of a text, and with "\n" for each line end.
template <typename Visit>
void for_each_word(std::string_view text, const Visit& visit) {
  while (!text.empty()) {
    const std::size_t size = std::min(text.find_first_of(kSpaces), text.size());
    if (size > 0) visit(text.substr(0, size));
    text.remove_prefix(size);
    if (text.empty()) return;
    if (text[0] == '\n') visit(text.substr(0, 1));
    text.remove_prefix(1);
  }
}

class Words : public Tokenizer {
 public:
  Words(std::int64_t size, std::vector<std::string> special, std::vector<std::string> words)
      : size_(size), special_(std::move(special)), words_(std::move(words)) {
    for (std::size_t i = 0; i < words_.size(); ++i) ids_.emplace(words_[i], first() + static_cast<std::int32_t>(i));
    ids_.emplace("\n", first() - 1);
  }
  std::int64_t vocab() const override { return size_; }
  std::vector<std::int32_t> encode(std::string_view text) const override {
    std::vector<std::int32_t> ids;
    for_each_word(text, [&](std::string_view word) {
      const auto found = ids_.find(std::string(word));
      ids.push_back(found == ids_.end() ? first() - 2 : found->second);
    });
    return ids;
  }
  std::string decode(std::span<const std::int32_t> ids) const override {
    std::string text;
    for (const std::int32_t id : ids) {
      if (id < first() - 2) continue;
      if (!text.empty() && text.back() != '\n' && id != first() - 1) text += ' ';
      if (id == first() - 2) text += "<unknown>";
      else if (id == first() - 1) text += '\n';
      else if (static_cast<std::size_t>(id - first()) < words_.size())
        text += words_[static_cast<std::size_t>(id - first())];
    }
    return text;
  }
  std::string save() const override {
    return OrderedJson{{"kind", "words"}, {"size", size_}, {"special", special_}, {"words", words_}}.dump(
        -1, ' ', false, OrderedJson::error_handler_t::replace);
  }

 private:
  std::int32_t first() const { return static_cast<std::int32_t>(special_.size()) + 2; }
  std::int64_t size_;
  std::vector<std::string> special_, words_;
  std::unordered_map<std::string, std::int32_t> ids_;
};

}  // namespace

TokenizerPtr character_tokenizer(std::vector<char32_t> vocabulary) {
  return std::make_shared<Characters>(std::move(vocabulary));
}

TokenizerPtr learn_words(std::string_view text, std::int64_t size, std::vector<std::string> special) {
  std::unordered_map<std::string, std::int64_t> counts;
  for_each_word(text, [&](std::string_view word) {
    if (word != "\n" && !first_invalid_utf8(word)) ++counts[std::string(word)];
  });
  std::vector<std::pair<std::string, std::int64_t>> words(counts.begin(), counts.end());
  std::sort(words.begin(), words.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  const auto room =
      static_cast<std::size_t>(std::max<std::int64_t>(0, size - static_cast<std::int64_t>(special.size()) - 2));
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < std::min(room, words.size()); ++i) kept.push_back(words[i].first);
  return std::make_shared<Words>(size, std::move(special), std::move(kept));
}

TokenizerPtr learn_byte_pairs(std::string_view text, std::int64_t size, std::vector<std::string> special) {
  std::vector<BytePair> pairs = most_frequent_pairs(text, size - 256 - static_cast<std::int64_t>(special.size()));
  return std::make_shared<BytePairs>(size, std::move(special), std::move(pairs));
}

namespace {

/// The parts of a saved tokenizer, with checks.
class Saved {
 public:
  Saved(const std::string& text, const std::string& path)
      : path_(path), json_(parse_object(text, path, "expected a tokenizer as JSON: the file")) {}

  bool has(const char* key) const { return json_.contains(key); }
  const nlohmann::json& part(const char* key) const {
    const auto found = json_.find(key);
    if (found == json_.end()) fail_bad_file(path_, "expected a tokenizer as JSON, which has `{}`", key);
    return *found;
  }
  const nlohmann::json& list(const char* key) const {
    const nlohmann::json& list = part(key);
    if (!list.is_array()) fail_bad_file(path_, "`{}`: expected a list, found {}", key, excerpt_of(list));
    return list;
  }
  std::int64_t number(const nlohmann::json& value, std::string_view what, std::int64_t least, std::int64_t most) const {
    const bool fits = value.is_number_unsigned() ? value.get<std::uint64_t>() <= static_cast<std::uint64_t>(most)
                                                 : value.is_number_integer();
    if (!fits || value.get<std::int64_t>() < least || value.get<std::int64_t>() > most)
      fail_bad_file(path_, "{}: expected a whole number from {} to {}, found {}", what, least, most, excerpt_of(value));
    return value.get<std::int64_t>();
  }
  std::string string(const nlohmann::json& value, std::string_view what) const {
    if (!value.is_string()) fail_bad_file(path_, "{}: expected a string, found {}", what, excerpt_of(value));
    return value.get<std::string>();
  }
  /// Reads a list of distinct strings. `what` names one of them.
  std::vector<std::string> strings(const char* key, std::string_view what) const {
    std::vector<std::string> result;
    std::unordered_map<std::string, std::size_t> places;
    for (const nlohmann::json& item : list(key)) {
      result.push_back(string(item, fmt::format("{} {}", what, result.size())));
      const auto [place, is_new] = places.emplace(result.back(), result.size() - 1);
      if (!is_new)
        fail_bad_file(path_, "{} {} is `{}`, as {} {} is already", what, result.size() - 1, printable(result.back()),
                      what, place->second);
    }
    return result;
  }
  /// Reads the number of ids, of which `needed` have a definition.
  std::int64_t size(std::size_t needed) const {
    const std::int64_t size = number(part("size"), "`size`", INT32_MIN, INT32_MAX);
    if (size < static_cast<std::int64_t>(needed))
      fail_bad_file(path_, "its size {} is wrong: it has {} ids", size, needed);
    return size;
  }

  RanksOptions ranks_options() const {
    RanksOptions options{.pattern = string(part("pattern"), "`pattern`")};
    for (const nlohmann::json& item : list("special")) {
      const std::string what = fmt::format("special token {}", options.special.size());
      if (!item.is_array() || item.size() != 2)
        fail_bad_file(path_, "{}: expected a text and an id, found {}", what, excerpt_of(item));
      options.special.emplace_back(string(item[0], what),
                                   static_cast<std::int32_t>(number(item[1], what, 0, kMostTokenIds - 1)));
    }
    return options;
  }

  TokenizerPtr characters() const {
    std::vector<char32_t> vocabulary;
    for (const nlohmann::json& item : list("characters")) {
      const std::string what = fmt::format("character {}", vocabulary.size());
      const auto code = static_cast<char32_t>(number(item, what, 0, 0x10ffff));
      if (code >= 0xd800 && code < 0xe000)
        fail_bad_file(path_, "{}: {} is no character's", what, static_cast<std::uint32_t>(code));
      if (!vocabulary.empty() && code <= vocabulary.back()) {
        fail_bad_file(path_, "{}: its characters are not in order, {} comes after {}", what,
                      static_cast<std::uint32_t>(code), static_cast<std::uint32_t>(vocabulary.back()));
      }
      vocabulary.push_back(code);
    }
    return character_tokenizer(std::move(vocabulary));
  }
  TokenizerPtr words() const {
    std::vector<std::string> special = strings("special", "special id"), words = strings("words", "word");
    for (std::size_t i = 0; i < words.size(); ++i)
      if (words[i].empty() || words[i].find_first_of(kSpaces) != std::string::npos)
        fail_bad_file(path_, "word {}: expected one without spaces, found `{}`", i, printable(words[i]));
    const std::int64_t size = this->size(special.size() + 2 + words.size());
    return std::make_shared<Words>(size, std::move(special), std::move(words));
  }
  TokenizerPtr byte_pairs() const {
    std::vector<std::string> special = strings("special", "special id");
    std::vector<BytePair> pairs;
    std::vector<std::size_t> lengths(kBytes, 1);
    std::map<std::pair<std::int32_t, std::int32_t>, std::size_t> places;
    for (const nlohmann::json& item : list("pairs")) {
      const std::string what = fmt::format("pair {}", pairs.size());
      if (!item.is_array() || item.size() != 2)
        fail_bad_file(path_, "{}: expected two numbers, found {}", what, excerpt_of(item));
      std::int32_t parts[2];
      for (const std::size_t i : {0, 1}) {
        parts[i] = static_cast<std::int32_t>(number(item[i], what, 0, INT32_MAX));
        if (static_cast<std::size_t>(parts[i]) >= lengths.size())
          fail_bad_file(path_, "{} has a part that is not before it, {}", what, parts[i]);
      }
      const auto [place, is_new] = places.try_emplace({parts[0], parts[1]}, pairs.size());
      if (!is_new) fail_bad_file(path_, "{} is pair {} again", what, place->second);
      lengths.push_back(lengths[static_cast<std::size_t>(parts[0])] + lengths[static_cast<std::size_t>(parts[1])]);
      if (lengths.back() > kLongestPiece)
        fail_bad_file(path_, "{} joins {} bytes; nothing longer than {} is joined", what, lengths.back(),
                      kLongestPiece);
      pairs.push_back({parts[0], parts[1]});
    }
    const std::int64_t size = this->size(special.size() + kBytes + pairs.size());
    return std::make_shared<BytePairs>(size, std::move(special), std::move(pairs));
  }

 private:
  static constexpr std::size_t kBytes = 256;
  const std::string& path_;
  const nlohmann::json json_;
};

}  // namespace

TokenizerPtr load_tokenizer(const std::string& text, const std::string& path, const RanksOptions& options) {
  const auto ranks = [&](const std::string& lines, const RanksOptions& how) {
    std::vector<WholeToken> special;
    for (const auto& [name, id] : how.special) special.push_back({.text = name, .id = id});
    return tokenizer_of_ranks(lines, path, how.pattern.empty() ? "cl100k" : how.pattern, std::move(special));
  };
  if (looks_like_ranks(text)) return ranks(text, options);
  if (options.is_given())
    fail_bad_file(path, "expected a file of ranks, whose pattern and special tokens are given, found another");
  const std::size_t begin = text.find_first_not_of(kSpaces);
  const bool is_binary =
      begin != std::string::npos && text[begin] != '{' && (text[0] == '\n' || first_invalid_utf8(text));
  if (is_binary) return sentence_piece_tokenizer(text, path);
  const Saved saved(text, path);
  if (saved.has("model") && !saved.has("kind")) return hugging_face_tokenizer(text, path);
  const std::string kind = saved.string(saved.part("kind"), "`kind`");
  if (kind == "characters") return saved.characters();
  if (kind == "words") return saved.words();
  if (kind == "byte_pairs") return saved.byte_pairs();
  if (kind == "ranks") return ranks(saved.string(saved.part("ranks"), "`ranks`"), saved.ranks_options());
  fail_bad_file(path, "the kind of tokenizer `{}` is not known", printable(kind));
}

}  // namespace mtf::io
