#include "syntax/syntax_errors.h"

#include <algorithm>

#include "MtfParser.h"
#include "support/text.h"
#include "syntax/foreign_forms.h"

namespace mtf::syntax {
namespace {

using antlr4::misc::IntervalSet;

// Removes `group` from `set` if `set` contains all of it.
bool take(std::vector<std::size_t>& set, std::initializer_list<std::size_t> needed,
          const std::function<bool(std::size_t)>& belongs) {
  const bool all = std::all_of(needed.begin(), needed.end(),
                               [&](std::size_t type) { return std::find(set.begin(), set.end(), type) != set.end(); });
  if (all) std::erase_if(set, belongs);
  return all;
}

bool begins_expression(std::size_t type) {
  switch (type) {
    case MtfParser::IDENT:
    case MtfParser::INT:
    case MtfParser::FLOAT:
    case MtfParser::TRUE:
    case MtfParser::FALSE:
    case MtfParser::LPAREN:
    case MtfParser::LBRACKET:
    case MtfParser::STRING_OPEN:
    case MtfParser::MINUS:
    case MtfParser::NOT:
    case MtfParser::FN:
    case MtfParser::COUNTERS:
    case MtfParser::F32:
    case MtfParser::F64:
    case MtfParser::BF16:
    case MtfParser::I32:
    case MtfParser::BOOL:
    case MtfParser::NONE:
    case MtfParser::IF: return true;
    default: return false;
  }
}

bool is_element_type(std::size_t type) { return type >= MtfParser::F32 && type <= MtfParser::BOOL; }

bool is_operator(std::size_t type) {
  switch (type) {
    case MtfParser::AND:
    case MtfParser::OR:
    case MtfParser::EQUAL:
    case MtfParser::NOT_EQUAL:
    case MtfParser::LESS:
    case MtfParser::LESS_EQUAL:
    case MtfParser::GREATER:
    case MtfParser::GREATER_EQUAL:
    case MtfParser::PLUS:
    case MtfParser::MINUS:
    case MtfParser::STAR:
    case MtfParser::SLASH:
    case MtfParser::FLOOR_DIVIDE:
    case MtfParser::PERCENT:
    case MtfParser::CARET:
    case MtfParser::AT:
    case MtfParser::DOT:
    case MtfParser::DOTDOT:
    case MtfParser::LPAREN:
    case MtfParser::LBRACKET: return true;
    default: return false;
  }
}

std::string describe_type(std::size_t type) {
  switch (type) {
    case MtfParser::NEWLINE: return "the end of the line";
    case MtfParser::IDENT: return "a name";
    case MtfParser::INT:
    case MtfParser::FLOAT: return "a number";
    case MtfParser::STRING_OPEN: return "a string";
    case MtfParser::STRING_TEXT:
    case MtfParser::FORMAT_TEXT: return "text";
    case MtfParser::INTERPOLATION_OPEN: return "`{`";
    case MtfParser::RBRACE:
    case MtfParser::INTERPOLATION_CLOSE: return "`}`";
    case MtfParser::FORMAT_COLON: return "`:`";
    case MtfParser::STRING_CLOSE: return "`\"`";
    case antlr4::Token::EOF: return "the end of the file";
    default: return mtf::code(fixed_text(type));
  }
}

// Lists the expected tokens: "a name, `(` or an expression".
std::string describe_expected(const IntervalSet& expected) {
  std::vector<std::size_t> set;
  for (const ssize_t type : expected.toList())
    if (type != MtfParser::PRIME && type != MtfParser::LANGUAGE)  // one could follow any name, one begins a file
      set.push_back(static_cast<std::size_t>(type));
  std::vector<std::string> words;
  if (take(set, {MtfParser::LET, MtfParser::FOR, MtfParser::DIM, MtfParser::INT},
           [](std::size_t type) { return begins_expression(type) || is_reserved_word(type); })) {
    words.emplace_back("a statement");
  }
  if (take(set, {MtfParser::LET, MtfParser::FOR, MtfParser::IDENT},
           [](std::size_t type) { return is_reserved_word(type) || type == MtfParser::IDENT; })) {
    words.emplace_back("a name");
  }
  if (take(set, {MtfParser::IDENT, MtfParser::INT, MtfParser::LPAREN}, begins_expression)) {
    words.emplace_back("an expression");
  }
  if (take(set, {MtfParser::F32, MtfParser::BOOL}, is_element_type)) words.emplace_back("an element type");
  const bool operators = take(set, {MtfParser::STAR, MtfParser::PLUS}, is_operator);
  // Another element may follow an element of a list.
  const bool closes = set.size() == 1 && (set[0] == MtfParser::RPAREN || set[0] == MtfParser::RBRACKET);
  if (closes) words.emplace_back("`,`");
  for (const std::size_t type : set) words.push_back(describe_type(type));
  if (operators) words.emplace_back("an operator");
  return mtf::join_words(words, "or");
}

// The name of a sign that is invisible, or looks like another.
std::string name_of_sign(std::string_view text) {
  static constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"\u00a0", "a no-break space (U+00A0)"},
      {"\u202f", "a narrow no-break space (U+202F)"},
      {"\u2009", "a thin space (U+2009)"},
      {"\u2003", "an em space (U+2003)"},
      {"\u3000", "an ideographic space (U+3000)"},
      {"\u200b", "a zero-width space (U+200B)"},
      {"\u200d", "a zero-width joiner (U+200D)"},
      {"\ufeff", "a byte order mark (U+FEFF)"},
      {"\u00ad", "a soft hyphen (U+00AD)"},
      {"\u201c", "a left double quotation mark, `\u201c`"},
      {"\u201d", "a right double quotation mark, `\u201d`"},
      {"\u201e", "a low double quotation mark, `\u201e`"},
      {"\u2018", "a left single quotation mark, `\u2018`"},
      {"\u2019", "a right single quotation mark, `\u2019`"},
      {"\u2013", "an en dash, `\u2013`"},
      {"\u2014", "an em dash, `\u2014`"},
      {"\u2212", "a minus sign of typesetting, `\u2212`"}};
  for (const auto& [sign, name] : kNames)
    if (text == sign) return std::string(name);
  return {};
}

// True for a sign that looks like a blank or like nothing.
bool is_unseen(std::string_view text) {
  const std::string name = name_of_sign(text);
  return !name.empty() && name.find('`') == std::string::npos;
}

// The text of tokens for a message, if it is short.
std::string describe_text(const Span& span) {
  const std::string_view text = span.text();
  if (const std::string name = name_of_sign(text); !name.empty()) return name;
  return text.size() > 40 || text.find('\n') != std::string_view::npos ? "this" : mtf::code(text);
}

std::string describe_found(const TokenList& tokens, antlr4::Token* found, const Span& span) {
  const std::size_t type = found->getType();
  if (type == MtfParser::NEWLINE) {
    if (span.text() == ";") return "`;`";
    if (!span.text().empty()) return "the end of the line";
    // The token was inserted before something else.
    const std::size_t next = std::min(found->getTokenIndex() + 1, tokens.tokens.size() - 1);
    return tokens.tokens[next].type == MtfParser::RBRACE ? "`}`" : "the end of the file";
  }
  if (is_reserved_word(type)) return fmt::format("the reserved word {}", mtf::code(span.text()));
  if (type == MtfParser::STRING_OPEN || type == antlr4::Token::EOF) return describe_type(type);
  const std::string_view text = span.text();
  if (const std::string name = name_of_sign(text); !name.empty()) return name;
  return text.size() > 40 ? describe_type(type) : mtf::code(text);
}

// What to write instead, as far as what was expected and found says it.
Help help_for(antlr4::Parser* parser, const TokenList& tokens, antlr4::Token* found, const IntervalSet& expected,
              const Span& span) {
  const std::size_t type = found->getType();
  const std::size_t place = found->getTokenIndex();
  const std::size_t previous = place > 0 ? tokens.tokens[place - 1].type : 0;
  if (type == MtfParser::UNKNOWN && is_unseen(span.text())) return help_with("", {{span, " "}});
  if (type == MtfParser::UNKNOWN && static_cast<unsigned char>(span.text()[0]) >= 0x80)
    return "names are made of a-z, A-Z, 0-9 and `_`";
  if (type == MtfParser::DEFINE && previous == MtfParser::IDENT &&
      expected.contains(static_cast<size_t>(MtfParser::ASSIGN))) {
    return "a declaration has `=`; `:=` gives an existing name a new value";
  }
  const bool wants_expression = expected.contains(static_cast<size_t>(MtfParser::INT));
  const bool wants_statement = expected.contains(static_cast<size_t>(MtfParser::LET));
  if (is_operator(type) && wants_statement) return "a line goes on where the one before ends in an operator";
  const std::size_t rule = parser->getContext()->getRuleIndex();
  if (expected.contains(static_cast<size_t>(MtfParser::LBRACE)) && rule != MtfParser::RuleLayout_literal &&
      rule != MtfParser::RuleLayout_ref) {
    return type == MtfParser::ASSIGN ? "`==` compares" : "a block stands between `{` and `}`";
  }
  if (type == MtfParser::ELSE) return "`else` follows the `}` of its `if`";
  const bool in_parameters = rule == MtfParser::RuleFn_statement || rule == MtfParser::RuleModel_statement ||
                             rule == MtfParser::RuleParameters;
  const bool wants_name = expected.contains(static_cast<size_t>(MtfParser::IDENT)) ||
                          (in_parameters && expected.contains(static_cast<size_t>(MtfParser::RPAREN)));
  const bool other_statement = wants_expression && span.file->is_first_on_line(span.begin);
  if (is_reserved_word(type) && wants_name && !begins_expression(type) && !other_statement) {
    return fmt::format("{} cannot be a name; choose another", mtf::code(span.text()));
  }
  if (type == MtfParser::ARROW) return "`->` stands after the last operand of a call: `sum(x -> [batch])`";
  return {};
}

// The first token of the innermost statement that the parser is in, or else `token`.
std::size_t statement_at(antlr4::Parser* parser, std::size_t token) {
  antlr4::tree::ParseTree* context = parser->getContext();
  for (; context != nullptr; context = context->parent) {
    auto* rule = static_cast<antlr4::ParserRuleContext*>(context);
    if (rule->getRuleIndex() == MtfParser::RuleStatement) return rule->getStart()->getTokenIndex();
    const bool is_begun = rule->getStart()->getTokenIndex() != token;  // a statement without its block continues
    if (rule->getRuleIndex() == MtfParser::RuleBlock && is_begun) break;
  }
  return token;
}

// True if a line must continue, but a statement follows.
bool is_next_statement(const Span& span, std::size_t type, const IntervalSet& expected) {
  const bool wants_expression =
      expected.contains(static_cast<size_t>(MtfParser::INT)) && !expected.contains(static_cast<size_t>(MtfParser::LET));
  return wants_expression && is_reserved_word(type) && !begins_expression(type) &&
         span.file->is_first_on_line(span.begin);
}

bool is_line_end(const Span& span) { return span.text().starts_with('\n') || span.text().starts_with('\r'); }

}  // namespace

void StatementRecovery::reset(antlr4::Parser*) {
  recovering_ = false;
  pending_.reset();
}

void StatementRecovery::report(antlr4::Parser* parser, antlr4::Token* found, const IntervalSet& expected) {
  const std::size_t index = found->getTokenIndex();
  const std::string wanted = expected.isEmpty() ? "" : fmt::format("expected {}, ", describe_expected(expected));
  const auto foreign = find_foreign_form(tokens_, offsets_, statement_at(parser, index), index);
  Span span = offsets_.span(*found);
  if (foreign && (foreign->edits.empty() || foreign->is_fixed) && (!foreign->is_exact || wanted.empty())) {
    span = cover(offsets_.span(tokens_.tokens[foreign->first]), offsets_.span(tokens_.tokens[foreign->last]));
    pending_ = Diagnostic(Kind::syntax_error, span, fmt::format("{} has no meaning here", describe_text(span)));
  } else if (is_line_end(span) || is_next_statement(span, found->getType(), expected)) {
    // The position just behind the last token, not behind a comment.
    if (index > 0) span.begin = offsets_.byte(tokens_.tokens[index - 1].end);
    span.end = span.begin;
    pending_ = Diagnostic(Kind::syntax_error, span, wanted + "found the end of the line");
  } else {
    const std::string what = describe_found(tokens_, found, span);
    const bool has_meaning = !wanted.empty() && found->getType() != MtfParser::UNKNOWN;
    pending_ =
        Diagnostic(Kind::syntax_error, span,
                   has_meaning ? fmt::format("{}found {}", wanted, what) : fmt::format("{} has no meaning here", what));
  }
  is_pending_certain_ = found->getType() == MtfParser::UNKNOWN;
  pending_->help(foreign ? help_with(foreign->help, foreign->edits)
                         : help_for(parser, tokens_, found, expected, offsets_.span(*found)));
  last_of_form_ = foreign ? foreign->last : 0;
}

void StatementRecovery::reportError(antlr4::Parser* parser, const antlr4::RecognitionException& error) {
  if (recovering_) return;
  recovering_ = true;
  const auto* no_alternative = dynamic_cast<const antlr4::NoViableAltException*>(&error);
  antlr4::Token* found = error.getOffendingToken();
  if (no_alternative == nullptr) return report(parser, found, error.getExpectedTokens());
  // The alternatives are those of the first token. The mistake may be a later one.
  antlr4::Token* start = no_alternative->getStartToken();
  if (start->getTokenIndex() == found->getTokenIndex()) return report(parser, found, error.getExpectedTokens());
  IntervalSet expected;
  if (start->getType() == MtfParser::FN) {
    expected.add(MtfParser::IDENT);
    expected.add(MtfParser::LPAREN);
  }
  report(parser, found, expected);
}

// True if the line at token `next` is indented below the statement that begins at `first`, as in languages with blocks
// by indentation.
bool StatementRecovery::goes_on_below(std::size_t first, std::size_t next) const {
  const std::size_t type = tokens_.tokens.at(next).type;
  if (type == antlr4::Token::EOF || type == MtfParser::RBRACE) return false;
  const auto column = [&](std::size_t token) -> std::optional<std::size_t> {
    const Span span = offsets_.span(tokens_.tokens.at(token));
    if (!span.file->is_first_on_line(span.begin)) return std::nullopt;
    return span.begin - span.file->line_start(span.file->line_of(span.begin));
  };
  const auto outer = column(first), inner = column(next);
  return outer && inner && *inner > *outer;
}

void StatementRecovery::skip_statement(antlr4::Parser* parser, std::size_t first) {
  const std::uint32_t depth = tokens_.block_depth.at(first);
  std::size_t last = parser->getCurrentToken()->getTokenIndex();
  while (parser->getCurrentToken()->getType() != antlr4::Token::EOF) {
    antlr4::Token* token = parser->getCurrentToken();
    last = token->getTokenIndex();
    // A `}` of the enclosing block does not belong to the statement.
    const bool leaves_block = token->getType() == MtfParser::RBRACE && tokens_.block_depth.at(last) < depth;
    if (leaves_block) break;
    parser->consume();
    if (last < last_of_form_) continue;
    if (token->getType() == MtfParser::NEWLINE && tokens_.block_depth.at(last) == depth &&
        !goes_on_below(first, last + 1))
      break;
  }
  if (pending_ && (is_pending_certain_ || !tokens_.is_marked(first, last))) diagnostics_.add(std::move(*pending_));
  pending_.reset();
  recovering_ = false;
  constexpr std::size_t kMostSkipped = 200;
  if (++skipped_ >= kMostSkipped) throw TooManyErrors();
}

void StatementRecovery::recover(antlr4::Parser* parser, std::exception_ptr error) {
  antlr4::ParserRuleContext* context = parser->getContext();
  if (context->getRuleIndex() != MtfParser::RuleStatement) std::rethrow_exception(error);
  skip_statement(parser, context->getStart()->getTokenIndex());
}

antlr4::Token* StatementRecovery::recoverInline(antlr4::Parser* parser) {
  throw antlr4::InputMismatchException(parser);
}

void StatementRecovery::sync(antlr4::Parser* parser) {
  const std::size_t rule = parser->getContext()->getRuleIndex();
  if (recovering_ || (rule != MtfParser::RuleProgram && rule != MtfParser::RuleBlock)) return;
  const antlr4::atn::ATN& atn = parser->getATN();
  const IntervalSet starters = atn.nextTokens(atn.ruleToStartState[MtfParser::RuleStatement]);
  while (true) {
    antlr4::Token* token = parser->getCurrentToken();
    const std::size_t type = token->getType();
    const bool ends = type == antlr4::Token::EOF || (type == MtfParser::RBRACE && rule == MtfParser::RuleBlock);
    if (ends || starters.contains(type)) return;
    report(parser, token, starters);
    skip_statement(parser, token->getTokenIndex());
  }
}

}  // namespace mtf::syntax
