#include "tool/message_colours.h"

#include <unistd.h>

#include <cstdlib>

#include "support/text.h"
#include "tool/repl_completion.h"

namespace mtf::tool {
namespace {

constexpr std::string_view kBlue = "34", kRed = "1;31", kYellow = "33", kCyan = "36", kBold = "1", kDim = "2";

std::string in(std::string_view style, std::string_view text) {
  return text.empty() ? "" : "\x1b[" + std::string(style) + "m" + std::string(text) + "\x1b[0m";
}

std::string source_line(std::string_view line) {
  std::string out;
  std::size_t at = 0;
  for (const line_editor::Span& span : coloured(line)) {
    out += std::string(line.substr(at, span.begin - at)) + in(span.style, line.substr(span.begin, span.end - span.begin));
    at = span.end;
  }
  return out + std::string(line.substr(at));
}

std::string line_of_message(std::string_view line) {
  for (const std::string_view kind : {"error", "warning"})
    if (line.starts_with(kind) && line.substr(kind.size()).starts_with(":"))
      return in(kind == "error" ? kRed : "1;33", line.substr(0, kind.size() + 1)) + in(kBold, line.substr(kind.size() + 1));
  const std::size_t first = std::min(line.find_first_not_of(' '), line.size());
  const std::string_view rest = line.substr(first);
  if (rest.starts_with("-->")) return in(kBlue, line.substr(0, first + 3)) + std::string(rest.substr(3));
  for (const std::string_view word : {"= help:", "= note:"})
    if (rest.starts_with(word)) return in(kCyan, line.substr(0, first + word.size())) + std::string(rest.substr(word.size()));
  const std::size_t bar = line.find('|');
  if (bar == std::string_view::npos || line.substr(0, bar).find_first_not_of(" 0123456789") != std::string_view::npos) return std::string(line);
  const std::string_view behind = line.substr(bar + 1);
  return in(kBlue, line.substr(0, bar + 1)) + (first < bar ? source_line(behind) : in(kRed, behind));
}

std::string line_of_report(std::string_view line) {
  if (line.starts_with("   ")) return in(kYellow, line);
  constexpr std::string_view kSilent = ", no communication";
  const bool is_silent = line.ends_with(kSilent);
  const std::string_view said = line.substr(0, line.size() - (is_silent ? kSilent.size() : 0));
  const std::size_t end = said.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
  const bool is_named = end != std::string_view::npos && end > 0 && (said.substr(end).starts_with(": ") || said.substr(end).starts_with(" = "));
  const std::size_t name = is_named ? end : 0;
  return in(kBold, said.substr(0, name)) + std::string(said.substr(name)) + (is_silent ? in(kDim, kSilent) : "");
}

std::string each_line(std::string_view text, std::string (*coloured_line)(std::string_view)) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    out += coloured_line(text.substr(0, end));
    if (end < text.size()) out += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

}  // namespace

bool shows_colours(int descriptor) {
  const char *terminal = std::getenv("TERM"), *none = std::getenv("NO_COLOR");
  const bool is_capable = terminal != nullptr && *terminal != '\0' && std::string_view(terminal) != "dumb";
  return is_capable && (none == nullptr || *none == '\0') && isatty(descriptor) != 0;
}

std::string coloured_message(std::string_view message) { return each_line(message, line_of_message); }
std::string coloured_report(std::string_view report) { return each_line(report, line_of_report); }

}  // namespace mtf::tool
