#include "syntax/parse.h"

#include <algorithm>
#include <optional>

#include "MtfLexer.h"
#include "MtfParser.h"
#include "support/stack_budget.h"
#include "support/text.h"
#include "syntax/ast_builder.h"
#include "syntax/language_version.h"
#include "syntax/resolver.h"
#include "syntax/syntax_errors.h"
#include "syntax/token_stream.h"
#include "syntax/token_window.h"

namespace mtf::syntax {
namespace {

// The token at which nesting exceeded its limit. Not a RecognitionException, so that no rule catches it.
struct TooDeep {
  enum class Limit { kNesting, kChain, kStack };
  antlr4::Token* at;
  Limit limit;
};

// Limits nesting and chains. The generated parser recurses for each nested expression. Functions that walk the tree
// also recurse for each link of a chain such as a + b + c.
class LimitedParser : public MtfParser {
 public:
  using MtfParser::MtfParser;

  void enterRule(antlr4::ParserRuleContext* context, size_t state, size_t rule) override {
    if (!has_stack()) throw TooDeep{getCurrentToken(), TooDeep::Limit::kStack};
    MtfParser::enterRule(context, state, rule);
  }
  void enterRecursionRule(antlr4::ParserRuleContext* context, size_t state, size_t rule, int precedence) override {
    if (links_.size() >= kMaxNesting) throw TooDeep{getCurrentToken(), TooDeep::Limit::kNesting};
    if (!has_stack()) throw TooDeep{getCurrentToken(), TooDeep::Limit::kStack};
    MtfParser::enterRecursionRule(context, state, rule, precedence);
    links_.push_back(0);
  }
  void pushNewRecursionContext(antlr4::ParserRuleContext* context, size_t state, size_t rule) override {
    if (total_links_ >= kMaxChain) throw TooDeep{getCurrentToken(), TooDeep::Limit::kChain};
    ++links_.back();
    ++total_links_;
    MtfParser::pushNewRecursionContext(context, state, rule);
  }
  void unrollRecursionContexts(antlr4::ParserRuleContext* parent) override {
    MtfParser::unrollRecursionContexts(parent);
    total_links_ -= links_.back();
    links_.pop_back();
  }

 private:
  std::vector<int> links_;  // of each open expression
  int total_links_ = 0;
};

Diagnostic too_deep(const TooDeep& limit, const Offsets& offsets) {
  std::string what = "no more of the stack is left";
  if (limit.limit == TooDeep::Limit::kChain)
    what = fmt::format("a chain of more than {} operations", thousands(kMaxChain));
  if (limit.limit == TooDeep::Limit::kNesting)
    what = fmt::format("more than {} expressions inside each other", kMaxNesting);
  return Diagnostic(Kind::nesting_too_deep, offsets.span(*limit.at), what).help("give a part a name with `let`");
}

const std::vector<std::string>& literals() {
  static const std::vector<std::string> kLiterals = [] {
    std::vector<std::string> texts;
    antlr4::ANTLRInputStream nothing("");
    const MtfLexer lexer(&nothing);
    const auto& vocabulary = lexer.getVocabulary();
    for (std::size_t type = 0; type <= vocabulary.getMaxTokenType(); ++type) {
      const std::string quoted = vocabulary.getLiteralName(type);
      texts.push_back(quoted.size() >= 2 ? quoted.substr(1, quoted.size() - 2) : "");
    }
    return texts;
  }();
  return kLiterals;
}

}  // namespace

std::string_view fixed_text(std::size_t token_type) {
  return token_type < literals().size() ? std::string_view(literals()[token_type]) : std::string_view();
}

namespace {

ast::Program empty_program(const std::shared_ptr<const SourceFile>& file) {
  ast::Program program;
  program.file = file;
  program.body.span = {file.get(), 0, 0};
  return program;
}

// True if the lexer can read the text. If not, reports why.
bool is_readable(const SourceFile& file, Diagnostics& diagnostics) {
  if (file.text().size() > SourceFile::kMaxBytes) {
    diagnostics.add(
        Diagnostic(Kind::file_too_large, Span{&file, 0, 0},
                   fmt::format("{}, of at most {}", mtf::bytes_text(static_cast<std::int64_t>(file.text().size())),
                               mtf::bytes_text(SourceFile::kMaxBytes))));
    return false;
  }
  const auto invalid = first_invalid_utf8(file.text());
  if (!invalid) return true;
  const auto place = static_cast<std::uint32_t>(*invalid);
  diagnostics.add(Diagnostic(Kind::invalid_utf8, Span{&file, place, place + 1},
                             fmt::format("byte 0x{:02X}", static_cast<unsigned char>(file.text()[*invalid]))));
  return false;
}

}  // namespace

namespace {

// Parses the window's part of a file. The tree lives until the parser gets the next part. First predicts without the
// context of rules: such predictions are cached across parts, and take a fraction of the time. If that finds a tree, it
// is the right one. If not, the part is parsed again with full context, which gives the best error messages (Parr,
// Harwell and Fisher, "Adaptive LL(*) parsing", section 3.2).
MtfParser::ProgramContext& parse_part(MtfParser& parser, TokenWindow& window,
                                      const std::shared_ptr<antlr4::ANTLRErrorStrategy>& recovery) {
  const auto parse_by = [&](antlr4::atn::PredictionMode mode,
                            std::shared_ptr<antlr4::ANTLRErrorStrategy> strategy) -> MtfParser::ProgramContext& {
    parser.getInterpreter<antlr4::atn::ParserATNSimulator>()->setPredictionMode(mode);
    parser.setErrorHandler(std::move(strategy));
    parser.setTokenStream(&window);  // also deletes the previous tree
    return *parser.program();
  };
  const std::size_t begin = window.index();
  try {
    return parse_by(antlr4::atn::PredictionMode::SLL, std::make_shared<antlr4::BailErrorStrategy>());
  } catch (const antlr4::ParseCancellationException&) {
    window.seek(begin);
    return parse_by(antlr4::atn::PredictionMode::LL, recovery);
  }
}

ast::Program parse_unsorted(const std::shared_ptr<const SourceFile>& file, Diagnostics& diagnostics, ParseMode mode) {
  if (!is_readable(*file, diagnostics)) return empty_program(file);
  const std::optional<Span> version = mode == ParseMode::kUse ? std::nullopt : language_version(*file);
  if (version && !knows_version(*version, diagnostics)) return empty_program(file);
  LexedFile lexed(*file);
  TokenList list = read_tokens(lexed, *file, diagnostics, mode == ParseMode::kUse);
  if (list.too_deep) return empty_program(file);
  if (version) mark_language(list);
  TokenWindow window(list, *file, lexed.offsets());
  LimitedParser parser(&window);
  parser.removeErrorListeners();
  const auto recovery = std::make_shared<StatementRecovery>(list, lexed.offsets(), diagnostics);
  AstBuilder builder(*file, lexed.offsets(), mode, diagnostics);
  builder.reserve(list.count_statements());
  try {
    while (window.next()) builder.add(parse_part(parser, window, recovery));
    return builder.finish(std::move(list.comments));
  } catch (const TooDeep& limit) {
    diagnostics.add(too_deep(limit, lexed.offsets()));
  } catch (const UserError& error) {  // the stack limit while the tree is built
    diagnostics.add(error.diagnostic());
  } catch (const TooManyErrors&) { MTF_CHECK(diagnostics.has_errors(), "statements were skipped without a reason"); }
  return empty_program(file);
}

}  // namespace

ast::Program parse(std::shared_ptr<const SourceFile> file, Diagnostics& diagnostics, ParseMode mode) {
  constexpr std::size_t kMostErrors = 100;
  Diagnostics found(kMostErrors);
  ast::Program program = parse_unsorted(file, found, mode);
  try {
    ast::resolve(program);
  } catch (const UserError& error) {  // the stack limit
    found.add(error.diagnostic());
    ast::resolve(program = empty_program(file));
  }
  if (const auto& statements = program.body.statements; mode == ParseMode::kUse && statements.size() > 1)
    found.add(Diagnostic(Kind::syntax_error, statements[1].span, "expected the end, found another statement"));
  std::vector<Diagnostic> sorted = found.list();
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Diagnostic& a, const Diagnostic& b) { return a.span().begin < b.span().begin; });
  for (Diagnostic& one : sorted) diagnostics.add(std::move(one));
  return program;
}

ast::Program parse_or_throw(std::shared_ptr<const SourceFile> file, ParseMode mode) {
  Diagnostics diagnostics;
  ast::Program program = parse(std::move(file), diagnostics, mode);
  diagnostics.throw_first();
  return program;
}

std::shared_ptr<const ast::Program> ParsedScripts::parse(std::shared_ptr<const SourceFile> file,
                                                         Diagnostics& diagnostics) {
  const std::lock_guard lock(mutex_);
  if (scripts_.size() > kMost) scripts_.clear();
  std::shared_ptr<const ast::Program>& known = scripts_[file->name() + '\0' + file->text()];
  if (known) return known;
  Diagnostics found;
  auto program = std::make_shared<const ast::Program>(syntax::parse(std::move(file), found));
  if (found.empty()) known = program;
  for (const Diagnostic& one : found.list()) diagnostics.add(one);
  return program;
}

std::shared_ptr<const ast::Program> ParsedScripts::parse_or_throw(std::shared_ptr<const SourceFile> file) {
  Diagnostics diagnostics;
  auto program = parse(std::move(file), diagnostics);
  diagnostics.throw_first();
  return program;
}

bool is_incomplete(std::string_view text) {
  const auto file = SourceFile::create("", std::string(text));
  Diagnostics diagnostics;
  if (!is_readable(*file, diagnostics)) return false;
  LexedFile lexed(*file);
  return read_tokens(lexed, *file, diagnostics).incomplete;
}

const std::vector<std::string_view>& reserved_words() {
  static const std::vector<std::string_view> kWords = [] {
    std::vector<std::string_view> words;
    for (std::size_t type = 0; is_reserved_word(type) || type < MtfLexer::DIM; ++type) {
      if (is_reserved_word(type)) words.push_back(fixed_text(type));
    }
    std::sort(words.begin(), words.end());
    return words;
  }();
  return kWords;
}

namespace {

TokenClass class_of(std::size_t type) {
  if (is_reserved_word(type)) return TokenClass::kWord;
  switch (type) {
    case MtfLexer::IDENT:
    case MtfLexer::PRIME: return TokenClass::kName;
    case MtfLexer::INT:
    case MtfLexer::FLOAT: return TokenClass::kNumber;
    case MtfLexer::STRING_OPEN:
    case MtfLexer::STRING_TEXT:
    case MtfLexer::STRING_CLOSE:
    case MtfLexer::FORMAT_TEXT: return TokenClass::kString;
    case MtfLexer::LPAREN:
    case MtfLexer::RPAREN:
    case MtfLexer::LBRACKET:
    case MtfLexer::RBRACKET:
    case MtfLexer::LBRACE:
    case MtfLexer::RBRACE:
    case MtfLexer::INTERPOLATION_OPEN:
    case MtfLexer::INTERPOLATION_CLOSE: return TokenClass::kBracket;
    case MtfLexer::COMMENT: return TokenClass::kComment;
    case MtfLexer::UNKNOWN:
    case MtfLexer::BAD_ESCAPE:
    case MtfLexer::LONE_BRACE: return TokenClass::kError;
    default: return TokenClass::kOperator;
  }
}

}  // namespace

std::vector<Token> tokenize(std::shared_ptr<const SourceFile> file) {
  Diagnostics ignored;
  std::vector<Token> made;
  if (!is_readable(*file, ignored)) return made;
  LexedFile lexed(*file);
  for (LexedToken token = lexed.next(); token.type != antlr4::Token::EOF; token = lexed.next()) {
    const std::size_t type = token.type;
    if (type == MtfLexer::NEWLINE || type == MtfLexer::STRING_BROKEN) continue;
    made.push_back({class_of(type), lexed.span(token)});
  }
  return made;
}

}  // namespace mtf::syntax
