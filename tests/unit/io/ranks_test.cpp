// Tokenizers of tiktoken, in files that the tests make.
#include "data_file_test.h"
#include "io/tokenizer.h"

namespace mtf::io {
namespace {

using TokenIds = std::vector<std::int32_t>;

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

}  // namespace
}  // namespace mtf::io
