#include "io/hugging_face.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>

#include "io/hugging_face_model.h"
#include "io/io_error.h"
#include "io/json_object.h"
#include "io/ranks.h"
#include "io/replacements.h"
#include "io/text.h"
#include "io/unicode.h"
#include "support/text.h"

namespace mtf::io {
namespace {

using Json = nlohmann::json;
using Normalize = std::function<std::string(std::string)>;
using Divide = std::function<void(Piece, const PieceTokenizer::Visit&)>;
using Decode = std::function<void(std::vector<std::string>&)>;

std::string with_replaced(const Finder& finder, std::string_view text, std::string_view content) {
  std::string result;
  std::size_t at = 0;
  for (const auto& [begin, end] : finder.matches(text)) {
    result.append(text.substr(at, begin - at)).append(content);
    at = end;
  }
  return result.append(text.substr(at));
}

Finder finder_of(const std::string& text) { return {.text = text}; }

Divide division_at(Finder finder, Division division, bool is_inverted) {
  return [finder = std::move(finder), division, is_inverted](const Piece& piece, const PieceTokenizer::Visit& visit) {
    divide_at(finder, division, is_inverted, piece, visit);
  };
}

bool is_mark(char32_t c) {
  const Category category = category_of(c);
  return category == kMn || category == kMc || category == kMe;
}

/// The characters of Chinese writing that BERT divides texts at.
bool is_ideograph(char32_t c) {
  return (c >= 0x4e00 && c <= 0x9fff) || (c >= 0x3400 && c <= 0x4dbf) || (c >= 0x20000 && c <= 0x2a6df) ||
         (c >= 0x2a700 && c <= 0x2b73f) || (c >= 0x2b740 && c <= 0x2b81f) || (c >= 0x2b920 && c <= 0x2ceaf) ||
         (c >= 0xf900 && c <= 0xfaff) || (c >= 0x2f800 && c <= 0x2fa1f);
}

/// Leaves out control characters, and makes a space of each white space.
std::string without_controls(const std::string& text) {
  return with_each_character(text, [](char32_t c) {
    if (c == '\t' || c == '\n' || c == '\r' || is_white_space(c)) return std::string(" ");
    return c == 0xfffd || category_of(c) == kC ? std::string() : utf8(c);
  });
}

std::string text_in_lower_case(const std::string& text) { return with_each_character(text, in_lower_case); }

constexpr const char* kMetaspace = "\xe2\x96\x81";

/// Reads values of a tokenizer.json, with checks. Messages name a value by its keys.
class CheckedJson {
 public:
  explicit CheckedJson(const std::string& path) : path_(path) {}

  const Json& part(const Json& of, const char* key, std::string_view what) const {
    const auto found = of.find(key);
    if (found == of.end()) fail_bad_file(path_, "expected `{}` in {}, found none", key, what);
    return *found;
  }
  const Json& object(const Json& value, std::string_view what) const {
    if (!value.is_object()) fail_bad_file(path_, "{}: expected an object, found {}", what, excerpt_of(value));
    return value;
  }
  const Json& list(const Json& of, const char* key, std::string_view what) const {
    const Json& value = part(of, key, what);
    if (!value.is_array()) fail_bad_file(path_, "{}, `{}`: expected a list, found {}", what, key, excerpt_of(value));
    return value;
  }
  std::string string(const Json& value, std::string_view what) const {
    if (!value.is_string()) fail_bad_file(path_, "{}: expected a string, found {}", what, excerpt_of(value));
    return value.get<std::string>();
  }
  std::string text(const Json& of, const char* key, const std::string& what) const {
    return string(part(of, key, what), fmt::format("{}, `{}`", what, key));
  }
  std::string text_or(const Json& of, const char* key, const std::string& otherwise, const std::string& what) const {
    const auto found = of.find(key);
    return found == of.end() || found->is_null() ? otherwise : string(*found, fmt::format("{}, `{}`", what, key));
  }
  bool flag(const Json& of, const char* key, bool otherwise, std::string_view what) const {
    const auto found = of.find(key);
    if (found == of.end() || found->is_null()) return otherwise;
    if (!found->is_boolean())
      fail_bad_file(path_, "{}, `{}`: expected true or false, found {}", what, key, excerpt_of(*found));
    return found->get<bool>();
  }
  std::int32_t number(const Json& value, std::string_view what, std::string_view kind = "an id") const {
    if (!value.is_number_integer() || value.get<std::int64_t>() < 0 || value.get<std::int64_t>() >= kMostTokenIds ||
        (value.is_number_unsigned() && value.get<std::uint64_t>() >= static_cast<std::uint64_t>(kMostTokenIds)))
      fail_bad_file(path_, "{}: expected {} from 0 to {}, found {}", what, kind, kMostTokenIds - 1, excerpt_of(value));
    return static_cast<std::int32_t>(value.get<std::int64_t>());
  }
  std::size_t count(const Json& of, const char* key, std::int32_t otherwise, const std::string& what) const {
    const auto found = of.find(key);
    if (found == of.end() || found->is_null()) return static_cast<std::size_t>(otherwise);
    return static_cast<std::size_t>(number(*found, fmt::format("{}, `{}`", what, key), "a number"));
  }
  /// A character of a text of one.
  char32_t character(const Json& of, const char* key, const std::string& otherwise, const std::string& what) const {
    const std::vector<char32_t> all = code_points(text_or(of, key, otherwise, what));
    if (all.size() != 1)
      fail_bad_file(path_, "{}, `{}`: expected one character, found {}", what, key, excerpt_of(part(of, key, what)));
    return all[0];
  }
  [[noreturn]] void fail_kind(std::string_view what, std::string_view expected, const std::string& found) const {
    fail_bad_file(path_, "{}: expected {}, found {}", what, expected, printable(found));
  }

  /// Calls `visit` with the part `key` of `file`, or with each part of its Sequence. A part that is null is none.
  template <typename Visit>
  void each_of(const Json& file, const char* key, const char* of_sequence, const Visit& visit) const {
    const auto found = file.find(key);
    if (found != file.end() && !found->is_null()) each_in(*found, of_sequence, fmt::format("`{}`", key), 0, visit);
  }
  template <typename Visit>
  void each_in(const Json& rule, const char* of_sequence, const std::string& what, int depth,
               const Visit& visit) const {
    if (depth > 20) fail_bad_file(path_, "{}: expected sequences that are not nested so deeply", what);
    if (text(object(rule, what), "type", what) != "Sequence") return visit(rule, what);
    const Json& parts = list(rule, of_sequence, what);
    for (std::size_t i = 0; i < parts.size(); ++i)
      each_in(parts[i], of_sequence, fmt::format("{}, {}", what, i), depth + 1, visit);
  }

  /// The `pattern` of a rule: a text or a regular expression.
  Finder finder(const Json& rule, const std::string& what) const {
    const std::string where = what + ", `pattern`";
    const Json& pattern = part(rule, "pattern", what);
    if (pattern.is_string()) return finder_of(pattern.get<std::string>());
    if (!object(pattern, where).contains("Regex")) return finder_of(text(pattern, "String", where));
    return expression(text(pattern, "Regex", where), where);
  }
  Finder expression(const std::string& regular, const std::string& what) const {
    try {
      return {.pattern = Pattern(regular)};
    } catch (const BadPattern& error) { fail_bad_file(path_, "{}: {}", what, error.what()); }
  }

  enum class Scheme { kAlways, kFirst, kNever };

  /// Whether a sign for a space is put before a text; older files say it by a flag.
  Scheme scheme(const Json& rule, const std::string& what) const {
    const bool otherwise = flag(rule, "add_prefix_space", true, what);
    const std::string name = text_or(rule, "prepend_scheme", otherwise ? "always" : "never", what);
    if (name == "always") return Scheme::kAlways;
    if (name == "first") return Scheme::kFirst;
    if (name == "never") return Scheme::kNever;
    fail_kind(what + ", `prepend_scheme`", "always, first or never", name);
  }

 protected:
  const std::string& path_;
};

/// Reads the rules that normalize a text.
class Normalizers : public CheckedJson {
 public:
  Normalizers(const std::string& path, PieceTokenizer::Stages& stages) : CheckedJson(path), stages_(stages) {}

  void add(const Json& rule, const std::string& what) {
    const std::string type = text(rule, "type", what);
    const auto push = [&](Normalize normalize) { stages_.normalize.push_back(std::move(normalize)); };
    for (const auto& [name, form] : {std::pair("NFC", NormalForm::kNfc), std::pair("NFD", NormalForm::kNfd),
                                     std::pair("NFKC", NormalForm::kNfkc), std::pair("NFKD", NormalForm::kNfkd)})
      if (type == name) return push([form = form](const std::string& t) { return in_normal_form(t, form); });
    if (type == "Lowercase") {
      push(text_in_lower_case);
    } else if (type == "StripAccents") {
      push([](const std::string& t) {
        return with_each_character(t, [](char32_t c) { return is_mark(c) ? std::string() : utf8(c); });
      });
    } else if (type == "Strip") {
      const bool left = flag(rule, "strip_left", true, what), right = flag(rule, "strip_right", true, what);
      push([left, right](const std::string& t) {
        const std::string_view rest = left ? without_spaces_before(t) : std::string_view(t);
        return std::string(right ? without_spaces_behind(rest) : rest);
      });
    } else if (type == "Prepend") {
      push([before = text(rule, "prepend", what)](const std::string& t) { return t.empty() ? t : before + t; });
    } else if (type == "Replace") {
      push([finder = finder(rule, what), content = text(rule, "content", what)](const std::string& t) {
        return with_replaced(finder, t, content);
      });
    } else if (type == "Precompiled") {
      add_table(rule, what);
    } else if (type == "BertNormalizer") {
      add_bert(rule, what);
    } else {
      fail_kind(
          what,
          "NFC, NFD, NFKC, NFKD, Lowercase, StripAccents, Strip, Prepend, Replace, Precompiled, BertNormalizer or "
          "a Sequence of them",
          type);
    }
  }

 private:
  /// SentencePiece's table of replaced characters.
  void add_table(const Json& rule, const std::string& what) {
    const auto bytes = from_base64(text_or(rule, "precompiled_charsmap", "", what));
    if (!bytes) fail_bad_file(path_, "{}, `precompiled_charsmap`: expected a text in base64, found another", what);
    const auto table = std::make_shared<const Replacements>(*bytes, path_);
    stages_.normalize.push_back([table](const std::string& t) {
      std::string result;
      for (std::string_view rest = t; !rest.empty();) {
        const auto [size, content] = table->find(rest);
        const std::size_t taken = size > 0 ? size : 1;
        result += size > 0 ? content : rest.substr(0, 1);
        rest.remove_prefix(taken);
      }
      return result;
    });
  }

  void add_bert(const Json& rule, const std::string& what) {
    const bool cleans = flag(rule, "clean_text", true, what), divides = flag(rule, "handle_chinese_chars", true, what);
    const bool is_lower = flag(rule, "lowercase", true, what), strips = flag(rule, "strip_accents", is_lower, what);
    stages_.normalize.push_back([=](std::string t) {
      if (cleans) t = without_controls(t);
      if (divides) {
        t = with_each_character(t, [](char32_t c) { return is_ideograph(c) ? " " + utf8(c) + " " : utf8(c); });
      }
      if (strips) {
        t = with_each_character(in_normal_form(t, NormalForm::kNfd),
                                [](char32_t c) { return category_of(c) == kMn ? std::string() : utf8(c); });
      }
      return is_lower ? text_in_lower_case(t) : t;
    });
  }

  PieceTokenizer::Stages& stages_;
};

/// Reads the rules that divide a text into pieces.
class Dividers : public CheckedJson {
 public:
  Dividers(const std::string& path, PieceTokenizer::Stages& stages) : CheckedJson(path), stages_(stages) {}

  void add(const Json& rule, const std::string& what) {
    const std::string type = text(rule, "type", what);
    const std::string punctuation = R"([\p{P}$+<=>^`|~])";
    const auto push = [&](Divide divide) { stages_.divide.push_back(std::move(divide)); };
    const auto add_at = [&](const std::string& regular, Division division, bool is_inverted = false) {
      push(division_at(expression(regular, what), division, is_inverted));
    };
    if (type == "ByteLevel") {
      add_byte_level(rule, what);
    } else if (type == "Split") {
      push(division_at(finder(rule, what), division(text(rule, "behavior", what), what),
                       flag(rule, "invert", false, what)));
    } else if (type == "Digits") {
      const bool is_each = flag(rule, "individual_digits", false, what);
      add_at("\\p{N}", is_each ? Division::kIsolated : Division::kContiguous);
    } else if (type == "Metaspace") {
      add_spaces_signed(rule, what);
    } else if (type == "Whitespace") {
      add_at("\\w+|[^\\w\\s]+", Division::kRemoved, true);
    } else if (type == "WhitespaceSplit") {
      add_at("\\s", Division::kRemoved);
    } else if (type == "Punctuation") {
      add_at(punctuation, division(text_or(rule, "behavior", "Isolated", what), what));
    } else if (type == "BertPreTokenizer") {
      add_at("\\s", Division::kRemoved);
      add_at(punctuation, Division::kIsolated);
    } else if (type == "CharDelimiterSplit") {
      const std::string delimiter = utf8(character(rule, "delimiter", " ", what));
      push(division_at(finder_of(delimiter), Division::kRemoved, false));
    } else {
      fail_kind(what,
                "ByteLevel, Split, Digits, Metaspace, Whitespace, WhitespaceSplit, Punctuation, BertPreTokenizer, "
                "CharDelimiterSplit or a Sequence of them",
                type);
    }
  }

  /// True if pieces are written as the characters of their bytes.
  bool is_byte_level() const { return is_byte_level_; }

 private:
  Division division(const std::string& behavior, const std::string& what) const {
    if (behavior == "Isolated") return Division::kIsolated;
    if (behavior == "Removed") return Division::kRemoved;
    if (behavior == "MergedWithPrevious") return Division::kMergedWithPrevious;
    if (behavior == "MergedWithNext") return Division::kMergedWithNext;
    if (behavior == "Contiguous") return Division::kContiguous;
    fail_kind(what + ", `behavior`", "Isolated, Removed, MergedWithPrevious, MergedWithNext or Contiguous", behavior);
  }

  /// Writes the bytes of pieces as characters.
  void add_byte_level(const Json& rule, const std::string& what) {
    is_byte_level_ = true;
    if (flag(rule, "add_prefix_space", true, what)) {
      stages_.divide.push_back([](Piece piece, const PieceTokenizer::Visit& visit) {
        const bool has_space = piece.text.starts_with(' ');
        visit({has_space ? std::move(piece.text) : " " + piece.text, piece.begins_text});
      });
    }
    if (flag(rule, "use_regex", true, what)) {
      stages_.divide.push_back(division_at(expression(pattern_named("gpt2"), what), Division::kIsolated, false));
    }
    stages_.divide.push_back([](const Piece& piece, const PieceTokenizer::Visit& visit) {
      std::string written;
      for (const char byte : piece.text) written += utf8(character_of_byte(static_cast<unsigned char>(byte)));
      visit({std::move(written), piece.begins_text});
    });
  }

  /// Writes spaces as a sign, and divides before the signs.
  void add_spaces_signed(const Json& rule, const std::string& what) {
    const std::string sign = utf8(character(rule, "replacement", kMetaspace, what));
    const Scheme scheme = this->scheme(rule, what);
    const bool divides = flag(rule, "split", true, what);
    stages_.divide.push_back([=](Piece piece, const PieceTokenizer::Visit& visit) {
      piece.text = with_replaced(finder_of(" "), piece.text, sign);
      const bool is_due = scheme == Scheme::kAlways || (scheme == Scheme::kFirst && piece.begins_text);
      if (is_due && !piece.text.starts_with(sign)) piece.text = sign + piece.text;
      if (divides) divide_at(finder_of(sign), Division::kMergedWithNext, false, piece, visit);
      else visit(std::move(piece));
    });
  }

  PieceTokenizer::Stages& stages_;
  bool is_byte_level_ = false;
};

/// Reads the model, which encodes a piece.
class ModelReader : public CheckedJson {
 public:
  ModelReader(const std::string& path, PieceTokenizer::Stages& stages) : CheckedJson(path), stages_(stages) {}

  /// `is_byte_level`: pieces are written as the characters of their bytes.
  void read(const Json& model, bool is_byte_level) {
    is_byte_level_ = is_byte_level;
    const bool has_list = model.contains("vocab") && model["vocab"].is_array();
    const std::string otherwise = model.contains("merges")                     ? "BPE"
                                  : has_list                                   ? "Unigram"
                                  : model.contains("max_input_chars_per_word") ? "WordPiece"
                                                                               : "WordLevel";
    const std::string type = text_or(model, "type", otherwise, "`model`");
    if (type == "BPE") read_merge_model(model);
    else if (type == "Unigram") read_unigram(model);
    else if (type == "WordPiece") read_word_piece(model);
    else if (type == "WordLevel") read_word_level(model);
    else fail_kind("`model.type`", "BPE, Unigram, WordPiece or WordLevel", type);
  }

 private:
  template <typename Model>
  void use(Model model) {
    const auto kept = std::make_shared<const Model>(std::move(model));
    stages_.encode = [kept](std::string_view piece, PieceTokenizer::Ids& ids) { kept->encode(piece, ids); };
  }

  /// Names a text without a token: by its bytes, if they are written as characters.
  NameOfPart name_of_part() const {
    return [is_byte_level = is_byte_level_](std::string_view text) {
      const std::vector<char32_t> first = first_character(text);
      const int byte = !is_byte_level || first.empty() ? -1 : byte_of_character(first[0]);
      return byte < 0 ? fmt::format("`{}`", printable(std::string(text))) : fmt::format("the byte {:02x}", byte);
    };
  }

  TokenIds read_ids(const Json& model) {
    TokenIds ids;
    for (const auto& [token, value] : object(part(model, "vocab", "`model`"), "`model.vocab`").items()) {
      const std::int32_t id = number(value, fmt::format("`model.vocab`, `{}`", printable(token)));
      const auto [place, is_new] = stages_.texts.emplace(id, token);
      if (!is_new) {
        fail_bad_file(path_, "`model.vocab`: `{}` and `{}` have one id, {}", printable(place->second), printable(token),
                      id);
      }
      ids.emplace(token, id);
    }
    return ids;
  }

  std::int32_t id_of(const TokenIds& ids, const std::string& token, std::string_view what) const {
    const auto found = ids.find(token);
    if (found == ids.end())
      fail_bad_file(path_, "{}: expected tokens of `model.vocab`, found `{}`", what, printable(token));
    return found->second;
  }

  void read_merge_model(const Json& model) {
    const auto dropout = model.find("dropout");
    if (dropout != model.end() && !dropout->is_null() && *dropout != 0.0) {
      fail_bad_file(path_, "expected no `dropout` in `model`, as a text has the same tokens each time, found {}",
                    excerpt_of(*dropout));
    }
    MergeModel merge_model{.ids = read_ids(model),
                           .fuses_unknown = flag(model, "fuse_unk", false, "`model`"),
                           .has_bytes = flag(model, "byte_fallback", false, "`model`"),
                           .prefers_whole = flag(model, "ignore_merges", false, "`model`"),
                           .before_inner = text_or(model, "continuing_subword_prefix", "", "`model`"),
                           .behind_last = text_or(model, "end_of_word_suffix", "", "`model`"),
                           .name = name_of_part()};
    const std::string unknown = text_or(model, "unk_token", "", "`model`");
    if (!unknown.empty()) merge_model.unknown = id_of(merge_model.ids, unknown, "`model.unk_token`");
    const Json& merges = part(model, "merges", "`model`");
    if (!merges.is_array()) fail_bad_file(path_, "`model.merges`: expected a list, found {}", excerpt_of(merges));
    for (std::size_t rank = 0; rank < merges.size(); ++rank) read_merge(merges[rank], rank, merge_model);
    use(std::move(merge_model));
  }

  void read_merge(const Json& merge, std::size_t rank, MergeModel& model) const {
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
    std::string_view inner = parts[1];
    if (inner.starts_with(model.before_inner)) inner.remove_prefix(model.before_inner.size());
    const std::int32_t joined = id_of(model.ids, parts[0] + std::string(inner), what);
    const std::uint64_t key = MergeModel::pair_key(id_of(model.ids, parts[0], what), id_of(model.ids, parts[1], what));
    model.joins.emplace(key, Join{static_cast<std::int32_t>(rank), joined});
  }

  void read_unigram(const Json& model) {
    UnigramModel unigram{.least = std::numeric_limits<double>::max(),
                         .has_bytes = flag(model, "byte_fallback", false, "`model`"),
                         .name = name_of_part()};
    const Json& pieces = list(model, "vocab", "`model`");
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const std::string what = fmt::format("`model.vocab`, {}", i);
      const Json& piece = pieces[i];
      if (!piece.is_array() || piece.size() != 2 || !piece[1].is_number())
        fail_bad_file(path_, "{}: expected a text and its score, found {}", what, excerpt_of(piece));
      const std::string token = string(piece[0], what);
      const double score = piece[1].get<double>();
      if (!std::isfinite(score)) fail_bad_file(path_, "{}: expected a finite score, found {}", what, score);
      const auto id = static_cast<std::int32_t>(i);
      if (!unigram.ids.emplace(token, id).second) fail_bad_file(path_, "{}: `{}` stands twice", what, printable(token));
      stages_.texts.emplace(id, token);
      unigram.scores.push_back(score);
      unigram.longest = std::max(unigram.longest, token.size());
      unigram.least = std::min(unigram.least, score);
    }
    const auto unknown = model.find("unk_id");
    if (unknown != model.end() && !unknown->is_null()) {
      unigram.unknown = number(*unknown, "`model.unk_id`");
      if (static_cast<std::size_t>(*unigram.unknown) >= pieces.size())
        fail_bad_file(path_, "`model.unk_id`: expected an id of {} tokens, found {}", pieces.size(), *unigram.unknown);
    }
    use(std::move(unigram));
  }

  void read_word_piece(const Json& model) {
    WordPieceModel words{.ids = read_ids(model),
                         .before_inner = text_or(model, "continuing_subword_prefix", "##", "`model`"),
                         .most_characters = count(model, "max_input_chars_per_word", 100, "`model`")};
    words.unknown = id_of(words.ids, text_or(model, "unk_token", "[UNK]", "`model`"), "`model.unk_token`");
    use(std::move(words));
  }

  void read_word_level(const Json& model) {
    const auto ids = std::make_shared<const TokenIds>(read_ids(model));
    const auto unknown = ids->find(text_or(model, "unk_token", "<unk>", "`model`"));
    const std::optional<std::int32_t> otherwise = unknown == ids->end() ? std::nullopt : std::optional(unknown->second);
    stages_.encode = [ids, otherwise, name = name_of_part()](std::string_view piece, PieceTokenizer::Ids& out) {
      const auto found = ids->find(std::string(piece));
      if (found == ids->end() && !otherwise) throw CannotEncode(name(piece) + " has no token");
      out.push_back(found == ids->end() ? *otherwise : found->second);
    };
  }

  PieceTokenizer::Stages& stages_;
  bool is_byte_level_ = false;
};

/// Reads the rules that decode tokens.
class Decoders : public CheckedJson {
 public:
  Decoders(const std::string& path, PieceTokenizer::Stages& stages) : CheckedJson(path), stages_(stages) {}

  void add(const Json& rule, const std::string& what) {
    const std::string type = text(rule, "type", what);
    const auto push = [&](Decode decode) { stages_.decode.push_back(std::move(decode)); };
    if (type == "ByteLevel") {
      add_bytes_read();
    } else if (type == "Metaspace") {
      const std::string sign = utf8(character(rule, "replacement", kMetaspace, what));
      const bool drops_first = scheme(rule, what) != Scheme::kNever;
      push([sign, drops_first](std::vector<std::string>& texts) {
        for (std::size_t i = 0; i < texts.size(); ++i)
          texts[i] = with_replaced(finder_of(sign), texts[i], i == 0 && drops_first ? "" : " ");
      });
    } else if (type == "Replace") {
      push([finder = finder(rule, what), content = text(rule, "content", what)](std::vector<std::string>& texts) {
        for (std::string& each : texts) each = with_replaced(finder, each, content);
      });
    } else if (type == "ByteFallback") {
      push(with_bytes_of_tokens);
    } else if (type == "Fuse") {
      push([](std::vector<std::string>& texts) {
        std::string all;
        for (const std::string& each : texts) all += each;
        texts.assign(1, all);
      });
    } else if (type == "Strip") {
      const std::string content = utf8(character(rule, "content", " ", what));
      const std::size_t start = count(rule, "start", 0, what), stop = count(rule, "stop", 0, what);
      push([content, start, stop](std::vector<std::string>& texts) {
        for (std::string& each : texts) {
          for (std::size_t i = 0; i < start && each.starts_with(content); ++i) each.erase(0, content.size());
          for (std::size_t i = 0; i < stop && each.ends_with(content); ++i) each.resize(each.size() - content.size());
        }
      });
    } else if (type == "WordPiece") {
      const std::string before = text_or(rule, "prefix", "##", what);
      const bool cleans = flag(rule, "cleanup", true, what);
      push([before, cleans](std::vector<std::string>& texts) {
        for (std::size_t i = 0; i < texts.size(); ++i) {
          if (i > 0) texts[i] = texts[i].starts_with(before) ? texts[i].substr(before.size()) : " " + texts[i];
          if (cleans) texts[i] = without_spaces_before_signs(texts[i]);
        }
      });
    } else if (type == "BPEDecoder") {
      const std::string behind = text_or(rule, "suffix", "</w>", what);
      push([behind](std::vector<std::string>& texts) {
        for (std::size_t i = 0; i < texts.size(); ++i)
          texts[i] = with_replaced(finder_of(behind), texts[i], i + 1 == texts.size() ? "" : " ");
      });
    } else {
      fail_kind(what,
                "ByteLevel, Metaspace, Replace, ByteFallback, Fuse, Strip, WordPiece, BPEDecoder or a Sequence of them",
                type);
    }
  }

 private:
  /// Reads characters as the bytes that they stand for. An added token is read as it is.
  void add_bytes_read() {
    std::vector<std::string> added;
    for (const WholeToken& token : stages_.whole) added.push_back(token.text);
    std::sort(added.begin(), added.end());
    stages_.decode.push_back([added](std::vector<std::string>& texts) {
      for (std::string& each : texts) {
        if (std::binary_search(added.begin(), added.end(), each)) continue;
        std::string bytes;
        bool is_whole = true;
        for (const char32_t c : CharactersOf(each).values) {
          const int byte = byte_of_character(c);
          is_whole = is_whole && byte >= 0;
          bytes += static_cast<char>(byte);
        }
        if (is_whole) each = bytes;
      }
    });
  }

  /// Makes characters of tokens for bytes that stand side by side.
  static void with_bytes_of_tokens(std::vector<std::string>& texts) {
    std::vector<std::string> result;
    std::string bytes;
    const auto flush = [&] {
      const bool is_valid = !first_invalid_utf8(bytes);
      if (is_valid && !bytes.empty()) result.push_back(bytes);
      for (std::size_t i = 0; !is_valid && i < bytes.size(); ++i) result.push_back(utf8(0xfffd));
      bytes.clear();
    };
    for (const std::string& text : texts) {
      int byte = -1;
      if (text.size() == 6 && text.starts_with("<0x"))
        for (int b = 0; b < 256 && byte < 0; ++b)
          if (text == text_of_byte(static_cast<unsigned char>(b))) byte = b;
      if (byte >= 0) {
        bytes += static_cast<char>(byte);
        continue;
      }
      flush();
      result.push_back(text);
    }
    flush();
    texts = std::move(result);
  }

  static std::string without_spaces_before_signs(std::string text) {
    for (const char* sign : {".", "?", "!", ",", "n't", "'m", "'s", "'ve", "'re"})
      text = with_replaced(finder_of(std::string(" ") + sign), text, sign);
    return text;
  }

  PieceTokenizer::Stages& stages_;
};

/// A tokenizer.json.
class HuggingFaceFile : CheckedJson {
 public:
  HuggingFaceFile(const std::string& text, const std::string& path)
      : CheckedJson(path), json_(parse_object(text, path, "expected a tokenizer as JSON: the file")) {
    stages_.saved = text;
  }

  TokenizerPtr tokenizer() {
    Normalizers normalizers(path_, stages_);
    each_of(json_, "normalizer", "normalizers",
            [&](const Json& rule, const std::string& what) { normalizers.add(rule, what); });
    Dividers dividers(path_, stages_);
    each_of(json_, "pre_tokenizer", "pretokenizers",
            [&](const Json& rule, const std::string& what) { dividers.add(rule, what); });
    ModelReader(path_, stages_).read(object(part(json_, "model", "the file"), "`model`"), dividers.is_byte_level());
    read_added();
    if (stages_.texts.empty()) fail_bad_file(path_, "`model.vocab` has no token");
    Decoders decoders(path_, stages_);
    each_of(json_, "decoder", "decoders", [&](const Json& rule, const std::string& what) { decoders.add(rule, what); });
    if (stages_.decode.empty()) {
      // Without a decoder there are spaces between the tokens.
      stages_.decode.push_back([](std::vector<std::string>& texts) {
        for (std::size_t i = 1; i < texts.size(); ++i) texts[i] = " " + texts[i];
      });
    }
    return std::make_shared<PieceTokenizer>(std::move(stages_));
  }

 private:
  /// Reads the tokens that stand for themselves.
  void read_added() {
    const auto list = json_.find("added_tokens");
    if (list == json_.end() || list->is_null()) return;
    if (!list->is_array()) fail_bad_file(path_, "`added_tokens`: expected a list, found {}", excerpt_of(*list));
    for (std::size_t i = 0; i < list->size(); ++i) {
      const std::string what = fmt::format("`added_tokens`, {}", i);
      const Json& token = object((*list)[i], what);
      const bool is_special = flag(token, "special", false, what);
      WholeToken whole{.text = text(token, "content", what),
                       .id = number(part(token, "id", what), what + ", `id`"),
                       .is_special = is_special,
                       .takes_spaces_before = flag(token, "lstrip", false, what),
                       .takes_spaces_behind = flag(token, "rstrip", false, what),
                       .is_single_word = flag(token, "single_word", false, what),
                       .is_normalized = flag(token, "normalized", !is_special, what)};
      if (whole.text.empty()) fail_bad_file(path_, "{}, `content`: expected a text, found none", what);
      for (const WholeToken& other : stages_.whole)
        if (other.text == whole.text) fail_bad_file(path_, "{}: `{}` stands twice", what, printable(whole.text));
      stages_.whole.push_back(std::move(whole));
    }
  }

  const Json json_;
  PieceTokenizer::Stages stages_;
};

}  // namespace

TokenizerPtr hugging_face_tokenizer(const std::string& text, const std::string& path) {
  return HuggingFaceFile(text, path).tokenizer();
}

}  // namespace mtf::io
