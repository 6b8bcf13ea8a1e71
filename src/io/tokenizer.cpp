#include "io/tokenizer.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "io/byte_pairs.h"
#include "io/io_error.h"
#include "io/text.h"

namespace mtf {
namespace {

using Json = nlohmann::ordered_json;

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
  std::string save() const override { return Json{{"kind", "characters"}, {"characters", std::vector<std::uint32_t>(vocabulary_.begin(), vocabulary_.end())}}.dump(); }

 private:
  std::vector<char32_t> vocabulary_;
};

constexpr std::string_view kSpaces = " \t\r\n";

/// Calls `visit` with each word of a text and with each end of a line, as "\n".
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
  Words(std::int64_t size, std::vector<std::string> special, std::vector<std::string> words) : size_(size), special_(std::move(special)), words_(std::move(words)) {
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
      else if (static_cast<std::size_t>(id - first()) < words_.size()) text += words_[static_cast<std::size_t>(id - first())];
    }
    return text;
  }
  std::string save() const override { return Json{{"kind", "words"}, {"size", size_}, {"special", special_}, {"words", words_}}.dump(-1, ' ', false, Json::error_handler_t::replace); }

 private:
  std::int32_t first() const { return static_cast<std::int32_t>(special_.size()) + 2; }
  std::int64_t size_;
  std::vector<std::string> special_, words_;
  std::unordered_map<std::string, std::int32_t> ids_;
};

}  // namespace

TokenizerPtr character_tokenizer(std::vector<char32_t> vocabulary) { return std::make_shared<Characters>(std::move(vocabulary)); }

TokenizerPtr learn_words(std::string_view text, std::int64_t size, std::vector<std::string> special) {
  std::unordered_map<std::string, std::int64_t> counts;
  for_each_word(text, [&](std::string_view word) {
    if (word != "\n") ++counts[std::string(word)];
  });
  std::vector<std::pair<std::string, std::int64_t>> words(counts.begin(), counts.end());
  std::sort(words.begin(), words.end(), [](const auto& a, const auto& b) { return a.second != b.second ? a.second > b.second : a.first < b.first; });
  const auto room = static_cast<std::size_t>(std::max<std::int64_t>(0, size - static_cast<std::int64_t>(special.size()) - 2));
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < std::min(room, words.size()); ++i) kept.push_back(words[i].first);
  return std::make_shared<Words>(size, std::move(special), std::move(kept));
}

TokenizerPtr learn_byte_pairs(std::string_view text, std::int64_t size, std::vector<std::string> special) {
  std::vector<BytePair> pairs = most_frequent_pairs(text, size - 256 - static_cast<std::int64_t>(special.size()));
  return std::make_shared<BytePairs>(size, std::move(special), std::move(pairs));
}

TokenizerPtr load_tokenizer(const std::string& text, const std::string& path) {
  const Json json = Json::parse(text, nullptr, false);
  try {
    const std::string kind = json.at("kind");
    if (kind == "characters") {
      const auto codes = json.at("characters").get<std::vector<std::uint32_t>>();
      std::vector<char32_t> vocabulary(codes.begin(), codes.end());
      if (!std::is_sorted(vocabulary.begin(), vocabulary.end()) || (!codes.empty() && codes.back() >= 0x110000)) fail_bad_file(path, "its characters are not in order");
      return character_tokenizer(std::move(vocabulary));
    }
    const auto size = json.at("size").get<std::int64_t>();
    auto special = json.at("special").get<std::vector<std::string>>();
    if (size < static_cast<std::int64_t>(special.size()) || size > INT32_MAX) fail_bad_file(path, "its size {} is wrong", size);
    if (kind == "words") return std::make_shared<Words>(size, std::move(special), json.at("words").get<std::vector<std::string>>());
    if (kind == "byte_pairs") {
      std::vector<BytePair> pairs;
      for (const auto& pair : json.at("pairs")) {
        pairs.push_back({pair.at(0).get<std::int32_t>(), pair.at(1).get<std::int32_t>()});
        const auto known = 255 + static_cast<std::int32_t>(pairs.size());
        for (const std::int32_t part : {pairs.back().left, pairs.back().right})
          if (part < 0 || part >= known) fail_bad_file(path, "pair {} has a part that is not before it", pairs.size() - 1);
      }
      return std::make_shared<BytePairs>(size, std::move(special), std::move(pairs));
    }
    fail_bad_file(path, "the kind of tokenizer `{}` is not known", printable(kind));
  } catch (const nlohmann::json::exception&) {
    fail_bad_file(path, "expected a tokenizer as JSON");
  }
}

}  // namespace mtf
