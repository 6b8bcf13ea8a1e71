#pragma once

// Private to src/syntax: names ANTLR's types.

#include <antlr4-runtime.h>

#include <string>
#include <vector>

#include "support/source.h"
#include "syntax/token_stream.h"

namespace mtf::syntax {

// Shows the parser a part of a file's tokens: whole top-level statements, a few thousand tokens, followed by EOF. So
// ANTLR's tokens and trees take the memory of a part of a large file, which stays in the processor's cache. Tokens keep
// their indices in the list.
class TokenWindow : public antlr4::TokenStream {
 public:
  TokenWindow(const TokenList& list, const SourceFile& file, const Offsets& offsets);

  // Advances to the next part. Returns false behind the last one. Even an empty file has one part.
  bool next();

  antlr4::Token* LT(ssize_t k) override;
  antlr4::Token* get(std::size_t index) const override;
  std::size_t LA(ssize_t k) override { return LT(k)->getType(); }
  void consume() override { ++place_; }
  std::size_t index() override { return place_; }
  void seek(std::size_t index) override { place_ = std::max(index, begin_); }
  std::size_t size() override { return end_ + 1; }
  ssize_t mark() override { return 0; }
  void release(ssize_t) override {}
  std::string getSourceName() const override { return file_.name(); }
  antlr4::TokenSource* getTokenSource() const override { return nullptr; }
  // Texts are not needed: they are in the file.
  std::string getText(const antlr4::misc::Interval&) override { return {}; }
  std::string getText() override { return {}; }
  std::string getText(antlr4::RuleContext*) override { return {}; }
  std::string getText(antlr4::Token*, antlr4::Token*) override { return {}; }

 private:
  std::size_t end_of_part() const;

  const TokenList& list_;
  const SourceFile& file_;
  const Offsets& offsets_;
  mutable std::vector<antlr4::CommonToken> tokens_;  // the tokens [begin_, end_]; the last is EOF
  std::size_t begin_ = 0, end_ = 0;
  std::size_t place_ = 0;
  bool begun_ = false;
};

}  // namespace mtf::syntax
