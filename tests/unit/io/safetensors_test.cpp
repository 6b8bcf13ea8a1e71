#include "io/safetensors.h"

#include <cstring>
#include <span>
#include <vector>

#include "data_file_test.h"
#include "io/element_sum.h"

namespace mtf::io {
namespace {

std::string file(const std::string& header, const std::string& data = "") {
  const std::uint64_t length = header.size();
  return std::string(reinterpret_cast<const char*>(&length), sizeof length) + header + data;
}

std::string tensor(const std::string& name, const std::string& type, const std::string& sizes,
                   const std::string& offsets) {
  return "\"" + name + "\":{\"dtype\":\"" + type + "\",\"shape\":[" + sizes + "],\"data_offsets\":[" + offsets + "]}";
}

class Safetensors : public DataFileTest {
 protected:
  std::string wrong(const std::string& content) const {
    const std::string at = write("a.safetensors", content);
    return message_of([&] { read_safetensors_header(at); });
  }
  template <typename T, typename As>
  std::vector<T> numbers(const std::string& type, const std::vector<As>& stored) const {
    const std::string data(reinterpret_cast<const char*>(stored.data()), stored.size() * sizeof(As));
    const std::string at = write(
        "a.safetensors",
        file("{" + tensor("w", type, std::to_string(stored.size()), "0," + std::to_string(data.size())) + "}", data));
    const ElementArray array = read_safetensor(at, read_safetensors_header(at), "w", kAnyMemory);
    std::vector<T> result(array.bytes.size() / sizeof(T));
    std::memcpy(result.data(), array.bytes.data(), array.bytes.size());
    return result;
  }
};

TEST_F(Safetensors, AHeaderIsReadAsItWasLaidOut) {
  SafetensorsHeader header;
  header.metadata = {{"step", "3"}, {"dims:w", "a, b"}};
  header.tensors["w"] = {"F32", {2, 3}, 0, 0};
  header.tensors["n"] = {"I32", {}, 0, 0};
  std::string content = lay_out_safetensors(header);
  EXPECT_EQ(content.size() % 64, 0u);
  content.resize(header.file_size);
  const SafetensorsHeader found = read_safetensors_header(write("a.safetensors", content));
  EXPECT_EQ(found.metadata, header.metadata);
  EXPECT_EQ(found.tensors.at("w").sizes, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(found.tensors.at("w").begin, header.tensors.at("w").begin);
  EXPECT_EQ(found.tensors.at("n").end, header.tensors.at("n").end);
}

TEST_F(Safetensors, NumbersBecomeElements) {
  EXPECT_EQ((numbers<float, std::uint16_t>("F16", {0x3c00, 0xc000, 0x0001, 0x7bff, 0x0000})),
            (std::vector<float>{1, -2, 0x1p-24f, 65504, 0}));
  EXPECT_EQ((numbers<std::int32_t, std::int64_t>("I64", {-5, 7})), (std::vector<std::int32_t>{-5, 7}));
  EXPECT_EQ((numbers<std::int32_t, std::uint8_t>("U8", {200, 1})), (std::vector<std::int32_t>{200, 1}));
  EXPECT_EQ((numbers<std::uint8_t, std::uint8_t>("BOOL", {0, 3})), (std::vector<std::uint8_t>{0, 1}));
  EXPECT_EQ((numbers<double, double>("F64", {0.5})), (std::vector<double>{0.5}));
}

TEST_F(Safetensors, AnI64ThatDoesNotFitIsRefused) {
  EXPECT_MENTIONS(message_of([&] { numbers<std::int32_t, std::int64_t>("I64", {int64_t{1} << 40}); }),
                  "found 1099511627776");
}

TEST_F(Safetensors, HeadersThatPromiseWhatIsNotThereAreRefused) {
  EXPECT_MENTIONS(wrong("abc"), "found 3 bytes");
  EXPECT_MENTIONS(wrong(std::string(8, '\xff')), "the length of its header");
  EXPECT_MENTIONS(wrong(std::string("\x00\x00\x00\x40\x00\x00\x00\x00{}", 10)), "found the length 1073741824");
  EXPECT_MENTIONS(wrong(file("{\"a\"")), "no JSON");
  EXPECT_MENTIONS(wrong(file("[]")), "no JSON object");
  EXPECT_MENTIONS(wrong(file("{\"a\":3}")), "tensor `a` lacks `dtype`");
  EXPECT_MENTIONS(wrong(file("{" + tensor("a", "F31", "1", "0,4") + "}", "1234")), "the type F31 is not known");
  EXPECT_MENTIONS(wrong(file("{" + tensor("a", "F32", "-1", "0,4") + "}", "1234")),
                  "expected a whole number, found -1");
  EXPECT_MENTIONS(wrong(file("{" + tensor("a", "F32", "1", "0,8") + "}", "12345678")), "take 4 bytes");
  EXPECT_MENTIONS(wrong(file("{" + tensor("a", "F32", "1,9223372036854775807,4", "0,8") + "}", "12345678")),
                  "too large");
  EXPECT_MENTIONS(wrong(file("{" + tensor("a", "F32", "1", "0,4") + "}")), "ends after the file");
  EXPECT_MENTIONS(
      wrong(file("{" + tensor("a", "F32", "1", "0,4") + "," + tensor("b", "F32", "1", "2,6") + "}", "123456")),
      "overlap");
  EXPECT_MENTIONS(wrong(file("{" + tensor("a", "F32", "1", "4,8") + "}", "12345678")), "leave a gap");
  EXPECT_MENTIONS(wrong(file("{" + tensor("a", "F32", "1", "0,4") + "}", "12345678")), "4 bytes follow");
  EXPECT_MENTIONS(
      wrong(file("{" + tensor("a", "F32", "1", "0,4") + "," + tensor("a", "F32", "1", "0,4") + "}", "1234")),
      "says `a` twice");
  EXPECT_MENTIONS(wrong(file("{\"__metadata__\":{\"step\":3}}")), "its metadata `step` is no string");
}

TEST_F(Safetensors, NoBitFlipsWithoutAWord) {
  SafetensorsHeader header;
  header.metadata = {{"step", "3"}, {"dims:w", "a, b"}};
  header.tensors["w"] = {"F32", {2, 3}, 0, 0};
  header.tensors["n"] = {"I64", {2}, 0, 0};
  const std::vector<float> w = {1, 2, 3, 4, 5, 6};
  const std::vector<std::int64_t> n = {-1, 7};
  const auto bytes_of = [](const auto& numbers) { return std::as_bytes(std::span(numbers)); };
  set_sum(header, "w", element_sum(0, bytes_of(w), 4));
  set_sum(header, "n", element_sum(0, bytes_of(n), 8));
  std::string content = lay_out_safetensors(header);
  content.resize(header.file_size);
  std::memcpy(content.data() + header.tensors["w"].begin, w.data(), 24);
  std::memcpy(content.data() + header.tensors["n"].begin, n.data(), 16);
  const auto load = [&] {
    const std::string at = write("a.safetensors", content);
    const SafetensorsHeader found = read_safetensors_header(at);
    for (const auto& [name, tensor] : found.tensors) read_safetensor(at, found, name, kAnyMemory);
    return found;
  };
  EXPECT_EQ(load().metadata, header.metadata);
  for (std::size_t bit = 0; bit < 8 * content.size(); ++bit) {
    const auto flip = [&] { content[bit / 8] = static_cast<char>(content[bit / 8] ^ 1 << bit % 8); };
    flip();
    try {
      // The flipped byte may be in the name of a checksum: then nothing else differs.
      const SafetensorsHeader found = load();
      EXPECT_FALSE(found.metadata.contains("checksum")) << "bit " << bit % 8 << " of byte " << bit / 8;
    } catch (const IoError&) {}
    flip();
  }
}

TEST_F(Safetensors, ChecksumsOutliveAHeaderThatIsWrittenAnew) {
  SafetensorsHeader header;
  header.metadata = {{"step", "3"}};
  header.tensors["w"] = {"F32", {1}, 0, 0};
  header.tensors["v"] = {"F32", {2}, 0, 0};
  const std::string first = lay_out_safetensors(header);
  // Other programs order tensors in any way.
  const std::string other = "{" + tensor("w", "F32", "1", "0,4") + ", " + tensor("v", "F32", "2", "4,12") +
                            ",\"__metadata__\":{\"checksum\":\"" + header.metadata["checksum"] + "\",\"step\":\"3\"}}";
  EXPECT_EQ(read_safetensors_header(write("a.safetensors", file(other, std::string(12, 'x')))).metadata,
            header.metadata);
}

}  // namespace
}  // namespace mtf::io
