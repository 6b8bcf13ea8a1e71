#pragma once

// Private to src/syntax: names ANTLR's types.

#include <antlr4-runtime.h>

#include <optional>

#include "support/diagnostics.h"
#include "syntax/token_stream.h"

namespace mtf::syntax {

// Thrown after so many errors that further parsing is useless. Not a RecognitionException.
struct TooManyErrors {};

// Recovers from an error: reports it once, in our own words, leaves the innermost statement, and continues behind the
// NEWLINE of that statement. Tokens inside a statement are never guessed or dropped, so one mistake gives one message.
class StatementRecovery : public antlr4::DefaultErrorStrategy {
 public:
  // The parser's tokens have the same indices as in `tokens`.
  StatementRecovery(const TokenList& tokens, const Offsets& offsets, Diagnostics& diagnostics)
      : tokens_(tokens), offsets_(offsets), diagnostics_(diagnostics) {}

  void reset(antlr4::Parser* parser) override;
  bool inErrorRecoveryMode(antlr4::Parser*) override { return recovering_; }
  void reportMatch(antlr4::Parser*) override {}
  void reportError(antlr4::Parser* parser, const antlr4::RecognitionException& error) override;
  void recover(antlr4::Parser* parser, std::exception_ptr error) override;
  antlr4::Token* recoverInline(antlr4::Parser* parser) override;
  void sync(antlr4::Parser* parser) override;

 private:
  void report(antlr4::Parser* parser, antlr4::Token* found, const antlr4::misc::IntervalSet& expected);
  // Consumes the rest of the statement that began at `first`, with its NEWLINE and the lines that are indented below
  // it. Also consumes the whole reported form.
  void skip_statement(antlr4::Parser* parser, std::size_t first);
  bool goes_on_below(std::size_t first, std::size_t next) const;

  const TokenList& tokens_;
  const Offsets& offsets_;
  Diagnostics& diagnostics_;
  bool recovering_ = false;
  std::size_t skipped_ = 0;            // number of statements
  std::optional<Diagnostic> pending_;  // reported once its range of tokens is known
  std::size_t last_of_form_ = 0;       // the last token of the foreign form of this error
  bool is_pending_certain_ = false;    // reported even if these tokens have other errors
};

}  // namespace mtf::syntax
