#include "tool/prompt/prompt_options.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <stdexcept>

#include "support/diagnostics.h"
#include "support/text.h"

namespace mtf::tool {
namespace {

bool is_blank(char letter) { return letter == ' ' || letter == '\t' || letter == '\n'; }

/// Returns the end of a word: at the next blank outside of strings and brackets. A word that begins with a single quote
/// ends with one.
std::size_t end_of_word(std::string_view text, std::size_t at) {
  if (text.substr(at).starts_with('\'')) return std::min(text.find('\'', at + 1), text.size() - 1) + 1;
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
  const bool quoted = word.size() >= 2 && word.front() == word.back() && (word.front() == '"' || word.front() == '\'');
  if (!quoted) return std::string(word);
  std::string text;
  for (std::size_t at = 1; at + 1 < word.size(); ++at) {
    if (word.front() == '"' && word[at] == '\\' && word[at + 1] == '"') ++at;
    text += word[at];
  }
  return text;
}

/// Returns the end of a value whose first word ends at `end`. The rules `batch -> rows, hidden -> cols` of a layout
/// have several words.
std::size_t end_of_rules(std::string_view text, std::size_t end) {
  for (std::size_t next = 0; (next = behind_blanks(text, end)) < text.size();) {
    const bool is_arrow = text.substr(next).starts_with("->");
    if (!is_arrow && text[end - 1] != ',' && text[end - 1] != ';' && !text.substr(0, end).ends_with("->")) break;
    end = end_of_word(text, next);
  }
  return end;
}

/// Puts the rules of a layout, `batch -> rows`, into braces, as in a script.
std::string in_braces(std::string value) {
  if (value.find("->") == std::string::npos || value.starts_with('{')) return value;
  std::replace(value.begin(), value.end(), ';', ',');
  return "{" + value + "}";
}

/// Splits `--mesh=rows:2` into its name and its value.
std::pair<std::string_view, std::optional<std::string_view>> parts_of(std::string_view word) {
  const std::size_t equals = word.find('=');
  if (equals == std::string_view::npos) return {word, std::nullopt};
  return {word.substr(0, equals), word.substr(equals + 1)};
}

constexpr std::string_view kMeshHelp = "such as `--mesh \"rows:2;cols:2\"`, or the name of a mesh";
constexpr std::string_view kLayoutHelp = "such as `--layout \"batch:rows\"`, or the name of a layout";

[[noreturn]] void bad_mesh_or_layout(std::string_view option, const std::string& word, std::string_view sentence,
                                     std::string_view help) {
  fail(Diagnostic(Kind::bad_option_value, {}, fmt::format("{} {}: {}", option, code(word), sentence))
           .help(std::string(help)));
}

/// Returns the mesh or layout of a name; null if the name has another value.
template <typename What>
std::shared_ptr<const What> held(const session::Session& session, const std::string& word) {
  for (const session::HeldName& name : session.held())
    if (const auto* what = std::get_if<std::shared_ptr<const What>>(&name.type.what); what && name.name == word)
      return *what;
  return nullptr;
}

/// Returns the mesh or layout of a word: its name, the form of a script, or the notation of the command line, which may
/// have braces too. A word that is none of them gets the error of the form it begins with.
template <typename What>
What mesh_or_layout(session::Session& session, std::string_view option, const std::string& word,
                    std::string_view expected, std::string_view help, What (*read)(const std::string&)) {
  if (const auto named = held<What>(session, word)) return *named;
  std::optional<UserError> refused;
  if (word.starts_with('[') || word.starts_with('{')) try {
      const eval::InForce found = session.mesh_or_layout(word, fmt::format("<{}>", option));
      if (const auto* what = std::get_if<std::shared_ptr<const What>>(&found.what)) return **what;
      bad_mesh_or_layout(option, word, expected, help);
    } catch (const UserError& error) {
      if (error.diagnostic().kind() != Kind::syntax_error) throw;
      refused = error;
    }
  try {
    return read(word);
  } catch (const std::invalid_argument& error) {
    if (refused) throw *refused;
    bad_mesh_or_layout(option, word, error.what(), help);
  }
}

}  // namespace

PromptOptions::PromptOptions(std::string_view command, const std::string& argument,
                             std::span<const PromptOption> known) {
  const std::string_view text = argument;
  std::size_t copied = 0;  // the part of the argument that was copied to the statement
  for (std::size_t at = behind_blanks(text, 0), end = 0; at < text.size(); at = behind_blanks(text, end)) {
    end = end_of_word(text, at);
    const auto [name, own] = parts_of(text.substr(at, end - at));
    if (!name.starts_with("--")) continue;
    const auto option = std::find_if(known.begin(), known.end(),
                                     [&name = name](const PromptOption& each) { return each.name == name; });
    statement_ += text.substr(copied, at - copied);
    if (option == known.end()) {
      copied = at;
      if (!trim(statement_).empty()) continue;  // inside a statement `--` may be two minus signs
      std::vector<std::string> names;
      for (const PromptOption& each : known) names.push_back(code(std::string(each.name)));
      fail(Diagnostic(Kind::bad_usage, {},
                      fmt::format("{} has no option {}", code(std::string(command)), code(std::string(name))))
               .help("there are " + join_words(names, "and")));
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
      if (name == "--layout") end = end_of_rules(text, end);
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
    fail(Kind::bad_option_value, {}, "{} {}: expected a number from {} to {}", std::string(name), quote(*text), least,
         most);
  return number;
}

std::vector<Axis> mesh_given(session::Session& session, const std::string& word) {
  return mesh_or_layout<Mesh>(session, "--mesh", word, "expected a mesh, found a layout", kMeshHelp,
                              [](const std::string& text) { return Mesh(Name("mesh"), parse_axes(text)); })
      .axes();
}

std::string given_word(std::string_view word) { return without_quotes(trim(word)); }

Layout layout_given(session::Session& session, const std::string& word) {
  if (trim(word).empty()) return {};
  return mesh_or_layout<Layout>(session, "--layout", in_braces(word), "expected a layout, found a mesh", kLayoutHelp,
                                parse_layout);
}

session::Assumption assumption_of(session::Session& session, const PromptOptions& options) {
  session::Assumption assumption;
  if (const auto mesh = options.value("--mesh")) assumption.mesh = mesh_given(session, *mesh);
  if (const auto layout = options.value("--layout")) assumption.layout = layout_given(session, *layout);
  return assumption;
}

}  // namespace mtf::tool
