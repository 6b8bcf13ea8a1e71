#include "syntax/lexed_file.h"

#include <algorithm>

namespace mtf::syntax {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

std::size_t byte_order_marks(std::string_view text) {
  std::size_t skipped = 0;
  while (text.substr(skipped).starts_with(kByteOrderMark)) skipped += kByteOrderMark.size();
  return skipped;
}

}  // namespace

Offsets::Offsets(const SourceFile& file) : file_(&file), skipped_(byte_order_marks(file.text())) {
  const std::string_view text = std::string_view(file.text()).substr(skipped_);
  const bool ascii = std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  if (ascii) return;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) bytes_.push_back(static_cast<std::uint32_t>(i));
  }
  bytes_.push_back(static_cast<std::uint32_t>(text.size()));
}

std::uint32_t Offsets::byte(std::size_t code_point) const {
  const std::size_t end = file_->text().size() - skipped_;
  std::size_t place = std::min(code_point, end);
  if (!bytes_.empty()) place = bytes_[std::min(code_point, bytes_.size() - 1)];
  return static_cast<std::uint32_t>(skipped_ + place);
}

Span Offsets::span(std::size_t begin, std::size_t end) const {
  const std::uint32_t first = byte(begin);
  return {file_, first, std::max(first, byte(end))};
}

LexedFile::LexedFile(const SourceFile& file)
    : offsets_(file), input_(file.text().substr(offsets_.skipped())), lexer_(&input_) {
  lexer_.removeErrorListeners();
}

LexedToken LexedFile::next() {
  const auto token = lexer_.nextToken();
  return {token->getType(), static_cast<std::uint32_t>(token->getStartIndex()),
          static_cast<std::uint32_t>(token->getStopIndex() + 1)};
}

bool is_reserved_word(std::size_t token_type) { return token_type >= MtfLexer::DIM && token_type <= MtfLexer::NONE; }

}  // namespace mtf::syntax
