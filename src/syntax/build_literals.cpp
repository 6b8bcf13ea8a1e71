#include <charconv>
#include <cmath>
#include <cstdlib>

#include "syntax/ast_builder.h"

namespace mtf::syntax {

using namespace ast;

namespace {

// Resolves the escapes of a string's text. The lexer has checked them.
std::string unescape(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '{' || c == '}') ++i;
    if (c != '\\') {
      out += c;
      continue;
    }
    const char escaped = text[++i];
    out += escaped == 'n' ? '\n' : escaped == 't' ? '\t' : escaped;
  }
  return out;
}

}  // namespace

Expr::Node AstBuilder::integer(Span where) {
  const std::string_view text = where.text();
  IntExpr made{0};
  const auto result = std::from_chars(text.data(), text.data() + text.size(), made.value);
  if (result.ec != std::errc()) {
    diagnostics_.add(Diagnostic(Kind::bad_number, where, "integers are at most 9,223,372,036,854,775,807"));
  }
  return made;
}

Expr::Node AstBuilder::real(Span where) {
  FloatExpr made{0, std::string(where.text())};
  made.value = std::strtod(made.text.c_str(), nullptr);
  if (!std::isfinite(made.value)) {
    diagnostics_.add(Diagnostic(Kind::bad_number, where, "the largest number is about 1.8e308"));
  }
  return made;
}

StringExpr AstBuilder::string(MtfParser::StringContext* tree) {
  StringExpr made;
  for (auto* child : tree->children) {
    if (auto* node = dynamic_cast<MtfParser::InterpolationContext*>(child)) {
      made.parts.push_back(interpolation(node));
      continue;
    }
    auto* token = dynamic_cast<antlr4::tree::TerminalNode*>(child)->getSymbol();
    if (token->getType() != MtfParser::STRING_TEXT) continue;
    StringPart part;
    part.span = span(token);
    part.text = unescape(part.span.text());
    // Two adjacent texts: something invalid between them was refused.
    if (!made.parts.empty() && made.parts.back().value == nullptr) made.parts.back().text += part.text;
    else made.parts.push_back(std::move(part));
  }
  return made;
}

StringPart AstBuilder::interpolation(MtfParser::InterpolationContext* tree) {
  StringPart part;
  part.span = span(tree);
  part.value = expr(tree->expr());
  if (tree->FORMAT_COLON() == nullptr) return part;
  part.format_span = span(tree->FORMAT_COLON()->getSymbol());
  part.format_span.begin = part.format_span.end;
  if (tree->FORMAT_TEXT() != nullptr) part.format_span = span(tree->FORMAT_TEXT()->getSymbol());
  part.format = std::string(part.format_span.text());
  check_format(*part.format, part.format_span);
  return part;
}

namespace {

/// [[fill]align][sign][#][0][width][.precision][type], as in fmt.
bool is_format(std::string_view rest) {
  const auto skip_one_of = [&](std::string_view signs) {
    const bool found = !rest.empty() && signs.find(rest[0]) != std::string_view::npos;
    if (found) rest.remove_prefix(1);
    return found;
  };
  const auto skip_digits = [&] {
    int count = 0;
    while (count < 3 && skip_one_of("0123456789")) ++count;
    return count;
  };
  constexpr std::string_view kAlign = "<>^";
  const bool has_fill =
      rest.size() >= 2 && kAlign.find(rest[1]) != std::string_view::npos && rest[0] != '{' && rest[0] != '}';
  if (has_fill) rest.remove_prefix(1);
  skip_one_of(kAlign);
  skip_one_of("-+ ");
  skip_one_of("#");
  skip_one_of("0");
  skip_digits();
  if (skip_one_of(".") && skip_digits() == 0) return false;
  skip_one_of("aAbBcdeEfFgGosxX?");
  return rest.empty();
}

}  // namespace

void AstBuilder::check_format(const std::string& format, Span span) {
  // A fill of several bytes is one code point.
  std::string_view rest = format;
  std::size_t first = 0;
  while (first < rest.size() && (static_cast<unsigned char>(rest[first]) & 0x80) != 0) ++first;
  const std::string plain = first > 0 ? "_" + std::string(rest.substr(first)) : format;
  if (plain.size() < 32 && is_format(plain)) return;
  diagnostics_.add(Diagnostic(Kind::bad_format, span, "expected a format such as `.4f`, `>10` or `+.2e`"));
}

}  // namespace mtf::syntax
