#include "io/file_kind.h"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

#include "io/io_error.h"
#include "io/tokenizer.h"
#include "support/text.h"

namespace mtf::io {
namespace {

bool is_npy(std::string_view begin) { return begin.starts_with("\x93NUMPY"); }

/// A file of safetensors begins with the length of its header in 8 bytes.
bool is_safetensors(std::string_view begin) {
  if (begin.size() < 9 || begin[8] != '{') return false;
  std::uint64_t size = 0;
  for (std::size_t i = 0; i < 8; ++i) size |= static_cast<std::uint64_t>(static_cast<unsigned char>(begin[i])) << 8 * i;
  return size < std::uint64_t{1} << 40;
}

/// `is_whole`: the text does not end in the middle of a character.
bool is_text(std::string_view begin, bool is_whole) {
  if (begin.find('\0') != std::string_view::npos) return false;
  const auto invalid = first_invalid_utf8(begin);
  return !invalid || (!is_whole && *invalid + 4 > begin.size());
}

bool is_tokenizer(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string whole{std::istreambuf_iterator<char>(file), {}};
  try {
    load_tokenizer(whole, path);
    return true;
  } catch (const IoError&) { return false; }
}

}  // namespace

void expect_replaceable(const std::string& path, FileKind kind) {
  if (path.find('\0') != std::string::npos) return;  // no writer accepts it
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return;
  constexpr std::size_t kBegin = 1 << 16;
  std::string begin(kBegin, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(begin.data(), static_cast<std::streamsize>(kBegin));
  begin.resize(static_cast<std::size_t>(file.gcount()));
  const auto expect = [&](bool is_one, std::string_view name) {
    if (begin.empty() || is_one) return;
    throw IoError(IoError::Kind::kUnwritable, path,
                  fmt::format("it is there, and is {}; name another file, or remove it", name));
  };
  const bool has_text = is_text(begin, begin.size() < kBegin);
  switch (kind) {
    case FileKind::kNpy: return expect(is_npy(begin), "not an npy file");
    case FileKind::kSafetensors: return expect(is_safetensors(begin), "not a safetensors file");
    case FileKind::kTokenizer: return expect(is_tokenizer(path), "not a tokenizer");
    case FileKind::kTokens:
      return expect(!has_text && !is_npy(begin) && !is_safetensors(begin), "not a file of tokens");
    case FileKind::kText: expect(!path.ends_with(".mtf"), "a script"); return expect(has_text, "not a text");
  }
}

}  // namespace mtf::io
