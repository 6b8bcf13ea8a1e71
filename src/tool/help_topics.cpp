#include "tool/help_topics.h"

#include <fmt/format.h>

#include <algorithm>

#include "graph/op.h"
#include "ops/registry.h"
#include "support/diagnostics.h"
#include "support/text.h"
#include "syntax/foreign.h"
#include "syntax/parse.h"
#include "tool/commands.h"
#include "tool/fitted_text.h"
#include "tool/pages.h"
#include "tool/program_options.h"
#include "tool/repl_commands.h"

namespace mtf::tool {
namespace {

constexpr std::string_view kIndent = "  ";

// What is called, and what is said of it below.
std::string entry(std::string_view title, std::string_view text, std::size_t width) {
  return fitted_line(title, width) + fitted(text, width, kIndent);
}

std::string program(std::string_view text, std::size_t width) {
  std::string indented;
  for (const std::string& line : split(trim(text), '\n')) indented += "  " + line + "\n";
  return fitted(indented, width);
}

std::string help_on_module(const ModuleDoc& module, std::size_t width) {
  std::string out = entry(fmt::format("module {0}: import {0}", module.name), module.doc, width);
  for (const MemberDoc& member : module.members) out += "\n" + help_on(member, width);
  return out;
}

// A kind of diagnostic: its headline stands above its page.
std::string help_on_kind(const Page& page, std::size_t width) {
  for (const KindRecord& kind : all_kinds()) {
    if (kind.name != page.title) continue;
    const std::string_view word = kind.severity == Severity::kError ? "error" : "warning";
    return entry(fmt::format("{}: {} [{}]", word, kind.headline, kind.name), page.text, width);
  }
  return entry(page.title, page.text, width);
}

std::string help_on_command(const ReplCommand& command, std::size_t width) {
  std::string text(command.summary);
  for (const Page& page : prompt_pages())
    if (std::find(page.words.begin(), page.words.end(), command.name) != page.words.end()) text += "\n\n" + page.text;
  return entry(std::string(trim(fmt::format("{} {}", command.name, command.argument))), text, width);
}

// Everything that has a name, and what help says of it.
struct Topics {
  std::string topic;
  std::size_t width;
  std::vector<std::string> found = {};  // help on what is called so
  std::vector<std::string> known = {};  // all other names

  void add(std::string_view name, const auto& help) {
    if (name == topic) found.push_back(help());
    else known.emplace_back(name);
  }

  // Names as they are written in a program.
  void add_names() {
    for (const Op* op : all_ops())
      if (!op->signature.empty()) add(op->name, [&] { return help_on(*op, width); });
    if (const Op* op = find_operator(topic); op != nullptr && found.empty()) found.push_back(help_on(*op, width));
    for (const MemberDoc& builtin : builtin_docs()) add(builtin.name, [&] { return help_on(builtin, width); });
    for (const ModuleDoc& module : read_module_docs(standard_library())) {
      add(module.name, [&] { return help_on_module(module, width); });
      for (const MemberDoc& member : module.members) add(module.name + "." + member.name, [&] { return help_on(member, width); });
    }
  }

  void add_pages() {
    for (const Page& page : language_pages())
      for (const std::string& word : page.words) add(word, [&] { return entry(page.title, page.text, width); });
    for (const Page& page : error_pages()) add(page.title, [&] { return help_on_kind(page, width); });
  }

  void add_commands() {
    for (const Command* command : all_commands()) add(command->name, [&] { return fitted(help_of(*command), width); });
    for (const ReplCommand& command : repl_commands()) add(command.name, [&] { return help_on_command(command, width); });
  }

  // What is called so behind a module's name, at the prompt behind a colon, or in another language.
  void add_others() {
    for (const ModuleDoc& module : read_module_docs(standard_library()))
      for (const MemberDoc& member : module.members)
        if (member.name == topic) found.push_back(help_on(MemberDoc{member.name, module.name + ": " + member.signature, member.doc}, width));
    for (const Op* op : all_ops())
      if (!op->signature.empty() && op->name.ends_with("." + topic)) found.push_back(help_on(*op, width));
    for (const ReplCommand& command : repl_commands())
      if (command.name.substr(1) == topic) found.push_back(help_on_command(command, width));
    for (const Foreign where : {Foreign::name, Foreign::part, Foreign::type, Foreign::argument}) {
      const std::string help = foreign_help(where, {}, topic);
      if (help.empty()) continue;
      found.push_back(entry(topic, help, width));
      break;
    }
  }
};

}  // namespace

std::string help_on(const Op& op, std::size_t width) {
  std::string out = entry(op.signature, op.doc, width);
  if (!op.no_gradient.empty()) out += fitted(fmt::format("No gradient: {}.", op.no_gradient), width, kIndent);
  return out + "\n" + program(op.example, width);
}

std::string help_on(const MemberDoc& member, std::size_t width) { return entry(member.signature, member.doc, width); }

std::string help_on(const std::string& topic, std::size_t width) {
  Topics topics{topic, width};
  topics.add_names();
  if (topics.found.empty()) topics.add_pages();
  if (topics.found.empty()) topics.add_commands();
  if (topics.found.empty()) topics.add_others();
  if (topics.found.empty()) fail(Diagnostic(Kind::bad_usage, {}, fmt::format("there is no help on {}", code(topic))).help(did_you_mean(topic, topics.known)));
  return join(topics.found, "\n");
}

std::string list_of_operations(std::size_t width) {
  std::vector<std::pair<std::string, std::vector<std::string>>> families;
  for (const Op* op : all_ops()) {
    if (op->signature.empty()) continue;
    auto family = families.begin();
    while (family != families.end() && family->first != op->family) ++family;
    if (family == families.end()) family = families.insert(family, {std::string(op->family), {}});
    family->second.emplace_back(op->name);
  }
  std::string out = "Operations:\n";
  for (const auto& [family, names] : families) out += fmt::format("  {}\n{}", family, fitted_names(names, width, "    "));
  std::vector<std::string> builtins;
  for (const MemberDoc& builtin : builtin_docs()) builtins.push_back(builtin.name);
  out += "  Of the language\n" + fitted_names(builtins, width, "    ");
  std::vector<std::string> modules;
  for (const ModuleDoc& module : read_module_docs(standard_library())) modules.push_back(module.name);
  if (!modules.empty()) out += "Modules:\n" + fitted_names(modules, width, "    ");
  return out;
}

std::string list_of_words(std::size_t width) {
  std::vector<std::string> words;
  for (const Page& page : language_pages()) words.insert(words.end(), page.words.begin(), page.words.end());
  return "The language:\n" + fitted_names(words, width, "    ");
}

std::string list_of_errors(std::size_t width) {
  std::string out = "Errors and warnings:\n";
  for (const KindRecord& kind : all_kinds()) out += fitted(fmt::format("  {:<24}  {}", kind.name, kind.headline), width);
  return out;
}

}  // namespace mtf::tool
