#include "syntax/foreign.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>

#include "support/text.h"

namespace mtf::syntax {
namespace {

struct Words {
  Foreign where;
  std::string_view words;
  std::string_view instead;
  std::string_view help;
};

constexpr Words kTable[] = {
#define MTF_FOREIGN(where, form, instead, help) {Foreign::where, form, instead, help},
#include "syntax/foreign.def"
#undef MTF_FOREIGN
};

bool has_word(std::string_view list, std::string_view word) {
  for (const std::string& one : split(list, ' '))
    if (one == word) return true;
  return false;
}

// The arguments of the call of the word `word`.
struct Called {
  Span whole;  // the word and its arguments
  std::vector<std::string> arguments;
};

std::optional<Called> call_of(Span word) {
  const std::string_view text = word.file->text();
  if (text.substr(word.end, 1) != "(") return std::nullopt;
  Called called{word, {}};
  called.whole.end = static_cast<std::uint32_t>(closing_bracket(text, word.end));
  called.arguments = between_commas(text.substr(word.end + 1, called.whole.end - word.end - 2));
  return called;
}

bool names_element_type(std::string_view text) {
  return text == "f32" || text == "f64" || text == "bf16" || text == "i32" || text == "bool";
}

// The name of an element type in mtf, for instance bf16 for `torch.float16`.
std::optional<std::string> element_type(std::string_view text) {
  if (names_element_type(text)) return std::string(text);
  const std::string_view word = text.substr(text.rfind('.') + 1);
  for (const Words& entry : kTable)
    if (entry.where == Foreign::name && names_element_type(entry.instead) && has_word(entry.words, word))
      return std::string(entry.instead);
  return std::nullopt;
}

// The replacement of a word by an entry. Empty if the entry asks for arguments that are missing.
std::vector<Edit> change(const Words& entry, Span word) {
  if (entry.instead.empty() || !word.is_known()) return {};
  const Span object = object_of(word);
  const std::string_view text = word.file->text();
  if (entry.instead == ".") {  // removes the word and the dot behind it
    if (text.substr(word.end, 1) != ".") return {};
    ++word.end;
    return {{word, ""}};
  }
  const auto called = call_of(word);
  bool fits = true;
  std::string made = filled(entry.instead, [&](char sign) -> std::string {
    if (sign == '0') return std::string(object.text());
    const std::size_t number = sign == 'e' ? 1 : static_cast<std::size_t>(sign - '0');
    fits = fits && called && number <= called->arguments.size();
    const auto text = !fits         ? std::nullopt
                      : sign == 'e' ? element_type(called->arguments[0])
                                    : std::optional(called->arguments[number - 1]);
    fits = text.has_value();
    return text.value_or("");
  });
  const bool takes_call = object.is_known() || entry.instead.find('$') != std::string_view::npos;
  Span whole = takes_call && called ? called->whole : word;
  if (object.is_known()) whole = cover(object, whole);
  return fits ? std::vector<Edit>{{whole, made}} : std::vector<Edit>();
}

Help help_with_word(Foreign where, Span word, std::string_view text) {
  const Words* first = nullptr;
  for (const Words& entry : kTable) {
    if (entry.where != where || !has_word(entry.words, text)) continue;
    if (first == nullptr || entry.instead.empty()) first = &entry;
    const std::vector<Edit> edits = change(entry, word);
    if (!edits.empty() || entry.instead.empty()) return help_with(std::string(entry.help), edits);
  }
  return first != nullptr ? Help(std::string(first->help)) : Help();
}

}  // namespace

Help foreign_help(Foreign where, Span word, std::string_view text) {
  if (text.empty()) text = word.text();
  Help help = help_with_word(where, word, text);
  if (help.empty() && where == Foreign::name) help = help_with_word(where, word, lower_case(text));
  return help;
}

std::string foreign_words(Foreign where, std::string_view word) {
  for (const std::string& text : {std::string(word), lower_case(word)})
    for (const Words& entry : kTable) {
      if (entry.where != where || !has_word(entry.words, text)) continue;
      if (!entry.help.empty()) return std::string(entry.help);
      if (entry.instead.empty() || entry.instead == ".") continue;
      const std::string instead = filled(entry.instead, [](char sign) -> std::string {
        return sign == 'e' ? "f32" : std::string(1, sign == '0' ? 'x' : static_cast<char>('x' + (sign - '1') % 3));
      });
      return "here it is `" + instead + "`";
    }
  return {};
}

std::vector<std::pair<std::string, std::string>> all_foreign_words() {
  std::map<std::string, std::string> found;
  for (const Foreign where : {Foreign::name, Foreign::part, Foreign::type, Foreign::argument})
    for (const Words& entry : kTable) {
      if (entry.where != where) continue;
      for (const std::string& word : mtf::split(entry.words, ' '))
        if (const std::string help = word.empty() ? "" : foreign_words(where, word); !help.empty())
          found.try_emplace(word, help);
    }
  return {found.begin(), found.end()};
}

std::vector<Edit> as_function(Span word) {
  const Span object = object_of(word);
  const auto called = object.is_known() ? call_of(word) : std::nullopt;
  if (!called) return {};
  std::vector<std::string> arguments = called->arguments;
  arguments.insert(arguments.begin(), std::string(object.text()));
  return {{cover(object, called->whole), std::string(word.text()) + "(" + mtf::join(arguments, ", ") + ")"}};
}

std::string filled(std::string_view pattern, const std::function<std::string(char)>& part) {
  std::string out;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const bool in_parentheses = pattern.substr(i, 2) == "$(";
    const std::size_t digit = i + (in_parentheses ? 2 : 1);
    const bool is_part = pattern[i] == '$' && digit < pattern.size() &&
                         (std::isdigit(static_cast<unsigned char>(pattern[digit])) != 0 || pattern[digit] == 'e');
    if (!is_part) {
      out += pattern[i];
      continue;
    }
    std::string text = part(pattern[digit]);
    const bool is_word = std::all_of(text.begin(), text.end(),
                                     [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '.'; });
    if (in_parentheses && !is_word) text = "(" + text + ")";
    if (text.empty() && out.ends_with(' ')) out.pop_back();
    out += text;
    i = digit + (in_parentheses ? 1 : 0);
  }
  return out;
}

}  // namespace mtf::syntax
