#pragma once

// Private to src/syntax: names ANTLR's types.

#include <antlr4-runtime.h>

#include <optional>

#include "support/diagnostics.h"
#include "syntax/token_stream.h"

namespace mtf::syntax {

// Thrown when there are so many errors that going on is of no use. Not a RecognitionException.
struct TooManyErrors {};

// How the parser goes on after an error: it reports it once, in our own words, leaves the innermost
// statement, and continues behind that statement's NEWLINE. Tokens are never guessed or dropped
// inside a statement, so one mistake gives one message.
class StatementRecovery : public antlr4::DefaultErrorStrategy {
 public:
  // The parser's tokens have the indices that they have in `tokens`.
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
  // Consumes the rest of the statement that began at a token, its NEWLINE and lines that are indented below it
  // included, and all of the form that was reported.
  void skip_statement(antlr4::Parser* parser, std::size_t first);
  bool goes_on_below(std::size_t first, std::size_t next) const;

  const TokenList& tokens_;
  const Offsets& offsets_;
  Diagnostics& diagnostics_;
  bool recovering_ = false;
  std::size_t skipped_ = 0;            // statements
  std::optional<Diagnostic> pending_;  // reported once it is clear which tokens it is about
  std::size_t last_of_form_ = 0;       // the last token of a form of another language that it is about
  bool is_pending_certain_ = false;    // it is reported whatever else is wrong with these tokens
};

}  // namespace mtf::syntax
