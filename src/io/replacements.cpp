#include "io/replacements.h"

#include "io/io_error.h"

namespace mtf::io {
namespace {

std::uint32_t word(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i)
    value |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at + i])) << 8 * i;
  return value;
}
std::size_t children(std::uint32_t node) { return static_cast<std::size_t>(node >> 10) << ((node & 0x200U) >> 6); }

}  // namespace

Replacements::Replacements(std::string_view table, const std::string& path) {
  if (table.empty()) return;
  std::uint32_t size = 0;
  if (table.size() >= 4) size = word(table, 0);
  if (table.size() < 4 || size % 4 != 0 || size == 0 || size > table.size() - 4)
    fail_bad_file(path, "expected a table of replaced characters with its size, found {} bytes of size {}",
                  table.size(), size);
  for (std::uint32_t at = 0; at < size; at += 4) nodes_.push_back(word(table, 4 + at));
  texts_ = table.substr(4 + size);
  if (!texts_.ends_with('\0'))
    fail_bad_file(path, "expected a table of replaced characters that ends with 0, found another end");
}

std::pair<std::size_t, std::string_view> Replacements::find(std::string_view text) const {
  std::pair<std::size_t, std::string_view> found;
  if (nodes_.empty()) return found;
  std::size_t at = children(nodes_[0]);
  for (std::size_t i = 0; i < text.size(); ++i) {
    at ^= static_cast<unsigned char>(text[i]);
    if (at >= nodes_.size()) break;
    const std::uint32_t node = nodes_[at];
    if ((node & 0x800000ffU) != static_cast<unsigned char>(text[i])) break;
    at ^= children(node);
    if ((node >> 8 & 1U) == 0) continue;
    if (at >= nodes_.size()) break;
    const std::size_t place = nodes_[at] & 0x7fffffffU;
    if (place < texts_.size())
      found = {i + 1, std::string_view(texts_).substr(place, texts_.find('\0', place) - place)};
  }
  return found;
}

}  // namespace mtf::io
