#include "io/array_file.h"

#include <bit>
#include <string>
#include <utility>

#include "io/io_error.h"

namespace mtf::io {
namespace {

/// The size of the whole file according to its header, which has just been read.
std::uint64_t promised(const InputFile& file, const ArrayHeader& header, std::string_view format) {
  const auto bytes = header.bytes();
  if (!bytes) {
    fail_bad_file(file.path(), "the {} header's sizes overflow: {}{}", format, name(header.type),
                  to_text(header.sizes));
  }
  return file.position() + static_cast<std::uint64_t>(*bytes);
}

std::string promiser(const ArrayHeader& header, std::string_view format) {
  return fmt::format("the {} header, {}{},", format, name(header.type), to_text(header.sizes));
}

}  // namespace

void expect_possible_array(const InputFile& file, const ArrayHeader& header, std::string_view format) {
  file.expect_possible_content(promised(file, header, format), promiser(header, format));
}

StoredArray read_array(InputFile& file, ArrayHeader header, bool big_endian, std::string_view format,
                       std::uint64_t most_memory) {
  file.expect_content(promised(file, header, format), promiser(header, format));
  const auto needed = static_cast<std::uint64_t>(*header.bytes());
  if (needed > most_memory) fail_too_large(file.path(), needed, most_memory);
  StoredArray array{std::move(header), {}};
  array.bytes.resize(static_cast<std::size_t>(*array.header.bytes()));
  file.read(array.bytes, "the numbers");
  if (big_endian == (std::endian::native == std::endian::little)) {
    swap_byte_order(array.bytes, size_of(array.header.type));
  }
  return array;
}

}  // namespace mtf::io
