#include "io/text.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>

#include "io/file.h"
#include "io/io_error.h"
#include "support/text.h"

namespace mtf::io {
namespace {

constexpr std::size_t kCodePoints = 0x110000;
constexpr std::size_t kPiece = std::size_t{1} << 16;

struct CodePoint {
  char32_t value = 0;
  std::size_t bytes = 0;
};

/// The bytes of a character by its first byte. 1 if no character begins with that byte.
std::size_t character_size(char first) {
  const auto byte = static_cast<unsigned char>(first);
  return byte < 0xC0 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

/// The first character of valid UTF-8 that is not empty.
CodePoint first_code_point(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::size_t bytes = character_size(text[0]);
  if (bytes == 1) return {byte(0), 1};
  char32_t value = byte(0) & (0xFFU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) value = value << 6 | (byte(i) & 0x3FU);
  return {value, bytes};
}

/// The bytes at the end of a piece that belong to an incomplete character.
std::size_t unfinished(std::string_view piece) {
  for (std::size_t back = 1; back <= std::min<std::size_t>(3, piece.size()); ++back) {
    const char byte = piece[piece.size() - back];
    if ((static_cast<unsigned char>(byte) & 0xC0U) == 0x80) continue;
    return character_size(byte) > back ? back : 0;
  }
  return 0;
}

/// Calls take(text) with each piece of a text file in order. Pieces consist of whole characters.
template <typename Take>
void for_each_piece(const std::string& path, Take&& take) {
  InputFile file(path);
  std::string buffer(kPiece, '\0');
  std::size_t kept = 0;                 // at the beginning of the buffer
  std::uint64_t before = 0, lines = 0;  // in earlier pieces
  while (true) {
    const std::size_t size = file.read_some(std::as_writable_bytes(std::span(buffer)).subspan(kept));
    std::string_view piece(buffer.data(), kept + size);
    if (piece.empty()) return;
    if (size > 0) piece.remove_suffix(unfinished(piece));
    if (const auto place = first_invalid_utf8(piece)) {
      lines += static_cast<std::uint64_t>(
          std::count(piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(*place), '\n'));
      fail_bad_file(path, "expected UTF-8 text, found the byte {:02x} in line {} (byte {} of the file)",
                    static_cast<unsigned char>(piece[*place]), lines + 1, before + *place);
    }
    take(piece);
    before += piece.size();
    lines += static_cast<std::uint64_t>(std::count(piece.begin(), piece.end(), '\n'));
    kept = kept + size - piece.size();
    std::memmove(buffer.data(), piece.data() + piece.size(), kept);
  }
}

template <typename Take>
void for_each_character(std::string_view text, Take&& take) {
  while (!text.empty()) {
    const CodePoint next = first_code_point(text);
    take(next.value);
    text.remove_prefix(next.bytes);
  }
}

[[noreturn]] void changed(const std::string& path) { fail_bad_file(path, "it was changed while it was read"); }

/// The index of each character in the vocabulary, or -1.
std::vector<std::int32_t> places_in(const std::vector<char32_t>& vocabulary) {
  std::vector<std::int32_t> places(vocabulary.empty() ? 0 : static_cast<std::size_t>(vocabulary.back()) + 1, -1);
  for (std::size_t i = 0; i < vocabulary.size(); ++i) places[vocabulary[i]] = static_cast<std::int32_t>(i);
  return places;
}

}  // namespace

int id_bytes(std::int64_t vocabulary) { return vocabulary <= 0x100 ? 1 : vocabulary <= 0x10000 ? 2 : 4; }

std::int32_t id_at(std::span<const std::byte> ids, int bytes, std::int64_t index) {
  const auto size = static_cast<std::size_t>(bytes);
  static_assert(std::endian::native == std::endian::little, "an id's low bytes come first");
  std::uint32_t id = 0;
  std::memcpy(&id, ids.data() + static_cast<std::size_t>(index) * size, size);
  return static_cast<std::int32_t>(id);
}

CharacterText CharacterText::read(const std::string& path, bool with_ids, std::uint64_t most_memory) {
  CharacterText text;
  std::vector<bool> occurs(kCodePoints, false);
  for_each_piece(path, [&](std::string_view piece) {
    for_each_character(piece, [&](char32_t character) {
      occurs[character] = true;
      ++text.count;
    });
  });
  for (std::size_t i = 0; i < kCodePoints; ++i)
    if (occurs[i]) text.vocabulary.push_back(static_cast<char32_t>(i));
  if (!with_ids) return text;

  const auto size = static_cast<std::size_t>(text.id_bytes());
  const std::uint64_t needed = static_cast<std::uint64_t>(text.count) * size;
  if (needed > most_memory) fail_too_large(path, needed, most_memory);
  text.ids.resize(needed);
  const std::vector<std::int32_t> places = places_in(text.vocabulary);
  std::size_t at = 0;
  for_each_piece(path, [&](std::string_view piece) {
    for_each_character(piece, [&](char32_t character) {
      const std::int32_t id = character < places.size() ? places[character] : -1;
      if (id < 0 || at + size > text.ids.size()) changed(path);
      std::memcpy(text.ids.data() + at, &id, size);
      at += size;
    });
  });
  if (at != text.ids.size()) changed(path);
  return text;
}

std::vector<char32_t> code_points(std::string_view text) {
  std::vector<char32_t> result;
  for_each_character(text, [&](char32_t character) { result.push_back(character); });
  return result;
}

std::string utf8(char32_t c) {
  std::string out;
  const auto continued = [&](int shift) { out += static_cast<char>(0x80 | (c >> shift & 0x3f)); };
  if (c < 0x80) return {static_cast<char>(c)};
  if (c < 0x800) {
    out += static_cast<char>(0xc0 | c >> 6);
  } else if (c < 0x10000) {
    out += static_cast<char>(0xe0 | c >> 12);
    continued(6);
  } else {
    out += static_cast<char>(0xf0 | c >> 18);
    continued(12);
    continued(6);
  }
  continued(0);
  return out;
}

}  // namespace mtf::io
