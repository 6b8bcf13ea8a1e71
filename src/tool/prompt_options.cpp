#include "tool/prompt_options.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <stdexcept>

#include "support/diagnostics.h"
#include "support/text.h"

namespace mtf::tool {
namespace {

bool is_blank(char letter) { return letter == ' ' || letter == '\t' || letter == '\n'; }

/// Where what begins at a place ends: a string, or what stands in brackets, is whole; then the next blank.
std::size_t end_of_word(std::string_view text, std::size_t at) {
  int open = 0;
  for (bool in_string = false; at < text.size(); ++at) {
    const char letter = text[at];
    if (in_string && letter == '\\') ++at;
    else if (letter == '"') in_string = !in_string;
    else if (in_string) continue;
    else if (letter == '(' || letter == '[' || letter == '{') ++open;
    else if (letter == ')' || letter == ']' || letter == '}') --open;
    else if (is_blank(letter) && open <= 0) break;
  }
  return std::min(at, text.size());
}

std::size_t behind_blanks(std::string_view text, std::size_t at) {
  while (at < text.size() && is_blank(text[at])) ++at;
  return at;
}

std::string without_quotes(std::string_view word) {
  const bool quoted = word.size() >= 2 && word.front() == '"' && word.back() == '"';
  return std::string(quoted ? word.substr(1, word.size() - 2) : word);
}

/// `--mesh=rows:2` as its name and its value.
std::pair<std::string_view, std::optional<std::string_view>> parts_of(std::string_view word) {
  const std::size_t equals = word.find('=');
  if (equals == std::string_view::npos) return {word, std::nullopt};
  return {word.substr(0, equals), word.substr(equals + 1)};
}

// `[rows: 2, cols: 2]` and `{batch -> rows, io -> [a, b]}` as on the command line: `rows:2;cols:2`, `batch:rows;io:a+b`.
std::string in_option_notation(std::string text) {
  if (text.size() < 2 || (text.front() != '[' && text.front() != '{')) return text;
  std::string out;
  bool in_list = false;
  for (std::size_t i = 1; i + 1 < text.size(); ++i) {
    const char letter = text[i];
    if (is_blank(letter)) continue;
    if (letter == '[' || letter == ']') in_list = letter == '[';
    else if (letter == ',') out += in_list ? '+' : ';';
    else if (letter == '-' && text[i + 1] == '>') out += ':', ++i;
    else out += letter;
  }
  return out;
}

// What a word stands for if it is the name of a mesh or layout.
std::string named(const Session& session, HeldName::Kind kind, const std::string& word) {
  for (const HeldName& held : session.held())
    if (held.kind == kind && held.name == word) return held.what;
  return word;
}

template <typename Parse>
auto parsed(std::string_view option, const std::string& word, Parse parse) {
  try {
    return parse(in_option_notation(word));
  } catch (const std::invalid_argument& error) {
    fail(Diagnostic(Kind::bad_option_value, {}, fmt::format("{} {}: {}", option, code(word), error.what()))
             .help(option == "--mesh" ? "such as `--mesh \"rows:2;cols:2\"`, or the name of a mesh" : "such as `--layout \"batch:rows\"`, or the name of a layout"));
  }
}

}  // namespace

PromptOptions::PromptOptions(std::string_view command, const std::string& argument, std::span<const PromptOption> known) {
  const std::string_view text = argument;
  std::size_t copied = 0;  // of the argument, to the statement
  for (std::size_t at = behind_blanks(text, 0), end = 0; at < text.size(); at = behind_blanks(text, end)) {
    end = end_of_word(text, at);
    const auto [name, own] = parts_of(text.substr(at, end - at));
    if (!name.starts_with("--")) continue;
    const auto option = std::find_if(known.begin(), known.end(), [&](const PromptOption& each) { return each.name == name; });
    statement_ += text.substr(copied, at - copied);
    if (option == known.end()) {
      copied = at;
      if (!trim(statement_).empty()) continue;  // a statement may subtract what is negative
      std::vector<std::string> names;
      for (const PromptOption& each : known) names.push_back(code(std::string(each.name)));
      fail(Diagnostic(Kind::bad_usage, {}, fmt::format("{} has no option {}", code(std::string(command)), code(std::string(name)))).help("there are " + join_words(names, "and")));
    }
    if (!option->may_be_repeated && has(name)) fail(Kind::bad_usage, {}, "{} stands twice", code(std::string(name)));
    std::string value;
    if (own && !option->takes_value) fail(Kind::bad_usage, {}, "{} takes no value", code(std::string(name)));
    if (own) {
      value = without_quotes(*own);
    } else if (option->takes_value) {
      const std::size_t begin = behind_blanks(text, end);
      if (begin == text.size()) fail(Kind::bad_usage, {}, "{} needs a value", code(std::string(name)));
      end = end_of_word(text, begin);
      value = without_quotes(text.substr(begin, end - begin));
    }
    given_.emplace_back(option->name, std::move(value));
    copied = end;
  }
  statement_ += text.substr(copied);
  statement_ = std::string(trim(statement_));
}

std::optional<std::string> PromptOptions::value(std::string_view name) const {
  for (const auto& [option, value] : given_)
    if (option == name) return value;
  return std::nullopt;
}

std::vector<std::string> PromptOptions::values(std::string_view name) const {
  std::vector<std::string> values;
  for (const auto& [option, value] : given_)
    if (option == name) values.push_back(value);
  return values;
}

int PromptOptions::number(std::string_view name, int least, int most, int otherwise) const {
  const std::optional<std::string> text = value(name);
  if (!text) return otherwise;
  int number = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
  if (error != std::errc() || end != text->data() + text->size() || number < least || number > most)
    fail(Kind::bad_option_value, {}, "{} {}: expected a number from {} to {}", std::string(name), quote(*text), least, most);
  return number;
}

std::vector<Axis> mesh_given(const Session& session, const std::string& word) {
  return parsed("--mesh", named(session, HeldName::Kind::kMesh, word), [](const std::string& text) { return parse_axes(text); });
}

std::vector<LayoutRule> layout_given(const Session& session, const std::string& word) {
  return parsed("--layout", named(session, HeldName::Kind::kLayout, word), [](const std::string& text) { return trim(text).empty() ? std::vector<LayoutRule>() : parse_layout_rules(text); });
}

}  // namespace mtf::tool
