#pragma once

// Private to src/syntax: names ANTLR's types.

#include <antlr4-runtime.h>

#include <cstdint>
#include <string_view>
#include <vector>

#include "MtfLexer.h"
#include "support/source.h"

namespace mtf::syntax {

// A token in a sixteenth of the memory of ANTLR's. ANTLR's tokens exist only for the statements being parsed.
struct LexedToken {
  std::size_t type;
  std::uint32_t begin, end;  // code points
};

// Converts positions: ANTLR counts code points, spans count bytes.
class Offsets {
 public:
  explicit Offsets(const SourceFile& file);
  // The number of bytes that the lexer does not see: a byte order mark.
  std::size_t skipped() const { return skipped_; }
  std::uint32_t byte(std::size_t code_point) const;
  Span span(std::size_t begin, std::size_t end) const;  // arguments are code points
  Span span(const antlr4::Token& token) const { return span(token.getStartIndex(), token.getStopIndex() + 1); }
  Span span(const LexedToken& token) const { return span(token.begin, token.end); }

 private:
  const SourceFile* file_;
  std::size_t skipped_ = 0;
  std::vector<std::uint32_t> bytes_;  // for each code point and the end; empty if all are ASCII
};

// A file's tokens from ANTLR's lexer. The text must be valid UTF-8.
class LexedFile {
 public:
  explicit LexedFile(const SourceFile& file);
  // The next token, comments included. At the end of the file it is always EOF.
  LexedToken next();
  Span span(const LexedToken& token) const { return offsets_.span(token); }
  const Offsets& offsets() const { return offsets_; }

 private:
  template <typename Skipped>
  void skip(const Skipped& skipped);
  LexedToken token(std::size_t type, std::size_t begin);

  Offsets offsets_;
  antlr4::ANTLRInputStream input_;
  MtfLexer lexer_;
  antlr4::atn::LexerATNSimulator& automaton_;  // the lexer's
};

// "`let`", "`+`" for a token type with a fixed text, otherwise an empty view.
std::string_view fixed_text(std::size_t token_type);
bool is_reserved_word(std::size_t token_type);

}  // namespace mtf::syntax
