// `:help`, and `?NAME`.
#include <algorithm>
#include <optional>

#include "support/text.h"
#include "tool/commands/help_text.h"
#include "tool/present/fitted_text.h"
#include "tool/present/table.h"
#include "tool/prompt/repl_commands.h"
#include "tool/prompt/repl_text.h"

namespace mtf::tool {
namespace {

/// Returns the binding of the first word of `a.b[0]`, unless it is a standard module.
std::optional<session::HeldName> held_root(Repl& repl, const std::string& topic) {
  const std::string root = topic.substr(0, topic.find_first_of(".[("));
  for (session::HeldName& held : repl.session().held())
    if (held.name == root) return std::move(held);
  return std::nullopt;
}

/// Writes a mesh or a layout as a script does.
std::string shown_type(const eval::ValueType& type) {
  if (const Mesh* mesh = type.mesh()) return to_string(*mesh);
  if (const Layout* layout = type.layout()) return to_string(*layout);
  return to_string(type);
}

/// Returns the params and states of a value, if it has any.
std::string variables_text(Repl& repl, const std::string& topic, std::size_t width) {
  constexpr std::size_t kMost = 20;
  const std::vector<session::HeldVariable> variables = repl.session().variables(topic, repl.name_of_entry());
  Table table("ll");
  for (std::size_t i = 0; i < std::min(variables.size(), kMost); ++i)
    table.row({variables[i].path, to_string(variables[i].tensor)});
  if (variables.size() > kMost)
    table.line(fmt::format("  … and {} more: `:params {}`", variables.size() - kMost, topic));
  return fitted(table.text("  "), width);
}

/// Returns help on a name of the session: for a callable its signature and `##` lines, for a value its type and layout.
std::string own_help(Repl& repl, const std::string& topic, const session::HeldName& root, std::size_t width) {
  const session::KnownName known = repl.session().what_is(topic, repl.name_of_entry());
  if (!known.signature.text.empty())
    return help_text({session::HelpTopic::Kind::kFunction, topic, text_of(known),
                      known.doc.empty() ? "Lines that begin with `##` above it would be shown here." : known.doc},
                     width);
  std::string title = topic + ": " + shown_type(known.type);
  if (root.name == topic && root.bytes > 0) title += "   " + bytes_text(root.bytes) + " per processor";
  return fitted_line(title, width) + fitted(known.doc, width, "  ") +
         (known.type.tensor() ? "" : variables_text(repl, topic, width));
}

std::string list_of_commands(std::size_t width) {
  const std::string text =
      "A statement, or an expression to see its value and type; `;` at its end reports nothing. `_` is the last value, "
      "`?NAME` is "
      "help, `:help :plan` on a command. Tab completes, Ctrl-R searches what was entered before, Alt-Enter begins "
      "another line or, "
      "where an entry is unfinished, ends it. Ctrl-C stops what runs. Commands may be shortened:\n";
  constexpr std::size_t kColumn = 28;  // column of the summaries, which are below a longer command
  std::string list;
  for (const ReplCommand& command : repl_commands()) {
    const std::string called = fmt::format("  {} {}", command.name, command.argument);
    const bool is_short = called.size() + 2 <= kColumn;
    if (!is_short) list += fitted(called, width);
    list += fitted(fmt::format("{:{}}{}", is_short ? called : "", kColumn, command.summary), width);
  }
  return fitted(text, width) + list;
}

}  // namespace

void help_command(Repl& repl, const std::string& topic) {
  const std::size_t width = repl.columns();
  if (topic.empty()) return repl.say(list_of_commands(width) + "\n" + list_of_operations(width));
  const std::optional<session::HeldName> root = held_root(repl, topic);
  if (!root || root->type.kind == eval::ValueType::Kind::kModule) return repl.say(help_text(topic, width));
  std::string text = own_help(repl, topic, *root, width);
  try {
    text += "\n" + help_text(topic, width);  // the name may also be a word of the language
  } catch (const UserError&) {               // it is not
  }
  repl.say(text);
}

}  // namespace mtf::tool
