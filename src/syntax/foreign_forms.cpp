#include "syntax/foreign_forms.h"

#include <algorithm>

#include "support/text.h"
#include "syntax/foreign.h"

namespace mtf::syntax {
namespace {

// The position that a form must have, besides its tokens.
enum class Context { kAnywhere, kStatement, kValue, kArgument, kExpression };

// A token of a form, or one of its signs (syntax/foreign.def).
enum class Sign { kText, kWord, kKnownWord, kNumber, kString, kValue, kRest, kLines, kBlock, kEnd };

struct Element {
  Sign sign = Sign::kText;
  std::string text;
  bool is_found() const { return sign != Sign::kText && sign != Sign::kEnd; }  // `$1` may refer to it
};

struct Form {
  Context context = Context::kAnywhere;
  bool is_exact = false;
  std::vector<Element> elements;
  std::string_view instead, help;
};

Element element_of(std::string text) {
  static constexpr std::pair<std::string_view, Sign> kSigns[] = {
      {"_", Sign::kWord},    {"known", Sign::kKnownWord}, {"%", Sign::kNumber},
      {"\"", Sign::kString}, {"V", Sign::kValue},         {"...", Sign::kRest},
      {"***", Sign::kLines}, {":block", Sign::kBlock},    {"END", Sign::kEnd}};
  for (const auto& [sign, meaning] : kSigns)
    if (text == sign) return {meaning, std::move(text)};
  return {Sign::kText, std::move(text)};
}

Form parse_form(std::string_view text, std::string_view instead, std::string_view help) {
  static constexpr std::pair<std::string_view, Context> kContexts[] = {
      {"^", Context::kStatement}, {"v", Context::kValue}, {",", Context::kArgument}, {"=>", Context::kExpression}};
  Form form{Context::kAnywhere, false, {}, instead, help};
  std::vector<std::string> parts = split(text, ' ');
  for (const auto& [sign, context] : kContexts)
    if (parts.front() == sign) form.context = context;
  if (form.context != Context::kAnywhere) parts.erase(parts.begin());
  form.is_exact = parts.back().size() > 1 && parts.back().ends_with('!');
  if (form.is_exact) parts.back().pop_back();
  if (parts.back() == "END") form.is_exact = true;
  for (std::string& part : parts) form.elements.push_back(element_of(std::move(part)));
  return form;
}

const std::vector<Form>& all_forms() {
  static const std::vector<Form> kForms = [] {
    std::vector<Form> forms;
    const auto add = [&](Foreign where, std::string_view text, std::string_view instead, std::string_view help) {
      if (where == Foreign::form) forms.push_back(parse_form(text, instead, help));
    };
#define MTF_FOREIGN(where, form, instead, help) add(Foreign::where, form, instead, help);
#include "syntax/foreign.def"
#undef MTF_FOREIGN
    return forms;
  }();
  return kForms;
}

bool is_word(std::size_t type) { return type == MtfLexer::IDENT || is_reserved_word(type); }

bool opens(std::size_t type) {
  return type == MtfLexer::LPAREN || type == MtfLexer::LBRACKET || type == MtfLexer::LBRACE;
}
bool closes(std::size_t type) {
  return type == MtfLexer::RPAREN || type == MtfLexer::RBRACKET || type == MtfLexer::RBRACE;
}

bool ends_value(std::size_t type) {
  switch (type) {
    case MtfLexer::IDENT:
    case MtfLexer::PRIME:
    case MtfLexer::INT:
    case MtfLexer::FLOAT:
    case MtfLexer::TRUE:
    case MtfLexer::FALSE:
    case MtfLexer::RPAREN:
    case MtfLexer::RBRACKET:
    case MtfLexer::STRING_CLOSE: return true;
    default: return false;
  }
}

// True if a whole expression begins behind a token of this type.
bool begins_expression_behind(std::size_t type) {
  switch (type) {
    case MtfLexer::ASSIGN:
    case MtfLexer::DEFINE:
    case MtfLexer::LPAREN:
    case MtfLexer::LBRACKET:
    case MtfLexer::COMMA:
    case MtfLexer::COLON:
    case MtfLexer::RETURN:
    case MtfLexer::NEWLINE:
    case antlr4::Token::EOF: return true;
    default: return false;
  }
}

class Matcher {
 public:
  Matcher(const TokenList& tokens, const Offsets& offsets, std::size_t statement, std::size_t found)
      : tokens_(tokens.tokens), offsets_(offsets), statement_(statement), found_(found) {}

  std::optional<ForeignForm> match(const Form& form) const {
    constexpr std::size_t kFarthest = 200;  // maximal distance of the form's first token from the mistake
    const bool begins = form.context == Context::kStatement;
    const std::size_t last_start = begins ? statement_ : found_;
    const std::size_t first_start = begins || found_ - statement_ <= kFarthest ? statement_ : found_ - kFarthest;
    for (std::size_t start = first_start; start <= last_start; ++start) {
      if (!stands_in(form, start)) continue;
      std::vector<std::string> parts;
      const auto end = match_at(form, start, parts);
      if (!end || *end == start) continue;
      const std::size_t last = *end - 1;
      const std::size_t mistake = form.elements.back().sign == Sign::kEnd ? *end : last;
      const bool explains = form.is_exact ? mistake == found_ : begins || found_ <= *end;
      if (!explains) continue;
      ForeignForm made{start, last, form.is_exact, parts.empty(), filled_in(form.help, parts), {}};
      if (!form.instead.empty()) made.edits.emplace_back(span(start, last), filled_in(form.instead, parts));
      return made;
    }
    return std::nullopt;
  }

 private:
  std::size_t type(std::size_t i) const {
    return i < tokens_.size() ? tokens_[i].type : std::size_t{antlr4::Token::EOF};
  }
  Span span(std::size_t i) const { return offsets_.span(tokens_[i]); }
  Span span(std::size_t first, std::size_t last) const { return cover(span(first), span(last)); }
  std::string_view text(std::size_t i) const { return span(i).text(); }
  std::string text(std::size_t begin, std::size_t end) const {
    return begin < end ? std::string(span(begin, end - 1).text()) : std::string();
  }
  bool ends_statement(std::size_t i) const {
    return type(i) == MtfLexer::NEWLINE || type(i) == std::size_t{antlr4::Token::EOF};
  }

  bool stands_in(const Form& form, std::size_t start) const {
    const std::size_t before = start > statement_ ? type(start - 1) : std::size_t{antlr4::Token::EOF};
    if (type(start) == MtfLexer::PRIME) return false;  // the name before it is a twin
    if (form.context == Context::kExpression && start == statement_ && is_reserved_word(type(start))) return false;
    if (form.elements.front().sign == Sign::kValue && before == MtfLexer::DOT) return false;
    switch (form.context) {
      case Context::kValue: return start > statement_ && ends_value(before);
      case Context::kArgument: return before == MtfLexer::LPAREN || before == MtfLexer::COMMA;
      case Context::kExpression: return begins_expression_behind(before);
      default: return true;
    }
  }

  // The index behind the form if it matches at `i`. `parts` receives the texts of its signs.
  std::optional<std::size_t> match_at(const Form& form, std::size_t i, std::vector<std::string>& parts) const {
    for (std::size_t k = 0; k < form.elements.size(); ++k) {
      const Element& element = form.elements[k];
      const Element* const next = k + 1 < form.elements.size() ? &form.elements[k + 1] : nullptr;
      if (element.sign == Sign::kEnd) {
        if (!ends_statement(i)) return std::nullopt;
        continue;
      }
      if (element.sign == Sign::kBlock) {
        const auto behind = indented_block(i, parts.emplace_back());
        if (!behind) return std::nullopt;
        i = *behind;
        continue;
      }
      const auto behind = behind_element(element, next, form.context == Context::kStatement, i);
      if (!behind) return std::nullopt;
      if (element.sign == Sign::kLines) parts.push_back(body(span(i - 1).end, span(*behind).begin));
      else if (element.is_found()) parts.push_back(text(i, *behind));
      i = *behind;
    }
    return i;
  }

  std::optional<std::size_t> behind_element(const Element& element, const Element* next, bool to_end,
                                            std::size_t i) const {
    if (element.sign == Sign::kRest) return behind_rest(next, to_end, i);
    if (element.sign == Sign::kLines) {
      while (i < tokens_.size() && text(i) != next->text) ++i;
      return i < tokens_.size() ? std::optional(i) : std::nullopt;
    }
    const std::size_t found = type(i);
    if (found == std::size_t{antlr4::Token::EOF}) return std::nullopt;
    switch (element.sign) {
      case Sign::kString: return found == MtfLexer::STRING_OPEN ? std::optional(string_end(i)) : std::nullopt;
      case Sign::kValue: return value_end(i);
      case Sign::kWord: return is_word(found) ? std::optional(i + 1) : std::nullopt;
      case Sign::kKnownWord:
        return found == MtfLexer::IDENT && is_bound_before(i) ? std::optional(i + 1) : std::nullopt;
      case Sign::kNumber:
        return found == MtfLexer::INT || found == MtfLexer::FLOAT ? std::optional(i + 1) : std::nullopt;
      default: return text(i) == element.text ? std::optional(i + 1) : std::nullopt;
    }
  }

  // The end of `...`: the next token of the form, or the end of an argument or, with `to_end`, of the statement.
  std::optional<std::size_t> behind_rest(const Element* next, bool to_end, std::size_t i) const {
    const bool has_next = next != nullptr && (next->sign == Sign::kText || next->sign == Sign::kBlock);
    const std::string_view wanted = !has_next ? "" : next->sign == Sign::kBlock ? ":" : std::string_view(next->text);
    for (int depth = 0; i < tokens_.size(); ++i) {
      if (depth == 0 && has_next && text(i) == wanted) return i;
      const bool ends = ends_statement(i) || closes(type(i)) || (type(i) == MtfLexer::COMMA && !to_end && !has_next);
      if (depth == 0 && ends) return has_next ? std::nullopt : std::optional(i);
      if (opens(type(i))) ++depth;
      if (closes(type(i))) --depth;
    }
    return std::nullopt;
  }

  // The index behind a name, number, string or bracket and its calls, indices and parts.
  std::optional<std::size_t> value_end(std::size_t i) const {
    if (type(i) == MtfLexer::STRING_OPEN) i = string_end(i);
    else if (type(i) == MtfLexer::LPAREN || type(i) == MtfLexer::LBRACKET) i = closing(i + 1) + 1;
    else if (ends_value(type(i)) && !closes(type(i))) ++i;
    else return std::nullopt;
    while (true) {
      if (type(i) == MtfLexer::LPAREN || type(i) == MtfLexer::LBRACKET) i = closing(i + 1) + 1;
      else if (type(i) == MtfLexer::DOT && is_word(type(i + 1))) i += 2;
      else if (type(i) == MtfLexer::PRIME) ++i;
      else return std::min(i, tokens_.size());
    }
  }

  // The index of the bracket that closes the one before `i`, or the end.
  std::size_t closing(std::size_t i) const {
    for (int depth = 1; i < tokens_.size(); ++i) {
      if (opens(type(i))) ++depth;
      if (closes(type(i)) && --depth == 0) break;
    }
    return i;
  }

  // The index behind the string that begins at `i`.
  std::size_t string_end(std::size_t i) const {
    for (int depth = 0; i < tokens_.size(); ++i) {
      if (type(i) == MtfLexer::STRING_OPEN) ++depth;
      if (type(i) == MtfLexer::STRING_CLOSE && --depth == 0) return i + 1;
    }
    return i;
  }

  // True if an earlier `let` binds the word at `i`.
  bool is_bound_before(std::size_t i) const {
    for (std::size_t k = 1; k < statement_; ++k)
      if (tokens_[k - 1].type == MtfLexer::LET && text(k) == text(i)) return true;
    return false;
  }

  // The text between two positions, as the inside of a block: a single line gets blanks around it.
  std::string body(std::size_t begin, std::size_t end) const {
    const std::string_view text = std::string_view(span(statement_).file->text()).substr(begin, end - begin);
    const std::string_view line = trim(text);
    return line.find('\n') == std::string_view::npos ? " " + std::string(line) + " " : std::string(text);
  }

  // The column of a token that is the first on its line.
  std::optional<std::size_t> indentation(std::size_t i) const {
    const Span place = span(i);
    if (!place.file->is_first_on_line(place.begin)) return std::nullopt;
    return place.begin - place.file->line_start(place.file->line_of(place.begin));
  }

  // The index behind the block that a `:` begins. The block is the rest of its line, or the lines below with more
  // indentation than the statement, and an `else:` with its own block. `made` is the block between `{` and `}`.
  std::optional<std::size_t> indented_block(std::size_t i, std::string& made) const {
    if (type(i) != MtfLexer::COLON || ends_statement(i + 1)) return std::nullopt;
    const auto outer = indentation(statement_);
    if (!outer) return std::nullopt;
    const bool is_one_line = !indentation(i + 1);
    std::size_t behind = i + 1;
    for (std::size_t k = i + 1;
         k < tokens_.size() && type(k) != std::size_t{antlr4::Token::EOF} && type(k) != MtfLexer::RBRACE; ++k) {
      if (type(k) == MtfLexer::NEWLINE) {
        if (is_one_line) break;
        continue;
      }
      const auto column = indentation(k);
      if (column && *column <= *outer) break;
      behind = k + 1;
    }
    if (behind == i + 1) return std::nullopt;
    const std::string inside = body(span(i).end, span(behind - 1).end);
    const bool is_short = inside.find('\n') == std::string::npos;
    made += " {" + inside + (is_short ? "}" : "\n" + std::string(*outer, ' ') + "}");
    std::size_t next = behind;
    while (type(next) == MtfLexer::NEWLINE) ++next;
    if (type(next) != MtfLexer::ELSE || type(next + 1) != MtfLexer::COLON) return behind;
    made += " else";
    return indented_block(next + 1, made);
  }

  static std::string filled_in(std::string_view pattern, const std::vector<std::string>& parts) {
    return filled(pattern, [&](char sign) {
      const auto number = static_cast<std::size_t>(sign - '0');
      return number >= 1 && number <= parts.size() ? parts[number - 1] : std::string();
    });
  }

  const std::vector<LexedToken>& tokens_;
  const Offsets& offsets_;
  std::size_t statement_, found_;
};

}  // namespace

std::optional<ForeignForm> find_foreign_form(const TokenList& tokens, const Offsets& offsets, std::size_t statement,
                                             std::size_t found) {
  const Matcher matcher(tokens, offsets, statement, found);
  for (const Form& form : all_forms())
    if (auto match = matcher.match(form)) return match;
  return std::nullopt;
}

}  // namespace mtf::syntax
