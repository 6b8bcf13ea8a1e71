#pragma once

// Private to src/syntax: names ANTLR's types.

#include <antlr4-runtime.h>

#include <optional>
#include <string_view>
#include <vector>

#include "MtfLexer.h"
#include "support/diagnostics.h"
#include "syntax/ast.h"

namespace mtf::internal {

// ANTLR counts code points, spans count bytes.
class Offsets {
 public:
  explicit Offsets(const SourceFile& file);
  // Bytes that the lexer does not see: a byte order mark.
  std::size_t skipped() const { return skipped_; }
  std::uint32_t byte(std::size_t code_point) const;
  Span span(std::size_t begin, std::size_t end) const;  // of code points
  Span span(const antlr4::Token& token) const { return span(token.getStartIndex(), token.getStopIndex() + 1); }

 private:
  const SourceFile* file_;
  std::size_t skipped_ = 0;
  std::vector<std::uint32_t> bytes_;  // of each code point and of the end; empty if all are ASCII
};

// A token in a sixteenth of the memory of ANTLR's: a parser needs those of the statements that it is at, and no others.
struct LexedToken {
  std::size_t type;
  std::uint32_t begin, end;  // code points
};

// A file's tokens as ANTLR's lexer makes them. The text must be valid UTF-8.
class LexedFile {
 public:
  explicit LexedFile(const SourceFile& file);
  // The next token, comments included; EOF for ever at the end.
  LexedToken next();
  Span span(const LexedToken& token) const { return offsets_.span(token.begin, token.end); }
  const Offsets& offsets() const { return offsets_; }

 private:
  Offsets offsets_;
  antlr4::ANTLRInputStream input_;
  MtfLexer lexer_;
};

// The tokens that the parser reads. What always holds:
//   - brackets match, and are nested at most kMaxNesting deep;
//   - NEWLINE (also made of `;`) separates statements, and only them: it ends each statement, stands
//     before the `}` of a block and before EOF, never twice in a row, never first in a block or file;
//   - there is none before `else`, nor where a line continues;
//   - a token with which nothing can be done is left out and marked.
// A NEWLINE that no line end or `;` stands for has an empty text.
struct TokenList {
  std::vector<LexedToken> tokens;          // the last is EOF
  std::vector<std::uint32_t> block_depth;  // of each token: the blocks it lies in
  std::vector<std::size_t> marks;          // ascending: indices at which an error was reported
  std::vector<ast::Comment> comments;
  bool incomplete = false;  // no error yet, but a bracket is open, or the last line continues
  bool too_deep = false;    // reading stopped there

  // How many statements stand at the top level.
  std::size_t count_statements() const;
  // Whether an error was already reported among the tokens [begin, end].
  bool is_marked(std::size_t begin, std::size_t end) const;
};

TokenList read_tokens(LexedFile& lexed, const SourceFile& file, Diagnostics& diagnostics);

// "`let`", "`+`" for a fixed token type, else an empty view.
std::string_view fixed_text(std::size_t token_type);
bool is_reserved_word(std::size_t token_type);

}  // namespace mtf::internal
