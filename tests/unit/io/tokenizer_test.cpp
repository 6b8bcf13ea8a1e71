#include "io/tokenizer.h"

#include <fstream>
#include <iterator>
#include <random>

#include "../../places.h"
#include "data_file_test.h"

namespace mtf::io {
namespace {

using Ids = std::vector<std::int32_t>;

TEST(BytePairs, TheMostFrequentPairIsJoinedFirst) {
  const TokenizerPtr tokenizer = learn_byte_pairs("low low low lower lower newest newest newest newest", 256 + 3, {});
  // `lo` and `ow` occur 5 times each, `we` 6 times (in lower twice, in newest 4 times). `ne`, `es` and their neighbours
  // then occur 4 times.
  EXPECT_EQ(tokenizer->decode(Ids{256}), "we");
  EXPECT_EQ(tokenizer->decode(Ids{257}), "lo");
  EXPECT_EQ(tokenizer->vocab(), 259);
}

TEST(BytePairs, EveryTextComesBack) {
  const TokenizerPtr tokenizer =
      learn_byte_pairs("the cat sat on the mat, and the rat sat by the cat", 300, {"<padding>", "<end>"});
  for (const std::string text :
       {"the cat", "", " two  spaces ", "caf\xc3\xa9 \xe2\x82\xac 3.14\n\tnew", "\xff\x00 bytes"})
    EXPECT_EQ(tokenizer->decode(tokenizer->encode(text)), text);
  EXPECT_EQ(tokenizer->encode("\x01"), Ids{3});
  EXPECT_EQ(tokenizer->decode(Ids{0, 1, 299}), "");
}

TEST(BytePairs, FewerTokensThanBytes) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "the quick brown fox jumps over the lazy dog ";
  EXPECT_LE(learn_byte_pairs(text, 400, {})->encode(text).size(), 1000u);
}

TEST(BytePairs, ALongRunTakesNoLongerThanWords) {
  const std::string run(1 << 20, 'a');
  EXPECT_EQ(learn_byte_pairs(run, 300, {})->encode(run).size(), (1u << 20) / 64);
}

TEST(Words, TheMostFrequentAreKnown) {
  const TokenizerPtr tokenizer = learn_words("b a b c\nb a", 5, {"<padding>"});
  EXPECT_EQ(tokenizer->encode("a b c\n"), (Ids{4, 3, 1, 2}));
  EXPECT_EQ(tokenizer->decode(Ids{0, 3, 4, 2, 1}), "b a\n<unknown>");
}

class SavedTokenizer : public DataFileTest {};

TEST_F(SavedTokenizer, IsTheSame) {
  for (const TokenizerPtr& tokenizer :
       {learn_byte_pairs("one two two three three three", 270, {"<end>"}), learn_words("one two two", 9, {"<end>"}),
        character_tokenizer({U'a', U'b', U'\u00e9'})}) {
    const TokenizerPtr loaded = load_tokenizer(tokenizer->save(), "file");
    EXPECT_EQ(loaded->save(), tokenizer->save());
    EXPECT_EQ(loaded->vocab(), tokenizer->vocab());
  }
}

TEST_F(SavedTokenizer, ThatIsDamagedIsRefused) {
  auto wrong = [](const std::string& text) { return message_of([&] { load_tokenizer(text, "file"); }); };
  EXPECT_MENTIONS(wrong("{"), "expected a tokenizer as JSON");
  EXPECT_MENTIONS(wrong(R"({"kind":"other","size":1,"special":[]})"), "`other` is not known");
  EXPECT_MENTIONS(wrong(R"({"kind":"byte_pairs","size":300,"special":[],"pairs":[[97,256]]})"),
                  "pair 0 has a part that is not before it");
  EXPECT_MENTIONS(wrong(R"({"kind":"byte_pairs","size":-3,"special":[],"pairs":[]})"), "its size -3 is wrong");
}

/// Each error names the entry, from 0 on.
TEST_F(SavedTokenizer, WhoseEntriesCannotBeIsRefused) {
  auto wrong = [](const std::string& text) { return message_of([&] { load_tokenizer(text, "file"); }); };
  auto pairs = [&](const std::string& list, const std::string& size = "300") {
    return wrong("{\"kind\":\"byte_pairs\",\"size\":" + size + ",\"special\":[],\"pairs\":" + list + "}");
  };
  EXPECT_EQ(pairs("[[97,98],[98,99],[97,98]]"), "pair 2 is pair 0 again");
  EXPECT_EQ(pairs("[[97,97],[256,256],[257,257],[258,258],[259,259],[260,260],[261,261]]"),
            "pair 6 joins 128 bytes; nothing longer than 64 is joined");
  EXPECT_EQ(pairs("[[97,98],[98,99]]", "257"), "its size 257 is wrong: it has 258 ids");
  EXPECT_EQ(pairs("[[97.9,98]]"), "pair 0: expected a whole number from 0 to 2147483647, found 97.9");
  EXPECT_EQ(pairs("[[1e300,98]]"), "pair 0: expected a whole number from 0 to 2147483647, found 1e+300");
  EXPECT_EQ(pairs("[[18446744073709551615,98]]"),
            "pair 0: expected a whole number from 0 to 2147483647, found 18446744073709551615");
  EXPECT_EQ(pairs("[[true,98]]"), "pair 0: expected a whole number from 0 to 2147483647, found true");
  EXPECT_EQ(pairs("[[97]]"), "pair 0: expected two numbers, found [97]");
  EXPECT_EQ(pairs("[[97,98]]", "300.5"), "`size`: expected a whole number from -2147483648 to 2147483647, found 300.5");
  EXPECT_EQ(wrong(R"({"kind":"byte_pairs","size":300,"special":["<a>","<a>"],"pairs":[]})"),
            "special id 1 is `<a>`, as special id 0 is already");
  auto words = [&](const std::string& list) {
    return wrong("{\"kind\":\"words\",\"size\":5,\"special\":[],\"words\":" + list + "}");
  };
  EXPECT_EQ(words("[\"a\",\"b\",\"a\"]"), "word 2 is `a`, as word 0 is already");
  EXPECT_EQ(words("[\"a\",\"b\",\"c\",\"d\"]"), "its size 5 is wrong: it has 6 ids");
  EXPECT_EQ(words("[\"a b\"]"), "word 0: expected one without spaces, found `a b`");
  EXPECT_EQ(words("[\"\"]"), "word 0: expected one without spaces, found ``");
  EXPECT_EQ(words("[3]"), "word 0: expected a string, found 3");
  auto characters = [&](const std::string& list) {
    return wrong("{\"kind\":\"characters\",\"characters\":" + list + "}");
  };
  EXPECT_EQ(characters("[97,97]"), "character 1: its characters are not in order, 97 comes after 97");
  EXPECT_EQ(characters("[55296]"), "character 0: 55296 is no character's");
  EXPECT_EQ(characters("[97.9]"), "character 0: expected a whole number from 0 to 1114111, found 97.9");
  EXPECT_EQ(wrong("{\n\"kind\":\"words\",\n\"size\": }"),
            "expected a tokenizer as JSON: the file is no JSON, in line 3");
  EXPECT_EQ(wrong(R"({"kind":"words","kind":"characters"})"),
            "expected a tokenizer as JSON: the file says `kind` twice");
}

TEST(Words, WhatIsNotUtf8IsNotKnown) {
  const TokenizerPtr tokenizer = learn_words("caf\xe9 caf\xe8 a a", 9, {});
  EXPECT_EQ(load_tokenizer(tokenizer->save(), "file")->encode("a caf\xe9"), (Ids{2, 0}));
}

TEST(Tokenizers, CharactersThatDoNotOccurAreRefused) {
  EXPECT_THROW(character_tokenizer({U'a'})->encode("ab"), CannotEncode);
}

/// Whatever bytes of a file are others, it is refused as a bad file, or is another tokenizer.
TEST(Tokenizers, OfDamagedFilesAreRefusedOrWork) {
  for (const char* name : {"small.model", "small.tiktoken", "small_tokenizer.json"}) {
    const std::string path = source_folder() + "/tests/unit/library/" + name;
    std::ifstream file(path, std::ios::binary);
    const std::string whole{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    ASSERT_FALSE(whole.empty()) << path;
    std::mt19937 random(7);
    int refused = 0;
    for (int iteration = 0; iteration < 400; ++iteration) {
      std::string text = whole;
      for (unsigned changes = random() % 3 + 1; changes > 0; --changes) {
        char& byte = text[random() % text.size()];
        byte = random() % 2 == 0 ? static_cast<char>(random()) : static_cast<char>(byte ^ (1U << random() % 8));
      }
      try {
        const TokenizerPtr tokenizer = load_tokenizer(text, "file");
        tokenizer->decode(tokenizer->encode("hello world <|end|> abc\n"));
      } catch (const IoError& error) {
        EXPECT_EQ(error.kind, IoError::Kind::kBadFile) << error.what();
        ++refused;
      } catch (const CannotEncode&) {}
    }
    EXPECT_GT(refused, 0) << name;
  }
}

}  // namespace
}  // namespace mtf::io
