#include "eval/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <optional>

#include "support/text.h"

namespace mtf::eval {
namespace {

/// Converts the text of an option to the kind of value that `like` is.
HostValue converted(const std::string& text, const HostValue& like, const std::string& name, Span span) {
  auto wrong = [&](std::string_view expected) {
    fail(Diagnostic(Kind::bad_option_value, {},
                    fmt::format("--set {}={}: expected {}, found {}", name, text, expected, quote(text)))
             .related(span, "declared here"));
  };
  if (like.is<Text>()) return make_text(text);
  if (like.is<bool>()) {
    if (text == "true" || text == "false") return text == "true";
    wrong("true or false");
  }
  auto parse = [&](auto& number) {
    const char* begin = text.data();
    char* end = nullptr;
    errno = 0;
    if constexpr (std::is_same_v<std::decay_t<decltype(number)>, double>) number = std::strtod(begin, &end);
    else number = std::strtoll(begin, &end, 10);
    return errno == 0 && !text.empty() && end == begin + text.size() &&
           !std::isspace(static_cast<unsigned char>(text[0]));
  };
  if (like.is<int64_t>() || like.is<Dim>()) {
    long long number = 0;
    if (!parse(number)) wrong("an int");
    return static_cast<int64_t>(number);
  }
  if (like.is<double>()) {
    double number = 0;
    if (!parse(number)) wrong("a number");
    return number;
  }
  if (like.is<ElementType>()) {
    if (auto element = parse_element_type(text)) return *element;
    wrong("an element type");
  }
  wrong("a kind of option that can be set (" + describe(like) + " cannot)");
  return {};
}

}  // namespace

HostValue Options::value(const std::string& name, HostValue declared, const HostValue& kind, Span span) {
  declared_.push_back(name);
  const std::string* last = nullptr;
  for (const auto& [key, text] : given_) {
    if (key == name) last = &text;
  }
  return last == nullptr ? std::move(declared) : converted(*last, kind, name, span);
}

void Options::report_unmatched(Findings& findings) const {
  for (const auto& [name, value] : given_) {
    if (std::find(declared_.begin(), declared_.end(), name) != declared_.end()) continue;
    std::string help = mtf::did_you_mean(name, declared_);
    if (help.empty() && !declared_.empty()) help = "it has " + mtf::join(declared_, ", ");
    findings.report(Diagnostic(Kind::unknown_option, {}, fmt::format("--set {}={}", name, value)).help(help));
  }
}

}  // namespace mtf::eval
