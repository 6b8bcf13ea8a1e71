// Texts and tokenizers of files: data.text, data.bpe, data.words, data.tokens, data.token_file, data.lines.
#include <algorithm>
#include <cstring>

#include "io/file.h"
#include "io/io_error.h"
#include "io/pattern.h"
#include "io/ranks.h"
#include "io/text.h"
#include "io/write_file.h"
#include "library/files.h"
#include "library/functions.h"
#include "library/token_text.h"
#include "plan/runtime.h"
#include "support/text.h"

namespace mtf::library {
namespace {

/// A tokenizer as a value.
class TokenizerObject : public eval::Object, public std::enable_shared_from_this<TokenizerObject> {
 public:
  TokenizerObject(io::TokenizerPtr tokenizer, int64_t vocab) : tokenizer(std::move(tokenizer)), vocab_(vocab) {}
  std::string_view kind() const override { return "a tokenizer"; }
  std::string print() const override {
    return vocab_ < 0 ? "a tokenizer" : fmt::format("a tokenizer of {} ids", vocab_);
  }
  std::vector<std::string> attributes() const override { return {"vocab", "encode", "decode", "save"}; }
  std::optional<eval::HostValue> attribute(Name name) override {
    auto self = shared_from_this();
    if (name.text() == "vocab") return vocab_ < 0 ? unknown(eval::UnknownKind::kInt) : eval::HostValue(vocab_);
    if (name.text() == "encode") return encode_by(tokenizer);
    if (name.text() == "decode") return decode_by(tokenizer);
    static const syntax::Signature kSave = "save(path: string)";
    if (name.text() == "save")
      return eval::host_function(
          kSave, "", eval::Effects::kWrites,
          [self](eval::Caller& caller, const eval::Bound& call) { return self->save(caller, call); }, true);
    return std::nullopt;
  }

  const io::TokenizerPtr tokenizer;  ///< null if a check does not know it

 private:
  eval::HostValue save(eval::Caller& caller, const eval::Bound& call) const {
    expect_to_write(caller, call, io::FileKind::kTokenizer);
    if (!caller.is_abstract())
      on_rank_0(caller, call.span(), [&] { io::write_file_atomically(call.text(0), tokenizer->save()); });
    return eval::None{};
  }

  int64_t vocab_;
};

eval::ObjectPtr tokenizer_object(io::TokenizerPtr tokenizer) {
  const int64_t vocab = tokenizer->vocab();
  return std::make_shared<TokenizerObject>(std::move(tokenizer), vocab);
}

/// data.text(path). Its vocabulary fixes shapes, so a check reads it too.
eval::HostValue text(eval::Caller& caller, const eval::Bound& call) {
  const std::string& path = call.text(0);
  io::CharacterText characters;
  const bool found = !may_be_written(caller, path) && on_rank_0(caller, call.span(), [&] {
    characters = caller.is_abstract() ? io::CharacterText::read(path, false)
                                      : io::CharacterText::read(path, true, memory_for_data(caller));
  });
  auto tokens = std::make_shared<Tokens>();
  if (!found) return token_text(std::move(tokens), 0, -1);
  if (!caller.is_abstract()) {
    const std::vector<char32_t>& own = characters.vocabulary;
    const std::string told = caller.runtime().broadcast(
        std::string(reinterpret_cast<const char*>(own.data()), own.size() * sizeof(char32_t)), call.span());
    characters.vocabulary.resize(told.size() / sizeof(char32_t));
    std::memcpy(characters.vocabulary.data(), told.data(), told.size());
    broadcast_bytes(caller, characters.ids, call.span());
    characters.count = static_cast<int64_t>(characters.ids.size()) / characters.id_bytes();
  }
  tokens->set_tokenizer(io::character_tokenizer(std::move(characters.vocabulary)));
  tokens->count = characters.count;
  tokens->ids = std::move(characters.ids);
  const int64_t count = tokens->count;
  return token_text(std::move(tokens), 0, count);
}

/// A tokenizer learned from a file: bpe(path, size, special), words(path, size, special).
template <io::TokenizerPtr (*learn)(std::string_view, std::int64_t, std::vector<std::string>), int64_t kFixed>
eval::HostValue learned(eval::Caller& caller, const eval::Bound& call) {
  const std::string& path = call.text(0);
  const int64_t size = *call.integer(1);
  std::vector<std::string> special;
  for (const eval::HostValue& item : call.list(2)) {
    auto* name = item.as<eval::Text>();
    if (!name)
      fail(Kind::type_mismatch, call.span(2), "expected names of special ids as strings, found {}", describe(item));
    if (std::find(special.begin(), special.end(), **name) != special.end())
      fail(Kind::bad_value, call.span(2), "the special id `{}` stands twice", **name);
    special.push_back(**name);
  }
  const int64_t least = kFixed + static_cast<int64_t>(special.size());
  if (size < least || size > (1 << 24))
    fail(Kind::bad_value, call.span(1), "expected from {} to {} ids, found {}", least, 1 << 24, size);
  if (caller.is_check()) return eval::ObjectPtr(std::make_shared<TokenizerObject>(nullptr, size));
  const auto saved = shared_text(caller, path, call.span(), [&] {
    return learn(whole_file(path, memory_for_data(caller)), size, special)->save();
  });
  if (!saved) return eval::ObjectPtr(std::make_shared<TokenizerObject>(nullptr, size));
  return tokenizer_object(io::load_tokenizer(*saved, path));
}

/// The special tokens of a file of ranks: texts, or pairs of a text and an id.
io::RanksOptions ranks_options(eval::Caller& caller, const eval::Bound& call) {
  io::RanksOptions options;
  if (call.has(1)) options.pattern = call.text(1);
  if (!call.has(2)) return options;
  for (const eval::HostValue& item : call.list(2)) {
    const auto* pair = item.as<eval::ListPtr>();
    const bool is_pair = pair && (*pair)->items.size() == 2;
    const auto* text = is_pair ? (*pair)->items[0].as<eval::Text>() : item.as<eval::Text>();
    if (!text || (*text)->empty())
      fail(Kind::type_mismatch, call.span(2), "expected texts, or pairs of a text and an id, found {}", describe(item));
    int64_t id = -1;
    if (is_pair) {
      id = caller.convert.to_int((*pair)->items[1], call.span(2), "an id").value_or(-1);
      if (id < 0 || id >= io::kMostTokenIds)
        fail(Kind::bad_value, call.span(2), "expected an id from 0 to {}, found {}", io::kMostTokenIds - 1, id);
    }
    for (const auto& [other, other_id] : options.special)
      if (other == **text) fail(Kind::bad_value, call.span(2), "the special id `{}` stands twice", **text);
    options.special.emplace_back(**text, static_cast<std::int32_t>(id));
  }
  return options;
}

/// tokenizer(path, pattern, special): a tokenizer of a file. Its size fixes shapes, so a check reads it too.
eval::HostValue tokenizer(eval::Caller& caller, const eval::Bound& call) {
  const std::string& path = call.text(0);
  constexpr std::uint64_t kMost = std::uint64_t{1} << 30;
  const io::RanksOptions options = ranks_options(caller, call);
  if (call.has(1)) {
    try {
      io::Pattern(io::pattern_named(options.pattern));
    } catch (const io::BadPattern& error) { fail(Kind::bad_value, call.span(1), "{}", error.what()); }
  }
  const auto load = [&](const std::string& text) { return io::load_tokenizer(text, path, options); };
  const auto saved = shared_text(caller, path, call.span(), [&] {
    const std::string text = whole_file(path, kMost);
    load(text);
    return text;
  });
  if (!saved) return unknown(eval::UnknownKind::kAny);
  return tokenizer_object(load(*saved));
}

const io::TokenizerPtr* tokenizer_of(const eval::GivenArgument& argument) {
  if (argument.value.is_unknown()) return nullptr;
  auto* object = argument.value.as<eval::ObjectPtr>();
  auto* found = object ? dynamic_cast<const TokenizerObject*>(object->get()) : nullptr;
  if (!found) fail(Kind::type_mismatch, argument.span, "expected a tokenizer, found {}", describe(argument.value));
  return &found->tokenizer;
}

/// tokens(path, tokenizer): a file's text as the tokenizer's ids.
eval::HostValue tokens(eval::Caller& caller, const eval::Bound& call) {
  const io::TokenizerPtr* by = tokenizer_of(call[1]);
  auto result = std::make_shared<Tokens>();
  if (by) result->set_tokenizer(*by);
  if (call.value(0).is_unknown() || !by || !*by || caller.is_check()) return token_text(std::move(result), 0, -1);
  const bool found = on_rank_0(caller, call.span(), [&] {
    try {
      result->set((*by)->encode(whole_file(call.text(0), memory_for_data(caller))));
    } catch (const io::CannotEncode& error) { io::fail_bad_file(call.text(0), "{}", error.what()); }
  });
  if (!found) return token_text(std::move(result), 0, -1);
  if (!caller.is_abstract()) broadcast_bytes(caller, result->ids, call.span());
  result->count = static_cast<int64_t>(result->ids.size()) / io::id_bytes(result->vocab);
  const int64_t count = result->count;
  return token_text(std::move(result), 0, count);
}

/// token_file(path, vocab, bits): tokens that stay in the file. Their number fixes no shape, but a check reads it if it
/// can.
eval::HostValue token_file(eval::Caller& caller, const eval::Bound& call) {
  auto result = std::make_shared<Tokens>();
  const bool is_number = number_of(call.value(1)).has_value();
  if (is_number) result->vocab = caller.convert.to_int(call.value(1), call.span(1), "a number of ids").value_or(-1);
  else if (const io::TokenizerPtr* by = tokenizer_of(call[1])) result->set_tokenizer(*by);
  if (is_number && (result->vocab < 1 || result->vocab > int64_t{1} << 31))
    fail(Kind::bad_value, call.span(1), "expected from 1 to 2^31 ids, found {}", result->vocab);
  const auto bits = call.integer(2);
  if (bits && *bits != 16 && *bits != 32)
    fail(Kind::bad_value, call.span(2), "expected numbers of 16 or 32 bits, found {}", *bits);
  if (call.value(0).is_unknown() || result->vocab < 0 || (call.has(2) && !bits))
    return token_text(std::move(result), 0, -1);
  const io::StoredType type = !bits         ? token_type(result->vocab)
                              : *bits == 16 ? io::StoredType::kU16
                                            : io::StoredType::kU32;
  const auto open = [&] { result->file = std::make_shared<io::TokenFile>(call.text(0), result->vocab, type); };
  if (!caller.is_abstract()) on_every_rank(caller, call.span(), open);
  else if (may_be_written(caller, call.text(0)) || !on_rank_0(caller, call.span(), open))
    return token_text(std::move(result), 0, -1);
  const int64_t count = result->count = result->file->count();
  return token_text(std::move(result), 0, count);
}

/// lines(path): a list of the lines of a file, without their line ends.
eval::HostValue lines_of_file(eval::Caller& caller, const eval::Bound& call) {
  const std::string& path = call.text(0);
  if (caller.is_check()) return unknown(eval::UnknownKind::kAny);
  const auto all = shared_content(caller, path, call.span(), [&](const std::string& content) {
    if (const auto place = first_invalid_utf8(content))
      io::fail_bad_file(path, "expected UTF-8 text, found another byte at {}", *place);
  });
  return all ? list_of_lines(*all, call.span()) : unknown(eval::UnknownKind::kAny);
}

}  // namespace

std::vector<eval::HostFunction> text_functions() {
  return {
      {"text(path: string) -> value", "", eval::Effects::kReads, text},
      {"bpe(path: string, size: int, special: list) -> value", "", eval::Effects::kReads,
       learned<io::learn_byte_pairs, 256>},
      {"words(path: string, size: int, special: list) -> value", "", eval::Effects::kReads,
       learned<io::learn_words, 2>},
      {"tokenizer(path: string, pattern: string = none, special: list = none) -> value", "", eval::Effects::kReads,
       tokenizer},
      {"tokens(path: string, tokenizer) -> value", "", eval::Effects::kReads, tokens, true},
      {"token_file(path: string, vocab, bits: int = none) -> value", "", eval::Effects::kReads, token_file, true},
      {"lines(path: string) -> list", "", eval::Effects::kReads, lines_of_file},
  };
}

}  // namespace mtf::library
