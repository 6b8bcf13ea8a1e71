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

/// The latest version of the language that this program knows (syntax/language_version.h).
inline constexpr int kLanguageVersion = 1;

enum class ParseMode {
  kScript,  // an expression statement must be a call or `counters`
  kRepl,    // any expression is a statement
  kUse,     // only the operand of `use`: a path, `[rows: 2]`, `{batch -> rows}`; gives a `use` statement
};

// The limit of nesting (brackets, blocks and operators inside each other).
inline constexpr int kMaxNesting = 256;
// The limit of the length of a chain such as `a + b + c + …` or `x.f().g()…`.
inline constexpr int kMaxChain = 1000;

// Parses text to an AST. Any bytes give a program or errors, in time linear in the text.
//
// Adds every distinguishable syntax error to `diagnostics`: one for each invalid statement. The program lacks these
// statements, so it must not be run if there are new errors. Editors use the remaining statements.
ast::Program parse(std::shared_ptr<const SourceFile> file, Diagnostics& diagnostics,
                   ParseMode mode = ParseMode::kScript);

// The same as parse, but throws the first error as UserError.
ast::Program parse_or_throw(std::shared_ptr<const SourceFile> file, ParseMode mode = ParseMode::kScript);

// A cache of parsed scripts, by their names and texts. Checking a script and then running it, under one mesh or
// several, parses it once. Thread-safe. Only the last scripts are kept.
class ParsedScripts {
 public:
  // The same as parse. A text with errors is parsed again, so that its errors are reported again.
  std::shared_ptr<const ast::Program> parse(std::shared_ptr<const SourceFile> file, Diagnostics& diagnostics);
  // The same as parse_or_throw.
  std::shared_ptr<const ast::Program> parse_or_throw(std::shared_ptr<const SourceFile> file);

 private:
  static constexpr std::size_t kMost = 100;
  std::mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<const ast::Program>> scripts_;
};

// True if a REPL should read another line before it parses: a bracket is open, or the last token continues its line. A
// text with an error is complete.
bool is_incomplete(std::string_view text);

// The reserved words, from the lexer's own vocabulary, in alphabetical order.
const std::vector<std::string_view>& reserved_words();

// A token with its span, for editors. Comments are included in order, line ends are not.
enum class TokenClass { kWord, kName, kNumber, kString, kOperator, kBracket, kComment, kError };
struct Token {
  TokenClass kind;
  Span span;
};
// Never fails. The pieces of a string with `{e}` in it are separate tokens.
std::vector<Token> tokenize(std::shared_ptr<const SourceFile> file);

}  // namespace mtf::syntax
