#include "io/token_file.h"

#include <vector>

#include "data_file_test.h"
#include "io/npy.h"

namespace mtf::io {
namespace {

using namespace std::string_literals;

std::vector<std::int32_t> tokens_of(const TokenFile& file, std::int64_t first, std::size_t count) {
  std::vector<std::int32_t> ids(count);
  file.read(first, ids);
  return ids;
}

class TokenFiles : public DataFileTest {};

TEST_F(TokenFiles, HoldNumbersOf16Or32Bits) {
  const TokenFile of_16(write("a", "\x01\x00\x02\x00\xff\xff"s), 65536, StoredType::kU16);
  EXPECT_EQ(of_16.count(), 3);
  EXPECT_EQ(tokens_of(of_16, 0, 3), (std::vector<std::int32_t>{1, 2, 65535}));
  EXPECT_EQ(tokens_of(of_16, 1, 1), std::vector<std::int32_t>{2});
  const TokenFile of_32(write("b", "\x01\x00\x02\x00\x03\x00\x00\x00"s), 1 << 20, StoredType::kU32);
  EXPECT_EQ(tokens_of(of_32, 0, 2), (std::vector<std::int32_t>{131073, 3}));
}

TEST_F(TokenFiles, ANpyFileSaysItsOwnType) {
  const std::string text = "{'descr': '>u2', 'fortran_order': False, 'shape': (3,), }\n";
  const TokenFile file(
      write("a.npy", "\x93NUMPY\x01\x00"s + static_cast<char>(text.size()) + '\0' + text + "\x00\x01\x00\x02\x01\x00"s),
      500, StoredType::kU32);
  EXPECT_EQ(file.count(), 3);
  EXPECT_EQ(tokens_of(file, 1, 2), (std::vector<std::int32_t>{2, 256}));
  const std::vector<std::int64_t> sizes = {2, 2};
  const std::vector<std::int32_t> numbers = {1, 2, 3, 4};
  write_npy(path("b.npy"), sizes, ElementType::kI32, std::as_bytes(std::span(numbers)));
  EXPECT_EQ(message_of([&] { TokenFile(path("b.npy"), 500, StoredType::kU16); }),
            "expected integers along one dimension, found i32 of sizes [2, 2]");
}

TEST_F(TokenFiles, WhatIsNoIdIsNamedByItsPlace) {
  const TokenFile file(write("a", "\x01\x00\x02\x00\x07\x00"s), 5, StoredType::kU16);
  EXPECT_EQ(tokens_of(file, 0, 2), (std::vector<std::int32_t>{1, 2}));
  EXPECT_EQ(message_of([&] { tokens_of(file, 1, 2); }), "token 2 is 7: expected ids from 0 to 4");
}

TEST_F(TokenFiles, WrongOnesAreRefused) {
  EXPECT_EQ(message_of([&] { TokenFile(write("a", "abc"), 5, StoredType::kU16); }),
            "expected numbers of 16 bits, found 3 bytes");
  EXPECT_EQ(message_of([&] { TokenFile(write_gz("a.gz", "abcd"), 5, StoredType::kU16); }),
            "expected a file that is not compressed, as it is read in places");
  const TokenFile file(write("b", "\x01\x00\x02\x00"s), 5, StoredType::kU16);
  write("b", "\x01\x00");
  EXPECT_NE(message_of([&] { tokens_of(file, 0, 2); }).find("too early"), std::string::npos) << "it became shorter";
}

}  // namespace
}  // namespace mtf::io
