#include "syntax/indentation.h"

namespace mtf::syntax {
namespace {

std::size_t indent_of_line(const Span& span) {
  const std::string_view line = span.file->line(span.file->line_of(span.begin));
  const std::size_t indent = line.find_first_not_of(" \t");
  return indent == std::string_view::npos ? 0 : indent;
}

}  // namespace

void Indentation::look_at(Span first, Span open) {
  if (guess_ || !first.file->is_first_on_line(first.begin)) return;
  if (first.file->line_of(first.begin) == open.file->line_of(open.begin)) return;
  const std::size_t outer = indent_of_line(open), inner = indent_of_line(first);
  const bool closes = first.text() == "}";
  if (closes ? inner < outer : inner <= outer) guess_ = Guess{open, first};
}

}  // namespace mtf::syntax
