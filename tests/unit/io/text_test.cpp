#include "io/text.h"

#include "data_file_test.h"

namespace mtf {
namespace {

using namespace std::string_literals;

class Text : public DataFileTest {};

TEST_F(Text, IsReadWhole) { EXPECT_EQ(read_text(write("a", "one\ntwo\0three"s)), "one\ntwo\0three"s); }

TEST_F(Text, EmptyFileIsAnEmptyText) { EXPECT_EQ(read_text(write("a", "")), ""); }

TEST_F(Text, IsReadCompressed) { EXPECT_EQ(read_text(write_gz("a", "grüß\n")), "grüß\n"); }

TEST_F(Text, LongerThanTheLimitIsRefused) {
  EXPECT_EQ(read_text(write("a", "12345"), 5), "12345");
  EXPECT_EQ(message_of([&] { read_text(path("a"), 4); }), "the text is longer than the 4 bytes that are allowed");
  EXPECT_EQ(read_text(write_gz("b", "12345"), 5), "12345");
  EXPECT_EQ(message_of([&] { read_text(path("b"), 4); }), "the text is longer than the 4 bytes that are allowed");
}

TEST_F(Text, SmallFileThatDecompressesToAHugeOneIsRefusedEarly) {
  write_gz("a", std::string(1U << 24, ' '));
  EXPECT_MENTIONS(message_of([&] { read_text(path("a"), 1000); }), "longer than the 1000 bytes");
}

TEST_F(Text, InvalidUtf8IsRefusedWithItsLine) {
  EXPECT_EQ(message_of([&] { read_text(write("a", "ok\nba\xff" "d")); }),
            "expected UTF-8 text, found the byte ff in line 2 (byte 5 of the file)");
}

TEST_F(Text, DirectoryIsRefused) {
  EXPECT_EQ(message_of([&] { read_text(path("")); }), "expected a file, found a directory");
}

TEST(Utf8, ValidTextHasNoInvalidByte) { EXPECT_EQ(find_invalid_utf8("aé€😀\xf4\x8f\xbf\xbf"), std::nullopt); }

TEST(Utf8, InvalidFormsAreFound) {
  EXPECT_EQ(find_invalid_utf8("a\x80"), 1U);             // a continuation alone
  EXPECT_EQ(find_invalid_utf8("\xc0\xaf"), 0U);          // overlong, two bytes
  EXPECT_EQ(find_invalid_utf8("\xe0\x80\xaf"), 0U);      // overlong, three
  EXPECT_EQ(find_invalid_utf8("\xf0\x80\x80\xaf"), 0U);  // overlong, four
  EXPECT_EQ(find_invalid_utf8("\xed\xa0\x80"), 0U);      // a surrogate
  EXPECT_EQ(find_invalid_utf8("\xf4\x90\x80\x80"), 0U);  // above U+10FFFF
  EXPECT_EQ(find_invalid_utf8("ab\xe2\x82"), 2U);        // cut off
  EXPECT_EQ(find_invalid_utf8("\xf8\x88\x80\x80\x80"), 0U);
}

TEST(Characters, AreDistinctAndInOrder) {
  EXPECT_EQ(distinct_characters("banana é€a\n"), (std::vector<std::string>{"\n", " ", "a", "b", "n", "é", "€"}));
  EXPECT_TRUE(distinct_characters("").empty());
}

TEST(Characters, CodePointsAreDecoded) { EXPECT_EQ(code_points("aé😀"), (std::vector<char32_t>{U'a', U'é', U'😀'})); }

TEST(Bytes, AreDistinctAndInOrder) {
  EXPECT_EQ(distinct_bytes("ba\xff\0a"s), (std::vector<std::uint8_t>{0, 'a', 'b', 255}));
}

}  // namespace
}  // namespace mtf
