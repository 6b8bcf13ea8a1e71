#include "tool/prompt/repl_completion.h"

#include <algorithm>
#include <optional>
#include <variant>

#include "session/completion.h"
#include "support/source.h"
#include "support/text.h"
#include "syntax/parse.h"
#include "tool/prompt/repl_commands.h"
#include "tool/prompt/repl_text.h"

namespace mtf::tool {
namespace {

using line_editor::Candidate;
using line_editor::Completions;

// The text beside a word in a menu.
std::string described(const session::CouldStand& could) {
  switch (could.kind) {
    case session::CouldStand::Kind::kName: return text_of(could.name);
    case session::CouldStand::Kind::kLabel:
    case session::CouldStand::Kind::kModule: return could.detail;
    case session::CouldStand::Kind::kAxis: return fmt::format("axis of {}", could.axis.size);
    case session::CouldStand::Kind::kWord:
    case session::CouldStand::Kind::kFile:
    case session::CouldStand::Kind::kFolder: break;
  }
  return {};
}

Completions menu_of(std::size_t begin, const std::vector<session::CouldStand>& could) {
  Completions found{begin, {}};
  for (const session::CouldStand& each : could) found.candidates.push_back({each.text, described(each)});
  return found;
}

/// Completes an option of a command, or the name of a mesh or layout as its value. Nothing if the word is neither.
std::optional<Completions> option_of(const session::Session& session, const ReplCommand& command,
                                     const std::string& argument, std::size_t skipped) {
  const std::size_t begin = argument.find_last_of(" \t\n") + 1;  // npos + 1 is 0
  const std::string word = argument.substr(begin);
  Completions found{skipped + begin, {}};
  if (word.starts_with("--")) {
    for (const PromptOption& option : command.options)
      if (option.name.starts_with(word)) found.candidates.push_back({std::string(option.name), ""});
    return found;
  }
  const std::string_view before = trim(std::string_view(argument).substr(0, begin));
  const bool is_mesh = before.ends_with("--mesh");
  if (command.options.empty() || (!is_mesh && !before.ends_with("--layout"))) return std::nullopt;
  for (const session::KnownName& name : session.known_names(word))
    if (is_mesh ? std::holds_alternative<MeshPtr>(name.type.what) : std::holds_alternative<LayoutPtr>(name.type.what))
      found.candidates.push_back({name.name, text_of(name)});
  return found;
}

}  // namespace

Completions complete_entry(const session::Session& session, const std::string& entry, std::size_t cursor) {
  const std::string text = entry.substr(0, cursor);
  const std::size_t first = text.find_first_not_of(" \t\n");
  const bool is_question = first != std::string::npos && text[first] == '?';
  std::size_t skipped = 0;
  if (first != std::string::npos && (text[first] == ':' || is_question)) {
    const std::size_t blank = is_question ? first : text.find_first_of(" \t\n", first);
    if (blank == std::string::npos) {
      Completions found{first, {}};
      for (const ReplCommand& command : repl_commands())
        if (command.name.starts_with(text.substr(first)))
          found.candidates.push_back(
              {std::string(command.name),
               fmt::format("{}{}{}", command.argument, command.argument.empty() ? "" : "  ", command.summary)});
      return found;
    }
    skipped = blank + 1;
    const ReplCommand* const command = is_question ? nullptr : find_repl_command(text.substr(first, blank - first));
    if (command != nullptr)
      if (std::optional<Completions> found = option_of(session, *command, text.substr(skipped), skipped))
        return *std::move(found);
    if (command != nullptr && command->takes == ReplArgument::kFile) {
      const std::string path = text.substr(text.find_last_of(" \t") + 1);
      return menu_of(cursor - (path.size() - (path.rfind('/') + 1)), session::files_that_begin(path));
    }
    if (is_question || (command != nullptr && command->takes == ReplArgument::kTopic)) {
      const std::size_t begin = std::min(text.find_first_not_of(" \t", skipped), text.size());
      return menu_of(begin, could_be_explained(session, text.substr(begin)));
    }
  }
  const session::Completion completion = complete(session, text.substr(skipped), text.size() - skipped);
  return menu_of(skipped + completion.begin, completion.could);
}

std::vector<line_editor::Span> coloured(std::string_view lines) {
  std::vector<line_editor::Span> spans;
  const auto add_span = [&](std::size_t begin, std::size_t end, line_editor::Style style) {
    spans.push_back({begin, end, style});
  };
  std::size_t skipped = 0;
  if (const std::size_t first = lines.find_first_not_of(" \t");
      first != std::string_view::npos && (lines[first] == ':' || lines[first] == '?')) {
    skipped =
        lines[first] == '?' ? first + 1 : std::min(lines.find_first_of(" \t\n", first), lines.size());  // a command
    add_span(first, skipped, "1;35");
  }
  const std::string_view text = lines.substr(skipped);
  for (const syntax::Token& token : syntax::tokenize(SourceFile::create("", std::string(text)))) {
    const std::size_t begin = static_cast<std::size_t>(token.span.begin),
                      end = static_cast<std::size_t>(token.span.end);
    const bool is_called = end < text.size() && text[end] == '(';
    switch (token.kind) {
      case syntax::TokenClass::kWord: add_span(skipped + begin, skipped + end, "35"); break;
      case syntax::TokenClass::kName:
        if (is_called) add_span(skipped + begin, skipped + end, "34");
        break;
      case syntax::TokenClass::kNumber: add_span(skipped + begin, skipped + end, "36"); break;
      case syntax::TokenClass::kString: add_span(skipped + begin, skipped + end, "32"); break;
      case syntax::TokenClass::kComment: add_span(skipped + begin, skipped + end, "90"); break;
      case syntax::TokenClass::kError: add_span(skipped + begin, skipped + end, "31"); break;
      case syntax::TokenClass::kOperator:
      case syntax::TokenClass::kBracket: break;
    }
  }
  return spans;
}

}  // namespace mtf::tool
