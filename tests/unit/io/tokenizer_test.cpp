#include "io/tokenizer.h"

#include "data_file_test.h"

namespace mtf {
namespace {

using Ids = std::vector<std::int32_t>;

TEST(BytePairs, TheMostFrequentPairIsJoinedFirst) {
  const TokenizerPtr tokenizer = learn_byte_pairs("low low low lower lower newest newest newest newest", 256 + 3, {});
  // `lo` and `ow` occur 5 times each, `we` 6 (in lower twice, in newest 4 times); then `ne`, `es` and what is around them 4.
  EXPECT_EQ(tokenizer->decode(Ids{256}), "we");
  EXPECT_EQ(tokenizer->decode(Ids{257}), "lo");
  EXPECT_EQ(tokenizer->vocab(), 259);
}

TEST(BytePairs, EveryTextComesBack) {
  const TokenizerPtr tokenizer = learn_byte_pairs("the cat sat on the mat, and the rat sat by the cat", 300, {"<padding>", "<end>"});
  for (const std::string text : {"the cat", "", " two  spaces ", "caf\xc3\xa9 \xe2\x82\xac 3.14\n\tnew", "\xff\x00 bytes"}) EXPECT_EQ(tokenizer->decode(tokenizer->encode(text)), text);
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
  for (const TokenizerPtr& tokenizer : {learn_byte_pairs("one two two three three three", 270, {"<end>"}), learn_words("one two two", 9, {"<end>"}), character_tokenizer({U'a', U'b', U'\u00e9'})}) {
    const TokenizerPtr loaded = load_tokenizer(tokenizer->save(), "file");
    EXPECT_EQ(loaded->save(), tokenizer->save());
    EXPECT_EQ(loaded->vocab(), tokenizer->vocab());
  }
}

TEST_F(SavedTokenizer, ThatIsDamagedIsRefused) {
  auto wrong = [](const std::string& text) { return message_of([&] { load_tokenizer(text, "file"); }); };
  EXPECT_MENTIONS(wrong("{"), "expected a tokenizer as JSON");
  EXPECT_MENTIONS(wrong(R"({"kind":"other","size":1,"special":[]})"), "`other` is not known");
  EXPECT_MENTIONS(wrong(R"({"kind":"byte_pairs","size":300,"special":[],"pairs":[[97,256]]})"), "pair 0 has a part that is not before it");
  EXPECT_MENTIONS(wrong(R"({"kind":"byte_pairs","size":-3,"special":[],"pairs":[]})"), "its size -3 is wrong");
}

TEST(Tokenizers, CharactersThatDoNotOccurAreRefused) { EXPECT_THROW(character_tokenizer({U'a'})->encode("ab"), CannotEncode); }

}  // namespace
}  // namespace mtf
