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
    : offsets_(file),
      input_(file.text().substr(offsets_.skipped())),
      lexer_(&input_),
      automaton_(*lexer_.getInterpreter<antlr4::atn::LexerATNSimulator>()) {}

// Does what antlr4::Lexer::nextToken does, without an object for each token and its line. Nothing is thrown, because
// each mode of the lexer has a rule for any character.
LexedToken LexedFile::next() {
  if (lexer_.mode == antlr4::Lexer::DEFAULT_MODE) {
    skip([](std::size_t c) { return c == ' ' || c == '\t'; });
    const std::size_t comment = input_.index();
    if (input_.LA(1) == '#') {
      skip([](std::size_t c) { return c != '\n' && c != '\r'; });
      return token(MtfLexer::COMMENT, comment);
    }
  }
  const std::size_t begin = input_.index();
  if (input_.LA(1) == antlr4::IntStream::EOF) return token(antlr4::Token::EOF, begin);
  lexer_.type = antlr4::Token::INVALID_TYPE;
  const std::size_t matched = automaton_.match(&input_, lexer_.mode);
  return token(lexer_.type == antlr4::Token::INVALID_TYPE ? matched : lexer_.type, begin);
}

// Goes to the first character that is not skipped, or to the end.
template <typename Skipped>
void LexedFile::skip(const Skipped& skipped) {
  ssize_t ahead = 1;
  for (std::size_t c = input_.LA(1); c != antlr4::IntStream::EOF && skipped(c); c = input_.LA(ahead)) ++ahead;
  input_.seek(input_.index() + static_cast<std::size_t>(ahead - 1));
}

LexedToken LexedFile::token(std::size_t type, std::size_t begin) {
  return {type, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(input_.index())};
}

bool is_reserved_word(std::size_t token_type) { return token_type >= MtfLexer::DIM && token_type <= MtfLexer::NONE; }

}  // namespace mtf::syntax
