// Tokenizers of Hugging Face and of tiktoken, in files that the tests make.
#include "io/byte_level.h"

#include <nlohmann/json.hpp>

#include "data_file_test.h"
#include "io/text.h"

namespace mtf::io {
namespace {

using TokenIds = std::vector<std::int32_t>;
using OrderedFile = nlohmann::ordered_json;

std::string base64(const std::string& bytes) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < 3; ++k)
      bits = bits << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k) text += i + k > bytes.size() ? '=' : digits[bits >> (18 - 6 * k) & 63U];
  }
  return text;
}

/// The bytes are 0 to 255, and these follow.
const std::vector<std::string> kJoinedTokens{"he",   "ll", "hell",   "hello", " w", "or",
                                             " wor", "ld", " world", "12",    "123"};

std::string ranks_file(const std::vector<std::string>& joined = kJoinedTokens) {
  std::string text;
  for (int i = 0; i < 256; ++i) text += base64(std::string(1, static_cast<char>(i))) + " " + std::to_string(i) + "\n";
  for (std::size_t i = 0; i < joined.size(); ++i) text += base64(joined[i]) + " " + std::to_string(256 + i) + "\n";
  return text;
}

TEST(Ranks, PairsWithTheLowestRankAreJoinedFirst) {
  const TokenizerPtr tokenizer = load_tokenizer(ranks_file(), "file", {.special = {{"<|end|>", -1}, {"<|pad|>", 300}}});
  EXPECT_EQ(tokenizer->vocab(), 301);
  // hello: he+ll is hell (258), which joins with o to 259. ` world` is a token, and needs no joining.
  EXPECT_EQ(tokenizer->encode("hello world"), (TokenIds{259, 264}));
  EXPECT_EQ(tokenizer->encode("hellhe"), (TokenIds{258, 256}));
  // Numbers are divided after three digits, so 3 and 4 are never neighbours.
  EXPECT_EQ(tokenizer->encode("1234"), (TokenIds{266, '4'}));
  EXPECT_EQ(tokenizer->encode("he<|end|>he<|pad|>"), (TokenIds{256, 267, 256, 300}));
  EXPECT_EQ(tokenizer->decode(TokenIds{259, 267, 264, 299, 300}), "hello world");
}

TEST(Ranks, EveryTextComesBack) {
  for (const char* pattern : {"gpt2", "cl100k", "o200k", R"(\S+|\s)"}) {
    const TokenizerPtr tokenizer = load_tokenizer(ranks_file(), "file", {.pattern = pattern});
    for (const std::string text :
         {"hello  world\n\n \t x", "", "It'S 12345 ½ żółw! \xe6\x97\xa5 ", "\xff\xc3 bytes\x80"})
      EXPECT_EQ(tokenizer->decode(tokenizer->encode(text)), text) << pattern;
    const TokenizerPtr loaded = load_tokenizer(tokenizer->save(), "file");
    EXPECT_EQ(loaded->encode("hello 12345's"), tokenizer->encode("hello 12345's"));
    EXPECT_EQ(loaded->save(), tokenizer->save());
  }
}

TEST(Ranks, PatternsDivideAsTheyWereMadeTo) {
  const auto pieces = [](const char* pattern, const std::string& text) {
    // Each letter is a token, and so is the text from the second on, if no piece ends there.
    const TokenizerPtr tokenizer =
        load_tokenizer(ranks_file({"LL", "'L", "12", "34", "  ", "bC", "aB"}), "file", {.pattern = pattern});
    return tokenizer->encode(text);
  };
  EXPECT_EQ(pieces("gpt2", "'LL"), (TokenIds{'\'', 256}));  // `'ll` alone is an ending
  EXPECT_EQ(pieces("cl100k", "I'LL"), (TokenIds{'I', '\'', 256}));
  EXPECT_EQ(pieces("gpt2", "01234"), (TokenIds{'0', 258, 259}));
  EXPECT_EQ(pieces("cl100k", "01234"), (TokenIds{'0', 258, 259}));
  EXPECT_EQ(pieces("cl100k", "0012 34"), (TokenIds{'0', '0', '1', '2', ' ', 259}));
  EXPECT_EQ(pieces("gpt2", "0012"), (TokenIds{'0', '0', 258}));
  EXPECT_EQ(pieces("cl100k", "abC"), (TokenIds{'a', 261}));
  EXPECT_EQ(pieces("o200k", "abC"), (TokenIds{'a', 'b', 'C'}));  // a capital begins a word
  EXPECT_EQ(pieces("gpt2", "   x"), (TokenIds{260, ' ', 'x'}));
}

TEST(Ranks, ALongRunTakesLittleTime) {
  const std::string run(1 << 18, 'a');
  EXPECT_EQ(load_tokenizer(ranks_file({"aa", "aaaa"}), "file")->encode(run).size(), (1u << 18) / 4);
}

TEST(Ranks, ThatAreDamagedAreRefusedWithTheirLine) {
  const auto wrong = [](const std::string& text) { return message_of([&] { load_tokenizer(text, "file"); }); };
  EXPECT_EQ(wrong(ranks_file() + "aGU 299\n"), "line 268: its token is that of line 257 already");
  EXPECT_EQ(wrong(ranks_file() + "eHh4 258\n"), "line 268: the rank 258 is that of line 259 already");
  EXPECT_EQ(wrong(ranks_file() + "eHh4\n"), "line 268: expected a token in base64, a space and its rank, found `eHh4`");
  EXPECT_EQ(wrong(ranks_file() + "e!h4 299\n"),
            "line 268: expected a token in base64, a space and its rank, found `e!h4 299`");
  EXPECT_EQ(wrong(ranks_file() + "eHh4 -2\n"),
            "line 268: expected a token in base64, a space and its rank, found `eHh4 -2`");
  EXPECT_EQ(wrong(base64("a") + " 97\n"), "expected a rank for each byte, found none for the byte 00");
  EXPECT_MENTIONS(message_of([&] { load_tokenizer(ranks_file(), "file", {.pattern = "("}); }),
                  "`pattern`: expected a regular expression");
}

/// The character that GPT-2 writes for a byte.
std::string written_byte(int byte) {
  int others = 0;
  for (int b = 0; b <= byte; ++b) {
    const bool is_printable = (b >= 33 && b <= 126) || (b >= 161 && b <= 172) || b >= 174;
    if (b == byte) return utf8(is_printable ? static_cast<char32_t>(b) : static_cast<char32_t>(256 + others));
    others += is_printable ? 0 : 1;
  }
  return "";
}

OrderedFile tokenizer_json() {
  OrderedFile vocabulary = OrderedFile::object();
  for (int i = 0; i < 256; ++i) vocabulary[written_byte(i)] = i;
  // Ġ is a space.
  for (const char* token : {"he", "ll", "hell", "hello", "Ġw", "or", "Ġwor", "ld", "Ġworld", "xyz"})
    vocabulary[token] = vocabulary.size();
  return {{"version", "1.0"},
          {"added_tokens",
           {{{"id", 266},
             {"content", "<|end|>"},
             {"special", true},
             {"lstrip", false},
             {"rstrip", false},
             {"single_word", false}},
            {{"id", 267},
             {"content", "<sep>"},
             {"special", false},
             {"lstrip", true},
             {"rstrip", false},
             {"single_word", false}}}},
          {"normalizer", nullptr},
          {"pre_tokenizer", {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"trim_offsets", true}}},
          {"post_processor", nullptr},
          {"decoder", {{"type", "ByteLevel"}}},
          {"model",
           {{"type", "BPE"},
            {"dropout", nullptr},
            {"unk_token", nullptr},
            {"continuing_subword_prefix", ""},
            {"end_of_word_suffix", ""},
            {"fuse_unk", false},
            {"vocab", vocabulary},
            {"merges", {"h e", "l l", "he ll", "hell o", "Ġ w", "o r", "Ġw or", "l d", "Ġwor ld"}}}}};
}

TEST(HuggingFace, MergesAreMadeInTheirOrder) {
  const TokenizerPtr tokenizer = load_tokenizer(tokenizer_json().dump(), "file");
  EXPECT_EQ(tokenizer->vocab(), 268);
  EXPECT_EQ(tokenizer->encode("hello world"), (TokenIds{259, 264}));
  // `xyz` is a token that no merge makes.
  EXPECT_EQ(tokenizer->encode("xyz"), (TokenIds{'x', 'y', 'z'}));
  EXPECT_EQ(tokenizer->encode("he<|end|>  <sep>ll"), (TokenIds{256, 266, 267, 257}));
  EXPECT_EQ(tokenizer->decode(TokenIds{259, 266, 267, 264}), "hello<sep> world");
  for (const std::string text : {"hello  world\n\n \t x", "", "It'S 12345 ½ żółw! \xe6\x97\xa5 ", "\xff\xc3 bytes\x80"})
    EXPECT_EQ(tokenizer->decode(tokenizer->encode(text)), text);
  const TokenizerPtr loaded = load_tokenizer(tokenizer->save(), "file");
  EXPECT_EQ(loaded->encode("hello<|end|>"), tokenizer->encode("hello<|end|>"));
}

TEST(HuggingFace, Llama3HasAPatternAndTakesTokensAsTheyAre) {
  OrderedFile file = tokenizer_json();
  file["model"]["ignore_merges"] = true;
  for (auto& merge : file["model"]["merges"]) {
    const std::string both = merge;
    merge = {both.substr(0, both.find(' ')), both.substr(both.find(' ') + 1)};
  }
  file["pre_tokenizer"] = {{"type", "Sequence"},
                           {"pretokenizers",
                            {{{"type", "Split"},
                              {"pattern", {{"Regex", "\\p{L}+|\\p{N}{1,3}| "}}},
                              {"behavior", "Isolated"},
                              {"invert", false}},
                             {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", false}}}}};
  const TokenizerPtr tokenizer = load_tokenizer(file.dump(), "file");
  EXPECT_EQ(tokenizer->encode("xyz"), (TokenIds{265}));
  // The pattern gives the space alone, so that ` world` is no piece.
  EXPECT_EQ(tokenizer->encode("hello world"), (TokenIds{259, ' ', 'w', 261, 263}));
  file["pre_tokenizer"]["pretokenizers"][0]["behavior"] = "Removed";
  EXPECT_MENTIONS(message_of([&] { load_tokenizer(file.dump(), "file"); }),
                  "expected Isolated, or Removed of what is inverted, found Removed");
  file["pre_tokenizer"]["pretokenizers"][0]["invert"] = true;
  EXPECT_EQ(load_tokenizer(file.dump(), "file")->encode("he!"), (TokenIds{256}));
}

TEST(HuggingFace, ASpaceBeforeATextIsAdded) {
  OrderedFile file = tokenizer_json();
  file["pre_tokenizer"]["add_prefix_space"] = true;
  const TokenizerPtr tokenizer = load_tokenizer(file.dump(), "file");
  EXPECT_EQ(tokenizer->encode("world"), (TokenIds{264}));
  EXPECT_EQ(tokenizer->encode(" world"), (TokenIds{264}));
  file["pre_tokenizer"] = {
      {"type", "Sequence"},
      {"pretokenizers", {{{"type", "Digits"}, {"individual_digits", true}}, file["pre_tokenizer"]}}};
  EXPECT_EQ(load_tokenizer(file.dump(), "file")->encode(" 12"), (TokenIds{' ', ' ', '1', ' ', '2'}));
}

TEST(HuggingFace, ThatIsDamagedIsRefused) {
  const auto wrong = [](const std::string& pointer, const OrderedFile& value) {
    OrderedFile file = tokenizer_json();
    file[OrderedFile::json_pointer(pointer)] = value;
    return message_of([&] { load_tokenizer(file.dump(), "file"); });
  };
  EXPECT_MENTIONS(wrong("/model/type", "Unigram"), "`model.type`: expected \"BPE\", found \"Unigram\"");
  EXPECT_MENTIONS(wrong("/model/byte_fallback", true), "expected no `byte_fallback` in `model`");
  EXPECT_MENTIONS(wrong("/normalizer", {{"type", "NFC"}}), "expected no `normalizer` in the file");
  EXPECT_EQ(wrong("/model/merges/2", "he x"), "`model.merges`, 2: expected tokens of `model.vocab`, found `hex`");
  EXPECT_EQ(wrong("/model/merges/2", "hell"),
            "`model.merges`, 2: expected two tokens with a space between them, found \"hell\"");
  EXPECT_EQ(wrong("/model/merges/2", 7), "`model.merges`, 2: expected two tokens, found 7");
  EXPECT_EQ(wrong("/model/vocab/he", 97), "`model.vocab`: `a` and `he` have one id, 97");
  EXPECT_MENTIONS(wrong("/model/vocab/he", -1), "`model.vocab`, `he`: expected an id from 0 to");
  EXPECT_MENTIONS(wrong("/model/vocab/he", 1e9), "`model.vocab`, `he`: expected an id from 0 to");
  EXPECT_EQ(wrong("/model/vocab", "a"), "`model.vocab`: expected an object, found \"a\"");
  EXPECT_MENTIONS(wrong("/pre_tokenizer/type", "Metaspace"),
                  "`pre_tokenizer`: expected ByteLevel, Split, Digits or a Sequence of them, found Metaspace");
  EXPECT_EQ(wrong("/added_tokens/1/content", "<|end|>"), "`added_tokens`, 1: `<|end|>` stands twice");
  EXPECT_EQ(wrong("/added_tokens/1/content", ""), "`added_tokens`, 1, `content`: expected a text, found none");
  EXPECT_EQ(
      wrong("/pre_tokenizer", {{"type", "Split"}, {"pattern", {{"Regex", "(a"}}}, {"behavior", "Isolated"}}),
      "`pre_tokenizer`, `pattern`: expected a regular expression, found no `)` behind a group at its character 3");
  OrderedFile file = tokenizer_json();
  file["model"].erase("vocab");
  EXPECT_EQ(message_of([&] { load_tokenizer(file.dump(), "file"); }), "expected `vocab` in `model`, found none");
  const std::string whole = tokenizer_json().dump();
  EXPECT_MENTIONS(message_of([&] { load_tokenizer(whole.substr(0, 700), "file"); }), "expected a tokenizer as JSON");
}

}  // namespace
}  // namespace mtf::io
