// The functions of strings: split, join, find and similar ones. A character is a code point; only a to z have case.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "eval/limits.h"
#include "library/functions.h"
#include "support/diagnostics.h"
#include "support/text.h"

namespace mtf::library {
namespace {

constexpr auto is_blank = [](char c) {
  return static_cast<unsigned char>(c) <= ' ' && (c == ' ' || c == '\n' || c == '\t' || c == '\r');
};

eval::HostValue list_of(const std::vector<std::string_view>& texts, Span span) {
  eval::check_list_length(texts.size(), span);
  std::vector<eval::HostValue> items;
  items.reserve(texts.size());
  for (const std::string_view text : texts) items.emplace_back(std::make_shared<const std::string>(text));
  return make_list(std::move(items));
}

/// Splits the text at each occurrence of `by`.
std::vector<std::string_view> split_by(std::string_view text, std::string_view by) {
  std::vector<std::string_view> parts;
  size_t begin = 0;
  for (size_t at = text.find(by); at != std::string_view::npos; at = text.find(by, begin)) {
    parts.push_back(text.substr(begin, at - begin));
    begin = at + by.size();
  }
  parts.push_back(text.substr(begin));
  return parts;
}

/// Splits the text at blanks, without empty pieces.
std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> parts;
  for (auto begin = std::find_if_not(text.begin(), text.end(), is_blank); begin != text.end();) {
    const auto end = std::find_if(begin, text.end(), is_blank);
    parts.emplace_back(begin, end);
    begin = std::find_if_not(end, text.end(), is_blank);
  }
  return parts;
}

eval::HostValue split(eval::Caller&, const eval::Bound& call) {
  if (!call.has(1)) return list_of(words(call.text(0)), call.span());
  if (call.text(1).empty()) fail(Kind::bad_value, call.span(1), "expected a string with at least one character");
  return list_of(split_by(call.text(0), call.text(1)), call.span());
}

eval::HostValue lines(eval::Caller&, const eval::Bound& call) { return list_of_lines(call.text(0), call.span()); }

eval::HostValue join(eval::Caller&, const eval::Bound& call) {
  std::string joined;
  bool known = true;
  for (const eval::HostValue& item : call.list(0)) {
    const auto* text = item.as<eval::Text>();
    if (eval::HostValue is_text = item; !become(syntax::ParameterKind::kString, is_text)) {
      fail(Diagnostic(Kind::type_mismatch, call.span(0),
                      fmt::format("expected a list of strings, found {} in it", describe(item)))
               .help("`string(x)` is the text of any value"));
    }
    known = known && text;
    if (!known) continue;
    if (&item != &call.list(0).front() && call.has(1)) joined += call.text(1);
    joined += **text;
    eval::check_length(joined.size(), "a string", call.span());
  }
  return known ? eval::make_text(std::move(joined)) : unknown(eval::UnknownKind::kString);
}

eval::HostValue strip(eval::Caller&, const eval::Bound& call) {
  const std::string& text = call.text(0);
  const auto begin = std::find_if_not(text.begin(), text.end(), is_blank);
  const auto end = std::find_if_not(text.rbegin(), std::make_reverse_iterator(begin), is_blank).base();
  return eval::make_text(std::string(begin, end));
}

/// Adds `by` to each letter from `first` to `first` + 25.
eval::HostValue moved(std::string text, char first, int by) {
  for (char& c : text)
    if (c >= first && c < first + 26) c = static_cast<char>(c + by);
  return eval::make_text(std::move(text));
}

eval::HostValue lower(eval::Caller&, const eval::Bound& call) { return moved(call.text(0), 'A', 'a' - 'A'); }
eval::HostValue upper(eval::Caller&, const eval::Bound& call) { return moved(call.text(0), 'a', 'A' - 'a'); }

eval::HostValue find(eval::Caller&, const eval::Bound& call) {
  const size_t at = call.text(0).find(call.text(1));
  if (at == std::string::npos) return eval::None{};
  return static_cast<int64_t>(count_code_points(std::string_view(call.text(0)).substr(0, at)));
}

eval::HostValue replace(eval::Caller&, const eval::Bound& call) {
  if (call.text(1).empty()) fail(Kind::bad_value, call.span(1), "expected a string with at least one character");
  std::string made;
  for (const std::string_view part : split_by(call.text(0), call.text(1))) {
    made.append(part).append(call.text(2));
    eval::check_length(made.size(), "a string", call.span());
  }
  made.resize(made.size() - call.text(2).size());
  return eval::make_text(std::move(made));
}

eval::HostValue starts_with(eval::Caller&, const eval::Bound& call) { return call.text(0).starts_with(call.text(1)); }
eval::HostValue ends_with(eval::Caller&, const eval::Bound& call) { return call.text(0).ends_with(call.text(1)); }

eval::HostValue matches(eval::Caller&, const eval::Bound& call) { return mtf::matches(call.text(0), call.text(1)); }

}  // namespace

std::vector<eval::HostFunction> string_functions() {
  return {
      {"split(s: string, by: string = none) -> list",
       "The pieces of a string between places where `by` stands; without it, its words between blanks.",
       eval::Effects::kNone, split},
      {"lines(s: string) -> list", "The lines of a string, without their ends.", eval::Effects::kNone, lines},
      {"join(list: list, by: string = none) -> string",
       "The strings of a list, one after the other, with `by` between two.", eval::Effects::kNone, join},
      {"strip(s: string) -> string", "A string without the blanks at its ends.", eval::Effects::kNone, strip},
      {"lower(s: string) -> string", "A string with the letters A to Z as a to z.", eval::Effects::kNone, lower},
      {"upper(s: string) -> string", "A string with the letters a to z as A to Z.", eval::Effects::kNone, upper},
      {"find(s: string, part: string) -> value",
       "The place of the first character of `part` in a string; `none` if it is not in it.", eval::Effects::kNone,
       find},
      {"replace(s: string, part: string, with: string) -> string", "A string with `with` wherever `part` stands.",
       eval::Effects::kNone, replace},
      {"starts_with(s: string, part: string) -> bool", "Whether a string begins with another.", eval::Effects::kNone,
       starts_with},
      {"ends_with(s: string, part: string) -> bool", "Whether a string ends with another.", eval::Effects::kNone,
       ends_with},
      {"matches(s: string, pattern: string) -> bool",
       "Whether a string is as the pattern, in which `*` stands for any text.", eval::Effects::kNone, matches},
  };
}

eval::HostValue list_of_lines(std::string_view text, Span span) {
  std::vector<std::string_view> parts = split_by(text, "\n");
  if (parts.back().empty()) parts.pop_back();
  for (std::string_view& line : parts)
    if (line.ends_with('\r')) line.remove_suffix(1);
  return list_of(parts, span);
}

}  // namespace mtf::library
