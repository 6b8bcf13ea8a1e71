#include "io/sentence_piece.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <queue>
#include <unordered_map>
#include <utility>
#include <vector>

#include "io/io_error.h"
#include "io/likeliest_pieces.h"
#include "io/replacements.h"
#include "io/unicode.h"
#include "support/text.h"

namespace mtf::io {
namespace {

// ---- fields of protocol buffers -------------------------------------------------------------------------------------

/// One field of a message: a number, or bytes.
struct ProtoField {
  std::uint32_t number = 0;
  std::uint64_t value = 0;  ///< of numbers; of f32 its bits
  std::string_view bytes = {};
  enum class Wire { kNumber, kFixed32, kFixed64, kBytes } wire = Wire::kNumber;
};

/// Reads a message field by field. Throws IoError, which names `what` and the byte.
class ProtoReader {
 public:
  ProtoReader(std::string_view message, const std::string& path, std::string what)
      : message_(message), path_(path), what_(std::move(what)) {}

  std::optional<ProtoField> next() {
    if (at_ == message_.size()) return std::nullopt;
    const std::uint64_t key = number();
    ProtoField field{.number = static_cast<std::uint32_t>(key >> 3)};
    switch (key & 7U) {
      case 0: field.value = number(); break;
      case 1:
        field.wire = ProtoField::Wire::kFixed64;
        field.value = fixed(8);
        break;
      case 2:
        field.wire = ProtoField::Wire::kBytes;
        field.bytes = take(number());
        break;
      case 5:
        field.wire = ProtoField::Wire::kFixed32;
        field.value = fixed(4);
        break;
      default: fail("a number, bytes or a float", fmt::format("a field of the kind {}", key & 7U));
    }
    if (field.number == 0) fail("fields from 1 on", "field 0");
    return field;
  }

  [[noreturn]] void fail(std::string_view expected, std::string_view found) const {
    fail_bad_file(path_, "expected a model of SentencePiece: {}: expected {}, found {} before its byte {}", what_,
                  expected, found, at_);
  }

  void expect(const ProtoField& field, ProtoField::Wire wire, std::string_view name) const {
    if (field.wire != wire) fail(fmt::format("the {}", name), "a field of another kind");
  }

 private:
  std::uint64_t number() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (at_ == message_.size()) fail("a number", "the end");
      const auto byte = static_cast<unsigned char>(message_[at_++]);
      value |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
      if (byte < 0x80) return value;
    }
    fail("a number", "one of more than ten bytes");
  }
  std::uint64_t fixed(std::size_t size) {
    std::uint64_t value = 0;
    const std::string_view bytes = take(size);
    for (std::size_t i = 0; i < size; ++i)
      value |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[i])) << 8 * i;
    return value;
  }
  std::string_view take(std::uint64_t size) {
    if (size > message_.size() - at_) fail(fmt::format("{} bytes", size), fmt::format("{}", message_.size() - at_));
    const std::string_view bytes = message_.substr(at_, size);
    at_ += size;
    return bytes;
  }

  std::string_view message_;
  const std::string& path_;
  const std::string what_;
  std::size_t at_ = 0;
};

// ---- the model ------------------------------------------------------------------------------------------------------

constexpr std::string_view kSpaceSign = "\xe2\x96\x81", kReplacement = "\xef\xbf\xbd";

enum class ScoredKind { kNormal = 1, kUnknown = 2, kControl = 3, kUserDefined = 4, kUnused = 5, kByte = 6 };

struct ScoredPiece {
  std::string text;
  float score = 0;
  ScoredKind kind = ScoredKind::kNormal;
};

struct SentenceModel {
  std::vector<ScoredPiece> pieces;
  bool is_unigram = true;
  bool has_bytes = false;
  std::string unknown_text = " \xe2\x81\x87 ";
  std::string replacements = {};  ///< the trie of what is replaced, and the texts that replace it
  bool begins_with_space = true;
  bool drops_spaces = true;  ///< those that are repeated, or stand at an end
  bool escapes_spaces = true;
};

bool is_in_texts(ScoredKind kind) {
  return kind == ScoredKind::kNormal || kind == ScoredKind::kUserDefined || kind == ScoredKind::kUnused;
}

std::string text_of_byte(int byte) { return fmt::format("<0x{:02X}>", byte); }

class SentencePieces : public Tokenizer {
 public:
  SentencePieces(SentenceModel model, std::string saved, const std::string& path)
      : model_(std::move(model)), saved_(std::move(saved)), replacements_(model_.replacements, path) {
    bytes_.fill(-1);
    float least = std::numeric_limits<float>::max();
    most_score_ = std::numeric_limits<float>::lowest();
    for (std::size_t i = 0; i < model_.pieces.size(); ++i) {
      const ScoredPiece& piece = model_.pieces[i];
      const auto id = static_cast<std::int32_t>(i);
      if (piece.kind == ScoredKind::kUnknown) {
        if (unknown_ >= 0) fail_bad_file(path, "expected one unknown piece, found pieces {} and {}", unknown_, i);
        unknown_ = id;
      }
      if (piece.kind == ScoredKind::kByte) {
        const auto byte = byte_of(piece.text);
        if (!byte) fail_bad_file(path, "piece {}: expected a byte as <0x41>, found `{}`", i, printable(piece.text));
        bytes_[*byte] = id;
      }
      if (!is_in_texts(piece.kind)) continue;
      if (!ids_.emplace(piece.text, id).second)
        fail_bad_file(path, "piece {}: `{}` stands twice", i, printable(piece.text));
      longest_ = std::max(longest_, piece.text.size());
      if (piece.kind == ScoredKind::kUserDefined) longest_defined_ = std::max(longest_defined_, piece.text.size());
      if (piece.kind != ScoredKind::kNormal) continue;
      least = std::min(least, piece.score);
      most_score_ = std::max(most_score_, piece.score);
    }
    if (unknown_ < 0) fail_bad_file(path, "expected an unknown piece, found none among {}", model_.pieces.size());
    if (model_.has_bytes) {
      for (int byte = 0; byte < 256; ++byte)
        if (bytes_[static_cast<std::size_t>(byte)] < 0)
          fail_bad_file(path, "expected a piece for each byte, found none for {}", text_of_byte(byte));
    }
    unknown_score_ = least - 10.0F;  // as SentencePiece has it
  }

  std::int64_t vocab() const override { return static_cast<std::int64_t>(model_.pieces.size()); }
  std::string save() const override { return saved_; }

  std::vector<std::int32_t> encode(std::string_view text) const override {
    const std::string normal = normalized(text);
    std::vector<std::int32_t> ids;
    bool was_unknown = false;
    const auto take = [&](std::string_view piece, std::int32_t id) {
      const bool is_unknown = id == unknown_;
      if (is_unknown && model_.has_bytes) {
        for (const char c : piece) ids.push_back(bytes_[static_cast<unsigned char>(c)]);
      } else if (!is_unknown || !was_unknown) {  // unknown characters side by side are one token
        ids.push_back(id);
      }
      was_unknown = is_unknown;
    };
    if (model_.is_unigram) likeliest(normal, take);
    else joined(normal, take);
    return ids;
  }

  std::string decode(std::span<const std::int32_t> ids) const override {
    std::string text, bytes;
    bool begins = true;
    const auto flush = [&] {
      const CharactersOf characters(bytes);
      for (std::size_t i = 0; i < characters.values.size(); ++i) {
        if (characters.values[i] == CharactersOf::kNoCharacter) text += kReplacement;
        else text += bytes.substr(characters.begins[i], characters.begins[i + 1] - characters.begins[i]);
      }
      bytes.clear();
    };
    for (const std::int32_t id : ids) {
      const ScoredPiece& piece = model_.pieces[static_cast<std::size_t>(id)];
      if (piece.kind == ScoredKind::kByte) {
        bytes += static_cast<char>(*byte_of(piece.text));
        begins = false;
        continue;
      }
      flush();
      if (piece.kind == ScoredKind::kControl) continue;
      if (piece.kind == ScoredKind::kUnknown) {
        text += model_.unknown_text;
        begins = false;
        continue;
      }
      std::string_view rest = piece.text;
      if (begins && (model_.begins_with_space || model_.drops_spaces) && rest.starts_with(kSpaceSign))
        rest.remove_prefix(kSpaceSign.size());
      begins = false;
      while (!rest.empty()) {
        const bool is_space = rest.starts_with(kSpaceSign);
        if (is_space) text += ' ';
        else text += rest[0];
        rest.remove_prefix(is_space ? kSpaceSign.size() : 1);
      }
    }
    flush();
    return text;
  }

 private:
  static std::optional<std::size_t> byte_of(std::string_view text) {
    for (int byte = 0; byte < 256; ++byte)
      if (text == text_of_byte(byte)) return static_cast<std::size_t>(byte);
    return std::nullopt;
  }

  /// The piece at the beginning of a text that is taken as it is, the longest; none: empty.
  std::string_view defined_at(std::string_view text) const {
    for (std::size_t size = std::min(longest_defined_, text.size()); size > 0; --size) {
      const auto found = ids_.find(std::string(text.substr(0, size)));
      if (found != ids_.end() &&
          model_.pieces[static_cast<std::size_t>(found->second)].kind == ScoredKind::kUserDefined)
        return text.substr(0, size);
    }
    return {};
  }

  std::string normalized(std::string_view text) const {
    const std::string_view space = model_.escapes_spaces ? kSpaceSign : std::string_view(" ");
    std::string result;
    bool was_space = model_.drops_spaces;
    const auto put = [&](std::string_view part) {
      while (was_space && part.starts_with(' ')) part.remove_prefix(1);
      if (part.empty()) return;
      if (result.empty() && model_.begins_with_space) result += space;
      for (const char c : part) {
        if (c == ' ') result += space;
        else result += c;
      }
      was_space = model_.drops_spaces && part.ends_with(' ');
    };
    while (!text.empty()) {
      if (const std::string_view defined = defined_at(text); !defined.empty()) {
        put(defined);
        text.remove_prefix(defined.size());
        continue;
      }
      const auto [count, replaced] = replacements_.find(text);
      if (count > 0) {
        put(replaced);
        text.remove_prefix(count);
        continue;
      }
      const CharactersOf first(text.substr(0, 4));
      const std::size_t size = first.begins[1];
      put(first.values[0] == CharactersOf::kNoCharacter ? kReplacement : text.substr(0, size));
      text.remove_prefix(size);
    }
    while (model_.drops_spaces && result.size() > (model_.begins_with_space ? space.size() : 0) &&
           result.ends_with(space))
      result.resize(result.size() - space.size());
    return result;
  }

  float score_of(std::int32_t id) const {
    const ScoredPiece& piece = model_.pieces[static_cast<std::size_t>(id)];
    if (piece.kind != ScoredKind::kUserDefined) return piece.score;
    return static_cast<float>(static_cast<double>(static_cast<float>(piece.text.size()) * most_score_) - 0.1);
  }

  template <typename Take>
  void likeliest(const std::string& text, const Take& take) const {
    const auto find = [&](std::string_view piece) -> std::optional<IdWithScore<float>> {
      const auto found = ids_.find(std::string(piece));
      if (found == ids_.end() || model_.pieces[static_cast<std::size_t>(found->second)].kind == ScoredKind::kUnused)
        return std::nullopt;
      return IdWithScore<float>{found->second, score_of(found->second)};
    };
    divide_likeliest<float>(text, longest_, {unknown_, unknown_score_}, find, take);
  }

  /// Joins the pair of neighbours whose piece has the largest score, until none has a piece.
  template <typename Take>
  void joined(const std::string& text, const Take& take) const {
    struct Symbol {
      std::size_t begin, end;
      std::size_t before, behind;
      bool is_defined;
    };
    struct Offer {
      float score;
      std::size_t left, right, size;
      bool operator<(const Offer& other) const {
        return score != other.score ? score < other.score : left > other.left;
      }
    };
    constexpr std::size_t kNone = SIZE_MAX;
    std::vector<Symbol> symbols;
    const CharactersOf characters(text);
    for (std::size_t at = 0, i = 0; at < text.size();) {
      const std::string_view defined = defined_at(std::string_view(text).substr(at));
      while (characters.begins[i] <= at) ++i;
      const std::size_t end = defined.empty() ? characters.begins[i] : at + defined.size();
      symbols.push_back({at, end, symbols.empty() ? kNone : symbols.size() - 1, symbols.size() + 1, !defined.empty()});
      at = end;
    }
    if (!symbols.empty()) symbols.back().behind = kNone;
    std::priority_queue<Offer> offers;
    std::unordered_map<std::string, std::size_t> halves;  // where unused pieces are divided again
    const auto offer = [&](std::size_t left, std::size_t right) {
      if (left == kNone || right == kNone || symbols[left].is_defined || symbols[right].is_defined) return;
      const std::string both = text.substr(symbols[left].begin, symbols[right].end - symbols[left].begin);
      const auto found = ids_.find(both);
      if (found == ids_.end()) return;
      const ScoredPiece& piece = model_.pieces[static_cast<std::size_t>(found->second)];
      offers.push({piece.score, left, right, both.size()});
      if (piece.kind == ScoredKind::kUnused) halves[both] = symbols[left].end - symbols[left].begin;
    };
    for (std::size_t i = 0; i + 1 < symbols.size(); ++i) offer(i, i + 1);
    while (!offers.empty()) {
      const Offer best = offers.top();
      offers.pop();
      Symbol &left = symbols[best.left], &right = symbols[best.right];
      const bool is_current = left.begin < left.end && right.begin < right.end && left.behind == best.right &&
                              right.end - left.begin == best.size;
      if (!is_current) continue;
      left.end = right.end;
      left.behind = right.behind;
      right.begin = right.end;
      if (left.behind != kNone) symbols[left.behind].before = best.left;
      offer(left.before, best.left);
      offer(best.left, left.behind);
    }
    const auto give = [&](const auto& self, std::string_view piece) -> void {
      const auto found = ids_.find(std::string(piece));
      const std::int32_t id = found == ids_.end() ? unknown_ : found->second;
      const auto half = halves.find(std::string(piece));
      if (id == unknown_ || model_.pieces[static_cast<std::size_t>(id)].kind != ScoredKind::kUnused ||
          half == halves.end())
        return take(piece, id);
      self(self, piece.substr(0, half->second));
      self(self, piece.substr(half->second));
    };
    for (const Symbol& symbol : symbols)
      if (symbol.begin < symbol.end) give(give, std::string_view(text).substr(symbol.begin, symbol.end - symbol.begin));
  }

  const SentenceModel model_;
  const std::string saved_;
  const Replacements replacements_;
  std::unordered_map<std::string, std::int32_t> ids_;  ///< of the pieces that stand in texts
  std::array<std::int32_t, 256> bytes_;
  std::size_t longest_ = 0, longest_defined_ = 0;
  std::int32_t unknown_ = -1;
  float most_score_ = 0, unknown_score_ = 0;
};

// ---- the file -------------------------------------------------------------------------------------------------------

ScoredPiece scored_piece(std::string_view message, const std::string& path, std::size_t number) {
  using Wire = ProtoField::Wire;
  ProtoReader reader(message, path, fmt::format("piece {}", number));
  ScoredPiece piece;
  while (const auto field = reader.next()) {
    if (field->number == 1) {
      reader.expect(*field, Wire::kBytes, "text of a piece");
      piece.text = field->bytes;
    } else if (field->number == 2) {
      reader.expect(*field, Wire::kFixed32, "score of a piece");
      piece.score = std::bit_cast<float>(static_cast<std::uint32_t>(field->value));
    } else if (field->number == 3) {
      reader.expect(*field, Wire::kNumber, "kind of a piece");
      if (field->value < 1 || field->value > 6) reader.fail("a kind from 1 to 6", fmt::format("{}", field->value));
      piece.kind = static_cast<ScoredKind>(field->value);
    }
  }
  if (piece.text.empty()) reader.fail("a text", "none");
  if (!(std::abs(piece.score) <= std::numeric_limits<float>::max()))
    reader.fail("a finite score", fmt::format("{}", piece.score));
  return piece;
}

void read_training(std::string_view message, const std::string& path, SentenceModel& model) {
  ProtoReader reader(message, path, "how it was trained");
  while (const auto field = reader.next()) {
    if (field->number == 3) {
      if (field->value != 1 && field->value != 2)
        reader.fail("a model of the kind 1 (unigram) or 2 (BPE)", fmt::format("{}", field->value));
      model.is_unigram = field->value == 1;
    } else if (field->number == 24 && field->value != 0) {
      reader.fail("spaces before words", "spaces behind them");
    } else if (field->number == 35) {
      model.has_bytes = field->value != 0;
    } else if (field->number == 44) {
      reader.expect(*field, ProtoField::Wire::kBytes, "text of unknown pieces");
      model.unknown_text = field->bytes;
    }
  }
}

void read_normalizing(std::string_view message, const std::string& path, SentenceModel& model) {
  ProtoReader reader(message, path, "how texts are normalized");
  while (const auto field = reader.next()) {
    if (field->number == 2) {
      reader.expect(*field, ProtoField::Wire::kBytes, "table of replaced characters");
      model.replacements = field->bytes;
    } else if (field->number == 3) {
      model.begins_with_space = field->value != 0;
    } else if (field->number == 4) {
      model.drops_spaces = field->value != 0;
    } else if (field->number == 5) {
      model.escapes_spaces = field->value != 0;
    }
  }
}

}  // namespace

TokenizerPtr sentence_piece_tokenizer(const std::string& bytes, const std::string& path) {
  SentenceModel model;
  ProtoReader reader(bytes, path, "the file");
  while (const auto field = reader.next()) {
    if (field->number > 3) continue;
    reader.expect(*field, ProtoField::Wire::kBytes, "parts of a model");
    if (field->number == 1) model.pieces.push_back(scored_piece(field->bytes, path, model.pieces.size()));
    else if (field->number == 2) read_training(field->bytes, path, model);
    else read_normalizing(field->bytes, path, model);
  }
  return std::make_shared<SentencePieces>(std::move(model), bytes, path);
}

}  // namespace mtf::io
