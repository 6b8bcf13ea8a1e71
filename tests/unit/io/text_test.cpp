#include "io/text.h"

#include <algorithm>

#include "data_file_test.h"

namespace mtf::io {
namespace {

using namespace std::string_literals;

class Text : public DataFileTest {};

std::string decoded(const CharacterText& text) {
  std::string out;
  for (std::int64_t i = 0; i < text.count; ++i) out += utf8(text.vocabulary[static_cast<std::size_t>(text.id(i))]);
  return out;
}

TEST_F(Text, IsItsCharacters) {
  const std::string content = "banana gr\u00fc\u00df\u20ac\U0001f600\nand\0nul"s;
  const CharacterText text = CharacterText::read(write("a", content), true);
  EXPECT_EQ(text.count, static_cast<std::int64_t>(code_points(content).size()));
  EXPECT_EQ(decoded(text), content);
  EXPECT_TRUE(std::is_sorted(text.vocabulary.begin(), text.vocabulary.end()));
  EXPECT_EQ(text.vocabulary.back(), U'\U0001f600');
}

TEST_F(Text, AnIdTakesAsManyBytesAsTheVocabularyAsks) {
  for (const auto& [letters, bytes] :
       std::vector<std::pair<char32_t, int>>{{256, 1}, {257, 2}, {65000, 2}, {70000, 4}}) {
    std::string content;
    for (char32_t i = 0; i < letters; ++i) content += utf8(i < 0xd800 ? i : i + 0x800);
    const CharacterText text = CharacterText::read(write("a", content), true);
    EXPECT_EQ(text.id_bytes(), bytes);
    EXPECT_EQ(text.ids.size(), letters * static_cast<std::size_t>(bytes));
    EXPECT_EQ(decoded(text), content);
  }
}

TEST_F(Text, CharactersStandAcrossThePiecesThatAreRead) {
  for (int shift = 0; shift < 4; ++shift) {
    std::string content(static_cast<std::size_t>(shift), 'a');
    while (content.size() < 300000) content += "\U0001f600";
    EXPECT_EQ(decoded(CharacterText::read(write("a", content), true)), content);
  }
}

TEST_F(Text, EmptyFileIsAnEmptyText) {
  const CharacterText text = CharacterText::read(write("a", ""), true);
  EXPECT_EQ(text.count, 0);
  EXPECT_TRUE(text.vocabulary.empty());
}

TEST_F(Text, IsReadCompressed) {
  EXPECT_EQ(decoded(CharacterText::read(write_gz("a", "gr\u00fc\u00df\n"), true)), "gr\u00fc\u00df\n");
}

TEST_F(Text, ACheckKeepsNoIds) {
  const CharacterText text = CharacterText::read(write("a", "abc"), false);
  EXPECT_EQ(text.count, 3);
  EXPECT_EQ(text.vocabulary.size(), 3U);
  EXPECT_TRUE(text.ids.empty());
}

TEST_F(Text, MoreThanTheMemoryIsRefusedBeforeItIsTaken) {
  EXPECT_EQ(CharacterText::read(write("a", "12345"), true, 5).count, 5);
  EXPECT_EQ(message_of([&] { CharacterText::read(path("a"), true, 4); }),
            "reading it takes 5 bytes of memory, 4 can be had");
  write_gz("b", std::string(1U << 24, ' '));
  EXPECT_MENTIONS(message_of([&] { CharacterText::read(path("b"), true, 1000); }), "takes 16777216 bytes");
}

TEST_F(Text, InvalidUtf8IsRefusedWithItsLine) {
  EXPECT_EQ(message_of([&] {
              CharacterText::read(write("a",
                                        "ok\nba\xff"
                                        "d"),
                                  true);
            }),
            "expected UTF-8 text, found the byte ff in line 2 (byte 5 of the file)");
  std::string long_text(100000, 'a');
  long_text[70000] = '\n';
  EXPECT_EQ(message_of([&] { CharacterText::read(write("a", long_text + "\xe2\x82"), true); }),
            "expected UTF-8 text, found the byte e2 in line 2 (byte 100000 of the file)");
}

TEST_F(Text, DirectoryIsRefused) {
  EXPECT_EQ(message_of([&] { CharacterText::read(path(""), true); }), "expected a file, found a directory");
}

TEST(Characters, CodePointsAreDecoded) {
  EXPECT_EQ(code_points("a\u00e9\U0001f600"), (std::vector<char32_t>{U'a', U'\u00e9', U'\U0001f600'}));
}

}  // namespace
}  // namespace mtf::io
