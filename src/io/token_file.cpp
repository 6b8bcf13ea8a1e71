#include "io/token_file.h"

#include <array>
#include <bit>
#include <string_view>
#include <vector>

#include "io/io_error.h"
#include "io/npy.h"

namespace mtf::io {
namespace {

constexpr std::string_view kNpyMagic = "\x93NUMPY";

bool is_npy(const PositionedFile& file) {
  std::array<char, kNpyMagic.size()> start;
  if (file.size() < start.size()) return false;
  file.read(0, std::as_writable_bytes(std::span(start)));
  return std::string_view(start.data(), start.size()) == kNpyMagic;
}

}  // namespace

TokenFile::TokenFile(const std::string& path, std::int64_t vocab, StoredType type)
    : file_(PositionedFile::to_read(path)), vocab_(vocab), type_(type) {
  static_assert(std::endian::native == std::endian::little, "flat files are little-endian");
  if (path.ends_with(".gz")) fail_bad_file(path, "expected a file that is not compressed, as it is read in places");
  if (!is_npy(file_)) {
    const auto bytes = static_cast<std::uint64_t>(size_of(type_));
    if (file_.size() % bytes != 0)
      fail_bad_file(path, "expected numbers of {} bits, found {} bytes", 8 * bytes, file_.size());
    count_ = static_cast<std::int64_t>(file_.size() / bytes);
    return;
  }
  const NpyNumbers numbers = find_npy_numbers(path);
  type_ = numbers.header.type;
  if (numbers.header.sizes.size() != 1 || element_type_for(type_) != ElementType::kI32)
    fail_bad_file(path, "expected integers along one dimension, found {} of sizes {}", name(type_),
                  to_text(numbers.header.sizes));
  big_endian_ = numbers.big_endian;
  begin_ = numbers.first;
  count_ = numbers.header.sizes[0];
}

void TokenFile::read(std::int64_t first, std::span<std::int32_t> ids) const {
  const auto size = static_cast<std::uint64_t>(size_of(type_));
  std::vector<std::byte> bytes(ids.size() * size);
  file_.read(begin_ + static_cast<std::uint64_t>(first) * size, bytes);
  if (big_endian_) swap_byte_order(bytes, size_of(type_));
  each_integer(type_, bytes, [&](std::size_t k, std::int64_t id) {
    if (id < 0 || id >= vocab_)
      fail_bad_file(file_.path(), "token {} is {}: expected ids from 0 to {}", first + static_cast<std::int64_t>(k), id,
                    vocab_ - 1);
    ids[k] = static_cast<std::int32_t>(id);
  });
}

}  // namespace mtf::io
