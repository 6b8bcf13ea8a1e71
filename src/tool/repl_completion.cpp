#include "tool/repl_completion.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "support/source.h"
#include "support/text.h"
#include "syntax/parse.h"
#include "tool/module_docs.h"
#include "tool/program_options.h"
#include "tool/repl_commands.h"

namespace mtf::tool {
namespace {

using line_editor::Candidate;
using line_editor::Completions;

// The text before the cursor, cut where completion looks at it.
struct Place {
  struct Piece {
    std::string_view text;
    std::size_t begin;
    TokenClass kind;
  };
  std::shared_ptr<const SourceFile> file;
  std::vector<Piece> before;      // the tokens before the word
  std::vector<std::size_t> open;  // brackets that are open: indices into `before`
  std::string word;               // with the names before its dots
  std::size_t begin = 0;          // of the word
  bool in_string = false, in_comment = false;

  std::string_view last(std::size_t back = 0) const { return back < before.size() ? before[before.size() - 1 - back].text : std::string_view(); }
  std::string_view at(std::size_t index) const { return index < before.size() ? before[index].text : std::string_view(); }
  /// The innermost open bracket, and what stands before it.
  std::string_view bracket() const { return open.empty() ? std::string_view() : at(open.back()); }
  std::string_view before_bracket() const { return open.empty() || open.back() == 0 ? std::string_view() : at(open.back() - 1); }
  /// The word with which the statement begins.
  std::string_view statement() const;
  bool begins_statement() const;
  bool begins_item() const { return last() == "(" || last() == "[" || last() == "{" || last() == ","; }
  bool in_layout() const { return bracket() == "{" && (before_bracket() == "@" || (before_bracket() == "=" && statement() == "layout")); }
  bool in_axes() const;
  std::string callee() const;
};

bool is_layout_bracket(const Place& place, std::size_t bracket) {
  return place.at(bracket) == "{" && bracket > 0 && (place.at(bracket - 1) == "@" || place.at(bracket - 1) == "=");
}

bool Place::in_axes() const {
  if (in_layout()) return last() == "->";
  return bracket() == "[" && before_bracket() == "->" && open.size() > 1 && is_layout_bracket(*this, open[open.size() - 2]);
}

std::string_view Place::statement() const {
  std::size_t first = before.size();
  while (first > 0) {
    const Piece& piece = before[first - 1];
    if (piece.text == ";") break;
    const bool on_new_line = first < before.size() && file->text().substr(piece.begin, before[first].begin - piece.begin).find('\n') != std::string_view::npos;
    const bool in_brackets = std::any_of(open.begin(), open.end(), [&](std::size_t bracket) { return bracket < first && !(at(bracket) == "{" && !is_layout_bracket(*this, bracket)); });
    if (on_new_line && !in_brackets) break;
    --first;
  }
  return at(first);
}

bool Place::begins_statement() const {
  if (before.empty() || last() == ";" || last() == "}") return true;
  const bool in_block = open.empty() || (bracket() == "{" && !is_layout_bracket(*this, open.back()));
  if (in_block && last() == "{") return true;
  const Piece& piece = before.back();
  const bool on_new_line = file->text().substr(piece.begin, begin - piece.begin).find('\n') != std::string_view::npos;
  return in_block && on_new_line && !is_incomplete(file->text().substr(0, piece.begin + piece.text.size()));
}

// `nn.Dense` where its bracket is open.
std::string Place::callee() const {
  std::string name;
  for (std::size_t i = open.back(); i > 0; --i) {
    const Piece& piece = before[i - 1];
    const bool is_name = piece.kind == TokenClass::kName || piece.kind == TokenClass::kWord;
    if (name.empty() || name[0] == '.' ? !is_name : piece.text != ".") break;
    name.insert(0, piece.text);
  }
  return name;
}

Place typed_place(const std::string& text) {
  Place place;
  place.file = SourceFile::create("", text);
  for (const Token& token : tokenize(place.file)) {
    const std::string_view written = token.span.text();
    if (token.kind == TokenClass::kString && written == "\"") place.in_string = !place.in_string;
    place.in_comment = token.kind == TokenClass::kComment && token.span.end == text.size();
    if (token.kind != TokenClass::kComment) place.before.push_back({written, static_cast<std::size_t>(token.span.begin), token.kind});
  }
  std::vector<Place::Piece>& tokens = place.before;
  const auto is_name = [&](const Place::Piece& piece) { return piece.kind == TokenClass::kName || piece.kind == TokenClass::kWord; };
  place.begin = text.size();
  const auto ends_where_word_begins = [&] { return !tokens.empty() && tokens.back().begin + tokens.back().text.size() == place.begin; };
  const auto take = [&] {
    place.begin = tokens.back().begin;
    tokens.pop_back();
  };
  if (ends_where_word_begins() && is_name(tokens.back())) take();
  while (ends_where_word_begins() && tokens.back().text == "." && tokens.size() > 1 && is_name(tokens[tokens.size() - 2])) {
    take();
    take();
  }
  place.word = text.substr(place.begin);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::string_view piece = tokens[i].text;
    if (tokens[i].kind != TokenClass::kBracket) continue;
    if (piece == "(" || piece == "[" || piece == "{") place.open.push_back(i);
    if ((piece == ")" || piece == "]" || piece == "}") && !place.open.empty()) place.open.pop_back();
  }
  return place;
}

void add(Completions& found, const std::string& word, std::string text, std::string description = {}) {
  if (!std::string_view(text).starts_with(word)) return;
  for (const Candidate& there : found.candidates)
    if (there.text == text) return;
  found.candidates.push_back({std::move(text), std::move(description)});
}

// Files that the path at the end of a text could lead to.
Completions files(const std::string& text, const std::string& path) {
  const std::size_t slash = path.rfind('/') + 1;  // npos + 1 is 0
  Completions found{text.size() - (path.size() - slash), {}};
  std::error_code error;
  const std::string folder = slash == 0 ? "." : path.substr(0, slash);
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name[0] == '.' && path.size() == slash) continue;
    const bool is_folder = entry.is_directory(error);
    add(found, path.substr(slash), is_folder ? name + "/" : name);
  }
  std::sort(found.candidates.begin(), found.candidates.end(), [](const Candidate& a, const Candidate& b) { return a.text < b.text; });
  return found;
}

void add_modules(Completions& found, const std::string& word, bool with_members) {
  for (const ModuleDoc& module : read_module_docs(standard_library())) {
    add(found, word, module.name, std::string(std::string_view(module.doc).substr(0, module.doc.find('\n'))));
    if (!with_members || !word.starts_with(module.name + ".")) continue;
    for (const MemberDoc& member : module.members) add(found, word, module.name + "." + member.name, member.signature);
  }
}

// What stands beside a name in a menu.
std::string described(const KnownName& name) { return name.signature.empty() ? to_string(name.type) : name.signature; }

}  // namespace

Completions complete_entry(const Session& session, const std::string& entry, std::size_t cursor) {
  std::string text = entry.substr(0, cursor);
  std::size_t skipped = 0;
  const std::size_t first = text.find_first_not_of(" \t\n");
  const bool is_question = first != std::string::npos && text[first] == '?';
  if (first != std::string::npos && (text[first] == ':' || is_question)) {
    const std::size_t blank = is_question ? first : text.find_first_of(" \t\n", first);
    if (blank == std::string::npos) {
      Completions found{first, {}};
      for (const ReplCommand& command : repl_commands())
        add(found, text.substr(first), std::string(command.name), fmt::format("{}{}{}", command.argument, command.argument.empty() ? "" : "  ", command.summary));
      return found;
    }
    skipped = blank + 1;
    const ReplCommand* const command = is_question ? nullptr : find_repl_command(text.substr(first, blank - first));
    if (command != nullptr && command->takes == ReplArgument::kFile) return files(text, text.substr(text.find_last_of(" \t") + 1));
    const bool wants_topic = is_question || (command != nullptr && command->takes == ReplArgument::kTopic);
    text.erase(0, skipped);
    if (wants_topic) {
      const std::size_t begin = text.find_first_not_of(" \t");
      const std::string word = begin == std::string::npos ? "" : text.substr(begin);
      Completions found{cursor - word.size(), {}};
      for (const KnownName& name : session.known_names(word))
        if (name.type.is_callable()) add(found, word, name.name, described(name));
      add_modules(found, word, true);
      return found;
    }
  }
  const Place place = typed_place(text);
  if (place.in_comment) return {cursor, {}};
  if (place.in_string) {
    Completions found = files(text, text.substr(text.rfind('"') + 1));
    found.begin += skipped;
    return found;
  }
  Completions found{skipped + place.begin, {}};
  const std::vector<KnownName> names = session.known_names(place.word);
  const auto add_names = [&](bool only_dims) {
    for (const KnownName& name : names)
      if (!only_dims || name.type.dim()) add(found, place.word, name.name, described(name));
  };
  if (place.word.find('.') != std::string::npos) {
    add_names(false);
    return found;
  }
  if (place.statement() == "import" && (place.last() == "import" || place.last() == ",")) {
    add_modules(found, place.word, false);
    return found;
  }
  if (place.in_axes()) {
    for (const Axis& axis : session.axes()) add(found, place.word, axis.name.str(), fmt::format("axis of {}", axis.size));
    return found;
  }
  const bool wants_dims = (place.bracket() == "[" && place.begins_item()) || (place.in_layout() && place.begins_item()) ||
                          (place.last() == ":" && place.last(1) == "over");
  if (wants_dims) add_names(true);
  if (!found.candidates.empty() || place.in_layout()) return found;
  if (place.bracket() == "(" && place.begins_item()) {
    const std::string callee = place.callee();
    for (const KnownName& called : session.known_names(callee))
      if (called.name == callee)
        for (const KnownParameter& parameter : called.parameters) add(found, place.word, parameter.name + ": ", parameter.text);
  }
  if (place.begins_statement() && !place.word.empty())
    for (const std::string_view word : reserved_words()) add(found, place.word, std::string(word));
  add_names(false);
  if (!place.word.empty())
    for (const std::string_view word : reserved_words()) add(found, place.word, std::string(word));
  return found;
}

std::vector<line_editor::Span> coloured(std::string_view lines) {
  std::vector<line_editor::Span> spans;
  const auto add_span = [&](std::size_t begin, std::size_t end, line_editor::Style style) { spans.push_back({begin, end, style}); };
  std::size_t skipped = 0;
  if (const std::size_t first = lines.find_first_not_of(" \t"); first != std::string_view::npos && (lines[first] == ':' || lines[first] == '?')) {
    skipped = lines[first] == '?' ? first + 1 : std::min(lines.find_first_of(" \t\n", first), lines.size());  // a command
    add_span(first, skipped, "1;35");
  }
  const std::string_view text = lines.substr(skipped);
  for (const Token& token : tokenize(SourceFile::create("", std::string(text)))) {
    const std::size_t begin = static_cast<std::size_t>(token.span.begin), end = static_cast<std::size_t>(token.span.end);
    const bool is_called = end < text.size() && text[end] == '(';
    switch (token.kind) {
      case TokenClass::kWord: add_span(skipped + begin, skipped + end, "35"); break;
      case TokenClass::kName:
        if (is_called) add_span(skipped + begin, skipped + end, "34");
        break;
      case TokenClass::kNumber: add_span(skipped + begin, skipped + end, "36"); break;
      case TokenClass::kString: add_span(skipped + begin, skipped + end, "32"); break;
      case TokenClass::kComment: add_span(skipped + begin, skipped + end, "90"); break;
      case TokenClass::kError: add_span(skipped + begin, skipped + end, "31"); break;
      case TokenClass::kOperator: case TokenClass::kBracket: break;
    }
  }
  return spans;
}

}  // namespace mtf::tool
