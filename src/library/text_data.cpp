// Texts and tokenizers of files: data.text, data.bpe, data.words, data.tokens, data.token_file, data.lines.
#include <algorithm>
#include <cstring>

#include "io/file.h"
#include "io/io_error.h"
#include "io/text.h"
#include "io/write_file.h"
#include "library/files.h"
#include "library/functions.h"
#include "library/token_text.h"
#include "plan/runtime.h"
#include "support/text.h"

namespace mtf {
namespace {

/// The path that an argument gives; nothing if only the run knows.
std::optional<std::string> path_of(const GivenArgument& argument) {
  return argument.value.is_unknown() ? std::nullopt : std::optional(string_of(argument));
}

/// A tokenizer as a value.
class TokenizerObject : public Object, public std::enable_shared_from_this<TokenizerObject> {
 public:
  TokenizerObject(TokenizerPtr tokenizer, int64_t vocab) : tokenizer(std::move(tokenizer)), vocab_(vocab) {}
  std::string_view kind() const override { return "a tokenizer"; }
  std::string print() const override {
    return vocab_ < 0 ? "a tokenizer" : fmt::format("a tokenizer of {} ids", vocab_);
  }
  std::vector<std::string> attributes() const override { return {"vocab", "encode", "decode", "save"}; }
  std::optional<HostValue> attribute(Name name) override {
    auto self = shared_from_this();
    if (name.text() == "vocab") return vocab_ < 0 ? unknown(UnknownKind::kInt) : HostValue(vocab_);
    if (name.text() == "encode")
      return host_function(name,
                           [self](Caller&, Arguments& arguments) { return mtf::encode(self->tokenizer, arguments); });
    if (name.text() == "decode")
      return host_function(name, [self](Caller& caller, Arguments& arguments) {
        return mtf::decode(caller, self->tokenizer, arguments);
      });
    if (name.text() == "save")
      return host_function(name,
                           [self](Caller& caller, Arguments& arguments) { return self->save(caller, arguments); });
    return std::nullopt;
  }

  const TokenizerPtr tokenizer;  ///< null where a check does not know it

 private:
  HostValue save(Caller& caller, Arguments& arguments) const {
    auto given = match_arguments(arguments, {"path"}, "save(path)");
    const auto path = path_of(*given[0]);
    if (!caller.is_abstract())
      on_rank_0(caller, arguments.span, [&] { write_file_atomically(*path, tokenizer->save()); });
    return None{};
  }

  int64_t vocab_;
};

ObjectPtr tokenizer_object(TokenizerPtr tokenizer) {
  const int64_t vocab = tokenizer->vocab();
  return std::make_shared<TokenizerObject>(std::move(tokenizer), vocab);
}

std::string whole_file(const std::string& path, std::uint64_t most_memory) {
  InputFile file(path);
  const std::uint64_t size = file.content_size(most_memory);
  if (size > most_memory) fail_too_large(path, size, most_memory);
  std::string text(size, '\0');
  file.read(std::as_writable_bytes(std::span(text)), "the text");
  return text;
}

/// What rank 0 makes of a file, on every rank; nothing if a check does not find the file.
std::optional<std::string> shared_text(Caller& caller, Span span, const std::function<std::string()>& make) {
  std::string text;
  if (!on_rank_0(caller, span, [&] { text = make(); })) return std::nullopt;
  if (caller.is_abstract()) return text;
  std::vector<std::byte> bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  broadcast_bytes(caller, bytes, span);
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

/// data.text(path). Its vocabulary fixes shapes, so a check reads it too.
HostValue text(Caller& caller, Arguments& arguments) {
  auto given = match_arguments(arguments, {"path"}, "text(path)");
  const auto path = path_of(*given[0]);
  if (!path) return unknown(UnknownKind::kAny);
  CharacterText characters;
  const bool found = on_rank_0(caller, arguments.span, [&] {
    characters = caller.is_abstract() ? CharacterText::read(*path, false)
                                      : CharacterText::read(*path, true, memory_for_data(caller));
  });
  auto tokens = std::make_shared<Tokens>();
  if (!found) return token_text(std::move(tokens), 0, -1);
  if (!caller.is_abstract()) {
    const std::vector<char32_t>& own = characters.vocabulary;
    const std::string told = caller.runtime().broadcast(
        std::string(reinterpret_cast<const char*>(own.data()), own.size() * sizeof(char32_t)), arguments.span);
    characters.vocabulary.resize(told.size() / sizeof(char32_t));
    std::memcpy(characters.vocabulary.data(), told.data(), told.size());
    broadcast_bytes(caller, characters.ids, arguments.span);
    characters.count = static_cast<int64_t>(characters.ids.size()) / characters.id_bytes();
  }
  tokens->set_tokenizer(character_tokenizer(std::move(characters.vocabulary)));
  tokens->count = characters.count;
  tokens->ids = std::move(characters.ids);
  const int64_t count = tokens->count;
  return token_text(std::move(tokens), 0, count);
}

/// A tokenizer that is learned from a file: bpe(path, size, special), words(path, size, special).
template <TokenizerPtr (*learn)(std::string_view, std::int64_t, std::vector<std::string>), int64_t kFixed>
HostValue learned(Caller& caller, Arguments& arguments) {
  auto given = match_arguments(arguments, {"path", "size", "special"}, "learn(path, size, special)");
  const auto path = path_of(*given[0]);
  const auto size = caller.convert.to_int(given[1]->value, given[1]->span, "a number of ids");
  auto* list = given[2]->value.as<ListPtr>();
  if (!path || !size || !list) return unknown(UnknownKind::kAny);
  std::vector<std::string> special;
  for (const HostValue& item : (*list)->items) {
    auto* name = item.as<Text>();
    if (!name)
      fail(Kind::type_mismatch, given[2]->span, "expected names of special ids as strings, found {}", describe(item));
    if (std::find(special.begin(), special.end(), **name) != special.end())
      fail(Kind::bad_value, given[2]->span, "the special id `{}` stands twice", **name);
    special.push_back(**name);
  }
  const int64_t least = kFixed + static_cast<int64_t>(special.size());
  if (*size < least || *size > (1 << 24))
    fail(Kind::bad_value, given[1]->span, "expected from {} to {} ids, found {}", least, 1 << 24, *size);
  if (caller.is_check()) return ObjectPtr(std::make_shared<TokenizerObject>(nullptr, *size));
  const auto saved = shared_text(caller, arguments.span, [&] {
    return learn(whole_file(*path, memory_for_data(caller)), *size, special)->save();
  });
  if (!saved) return ObjectPtr(std::make_shared<TokenizerObject>(nullptr, *size));
  return tokenizer_object(load_tokenizer(*saved, *path));
}

/// tokenizer(path): what tokenizer.save(path) wrote. Its size fixes shapes, so a check reads it too.
HostValue tokenizer(Caller& caller, Arguments& arguments) {
  auto given = match_arguments(arguments, {"path"}, "tokenizer(path)");
  const auto path = path_of(*given[0]);
  if (!path) return unknown(UnknownKind::kAny);
  constexpr std::uint64_t kMost = std::uint64_t{1} << 30;
  const auto saved = shared_text(caller, arguments.span, [&] {
    const std::string text = whole_file(*path, kMost);
    load_tokenizer(text, *path);
    return text;
  });
  if (!saved) return unknown(UnknownKind::kAny);
  return tokenizer_object(load_tokenizer(*saved, *path));
}

const TokenizerPtr* tokenizer_of(const GivenArgument& argument) {
  if (argument.value.is_unknown()) return nullptr;
  auto* object = argument.value.as<ObjectPtr>();
  auto* found = object ? dynamic_cast<const TokenizerObject*>(object->get()) : nullptr;
  if (!found) fail(Kind::type_mismatch, argument.span, "expected a tokenizer, found {}", describe(argument.value));
  return &found->tokenizer;
}

/// tokens(path, tokenizer): a file's text as the tokenizer's ids.
HostValue tokens(Caller& caller, Arguments& arguments) {
  auto given = match_arguments(arguments, {"path", "tokenizer"}, "tokens(path, tokenizer)");
  const auto path = path_of(*given[0]);
  const TokenizerPtr* by = tokenizer_of(*given[1]);
  auto result = std::make_shared<Tokens>();
  if (by) result->set_tokenizer(*by);
  if (!path || !by || !*by || caller.is_check()) return token_text(std::move(result), 0, -1);
  const bool found = on_rank_0(caller, arguments.span,
                               [&] { result->set((*by)->encode(whole_file(*path, memory_for_data(caller)))); });
  if (!found) return token_text(std::move(result), 0, -1);
  if (!caller.is_abstract()) broadcast_bytes(caller, result->ids, arguments.span);
  result->count = static_cast<int64_t>(result->ids.size()) / id_bytes(result->vocab);
  const int64_t count = result->count;
  return token_text(std::move(result), 0, count);
}

/// token_file(path, vocab, bits): tokens that stay in the file. Their number fixes no shape, but a check reads it where it
/// can.
HostValue token_file(Caller& caller, Arguments& arguments) {
  auto given = match_arguments(arguments, {"path", "vocab", "bits"}, "token_file(path, vocab, bits: int)");
  const auto path = path_of(*given[0]);
  auto result = std::make_shared<Tokens>();
  const bool is_number = number_of(given[1]->value).has_value();
  if (is_number) result->vocab = caller.convert.to_int(given[1]->value, given[1]->span, "a number of ids").value_or(-1);
  else if (const TokenizerPtr* by = tokenizer_of(*given[1])) result->set_tokenizer(*by);
  if (is_number && (result->vocab < 1 || result->vocab > int64_t{1} << 31))
    fail(Kind::bad_value, given[1]->span, "expected from 1 to 2^31 ids, found {}", result->vocab);
  const bool is_told = !given[2]->value.is<None>();
  const auto bits = is_told ? caller.convert.to_int(given[2]->value, given[2]->span, "`bits`") : std::nullopt;
  if (bits && *bits != 16 && *bits != 32)
    fail(Kind::bad_value, given[2]->span, "expected numbers of 16 or 32 bits, found {}", *bits);
  if (!path || result->vocab < 0 || (is_told && !bits)) return token_text(std::move(result), 0, -1);
  const StoredType type = !bits ? token_type(result->vocab) : *bits == 16 ? StoredType::kU16 : StoredType::kU32;
  const auto open = [&] { result->file = std::make_shared<TokenFile>(*path, result->vocab, type); };
  if (!caller.is_abstract()) on_every_rank(caller, arguments.span, open);
  else if (!on_rank_0(caller, arguments.span, open)) return token_text(std::move(result), 0, -1);
  const int64_t count = result->count = result->file->count();
  return token_text(std::move(result), 0, count);
}

/// lines(path): a list of the lines of a file, without their ends.
HostValue lines_of_file(Caller& caller, Arguments& arguments) {
  auto given = match_arguments(arguments, {"path"}, "lines(path)");
  const auto path = path_of(*given[0]);
  if (!path || caller.is_check()) return unknown(UnknownKind::kAny);
  const auto all = shared_text(caller, arguments.span, [&] {
    std::string content = whole_file(*path, memory_for_data(caller));
    if (const auto place = first_invalid_utf8(content))
      fail_bad_file(*path, "expected UTF-8 text, found another byte at {}", *place);
    return content;
  });
  return all ? list_of_lines(*all, arguments.span) : unknown(UnknownKind::kAny);
}

}  // namespace

std::vector<HostFunction> text_functions() {
  return {
      {"text", "text(path)", "", text},
      {"bpe", "bpe(path, size, special)", "", learned<learn_byte_pairs, 256>},
      {"words", "words(path, size, special)", "", learned<learn_words, 2>},
      {"tokenizer", "tokenizer(path)", "", tokenizer},
      {"tokens", "tokens(path, tokenizer)", "", tokens},
      {"token_file", "token_file(path, vocab, bits: int)", "", token_file},
      {"lines", "lines(path)", "", lines_of_file},
  };
}

}  // namespace mtf
