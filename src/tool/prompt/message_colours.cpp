#include "tool/prompt/message_colours.h"

#include <unistd.h>

#include <cstdlib>

#include "support/text.h"
#include "tool/prompt/repl_completion.h"

namespace mtf::tool {
namespace {

std::string source_line(std::string_view line) {
  std::string out;
  std::size_t at = 0;
  for (const line_editor::Span& span : coloured(line)) {
    out += std::string(line.substr(at, span.begin - at)) +
           in_style(span.style, line.substr(span.begin, span.end - span.begin));
    at = span.end;
  }
  return out + std::string(line.substr(at));
}

}  // namespace

std::string in_style(std::string_view style, std::string_view text) {
  return text.empty() ? "" : "\x1b[" + std::string(style) + "m" + std::string(text) + "\x1b[0m";
}

bool shows_colours(int descriptor) {
  const char *terminal = std::getenv("TERM"), *none = std::getenv("NO_COLOR");
  const bool is_capable = terminal != nullptr && *terminal != '\0' && std::string_view(terminal) != "dumb";
  return is_capable && (none == nullptr || *none == '\0') && isatty(descriptor) != 0;
}

std::string coloured_message(const Diagnostic& diagnostic) {
  std::string out;
  for (const auto& [part, text] : diagnostic.rendered_parts()) {
    switch (part) {
      case MessagePart::kPlain: out += text; break;
      case MessagePart::kError: out += in_style("1;31", text); break;
      case MessagePart::kWarning: out += in_style("1;33", text); break;
      case MessagePart::kHeadline: out += in_style("1", text); break;
      case MessagePart::kMargin: out += in_style("34", text); break;
      case MessagePart::kSource: out += source_line(text); break;
      case MessagePart::kMarks: out += in_style("1;31", text); break;
      case MessagePart::kRemark: out += in_style("36", text); break;
    }
  }
  return out;
}

}  // namespace mtf::tool
