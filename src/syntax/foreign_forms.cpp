#include "syntax/foreign_forms.h"

#include <algorithm>

#include "support/text.h"
#include "syntax/foreign.h"

namespace mtf::internal {
namespace {

// Where a form must stand, besides its tokens.
enum class Context { kAnywhere, kStatement, kValue, kArgument };

struct Form {
  Context context = Context::kAnywhere;
  bool is_exact = false;
  std::vector<std::string> elements;
  std::string_view help;
};

Form parse_form(std::string_view text, std::string_view help) {
  Form form{Context::kAnywhere, false, split(text, ' '), help};
  std::string& last = form.elements.back();
  form.is_exact = last.size() > 1 && last.ends_with('!');
  if (form.is_exact) last.pop_back();
  const std::string& first = form.elements.front();
  if (first == "^") form.context = Context::kStatement;
  if (first == "v") form.context = Context::kValue;
  if (first == ",") form.context = Context::kArgument;
  if (form.context != Context::kAnywhere) form.elements.erase(form.elements.begin());
  return form;
}

const std::vector<Form>& all_forms() {
  static const std::vector<Form> kForms = [] {
    std::vector<Form> forms;
    const auto add = [&](Foreign where, std::string_view text, std::string_view help) {
      if (where == Foreign::form) forms.push_back(parse_form(text, help));
    };
#define MTF_FOREIGN(where, form, help) add(Foreign::where, form, help);
#include "syntax/foreign.def"
#undef MTF_FOREIGN
    return forms;
  }();
  return kForms;
}

bool is_word(std::size_t type) { return type == MtfLexer::IDENT || is_reserved_word(type); }

bool ends_value(std::size_t type) {
  switch (type) {
    case MtfLexer::IDENT: case MtfLexer::INT: case MtfLexer::FLOAT: case MtfLexer::TRUE: case MtfLexer::FALSE:
    case MtfLexer::RPAREN: case MtfLexer::RBRACKET: case MtfLexer::STRING_CLOSE:
      return true;
    default:
      return false;
  }
}

class Matcher {
 public:
  Matcher(const TokenList& tokens, const Offsets& offsets, std::size_t statement, std::size_t found)
      : tokens_(tokens.tokens), offsets_(offsets), statement_(statement), found_(found) {}

  std::optional<ForeignForm> match(const Form& form) const {
    constexpr std::size_t kFarthest = 200;  // of the form's first token from the mistake
    const bool begins = form.context == Context::kStatement;
    const std::size_t last_start = begins ? statement_ : found_;
    const std::size_t first_start = begins || found_ - statement_ <= kFarthest ? statement_ : found_ - kFarthest;
    for (std::size_t start = first_start; start <= last_start; ++start) {
      if (!stands_in(form.context, start)) continue;
      std::string word;
      const auto end = match_at(form, start, word);
      if (!end) continue;
      const std::size_t last = *end - 1;
      const bool explains = form.is_exact ? last == found_ : begins || found_ <= *end;
      if (!explains) continue;
      ForeignForm made{start, last, form.is_exact, std::string(form.help)};
      for (std::size_t place; (place = made.help.find("{}")) != std::string::npos;) made.help.replace(place, 2, word);
      return made;
    }
    return std::nullopt;
  }

 private:
  std::string_view text(std::size_t i) const { return offsets_.span(tokens_[i]).text(); }

  bool stands_in(Context context, std::size_t start) const {
    const std::size_t before = start > statement_ ? tokens_[start - 1].type : std::size_t{antlr4::Token::EOF};
    if (context == Context::kValue) return start > statement_ && ends_value(before);
    if (context == Context::kArgument) return before == MtfLexer::LPAREN || before == MtfLexer::COMMA;
    return true;
  }

  // The index behind the form, if it stands at `i`; `word` is what its first `_` is.
  std::optional<std::size_t> match_at(const Form& form, std::size_t i, std::string& word) const {
    for (const std::string& element : form.elements) {
      if (i >= tokens_.size() || tokens_[i].type == antlr4::Token::EOF) return std::nullopt;
      const std::size_t type = tokens_[i].type;
      if (element == "...") {
        i = closing(i);
        continue;
      }
      if (element == "\"") {
        if (type != MtfLexer::STRING_OPEN) return std::nullopt;
        i = string_end(i);
        continue;
      }
      const bool fits = element == "_" ? is_word(type) : element == "%" ? type == MtfLexer::INT || type == MtfLexer::FLOAT : text(i) == element;
      if (!fits) return std::nullopt;
      if (element == "_" && word.empty()) word = text(i);
      ++i;
    }
    return i;
  }

  // The bracket that closes the one before `i`, or the end.
  std::size_t closing(std::size_t i) const {
    for (int depth = 1; i < tokens_.size(); ++i) {
      switch (tokens_[i].type) {
        case MtfLexer::LPAREN: case MtfLexer::LBRACKET: case MtfLexer::LBRACE: ++depth; break;
        case MtfLexer::RPAREN: case MtfLexer::RBRACKET: case MtfLexer::RBRACE: --depth; break;
        default: break;
      }
      if (depth == 0) break;
    }
    return i;
  }

  // Behind the string that begins at `i`.
  std::size_t string_end(std::size_t i) const {
    for (int depth = 0; i < tokens_.size(); ++i) {
      if (tokens_[i].type == MtfLexer::STRING_OPEN) ++depth;
      if (tokens_[i].type == MtfLexer::STRING_CLOSE && --depth == 0) return i + 1;
    }
    return i;
  }

  const std::vector<LexedToken>& tokens_;
  const Offsets& offsets_;
  std::size_t statement_, found_;
};

}  // namespace

std::optional<ForeignForm> find_foreign_form(const TokenList& tokens, const Offsets& offsets, std::size_t statement, std::size_t found) {
  const Matcher matcher(tokens, offsets, statement, found);
  for (const Form& form : all_forms())
    if (auto match = matcher.match(form)) return match;
  return std::nullopt;
}

}  // namespace mtf::internal
