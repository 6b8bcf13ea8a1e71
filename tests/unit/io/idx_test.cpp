#include "io/idx.h"

#include <cstring>

#include "data_file_test.h"

namespace mtf::io {
namespace {

using namespace std::string_literals;

const std::string kTwoByThree = "\0\0\x08\x02\0\0\0\x02\0\0\0\x03"s + "\x01\x02\x03\x04\x05\xff"s;

class Idx : public DataFileTest {};

TEST_F(Idx, HoldsSizesAndBytes) {
  const StoredArray array = read_idx(write("a", kTwoByThree));
  EXPECT_EQ(array.header.sizes, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(array.header.type, StoredType::kU8);
  EXPECT_EQ(array.bytes.size(), 6U);
  EXPECT_EQ(array.bytes[5], std::byte{255});
}

TEST_F(Idx, IsReadCompressedUnderAnyName) {
  const StoredArray array = read_idx(write_gz("a", kTwoByThree));
  EXPECT_EQ(array.bytes.size(), 6U);
  EXPECT_EQ(read_idx_header(path("a")).sizes, (std::vector<std::int64_t>{2, 3}));
}

TEST_F(Idx, HeaderAloneGivesTheShape) {
  const ArrayHeader header = read_idx_header(write("a", kTwoByThree));
  EXPECT_EQ(header.sizes, (std::vector<std::int64_t>{2, 3}));
}

TEST_F(Idx, NumbersAreBigEndian) {
  const StoredArray array = read_idx(write("a", "\0\0\x0C\x01\0\0\0\x01\0\0\x01\x02"s));
  std::int32_t value = 0;
  std::memcpy(&value, array.bytes.data(), 4);
  EXPECT_EQ(value, 258);
}

TEST_F(Idx, BytesBecomeI32) {
  const ElementArray data = to_element_array(read_idx(write("a", kTwoByThree)), "a");
  EXPECT_EQ(data.type, ElementType::kI32);
  std::int32_t last = 0;
  std::memcpy(&last, &data.bytes[5 * 4], 4);
  EXPECT_EQ(last, 255);
}

TEST_F(Idx, MissingFileIsNotFound) {
  try {
    read_idx(path("nothing"));
    FAIL();
  } catch (const IoError& error) {
    EXPECT_EQ(error.kind, IoError::Kind::kNotFound);
    EXPECT_EQ(error.path, path("nothing"));
  }
}

TEST_F(Idx, DirectoryIsRefused) {
  EXPECT_EQ(message_of([&] { read_idx(path("")); }), "expected a file, found a directory");
}

TEST_F(Idx, DeviceIsRefused) {
  EXPECT_EQ(message_of([&] { read_idx("/dev/zero"); }), "expected a regular file");
}

TEST_F(Idx, EmptyFileIsRefused) {
  EXPECT_MENTIONS(message_of([&] { read_idx(write("a", "")); }), "ends within the idx header: expected 4 bytes");
}

TEST_F(Idx, OtherFormatIsRefused) {
  EXPECT_MENTIONS(message_of([&] { read_idx(write("a", "hello world")); }), "not an idx file");
}

TEST_F(Idx, UnknownTypeIsRefused) {
  EXPECT_MENTIONS(message_of([&] { read_idx(write("a", "\0\0\x07\x01\0\0\0\0"s)); }), "found 00 00 07");
}

TEST_F(Idx, HeaderCutOffInItsSizesIsRefused) {
  EXPECT_MENTIONS(message_of([&] { read_idx_header(write("a", "\0\0\x08\x03\0\0\0\x02\0"s)); }),
                  "the idx header's sizes");
}

TEST_F(Idx, TruncatedFileIsRefusedWithBothSizes) {
  const std::string cut = kTwoByThree.substr(0, kTwoByThree.size() - 2);
  EXPECT_EQ(message_of([&] { read_idx(write("a", cut)); }),
            "the idx header, u8[2, 3], promises 18 bytes in all, the file has 16");
  EXPECT_EQ(message_of([&] { read_idx_header(path("a")); }),
            "the idx header, u8[2, 3], promises 18 bytes in all, the file has 16");
  EXPECT_EQ(message_of([&] { read_idx(write_gz("b", cut)); }),
            "the idx header, u8[2, 3], promises 18 bytes in all, the file has 16");
}

TEST_F(Idx, LongerFileIsRefused) {
  EXPECT_MENTIONS(message_of([&] { read_idx(write("a", kTwoByThree + "x")); }), "the file has 19");
  EXPECT_MENTIONS(message_of([&] { read_idx(write_gz("b", kTwoByThree + "x")); }), "the file has more");
}

TEST_F(Idx, HugePromiseIsRefusedBeforeAllocating) {
  const std::string lie = "\0\0\x08\x02\x7f\xff\xff\xff\x7f\xff\xff\xff"s;
  EXPECT_MENTIONS(message_of([&] { read_idx(write("a", lie)); }), "promises 4611686014132420621 bytes");
  EXPECT_MENTIONS(message_of([&] { read_idx(write_gz("b", lie)); }), "compressed bytes of the file can hold");
}

TEST_F(Idx, SizesThatOverflowAreRefused) {
  EXPECT_MENTIONS(message_of([&] { read_idx(write("a", "\0\0\x08\x03"s + std::string(12, '\xff'))); }), "overflow");
}

TEST_F(Idx, CompressedFileCutOffIsRefused) {
  write_gz("a", "\0\0\x08\x01\0\0\x03\xe8"s + std::string(1000, 'x'));
  const std::string whole = read("a");
  EXPECT_EQ(message_of([&] { read_idx(write("b", whole.substr(0, whole.size() - 9))); }),
            "the compressed file is truncated");
}

TEST_F(Idx, DamagedCompressedFileIsRefused) {
  write_gz("a", kTwoByThree);
  std::string whole = read("a");
  whole[whole.size() - 6] ^= 0x55;  // its checksum
  EXPECT_MENTIONS(message_of([&] { read_idx(write("b", whole)); }), "damaged");
}

TEST_F(Idx, EmptyDimIsLegal) {
  const StoredArray array = read_idx(write("a", "\0\0\x08\x02\0\0\0\0\0\0\0\x03"s));
  EXPECT_EQ(array.header.sizes, (std::vector<std::int64_t>{0, 3}));
  EXPECT_TRUE(array.bytes.empty());
}

}  // namespace
}  // namespace mtf::io
