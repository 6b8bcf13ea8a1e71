#include "io/npy.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "io/array_file.h"
#include "io/io_error.h"
#include "io/write_file.h"

namespace mtf::io {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::uint64_t kLongestHeader = 1U << 20;  // ours are 128 bytes; NumPy refuses more than 10,000
constexpr std::size_t kGreatestOrder = 64;          // NumPy's own limit

struct Code {
  std::string_view code;
  StoredType type;
};
constexpr Code kCodes[] = {{"b1", StoredType::kBool}, {"u1", StoredType::kU8},  {"i1", StoredType::kI8},
                           {"u2", StoredType::kU16},  {"i2", StoredType::kI16}, {"u4", StoredType::kU32},
                           {"i4", StoredType::kI32},  {"i8", StoredType::kI64}, {"f4", StoredType::kF32},
                           {"f8", StoredType::kF64},  {"f2", StoredType::kF16}};

struct NpyHeader {
  ArrayHeader array;
  bool fortran_order = false;
  bool big_endian = false;
};

/// Reads the header's text, a Python dictionary of exactly the keys descr, fortran_order and shape.
class HeaderText {
 public:
  HeaderText(std::string_view text, const std::string& path) : text_(text), path_(path) {}

  NpyHeader parse() {
    NpyHeader header;
    bool descr = false, order = false, shape = false;
    expect("{");
    while (!skip("}")) {
      const std::string_view key = quoted();
      expect(":");
      if (key == "descr" && !descr) {
        descr = true;
        parse_descr(header);
      } else if (key == "fortran_order" && !order) {
        order = true;
        header.fortran_order = skip("True");
        if (!header.fortran_order) expect("False");
      } else if (key == "shape" && !shape) {
        shape = true;
        parse_shape(header.array.sizes);
      } else {
        fail_bad_file(path_, "the npy header has an unexpected or repeated key '{}'", key);
      }
      if (!skip(",")) {
        expect("}");
        break;
      }
    }
    skip_space();
    if (!text_.empty()) fail_here("the end of the header");
    if (!descr || !order || !shape) {
      fail_bad_file(path_, "the npy header lacks '{}'", !descr ? "descr" : !order ? "fortran_order" : "shape");
    }
    return header;
  }

 private:
  void skip_space() {
    while (!text_.empty() && (text_[0] == ' ' || text_[0] == '\n' || text_[0] == '\t')) text_.remove_prefix(1);
  }

  bool skip(std::string_view word) {
    skip_space();
    if (!text_.starts_with(word)) return false;
    text_.remove_prefix(word.size());
    return true;
  }

  void expect(std::string_view word) {
    if (!skip(word)) fail_here(word);
  }

  [[noreturn]] void fail_here(std::string_view expected) {
    fail_bad_file(path_, "malformed npy header: expected {}, found {}", expected,
                  text_.empty() ? "its end" : fmt::format("'{}'", text_.substr(0, 20)));
  }

  std::string_view quoted() {
    skip_space();
    const char quote = text_.empty() ? ' ' : text_[0];
    if (quote != '\'' && quote != '"') fail_here("a quoted word");
    const std::size_t end = text_.find(quote, 1);
    if (end == std::string_view::npos) fail_here("a closing quote");
    const std::string_view word = text_.substr(1, end - 1);
    text_.remove_prefix(end + 1);
    return word;
  }

  void parse_descr(NpyHeader& header) {
    skip_space();
    if (text_.starts_with("[")) fail_bad_file(path_, "the npy file holds records; expected plain numbers");
    const std::string_view descr = quoted();
    const char order = descr.empty() ? ' ' : descr[0];
    for (const Code& known : kCodes) {
      if (descr.empty() || descr.substr(1) != known.code) continue;
      const bool one_byte = size_of(known.type) == 1;
      if (order == '<' || order == '=' || order == '>' || (one_byte && order == '|')) {
        header.array.type = known.type;
        header.big_endian = order == '>';
        return;
      }
    }
    fail_bad_file(path_, "the npy file holds '{}'; expected one of b1 u1 i1 u2 i2 u4 i4 i8 f2 f4 f8", descr);
  }

  void parse_shape(std::vector<std::int64_t>& sizes) {
    expect("(");
    while (!skip(")")) {
      skip_space();
      std::int64_t size = 0;
      const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), size);
      if (error == std::errc::result_out_of_range) fail_here("a size below 2^63");
      if (error != std::errc() || size < 0) fail_here("a size");
      text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
      if (sizes.size() == kGreatestOrder) fail_here(fmt::format("at most {} sizes", kGreatestOrder));
      sizes.push_back(size);
      if (!skip(",")) {
        expect(")");
        break;
      }
    }
  }

  std::string_view text_;
  const std::string& path_;
};

NpyHeader parse_npy_header(InputFile& file) {
  std::array<std::byte, 8> start;
  file.read(start, "the npy header");
  if (std::memcmp(start.data(), kMagic.data(), kMagic.size()) != 0) {
    fail_bad_file(file.path(), "not an npy file: expected it to begin with \\x93NUMPY");
  }
  const int version = std::to_integer<int>(start[6]);
  if (version < 1 || version > 3) fail_bad_file(file.path(), "npy version {}; expected 1, 2 or 3", version);
  std::array<std::byte, 4> length_bytes{};
  file.read(std::span(length_bytes).first(version == 1 ? 2 : 4), "the npy header's length");
  std::uint64_t length = 0;
  for (std::size_t i = 4; i-- > 0;) length = length << 8 | std::to_integer<std::uint64_t>(length_bytes[i]);
  if (length > kLongestHeader) {
    fail_bad_file(file.path(), "the npy header is {} bytes long; expected at most {}", length, kLongestHeader);
  }
  std::string text(length, ' ');
  file.read(std::as_writable_bytes(std::span(text)), "the npy header");
  return HeaderText(text, file.path()).parse();
}

/// Converts numbers from column-major to row-major order.
std::vector<std::byte> to_row_major(const ArrayHeader& header, const std::vector<std::byte>& from) {
  const auto size = static_cast<std::size_t>(size_of(header.type));
  const std::size_t order = header.sizes.size();
  std::vector<std::size_t> strides(order, 1);
  for (std::size_t i = 1; i < order; ++i) strides[i] = strides[i - 1] * static_cast<std::size_t>(header.sizes[i - 1]);
  std::vector<std::byte> to(from.size());
  std::vector<std::int64_t> index(order, 0);
  std::size_t source = 0;
  for (std::size_t target = 0; target < to.size(); target += size) {
    std::memcpy(&to[target], &from[source * size], size);
    for (std::size_t dim = order; dim-- > 0;) {
      source += strides[dim];
      if (++index[dim] < header.sizes[dim]) break;
      source -= strides[dim] * static_cast<std::size_t>(header.sizes[dim]);
      index[dim] = 0;
    }
  }
  return to;
}

std::string_view descr_of(ElementType type) {
  switch (type) {
    case ElementType::kBool: return "|b1";
    case ElementType::kI32: return "<i4";
    case ElementType::kBf16:
    case ElementType::kF32: return "<f4";
    case ElementType::kF64: return "<f8";
  }
  throw std::logic_error("an element type that npy files do not know");
}

/// The start of a version 1 file, padded so that the numbers are aligned to 64 bytes.
std::string header_text(std::span<const std::int64_t> sizes, ElementType type) {
  std::string shape;
  for (const std::int64_t size : sizes) shape += fmt::format("{}{},", shape.empty() ? "" : " ", size);
  if (sizes.size() > 1) shape.pop_back();
  std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", descr_of(type), shape);
  const std::size_t before = kMagic.size() + 4;
  text.append(63 - (before + text.size()) % 64, ' ');
  text += '\n';
  std::string start(kMagic);
  start += {'\x01', '\x00', static_cast<char>(text.size() & 0xff), static_cast<char>(text.size() >> 8)};
  return start + text;
}

}  // namespace

ArrayHeader read_npy_header(const std::string& path) {
  InputFile file(path);
  ArrayHeader header = parse_npy_header(file).array;
  expect_possible_array(file, header, "npy");
  return header;
}

NpyNumbers find_npy_numbers(const std::string& path) {
  InputFile file(path);
  if (file.is_compressed()) fail_bad_file(path, "expected a file that is not compressed, as it is read in places");
  const NpyHeader header = parse_npy_header(file);
  expect_possible_array(file, header.array, "npy");
  return {header.array, header.fortran_order, header.big_endian, file.position()};
}

StoredArray read_npy(const std::string& path, std::uint64_t most_memory) {
  InputFile file(path);
  NpyHeader header = parse_npy_header(file);
  const bool is_turned = header.fortran_order && header.array.sizes.size() > 1;
  StoredArray array =
      read_array(file, std::move(header.array), header.big_endian, "npy", is_turned ? most_memory / 2 : most_memory);
  if (is_turned) array.bytes = to_row_major(array.header, array.bytes);
  return array;
}

void write_npy(const std::string& path, std::span<const std::int64_t> sizes, ElementType type,
               std::span<const std::byte> bytes) {
  static_assert(std::endian::native == std::endian::little, "written numbers are little-endian");
  std::vector<float> wide;
  if (type == ElementType::kBf16) {
    wide.resize(bytes.size() / sizeof(Bf16));
    for (std::size_t i = 0; i < wide.size(); ++i) {
      Bf16 value;
      std::memcpy(&value, bytes.data() + i * sizeof(Bf16), sizeof(Bf16));
      wide[i] = to_float(value);
    }
    bytes = std::as_bytes(std::span(wide));
  }
  const std::string header = header_text(sizes, type);
  const std::array<std::span<const std::byte>, 2> parts = {std::as_bytes(std::span(header)), bytes};
  write_file_atomically(path, parts);
}

}  // namespace mtf::io
