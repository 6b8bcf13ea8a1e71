#include "support/edit.h"

#include <algorithm>
#include <cctype>

#include "support/text.h"

namespace mtf {
namespace {

std::vector<const Edit*> in_order(const std::vector<Edit>& edits) {
  std::vector<const Edit*> order;
  for (const Edit& edit : edits) order.push_back(&edit);
  std::stable_sort(order.begin(), order.end(),
                   [](const Edit* a, const Edit* b) { return a->span.begin < b->span.begin; });
  return order;
}

// The position behind the string that begins at `i`.
std::size_t behind_string(std::string_view text, std::size_t i) {
  for (++i; i < text.size() && text[i] != '"' && text[i] != '\n'; ++i) {
    if (text[i] == '\\') ++i;
    else if (text.substr(i, 2) == "{{") ++i;
    else if (text[i] == '{') i = closing_bracket(text, i) - 1;
  }
  return std::min(i + 1, text.size());
}

}  // namespace

Edit::Edit(Span where, std::string what) : span(where), text(std::move(what)) {
  if (span.file != nullptr) file = span.file->shared_from_this();
}

std::string edited_text(const std::vector<Edit>& edits) {
  const std::string& before = edits.front().file->text();
  std::string after;
  std::size_t at = 0;
  for (const Edit* edit : in_order(edits)) {
    after += before.substr(at, edit->span.begin - at) + edit->text;
    at = edit->span.end;
  }
  return after + before.substr(at);
}

Help help_with(std::string why, const std::vector<Edit>& edits) {
  if (edits.empty()) return why;
  const std::vector<std::string> before = split(edits.front().file->text(), '\n'),
                                 after = split(edited_text(edits), '\n');
  std::size_t first = 0, last = 0;  // number of equal lines at both ends
  const std::size_t most = std::min(before.size(), after.size());
  while (first < most && before[first] == after[first]) ++first;
  while (last < most - first && before[before.size() - 1 - last] == after[after.size() - 1 - last]) ++last;
  if (first + last >= after.size()) return why;
  std::string lines = code(trim(after[first]));
  if (first + last + 1 < after.size()) lines += " … " + code(trim(after[after.size() - 1 - last]));
  return {(why.empty() ? "write " : why + ": write ") + lines, edits};
}

Help did_you_mean(Span span, std::string_view name, const std::vector<std::string>& candidates) {
  Help help(did_you_mean(name, candidates));
  if (const auto meant = suggest(name, candidates); meant && span.is_known() && span.text() == name)
    help.edits = {{span, *meant}};
  return help;
}

Span before_line(Span span) {
  const std::size_t begin = span.file->line_start(span.file->line_of(span.begin));
  const std::size_t first = std::min<std::size_t>(span.file->text().find_first_not_of(" \t", begin), span.begin);
  span.begin = span.end = static_cast<std::uint32_t>(first);
  return span;
}

std::size_t closing_bracket(std::string_view text, std::size_t begin) {
  int depth = 0;
  for (std::size_t i = begin; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') i = behind_string(text, i) - 1;
    else if (c == '#') i = std::min(text.find('\n', i), text.size());
    else if (c == '(' || c == '[' || c == '{') ++depth;
    else if ((c == ')' || c == ']' || c == '}') && --depth == 0) return i + 1;
  }
  return text.size();
}

Span object_of(Span word) {
  const std::string& text = word.file->text();
  const auto is_letter = [&](std::size_t i) {
    return std::isalnum(static_cast<unsigned char>(text[i])) != 0 || text[i] == '_';
  };
  std::size_t begin = word.begin;
  while (begin > 0 && text[begin - 1] == '.') {
    --begin;
    while (begin > 0 && (text[begin - 1] == ')' || text[begin - 1] == ']')) {
      std::size_t open = begin - 1;
      while (open > 0 && (std::string_view("([").find(text[open]) == std::string_view::npos ||
                          closing_bracket(text, open) != begin))
        --open;
      if (closing_bracket(text, open) != begin) return {};
      begin = open;
    }
    while (begin > 0 && is_letter(begin - 1)) --begin;
  }
  if (begin + 1 >= word.begin) return {};
  word.end = word.begin - 1;
  word.begin = static_cast<std::uint32_t>(begin);
  return word;
}

std::vector<std::string> between_commas(std::string_view text) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size();) {
    const char c = i < text.size() ? text[i] : ',';
    if (c == '"') i = behind_string(text, i);
    else if (c == '(' || c == '[' || c == '{') i = closing_bracket(text, i);
    else {
      if (c == ',') {
        parts.emplace_back(trim(text.substr(begin, i - begin)));
        begin = i + 1;
      }
      ++i;
    }
  }
  if (parts.back().empty()) parts.pop_back();
  return parts;
}

}  // namespace mtf
