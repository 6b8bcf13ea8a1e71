#include "io/npy.h"

#include <cmath>
#include <cstring>
#include <vector>

#include "data_file_test.h"

namespace mtf::io {
namespace {

using namespace std::string_literals;

template <typename T>
std::vector<T> numbers(const std::vector<std::byte>& bytes) {
  std::vector<T> result(bytes.size() / sizeof(T));
  std::memcpy(result.data(), bytes.data(), bytes.size());
  return result;
}

template <typename T>
std::string raw(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

std::string npy(const std::string& text, const std::string& data, int version = 1) {
  std::string length = {static_cast<char>(text.size() & 0xff), static_cast<char>(text.size() >> 8)};
  if (version > 1) length += "\0\0"s;
  return "\x93NUMPY"s + static_cast<char>(version) + '\0' + length + text + data;
}

std::string header(const std::string& descr, const std::string& shape, const std::string& order = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
}

class Npy : public DataFileTest {};

TEST_F(Npy, HoldsFloats) {
  const StoredArray array = read_npy(write("a", npy(header("<f4", "(2, 2)"), raw<float>({1, 2, 3, 4}))));
  EXPECT_EQ(array.header.sizes, (std::vector<std::int64_t>{2, 2}));
  EXPECT_EQ(numbers<float>(array.bytes), (std::vector<float>{1, 2, 3, 4}));
}

TEST_F(Npy, EveryVersionIsRead) {
  for (int version = 1; version <= 3; ++version) {
    const StoredArray array = read_npy(write("a", npy(header("<f8", "(1,)"), raw<double>({7}), version)));
    EXPECT_EQ(numbers<double>(array.bytes), std::vector<double>{7}) << version;
  }
  EXPECT_EQ(message_of([&] { read_npy(write("a", npy(header("<f8", "(1,)"), raw<double>({7}), 4))); }),
            "npy version 4; expected 1, 2 or 3");
}

TEST_F(Npy, HeaderAloneGivesTheShape) {
  write("a", npy(header("<i8", "(3, 1)"), raw<std::int64_t>({1, 2, 3})));
  EXPECT_EQ(read_npy_header(path("a")).type, StoredType::kI64);
  EXPECT_EQ(read_npy_header(path("a")).sizes, (std::vector<std::int64_t>{3, 1}));
}

TEST_F(Npy, FortranOrderBecomesRowMajor) {
  const StoredArray array = read_npy(write("a", npy(header("<i4", "(2, 3)", "True"), raw<int>({1, 4, 2, 5, 3, 6}))));
  EXPECT_EQ(numbers<int>(array.bytes), (std::vector<int>{1, 2, 3, 4, 5, 6}));
}

TEST_F(Npy, FortranOrderOfThreeDims) {
  // 0 … 23, as numpy.arange(24).reshape(2, 3, 4) stores them in Fortran order.
  std::vector<int> stored;
  for (int c = 0; c < 4; ++c) {
    for (int b = 0; b < 3; ++b) {
      for (int a = 0; a < 2; ++a) stored.push_back(a * 12 + b * 4 + c);
    }
  }
  const StoredArray array = read_npy(write("a", npy(header("<i4", "(2, 3, 4)", "True"), raw(stored))));
  const std::vector<int> values = numbers<int>(array.bytes);
  for (int i = 0; i < 24; ++i) EXPECT_EQ(values[static_cast<std::size_t>(i)], i);
}

TEST_F(Npy, BigEndianIsSwapped) {
  const StoredArray array = read_npy(write("a", npy(header(">i4", "(1,)"), "\0\0\x01\x02"s)));
  EXPECT_EQ(numbers<int>(array.bytes), std::vector<int>{258});
}

TEST_F(Npy, SmallIntegersBecomeI32AndBoolsStay) {
  EXPECT_EQ(numbers<int>(to_element_array(read_npy(write("a", npy(header("|u1", "(2,)"), "\x01\xff"))), "a").bytes),
            (std::vector<int>{1, 255}));
  EXPECT_EQ(numbers<int>(to_element_array(read_npy(write("a", npy(header("|i1", "(1,)"), "\xff"))), "a").bytes),
            std::vector<int>{-1});
  const ElementArray bools = to_element_array(read_npy(write("a", npy(header("|b1", "(2,)"), "\x02\0"s))), "a");
  EXPECT_EQ(bools.type, ElementType::kBool);
  EXPECT_EQ(bools.bytes, (std::vector<std::byte>{std::byte{1}, std::byte{0}}));
}

TEST_F(Npy, I64BecomesI32WhereItFits) {
  write("a", npy(header("<i8", "(2,)"), raw<std::int64_t>({-5, 7})));
  EXPECT_EQ(numbers<int>(to_element_array(read_npy(path("a")), path("a")).bytes), (std::vector<int>{-5, 7}));
  write("a", npy(header("<i8", "(2,)"), raw<std::int64_t>({0, 1LL << 40})));
  EXPECT_EQ(message_of([&] { to_element_array(read_npy(path("a")), path("a")); }),
            "number 1 is 1099511627776: expected an i32, which ends at 2147483647");
}

TEST_F(Npy, NumberWithoutDims) {
  const StoredArray array = read_npy(write("a", npy(header("<f4", "()"), raw<float>({3}))));
  EXPECT_TRUE(array.header.sizes.empty());
  EXPECT_EQ(numbers<float>(array.bytes), std::vector<float>{3});
}

TEST_F(Npy, IsReadCompressed) {
  const StoredArray array = read_npy(write_gz("a", npy(header("<f4", "(2,)"), raw<float>({3, 4}))));
  EXPECT_EQ(numbers<float>(array.bytes), (std::vector<float>{3, 4}));
}

TEST_F(Npy, WhatIsWrittenIsReadBack) {
  const std::vector<std::int64_t> sizes = {3, 1};
  const std::vector<float> floats = {1.5F, -2, 1e30F};
  write_npy(path("a"), sizes, ElementType::kF32, std::as_bytes(std::span(floats)));
  EXPECT_EQ(numbers<float>(read_npy(path("a")).bytes), floats);
  EXPECT_EQ(read_npy(path("a")).header.sizes, sizes);
  const std::vector<double> doubles = {1, 2, 3};
  write_npy(path("a"), sizes, ElementType::kF64, std::as_bytes(std::span(doubles)));
  EXPECT_EQ(numbers<double>(read_npy(path("a")).bytes), doubles);
  const std::vector<int> ints = {1, -2, 3};
  write_npy(path("a"), {{3}}, ElementType::kI32, std::as_bytes(std::span(ints)));
  EXPECT_EQ(numbers<int>(read_npy(path("a")).bytes), ints);
  const std::vector<std::byte> bools = {std::byte{1}};
  write_npy(path("a"), {}, ElementType::kBool, bools);
  EXPECT_EQ(read_npy(path("a")).bytes, bools);
  EXPECT_EQ(read_npy(path("a")).header.type, StoredType::kBool);
}

TEST_F(Npy, Bf16IsWrittenAsF32) {
  const std::vector<Bf16> values = {to_bf16(1.5F), to_bf16(-3)};
  write_npy(path("a"), {{2}}, ElementType::kBf16, std::as_bytes(std::span(values)));
  EXPECT_EQ(numbers<float>(read_npy(path("a")).bytes), (std::vector<float>{1.5F, -3}));
}

TEST_F(Npy, WrittenNumbersAreAlignedTo64Bytes) {
  for (const auto& sizes : {std::vector<std::int64_t>{}, {1}, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}}) {
    const float one = 1;
    write_npy(path("a"), sizes, ElementType::kF32, std::as_bytes(std::span(&one, 1)));
    EXPECT_EQ((read("a").size() - 4) % 64, 0U);
    EXPECT_EQ(read_npy_header(path("a")).sizes, sizes);
  }
}

TEST_F(Npy, MoreThanTheMemoryIsRefusedBeforeItIsTaken) {
  write("a", npy(header("<f4", "(2, 2)"), raw<float>({1, 2, 3, 4})));
  EXPECT_EQ(read_npy(path("a"), 16).bytes.size(), 16U);
  EXPECT_EQ(message_of([&] { read_npy(path("a"), 15); }), "reading it takes 16 bytes of memory, 15 can be had");
  write("b", npy(header("<f4", "(2, 2)", "True"), raw<float>({1, 2, 3, 4})));
  EXPECT_MENTIONS(message_of([&] { read_npy(path("b"), 31); }), "takes 16 bytes of memory, 15");
  write("c", npy(header("|u1", "(2,)"), "ab"));
  EXPECT_MENTIONS(message_of([&] { to_element_array(read_npy(path("c")), path("c"), 7); }), "takes 8 bytes");
}

TEST_F(Npy, FileThatCannotBeWrittenIsAnError) {
  EXPECT_MENTIONS(message_of([&] { write_npy(path("no/such/folder"), {}, ElementType::kF32, {}); }),
                  "cannot be written");
}

TEST_F(Npy, HalfPrecisionBecomesF32) {
  // 1, -2, 65504 (the largest), 2^-24 (the smallest), infinity, 1/3 rounded
  const std::vector<std::uint16_t> halves = {0x3c00, 0xc000, 0x7bff, 0x0001, 0x7c00, 0x3555};
  const ElementArray array = to_element_array(read_npy(write("a", npy(header("<f2", "(6,)"), raw(halves)))), path("a"));
  EXPECT_EQ(array.type, ElementType::kF32);
  EXPECT_EQ(numbers<float>(array.bytes), (std::vector<float>{1, -2, 65504, 0x1p-24f, INFINITY, 0.333251953125f}));
  EXPECT_MENTIONS(message_of([&] { to_element_array(read_npy(path("a")), path("a"), 23); }), "takes 24 bytes");
}

TEST_F(Npy, RecordsStringsAndComplexAreRefused) {
  EXPECT_MENTIONS(message_of([&] { read_npy(write("a", npy(header("<U3", "(1,)"), ""))); }),
                  "holds '<U3'; expected one of");
  EXPECT_MENTIONS(message_of([&] { read_npy(write("a", npy(header("<c8", "(1,)"), ""))); }), "holds '<c8'");
  EXPECT_MENTIONS(message_of([&] { read_npy(write("a", npy(header("", "(1,)"), ""))); }), "holds ''");
  EXPECT_MENTIONS(message_of([&] {
                    read_npy(write("a", npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }", "")));
                  }),
                  "records");
}

TEST_F(Npy, MalformedHeadersAreRefused) {
  const auto refusal = [&](const std::string& text) {
    return message_of([&] { read_npy(write("a", npy(text, ""))); });
  };
  EXPECT_EQ(refusal(""), "malformed npy header: expected {, found its end");
  EXPECT_MENTIONS(refusal("{'descr': '<f4'"), "expected }, found its end");
  EXPECT_MENTIONS(refusal("{'descr': '<f4', 'fortran_order': False}"), "lacks 'shape'");
  EXPECT_MENTIONS(refusal("{'descr': '<f4', 'descr': '<f4'}"), "repeated key 'descr'");
  EXPECT_MENTIONS(refusal("{'color': '<f4'}"), "unexpected or repeated key 'color'");
  EXPECT_MENTIONS(refusal(header("<f4", "(-1,)")), "expected a size");
  EXPECT_MENTIONS(refusal(header("<f4", "(99999999999999999999,)")), "expected a size below 2^63");
  EXPECT_MENTIONS(refusal(header("<f4", "(1,)", "Maybe")), "expected False, found 'Maybe");
  EXPECT_MENTIONS(refusal(header("<f4", "(1,)") + "x"), "expected the end of the header, found 'x'");
  EXPECT_MENTIONS(refusal("{'descr"), "expected a closing quote");
}

TEST_F(Npy, OtherFormatIsRefused) {
  EXPECT_MENTIONS(message_of([&] { read_npy(write("a", "hello world")); }), "not an npy file");
  EXPECT_MENTIONS(message_of([&] { read_npy(write("a", "\x93NUM")); }), "ends within the npy header");
}

TEST_F(Npy, LyingHeadersAreRefused) {
  EXPECT_MENTIONS(message_of([&] {
                    read_npy(write("a", npy(header("<f4", "(3,)"), raw<float>({1, 2}))));
                  }),
                  "the npy header, f32[3], promises");
  EXPECT_MENTIONS(message_of([&] {
                    read_npy(write_gz("b", npy(header("<f4", "(3,)"), raw<float>({1, 2}))));
                  }),
                  "the npy header, f32[3], promises");
  EXPECT_MENTIONS(message_of([&] { read_npy_header(write("a", npy(header("<f4", "(4000000000000000000,)"), ""))); }),
                  "sizes overflow: f32[4000000000000000000]");
  EXPECT_MENTIONS(message_of([&] { read_npy(write("a", "\x93NUMPY\x02\0\xff\xff\xff\xff"s)); }), "expected at most");
}

}  // namespace
}  // namespace mtf::io
