#include "syntax/token_stream.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "support/text.h"
#include "syntax/parse.h"

namespace mtf::syntax {
namespace {

std::size_t indent_of_line(const Span& span) {
  const std::string_view line = span.file->line(span.file->line_of(span.begin));
  const std::size_t indent = line.find_first_not_of(" \t");
  return indent == std::string_view::npos ? 0 : indent;
}

// Guesses from the indentation which block lacks its `}`. It sees the first token of each line in a block, and
// remembers the first token that is left of the block's contents.
class Indentation {
 public:
  struct Guess {
    Span open;   // the `{`
    Span below;  // the token that is too far left for its block
  };

  // `first` begins a line in the block of `open`, or is the block's `}`.
  void look_at(Span first, Span open);
  const std::optional<Guess>& guess() const { return guess_; }

 private:
  std::optional<Guess> guess_;
};

void Indentation::look_at(Span first, Span open) {
  if (guess_ || !first.file->is_first_on_line(first.begin)) return;
  if (first.file->line_of(first.begin) == open.file->line_of(open.begin)) return;
  const std::size_t outer = indent_of_line(open), inner = indent_of_line(first);
  const bool closes = first.text() == "}";
  if (closes ? inner < outer : inner <= outer) guess_ = Guess{open, first};
}

// True if a line that ends in such a token continues on the next line.
bool continues_line(std::size_t type) {
  switch (type) {
    case MtfLexer::PLUS:
    case MtfLexer::MINUS:
    case MtfLexer::STAR:
    case MtfLexer::SLASH:
    case MtfLexer::FLOOR_DIVIDE:
    case MtfLexer::PERCENT:
    case MtfLexer::CARET:
    case MtfLexer::EQUAL:
    case MtfLexer::NOT_EQUAL:
    case MtfLexer::LESS:
    case MtfLexer::LESS_EQUAL:
    case MtfLexer::GREATER:
    case MtfLexer::GREATER_EQUAL:
    case MtfLexer::IN:
    case MtfLexer::AND:
    case MtfLexer::OR:
    case MtfLexer::DOTDOT:
    case MtfLexer::NOT:
    case MtfLexer::ASSIGN:
    case MtfLexer::DEFINE:
    case MtfLexer::COMMA:
    case MtfLexer::ARROW:
    case MtfLexer::COLON:
    case MtfLexer::DOT:
    case MtfLexer::AT: return true;
    default: return false;
  }
}

// True for words that begin a statement and never occur inside one. A bracket that is still open before such a word was
// forgotten. (`fn` and `counters` also begin expressions, `for` a comprehension.)
bool only_begins_statement(std::size_t type) {
  switch (type) {
    case MtfLexer::DIM:
    case MtfLexer::MESH:
    case MtfLexer::LAYOUT:
    case MtfLexer::USE:
    case MtfLexer::OPTION:
    case MtfLexer::SEED:
    case MtfLexer::PRECISION:
    case MtfLexer::IMPORT:
    case MtfLexer::LET:
    case MtfLexer::PARAM:
    case MtfLexer::STATE:
    case MtfLexer::MODEL:
    case MtfLexer::WHILE:
    case MtfLexer::RETURN:
    case MtfLexer::ASSERT:
    case MtfLexer::NO_GRAD:
    case MtfLexer::SETTING:
    case MtfLexer::WITH:
    case MtfLexer::BREAK:
    case MtfLexer::CONTINUE: return true;
    default: return false;
  }
}

// True for tokens that may follow an axis in the rules of a layout.
bool follows_axis(std::size_t type) {
  return type == MtfLexer::COMMA || type == MtfLexer::RBRACKET || type == MtfLexer::RBRACE || type == MtfLexer::NEWLINE;
}

enum class Open { kParen, kBracket, kLayout, kBlock, kInterpolation, kString };

struct OpenBracket {
  Open kind;
  Span span;
};

std::string_view closer(Open kind) {
  switch (kind) {
    case Open::kParen: return ")";
    case Open::kBracket: return "]";
    case Open::kString: return "\"";
    default: return "}";
  }
}

// "`)` to close `(`".
std::string closer_of(const OpenBracket& open) {
  return fmt::format("{} to close {}", mtf::code(closer(open.kind)), mtf::code(open.span.text()));
}

class Reader {
 public:
  Reader(LexedFile& lexed, const SourceFile& file, Diagnostics& diagnostics)
      : lexed_(lexed), file_(file), diagnostics_(diagnostics) {}

  TokenList read(bool behind_use) {
    if (behind_use) insert(MtfLexer::USE);
    while (true) {
      pending_ = ahead_ ? *std::exchange(ahead_, {}) : next_visible();
      if (pending_.type == antlr4::Token::EOF) break;
      take(pending_.type);
      if (list_.too_deep) break;
    }
    finish();
    return std::move(list_);
  }

 private:
  std::size_t last_type() const {
    return list_.tokens.empty() ? std::size_t{MtfLexer::NEWLINE} : list_.tokens.back().type;
  }
  Span span() const { return lexed_.span(pending_); }
  // True if the last token is a word behind `.`, which is a name.
  bool last_is_attribute() const {
    const auto& tokens = list_.tokens;
    return tokens.size() >= 2 && is_reserved_word(last_type()) && tokens[tokens.size() - 2].type == MtfLexer::DOT;
  }
  // True if the last token continues its line.
  bool line_continues() const { return continues_line(last_type()) && !last_is_attribute(); }
  bool in_layout() const {
    const bool in_list = open_.size() >= 2 && open_.back().kind == Open::kBracket;
    return !open_.empty() && open_[open_.size() - (in_list ? 2 : 1)].kind == Open::kLayout;
  }
  bool in_block() const { return open_.empty() || open_.back().kind == Open::kBlock; }

  // The next token that is no comment.
  LexedToken next_visible() {
    while (true) {
      const LexedToken token = lexed_.next();
      if (token.type != MtfLexer::COMMENT) return token;
      const Span span = lexed_.span(token);
      list_.comments.push_back({span, span.text().starts_with("##"), file_.is_first_on_line(span.begin)});
    }
  }

  void emit() {
    list_.tokens.push_back(pending_);
    list_.block_depth.push_back(blocks_);
  }

  // Inserts a token that is not in the text, at the end of the last one.
  void insert(std::size_t type) {
    const std::uint32_t place = list_.tokens.empty() ? 0 : list_.tokens.back().end;
    list_.tokens.push_back({type, place, place});
    list_.block_depth.push_back(blocks_);
  }

  void end_statement() {
    const std::size_t last = last_type();
    const bool begins_block = last == MtfLexer::LBRACE && in_block();
    if (last != MtfLexer::NEWLINE && !begins_block) insert(MtfLexer::NEWLINE);
  }

  void mark() { list_.marks.push_back(list_.tokens.size()); }

  void report(Diagnostic diagnostic) {
    diagnostics_.add(std::move(diagnostic));
    mark();
  }

  void push(Open kind) {
    if (open_.size() >= static_cast<std::size_t>(kMaxNesting)) {
      report(Diagnostic(Kind::nesting_too_deep, span(), fmt::format("more than {} brackets are open here", kMaxNesting))
                 .related(open_.front().span, "the first"));
      list_.too_deep = true;
      return;
    }
    open_.push_back({kind, span()});
    emit();
    if (kind == Open::kBlock) ++blocks_;
  }

  void pop_unchecked() {
    if (open_.back().kind == Open::kBlock) --blocks_;
    open_.pop_back();
  }

  // Leaves the innermost bracket, which is not closed.
  void abandon() {
    if (open_.back().kind == Open::kBlock) {
      end_statement();
      pop_unchecked();
      insert(MtfLexer::RBRACE);
      return;
    }
    mark();
    pop_unchecked();
  }

  bool fits(Open kind, std::size_t type) const {
    switch (type) {
      case MtfLexer::RPAREN: return kind == Open::kParen;
      case MtfLexer::RBRACKET: return kind == Open::kBracket;
      case MtfLexer::RBRACE: return kind == Open::kLayout || kind == Open::kBlock;
      default: return kind == Open::kInterpolation;
    }
  }

  // True if an open bracket fits this closing one. Brackets in a string do not close brackets outside it.
  bool can_leave_to(std::size_t type) const {
    for (auto open = open_.rbegin(); open != open_.rend() && open->kind != Open::kString; ++open) {
      if (fits(open->kind, type)) return true;
    }
    return false;
  }

  bool in_string() const {
    return std::any_of(open_.begin(), open_.end(), [](const OpenBracket& open) { return open.kind == Open::kString; });
  }

  void close_string() {
    if (!in_string()) return emit();
    if (stray_) diagnostics_.add(*std::exchange(stray_, std::nullopt));
    while (open_.back().kind != Open::kString) abandon();
    pop_unchecked();
    emit();
  }

  // On one line, the closing bracket is wrong. On a later line, a closing bracket is missing behind the open one.
  void wrong_closer(Span here) {
    const OpenBracket& innermost = open_.back();
    const std::string what = fmt::format("expected {}, found {}", closer_of(innermost), mtf::code(here.text()));
    const bool is_far = file_.line_of(innermost.span.begin) != file_.line_of(here.begin);
    const Span place = is_far ? innermost.span : here, other = is_far ? here : innermost.span;
    report(Diagnostic(Kind::bracket_mismatch, place, what).related(other, is_far ? "found here" : "opened here"));
  }

  void close(std::size_t type) {
    const Span here = span();
    if (open_.empty() || !fits(open_.back().kind, type)) {
      const bool has_partner = can_leave_to(type);
      const bool can_close =
          !open_.empty() && (open_.back().kind == Open::kParen || open_.back().kind == Open::kBracket ||
                             open_.back().kind == Open::kLayout);
      if (!has_partner && can_close) {
        wrong_closer(here);
        mark();
        return pop_unchecked();
      }
      if (!has_partner) {
        Diagnostic stray(Kind::bracket_mismatch, here, fmt::format("{} closes nothing", mtf::code(here.text())));
        if (!in_string()) return report(std::move(stray));
        mark();
        if (!stray_) stray_ = std::move(stray);
        return;
      }
      wrong_closer(here);
      while (!fits(open_.back().kind, type)) abandon();
    }
    if (open_.back().kind == Open::kBlock) end_statement();
    pop_unchecked();
    emit();
  }

  void line_end() {
    if (!in_block() || line_continues() || last_type() == MtfLexer::NEWLINE) return;
    if (last_type() == MtfLexer::LBRACE) return;
    pending_as_newline();
  }

  void pending_as_newline() {
    pending_.type = MtfLexer::NEWLINE;
    emit();
  }

  // Reports a string that does not end on its line. `at` is the end of that line.
  void broken_string() {
    const auto outermost =
        std::find_if(open_.begin(), open_.end(), [](const OpenBracket& open) { return open.kind == Open::kString; });
    if (outermost == open_.end()) return;
    stray_.reset();
    const std::size_t keep = static_cast<std::size_t>(outermost - open_.begin());
    const OpenBracket& innermost =
        *std::find_if(open_.rbegin(), open_.rend(), [](const OpenBracket& open) { return open.kind == Open::kString; });
    const bool in_expression = open_.back().kind != Open::kString;
    Span whole = innermost.span;
    const std::size_t line = file_.line_of(whole.begin);
    whole.end = static_cast<std::uint32_t>(file_.line_start(line) + file_.line(line).size());
    Diagnostic diagnostic(Kind::unterminated_string, whole,
                          in_expression ? "expected `}` and `\"` before the end of the line"
                                        : "expected `\"` before the end of the line");
    diagnostic.help(in_expression ? "`{` in a string begins an expression; a brace itself is written `{{`" : "");
    // The string of the previous line may be meant to end here.
    if (broken_line_ && line == *broken_line_ + 1) mark();
    else report(std::move(diagnostic));
    broken_line_ = line;
    while (open_.size() > keep) pop_unchecked();
    // The string probably contains the closing brackets of the open brackets on its line.
    while (!in_block() && file_.line_of(open_.back().span.begin) == line) abandon();
  }

  // Reports brackets that are still open at the certain beginning of a statement.
  void begins_statement() {
    if (in_block() || last_type() == MtfLexer::DOT) return;
    ahead_ = next_visible();
    if (ahead_->type == MtfLexer::COLON) return;  // a label of an argument, or a mesh axis
    if (in_layout() && follows_axis(ahead_->type)) return;
    const bool is_annotation = last_type() == MtfLexer::COLON || last_type() == MtfLexer::ARROW;
    if (is_annotation || !file_.is_first_on_line(span().begin)) return;
    const OpenBracket innermost = open_.back();
    report(Diagnostic(Kind::bracket_mismatch, innermost.span,
                      fmt::format("expected {} before the next statement", closer_of(innermost)))
               .related(span(), "begins a statement"));
    while (!in_block()) abandon();
    end_statement();
  }

  void take(std::size_t type) {
    if (!open_.empty() && open_.back().kind == Open::kBlock && type != MtfLexer::NEWLINE)
      indentation_.look_at(span(), open_.back().span);
    switch (type) {
      case MtfLexer::LPAREN: return push(Open::kParen);
      case MtfLexer::LBRACKET: return push(Open::kBracket);
      case MtfLexer::LBRACE: {
        const bool takes_layout =
            last_type() == MtfLexer::USE || last_type() == MtfLexer::LAYOUT;    // `use {…}`, `with layout {…}`
        const bool is_of_path = last_type() == MtfLexer::COLON && in_layout();  // `params "*": {…}`
        const bool is_layout = last_type() == MtfLexer::ASSIGN || last_type() == MtfLexer::AT || is_of_path ||
                               (takes_layout && !last_is_attribute());
        if (!list_.tokens.empty() && last_type() == MtfLexer::NEWLINE && in_block()) join_block();
        return push(is_layout ? Open::kLayout : Open::kBlock);
      }
      case MtfLexer::INTERPOLATION_OPEN: return push(Open::kInterpolation);
      case MtfLexer::STRING_OPEN: return push(Open::kString);
      case MtfLexer::RPAREN:
      case MtfLexer::RBRACKET:
      case MtfLexer::RBRACE:
      case MtfLexer::INTERPOLATION_CLOSE: return close(type);
      case MtfLexer::STRING_CLOSE: return close_string();
      case MtfLexer::STRING_BROKEN:
        broken_string();
        if (in_block()) pending_as_newline();
        return;
      case MtfLexer::NEWLINE: return line_end();
      case MtfLexer::SEMICOLON:
        if (!in_block()) return emit();
        if (last_type() == MtfLexer::NEWLINE || last_type() == MtfLexer::LBRACE) return;
        return pending_as_newline();
      case MtfLexer::UNKNOWN:
        has_unknown_ = true;  // the parser reports it
        return emit();
      case MtfLexer::BAD_ESCAPE:
        return report(Diagnostic(Kind::bad_escape, span(), "the escapes are \\n \\t \\\" \\\\"));
      case MtfLexer::LONE_BRACE:
        return report(Diagnostic(Kind::syntax_error, span(), "a brace in a string is written `}}`"));
      case MtfLexer::ELSE: drop_newline_before_else(); return emit();
      default:
        if (only_begins_statement(type)) begins_statement();
        emit();
    }
  }

  // Joins a line that begins with `{` to the previous line, because no statement begins with `{`.
  void join_block() {
    report(Diagnostic(Kind::syntax_error, span(), "a block's `{` cannot begin a line")
               .help("put it at the end of the line that it belongs to"));
    list_.tokens.pop_back();
    list_.block_depth.pop_back();
  }

  void drop_newline_before_else() {
    auto& tokens = list_.tokens;
    const bool after_block =
        tokens.size() >= 2 && last_type() == MtfLexer::NEWLINE && tokens[tokens.size() - 2].type == MtfLexer::RBRACE;
    if (!after_block || lexed_.span(tokens.back()).text() == ";") return;
    tokens.pop_back();
    list_.block_depth.pop_back();
  }

  void finish() {
    const bool had_errors = !list_.marks.empty() || has_unknown_;
    list_.incomplete = !had_errors && (!open_.empty() || line_continues());
    if (!list_.too_deep) {
      broken_string();
      if (!list_.marks.empty() && !had_errors) list_.incomplete = false;
      if (!open_.empty()) report(left_open(open_.back()));
    }
    while (!open_.empty()) abandon();
    end_statement();
    if (pending_.type != antlr4::Token::EOF) return insert(antlr4::Token::EOF);
    emit();
  }

  Diagnostic left_open(const OpenBracket& innermost) const {
    const auto& guess = indentation_.guess();
    if (innermost.kind != Open::kBlock || !guess)
      return Diagnostic(Kind::bracket_mismatch, innermost.span,
                        fmt::format("expected {} before the end", closer_of(innermost)));
    return Diagnostic(Kind::bracket_mismatch, guess->open,
                      fmt::format("expected {}", closer_of({Open::kBlock, guess->open})))
        .related(guess->below, "stands too far left to be in this block");
  }

  LexedFile& lexed_;
  const SourceFile& file_;
  Diagnostics& diagnostics_;
  TokenList list_;
  std::vector<OpenBracket> open_;
  std::uint32_t blocks_ = 0;
  Indentation indentation_;
  LexedToken pending_{};
  std::optional<LexedToken> ahead_;         // the lookahead token
  std::optional<std::size_t> broken_line_;  // the line of the last unterminated string
  std::optional<Diagnostic>
      stray_;                 // a bracket in a string that closes nothing: it is the mistake if the string is closed
  bool has_unknown_ = false;  // a character without a meaning
};

}  // namespace

std::size_t TokenList::count_statements() const {
  std::size_t count = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) count += block_depth[i] == 0 && tokens[i].type == MtfLexer::NEWLINE;
  return count;
}

bool TokenList::is_marked(std::size_t begin, std::size_t end) const {
  const auto found = std::lower_bound(marks.begin(), marks.end(), begin);
  return found != marks.end() && *found <= end;
}

TokenList read_tokens(LexedFile& lexed, const SourceFile& file, Diagnostics& diagnostics, bool behind_use) {
  return Reader(lexed, file, diagnostics).read(behind_use);
}

}  // namespace mtf::syntax
