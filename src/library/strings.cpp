// The functions of strings: split, join, find and their like. A character is a code point; case is that of a to z.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "eval/limits.h"
#include "library/functions.h"
#include "support/diagnostics.h"
#include "support/text.h"

namespace mtf {
namespace {

constexpr std::string_view kBlank = " \t\r\n";

/// A call's arguments, all of which are strings; nothing if only the run knows one of them.
std::optional<std::vector<std::string>> strings(const std::vector<const GivenArgument*>& given) {
  std::vector<std::string> texts;
  bool known = true;
  for (const GivenArgument* item : given) {
    if (!item) continue;
    const UnknownKind kind = unknown_kind(item->value);
    if (auto* text = item->value.as<Text>()) {
      texts.push_back(**text);
    } else if (item->value.is_unknown() && (kind == UnknownKind::kString || kind == UnknownKind::kAny)) {
      known = false;
    } else {
      fail(
          Diagnostic(Kind::type_mismatch, item->span, fmt::format("expected a string, found {}", describe(item->value)))
              .help("`string(x)` is the text of any value"));
    }
  }
  return known ? std::optional(std::move(texts)) : std::nullopt;
}

HostValue list_of(std::vector<std::string> texts, Span span) {
  check_list_length(texts.size(), span);
  std::vector<HostValue> items;
  items.reserve(texts.size());
  for (std::string& text : texts) items.push_back(make_text(std::move(text)));
  return make_list(std::move(items));
}

/// Pieces between places where `by` stands.
std::vector<std::string> split_by(std::string_view text, std::string_view by) {
  std::vector<std::string> parts;
  size_t begin = 0;
  for (size_t at = text.find(by); at != std::string_view::npos; at = text.find(by, begin)) {
    parts.emplace_back(text.substr(begin, at - begin));
    begin = at + by.size();
  }
  parts.emplace_back(text.substr(begin));
  return parts;
}

/// Pieces between blanks, none of them empty.
std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> parts;
  for (size_t begin = text.find_first_not_of(kBlank); begin != std::string_view::npos;
       begin = text.find_first_not_of(kBlank, begin)) {
    const size_t end = std::min(text.find_first_of(kBlank, begin), text.size());
    parts.emplace_back(text.substr(begin, end - begin));
    begin = end;
  }
  return parts;
}

HostValue split(Caller&, Arguments& arguments) {
  const auto given = match_arguments(arguments, {"s", "by?"}, "split(s, by: string)");
  const auto texts = strings(given);
  if (!texts) return unknown(UnknownKind::kAny);
  if (texts->size() == 1) return list_of(words((*texts)[0]), arguments.span);
  if ((*texts)[1].empty()) fail(Kind::bad_value, given[1]->span, "expected a string with at least one character");
  return list_of(split_by((*texts)[0], (*texts)[1]), arguments.span);
}

HostValue lines(Caller&, Arguments& arguments) {
  const auto texts = strings(match_arguments(arguments, {"s"}, "lines(s)"));
  return texts ? list_of_lines((*texts)[0], arguments.span) : unknown(UnknownKind::kAny);
}

HostValue join(Caller&, Arguments& arguments) {
  const auto given = match_arguments(arguments, {"list", "by?"}, "join(list, by: string)");
  const HostValue& value = given[0]->value;
  if (value.is_unknown()) return unknown(UnknownKind::kString);
  auto* list = value.as<ListPtr>();
  if (!list) fail(Kind::type_mismatch, given[0]->span, "expected a list of strings, found {}", describe(value));
  const auto between = strings({given[1]});
  std::string joined;
  bool known = between.has_value();
  for (const HostValue& item : (*list)->items) {
    const GivenArgument element{item, {}, false, {}, given[0]->span, {}, {}};
    const auto text = strings({&element});
    if (!text) known = false;
    if (!known) continue;
    if (&item != &(*list)->items.front() && !between->empty()) joined += (*between)[0];
    joined += (*text)[0];
    check_length(joined.size(), "a string", arguments.span);
  }
  return known ? make_text(std::move(joined)) : unknown(UnknownKind::kString);
}

HostValue strip(Caller&, Arguments& arguments) {
  const auto texts = strings(match_arguments(arguments, {"s"}, "strip(s)"));
  if (!texts) return unknown(UnknownKind::kString);
  const std::string& text = (*texts)[0];
  const size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string::npos) return make_text("");
  return make_text(text.substr(begin, text.find_last_not_of(kBlank) + 1 - begin));
}

/// Each letter between `first` and `first` + 25, moved by `by`.
HostValue moved(Arguments& arguments, std::string_view signature, char first, int by) {
  const auto texts = strings(match_arguments(arguments, {"s"}, signature));
  if (!texts) return unknown(UnknownKind::kString);
  std::string text = (*texts)[0];
  for (char& c : text)
    if (c >= first && c < first + 26) c = static_cast<char>(c + by);
  return make_text(std::move(text));
}

HostValue lower(Caller&, Arguments& arguments) { return moved(arguments, "lower(s)", 'A', 'a' - 'A'); }
HostValue upper(Caller&, Arguments& arguments) { return moved(arguments, "upper(s)", 'a', 'A' - 'a'); }

HostValue find(Caller&, Arguments& arguments) {
  const auto texts = strings(match_arguments(arguments, {"s", "part"}, "find(s, part)"));
  if (!texts) return unknown(UnknownKind::kAny);
  const size_t at = (*texts)[0].find((*texts)[1]);
  if (at == std::string::npos) return None{};
  return static_cast<int64_t>(count_code_points(std::string_view((*texts)[0]).substr(0, at)));
}

HostValue replace(Caller&, Arguments& arguments) {
  const auto given = match_arguments(arguments, {"s", "part", "with"}, "replace(s, part, with)");
  const auto texts = strings(given);
  if (!texts) return unknown(UnknownKind::kString);
  if ((*texts)[1].empty()) fail(Kind::bad_value, given[1]->span, "expected a string with at least one character");
  std::string made;
  for (const std::string& part : split_by((*texts)[0], (*texts)[1])) {
    made += part + (*texts)[2];
    check_length(made.size(), "a string", arguments.span);
  }
  made.resize(made.size() - (*texts)[2].size());
  return make_text(std::move(made));
}

template <typename Test>
HostValue tested(Arguments& arguments, const std::vector<std::string>& names, std::string_view signature,
                 const Test& test) {
  const auto texts = strings(match_arguments(arguments, names, signature));
  return texts ? HostValue(test((*texts)[0], (*texts)[1])) : unknown(UnknownKind::kBool);
}

HostValue starts_with(Caller&, Arguments& arguments) {
  return tested(arguments, {"s", "part"}, "starts_with(s, part)",
                [](const std::string& s, const std::string& part) { return s.starts_with(part); });
}
HostValue ends_with(Caller&, Arguments& arguments) {
  return tested(arguments, {"s", "part"}, "ends_with(s, part)",
                [](const std::string& s, const std::string& part) { return s.ends_with(part); });
}

/// Each piece between stars is looked for as far to the left as it can stand; the last one at the end.
bool fits(std::string_view text, std::string_view pattern) {
  std::vector<std::string> pieces = split_by(pattern, "*");
  if (pieces.size() == 1) return text == pattern;
  if (!text.starts_with(pieces.front())) return false;
  text.remove_prefix(pieces.front().size());
  for (size_t i = 1; i + 1 < pieces.size(); ++i) {
    const size_t at = text.find(pieces[i]);
    if (at == std::string_view::npos) return false;
    text.remove_prefix(at + pieces[i].size());
  }
  return text.ends_with(pieces.back());
}

HostValue matches(Caller&, Arguments& arguments) {
  return tested(arguments, {"s", "pattern"}, "matches(s, pattern)",
                [](const std::string& s, const std::string& pattern) { return fits(s, pattern); });
}

}  // namespace

std::vector<HostFunction> string_functions() {
  return {
      {"split", "split(s, by: string)",
       "The pieces of a string between places where `by` stands; without it, its words between blanks.", split},
      {"lines", "lines(s)", "The lines of a string, without their ends.", lines},
      {"join", "join(list, by: string)", "The strings of a list, one after the other, with `by` between two.", join},
      {"strip", "strip(s)", "A string without the blanks at its ends.", strip},
      {"lower", "lower(s)", "A string with the letters A to Z as a to z.", lower},
      {"upper", "upper(s)", "A string with the letters a to z as A to Z.", upper},
      {"find", "find(s, part)", "The place of the first character of `part` in a string; `none` if it is not in it.",
       find},
      {"replace", "replace(s, part, with)", "A string with `with` wherever `part` stands.", replace},
      {"starts_with", "starts_with(s, part)", "Whether a string begins with another.", starts_with},
      {"ends_with", "ends_with(s, part)", "Whether a string ends with another.", ends_with},
      {"matches", "matches(s, pattern)", "Whether a string is as the pattern, in which `*` stands for any text.",
       matches},
  };
}

HostValue list_of_lines(std::string_view text, Span span) {
  std::vector<std::string> parts = split_by(text, "\n");
  if (parts.back().empty()) parts.pop_back();
  for (std::string& line : parts)
    if (line.ends_with('\r')) line.pop_back();
  return list_of(std::move(parts), span);
}

}  // namespace mtf
