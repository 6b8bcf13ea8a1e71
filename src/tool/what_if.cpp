#include "tool/what_if.h"

#include <algorithm>
#include <stdexcept>

#include "support/text.h"

namespace mtf::tool {
namespace {

// Takes the first word off a text: what stands in quotes or brackets is one.
std::string take_word(std::string& text) {
  std::size_t end = 0;
  std::string word;
  if (text.starts_with('"')) {
    end = text.find('"', 1);
    if (end == std::string::npos) fail(Kind::bad_usage, {}, "expected {} at the end of {}", code("\""), code(text));
    word = text.substr(1, end - 1);
    ++end;
  } else {
    int open = 0;
    for (; end < text.size(); ++end) {
      const char letter = text[end];
      if (letter == '[' || letter == '{') ++open;
      if (letter == ']' || letter == '}') --open;
      if (open == 0 && (letter == ' ' || letter == '\t' || letter == '\n')) break;
    }
    word = text.substr(0, end);
  }
  text = std::string(trim(std::string_view(text).substr(end)));
  return word;
}

// `[rows: 2, cols: 2]` and `{batch -> rows, io -> [a, b]}` as on the command line: `rows:2;cols:2`, `batch:rows;io:a+b`.
std::string in_option_notation(std::string text) {
  if (text.size() < 2 || (text.front() != '[' && text.front() != '{')) return text;
  std::string out;
  bool in_list = false;
  for (std::size_t i = 1; i + 1 < text.size(); ++i) {
    const char letter = text[i];
    if (letter == ' ' || letter == '\t' || letter == '\n') continue;
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

Settings assumed(Settings settings, const Assumption& assumption) {
  if (assumption.mesh) settings.mesh = assumption.mesh;
  if (assumption.layout) settings.layout = assumption.layout;
  return settings;
}

EngineOptions dry(std::shared_ptr<ProgramRecord> record) {
  EngineOptions options;
  options.dry = true;
  options.record = std::move(record);
  return options;
}

}  // namespace

std::optional<std::string> take_value(std::string& argument, std::string_view name) {
  std::string rest = argument;
  if (!argument.starts_with("--") || take_word(rest) != name) return std::nullopt;
  if (rest.empty()) fail(Kind::bad_usage, {}, "{} needs a value", code(std::string(name)));
  const std::string value = take_word(rest);
  argument = rest;
  return value;
}

std::optional<std::string> take_option(const Session& session, std::string& argument, Assumption& assumption) {
  if (!argument.starts_with("--")) return std::nullopt;
  const std::string option = take_word(argument);
  if (option != "--mesh" && option != "--layout")
    fail(Diagnostic(Kind::bad_usage, {}, fmt::format("there is no option {}", code(option))).help("there are `--mesh` and `--layout`"));
  if (argument.empty()) fail(Kind::bad_usage, {}, "{} needs a value", code(option));
  const std::string word = take_word(argument);
  if (option == "--mesh") assumption.mesh = parsed(option, named(session, HeldName::Kind::kMesh, word), [](const std::string& text) { return parse_axes(text); });
  else assumption.layout = parsed(option, named(session, HeldName::Kind::kLayout, word), [](const std::string& text) { return trim(text).empty() ? std::vector<LayoutRule>() : parse_layout_rules(text); });
  return word;
}

Assumption take_assumption(const Session& session, std::string& argument) {
  Assumption assumption;
  while (take_option(session, argument, assumption)) {
  }
  return assumption;
}

std::string option_text(const std::vector<LayoutRule>& rules) {
  std::string text;
  for (const LayoutRule& rule : rules) {
    text += (text.empty() ? "" : ";") + rule.dim.str() + ":";
    for (std::size_t i = 0; i < rule.axes.size(); ++i) text += (i == 0 ? "" : "+") + rule.axes[i].str();
  }
  return text;
}

WhatIf::WhatIf(const std::vector<Entry>& entries, Settings settings, const Assumption& assumption, std::shared_ptr<ProgramRecord> record)
    : engine_(dry(std::move(record))), session_(assumed(std::move(settings), assumption), &engine_, nowhere_) {
  session_.keep_last_value();
  for (const Entry& entry : entries) {
    if (entry.moves) session_.use(entry.text, entry.name);
    else if (entry.is_file) session_.load(entry.text, entry.name, entry.without_loops);
    else session_.execute(entry.text, entry.name);
  }
}

}  // namespace mtf::tool
