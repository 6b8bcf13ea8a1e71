#include "support/source_line.h"

#include "support/text.h"

namespace mtf {

std::string line_of(Span span) {
  if (!span.is_known()) return {};
  const std::string_view text = span.file->text();
  const std::size_t begin = span.begin == 0 ? 0 : text.rfind('\n', span.begin - 1) + 1;
  return std::string(trim(text.substr(begin, text.find('\n', span.begin) - begin)));
}

}  // namespace mtf
