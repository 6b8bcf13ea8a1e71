#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "support/diagnostics.h"
#include "support/source.h"
#include "syntax/ast.h"

namespace mtf::syntax {

enum class ParseMode {
  kScript,  // an expression statement must be a call or `counters`
  kRepl,    // any expression is a statement
  kUse,  // what stands behind `use`, and nothing else: a path, `[rows: 2]`, `{batch -> rows}`; it is a `use` statement
};

// Nesting deeper than this (brackets, blocks and operators inside each other) is refused.
inline constexpr int kMaxNesting = 256;
// A chain such as `a + b + c + …` or `x.f().g()…` longer than this is refused.
inline constexpr int kMaxChain = 1000;

// Text → AST. Any bytes at all end in a program or in errors, in time linear in the text.
//
// Every syntax error that can be told apart is added to `diagnostics`: one for each statement that
// cannot be read. Such statements are missing from the program, so it must not be run if there are
// new errors; the statements that could be read are there, for editors.
ast::Program parse(std::shared_ptr<const SourceFile> file, Diagnostics& diagnostics,
                   ParseMode mode = ParseMode::kScript);

// As parse, for a text that must be right: throws the first error as UserError.
ast::Program parse_or_throw(std::shared_ptr<const SourceFile> file, ParseMode mode = ParseMode::kScript);

// Scripts that have been parsed, by their names and texts: whoever checks a script and then runs it, under one mesh or
// several, parses it once. Any thread may ask. Only the last ones are kept.
class ParsedScripts {
 public:
  // As parse. What has errors is parsed again, so that they are said again.
  std::shared_ptr<const ast::Program> parse(std::shared_ptr<const SourceFile> file, Diagnostics& diagnostics);
  // As parse_or_throw.
  std::shared_ptr<const ast::Program> parse_or_throw(std::shared_ptr<const SourceFile> file);

 private:
  static constexpr std::size_t kMost = 100;
  std::mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<const ast::Program>> scripts_;
};

// Whether a REPL should read another line before it parses: a bracket is open, or the last line ends
// in a token after which a line continues. A text that is wrong already is complete.
bool is_incomplete(std::string_view text);

// The words that are no names, from the lexer's own vocabulary, in alphabetical order.
const std::vector<std::string_view>& reserved_words();

// A token with its place, for editors; comments included, in order, without line ends.
enum class TokenClass { kWord, kName, kNumber, kString, kOperator, kBracket, kComment, kError };
struct Token {
  TokenClass kind;
  Span span;
};
// Never fails. The pieces of a string with `{e}` in it are tokens of their own.
std::vector<Token> tokenize(std::shared_ptr<const SourceFile> file);

}  // namespace mtf::syntax
