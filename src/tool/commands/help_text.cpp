#include "tool/commands/help_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "cost/machine.h"
#include "graph/op.h"
#include "ops/registry.h"
#include "support/diagnostics.h"
#include "support/library_files.h"
#include "support/text.h"
#include "tool/commands/commands.h"
#include "tool/present/fitted_text.h"
#include "tool/present/table.h"
#include "tool/prompt/repl_commands.h"
#include "tool/shell/program_options.h"

namespace mtf::tool {
namespace {

constexpr std::string_view kIndent = "  ";

// A title, and its text below.
std::string entry(std::string_view title, std::string_view text, std::size_t width) {
  return fitted_line(title, width) + fitted(text, width, kIndent);
}

std::string program(std::string_view text, std::size_t width) {
  std::string indented;
  for (const std::string& line : split(trim(text), '\n')) indented += "  " + line + "\n";
  return fitted(indented, width);
}

std::string help_on_command(const ReplCommand& command, std::size_t width) {
  std::string text(command.summary);
  for (const session::Page& page : prompt_pages())
    if (std::find(page.words.begin(), page.words.end(), command.name) != page.words.end()) text += "\n\n" + page.text;
  return entry(std::string(trim(fmt::format("{} {}", command.name, command.argument))), text, width);
}

// Returns the help on the commands of mtf and of the prompt with this name, in any case.
std::vector<std::string> help_on_commands(const std::string& name, std::size_t width) {
  std::vector<std::string> found;
  const std::string lower = lower_case(name);
  for (const Command* command : all_commands())
    if (command->name == lower) found.push_back(fitted(help_of(*command), width));
  for (const ReplCommand& command : repl_commands())
    if (command.name == lower) found.push_back(help_on_command(command, width));
  return found;
}

// Returns the help on this name after a module's name, after the colon of the prompt, or in another language.
std::vector<std::string> help_on_others(const std::string& name, std::size_t width) {
  std::vector<std::string> found, foreign;
  for (const session::HelpTopic& topic : session::help_elsewhere(name, standard_library()))
    (topic.kind == session::HelpTopic::Kind::kForeign ? foreign : found).push_back(help_text(topic, width));
  for (const ReplCommand& command : repl_commands())
    if (command.name.substr(1) == name) found.push_back(help_on_command(command, width));
  found.insert(found.end(), foreign.begin(), foreign.end());
  return found;
}

}  // namespace

std::string help_text(const session::HelpTopic& topic, std::size_t width) {
  std::string out = entry(topic.title, topic.doc, width);
  if (!topic.no_gradient.empty()) out += fitted(fmt::format("No gradient: {}.", topic.no_gradient), width, kIndent);
  for (const session::MemberDoc& member : topic.members) out += "\n" + entry(member.signature, member.doc, width);
  return topic.example.empty() ? out : out + "\n" + program(topic.example, width);
}

std::string help_text(const std::string& name, std::size_t width) {
  std::vector<std::string> found;
  for (const session::HelpTopic& topic : session::help_on(name, standard_library()))
    found.push_back(help_text(topic, width));
  if (found.empty()) found = help_on_commands(name, width);
  if (const auto machine = cost::known_machine_text(name); found.empty() && machine)
    found.push_back(entry(name, "A machine that `--machine` knows:", width) + *machine);
  if (found.empty()) found = help_on_others(name, width);
  if (found.empty() && name.find_first_of(" -") != std::string::npos) {
    std::string as_one = name;
    std::replace_if(
        as_one.begin(), as_one.end(), [](char c) { return c == ' ' || c == '-'; }, '_');
    found = help_on_others(as_one, width);
  }
  if (found.empty())
    for (const session::HelpTopic& topic : session::help_spelled_like(name, standard_library()))
      found.push_back(help_text(topic, width));
  if (!found.empty()) return join(found, "\n");
  std::vector<std::string> known = session::help_names(standard_library());
  for (const Command* command : all_commands()) known.emplace_back(command->name);
  for (const ReplCommand& command : repl_commands()) known.emplace_back(command.name);
  const std::string meant = did_you_mean(name, known);
  fail(Diagnostic(Kind::bad_usage, {}, fmt::format("there is no help on {}", code(name)))
           .help(meant.empty() ? fmt::format("`mtf help -k {}` lists what mentions it", name) : meant));
}

std::string list_of_mentions(const std::vector<std::string>& words, std::size_t width) {
  const std::string all = join(words, " ");
  std::string out;
  for (const session::HelpTopic& topic : session::help_mentioning(words, standard_library())) {
    const std::string_view doc = topic.doc;
    const std::string_view first = doc.substr(0, doc.find('\n'));
    out += fitted(fmt::format("{:<28}  {}", topic.name, first.substr(0, first.find(". "))), width);
  }
  for (const Command* command : all_commands()) {
    if (mentions_all(help_of(*command), words))
      out += fitted(fmt::format("{:<28}  {}", "mtf " + std::string(command->name), command->summary), width);
  }
  if (out.empty()) fail(Diagnostic(Kind::bad_usage, {}, fmt::format("nothing in the help mentions {}", code(all))));
  return out;
}

std::vector<session::Page> prompt_pages() { return session::read_pages(standard_library(), "PROMPT.md"); }

std::string list_of_operations(std::size_t width) {
  std::vector<std::pair<std::string, std::vector<std::string>>> families;
  for (const graph::Op* op : ops::all_ops()) {
    if (op->signature.empty()) continue;
    auto family = families.begin();
    while (family != families.end() && family->first != op->family) ++family;
    if (family == families.end()) family = families.insert(family, {std::string(op->family), {}});
    family->second.emplace_back(op->name);
  }
  std::string out = "Operations:\n";
  for (const auto& [family, names] : families)
    out += fmt::format("  {}\n{}", family, fitted_names(names, width, "    "));
  std::vector<std::string> builtins;
  for (const session::MemberDoc& builtin : session::builtin_docs()) builtins.push_back(builtin.name);
  out += "  Of the language\n" + fitted_names(builtins, width, "    ");
  std::vector<std::string> modules;
  for (const session::ModuleDoc& module : session::read_module_docs(standard_library())) modules.push_back(module.name);
  if (!modules.empty()) out += "Modules:\n" + fitted_names(modules, width, "    ");
  return out;
}

std::string list_of_words(std::size_t width) {
  std::vector<std::string> words;
  for (const session::Page& page : session::language_pages(standard_library()))
    words.insert(words.end(), page.words.begin(), page.words.end());
  return "The language:\n" + fitted_names(words, width, "    ");
}

std::string list_of_machines(std::size_t width) {
  Table table("lrrrrrl");
  table.row({"", "TFLOP/s", "of peak", "memory", "GB/s of it", "GB/s of links", ""});
  const auto giga = [](double bytes) { return fmt::format("{:.4g}", bytes / 1e9); };
  for (const std::string& name : cost::known_machines()) {
    const cost::MachineModel machine = cost::read_machine(name);
    const double attained = machine.flops_of(ElementType::kBf16), peak = machine.peak_of(ElementType::kBf16);
    table.row({name, fmt::format("{:.4g}", attained / 1e12), fmt::format("{:.0f}%", 100 * attained / peak),
               giga(static_cast<double>(machine.memory.value_or(0))) + " GB", giga(machine.memory_bandwidth),
               giga(machine.link.bandwidth) + (machine.node > 0 ? ", " + giga(machine.between.bandwidth) : ""),
               machine.name});
  }
  return fitted_line("Machines that `--machine` knows by name, with products of bf16, and links in and between nodes:",
                     width) +
         table.text("  ", "  ", width) +
         fitted_line(
             "`mtf help h100` shows the figures of one and their sources. `mtf help calibrate` says how to write "
             "a file for another.",
             width);
}

std::string library_page(const std::string& file, std::size_t width) {
  std::string page;
  bool is_code = false;
  for (const std::string& line : split(LibraryFiles(standard_library()).read(file)->text(), '\n')) {
    if (line.starts_with("```")) is_code = !is_code;
    else page += (is_code ? "  " + line : line) + "\n";
  }
  return fitted(page, width);
}

std::string list_of_errors(std::size_t width) {
  std::string out = "Errors and warnings:\n";
  for (const KindRecord& kind : all_kinds())
    out += fitted(fmt::format("  {:<24}  {}", kind.name, kind.headline), width);
  return out;
}

}  // namespace mtf::tool
