#include "tool/help_topics.h"

#include <fmt/format.h>

#include <algorithm>

#include "graph/op.h"
#include "ops/registry.h"
#include "support/diagnostics.h"
#include "support/text.h"
#include "syntax/parse.h"
#include "tool/golden_file.h"
#include "tool/module_docs.h"
#include "tool/pages.h"
#include "tool/program_options.h"

namespace mtf::tool {
namespace {

constexpr std::size_t kWidth = 100;

// Indented by two, long lines broken between words.
std::string indented(std::string_view text) {
  std::string out;
  for (const std::string& whole : printed_lines(text)) {
    std::string_view line = whole;
    while (line.size() > kWidth - 2) {
      const std::size_t blank = line.rfind(' ', kWidth - 2);
      if (blank == std::string_view::npos || blank == 0) break;
      out += fmt::format("  {}\n", line.substr(0, blank));
      line.remove_prefix(blank + 1);
    }
    out += line.empty() ? "\n" : fmt::format("  {}\n", line);
  }
  return out;
}

std::string help_on(const ModuleDoc& module) {
  std::string out = fmt::format("module {}: import {}\n{}", module.name, module.name, indented(module.doc));
  for (const MemberDoc& member : module.members) out += "\n" + member.signature + "\n" + indented(member.doc);
  return out;
}

// A kind of diagnostic: its headline stands above its page.
std::string help_on_kind(const Page& page) {
  for (const KindRecord& kind : all_kinds()) {
    if (kind.name != page.title) continue;
    const std::string_view word = kind.severity == Severity::kError ? "error" : "warning";
    return fmt::format("{}: {} [{}]\n{}", word, kind.headline, kind.name, indented(page.text));
  }
  return page.title + "\n" + indented(page.text);
}

// Names in lines.
std::string wrapped(const std::vector<std::string>& names, const std::string& indent) {
  std::string out, line = indent;
  for (const std::string& name : names) {
    if (line.size() + name.size() > kWidth) {
      out += std::string(trim_right(line)) + "\n";
      line = indent;
    }
    line += name + "  ";
  }
  return out + std::string(trim_right(line)) + "\n";
}

}  // namespace

std::string help_on(const Op& op) {
  std::string out = std::string(op.signature) + "\n" + indented(op.doc);
  if (!op.no_gradient.empty()) out += indented(fmt::format("No gradient: {}.", op.no_gradient));
  return out + "\n" + indented(trim(op.example));
}

std::string help_on(const std::string& topic, std::vector<std::string> others) {
  if (const Op* op = find_op(topic); op != nullptr && !op->signature.empty()) return help_on(*op);
  if (const Op* op = find_operator(topic)) return help_on(*op);
  std::vector<std::string> known = std::move(others);
  for (const Op* op : all_ops())
    if (!op->signature.empty()) known.emplace_back(op->name);
  for (const MemberDoc& builtin : builtin_docs()) {
    if (builtin.name == topic) return builtin.signature + "\n" + indented(builtin.doc);
    known.push_back(builtin.name);
  }
  for (const ModuleDoc& module : read_module_docs(standard_library())) {
    if (module.name == topic) return help_on(module);
    known.push_back(module.name);
    for (const MemberDoc& member : module.members) {
      const std::string name = module.name + "." + member.name;
      if (name == topic) return member.signature + "\n" + indented(member.doc);
      known.push_back(name);
    }
  }
  for (const Page& page : language_pages()) {
    if (std::find(page.words.begin(), page.words.end(), topic) != page.words.end()) return page.title + "\n" + indented(page.text);
    known.insert(known.end(), page.words.begin(), page.words.end());
  }
  for (const Page& page : error_pages()) {
    if (page.title == topic) return help_on_kind(page);
    known.push_back(page.title);
  }
  fail(Diagnostic(Kind::bad_usage, {}, fmt::format("there is no help on {}", code(topic))).help(did_you_mean(topic, known)));
}

std::string list_of_operations() {
  std::vector<std::pair<std::string, std::vector<std::string>>> families;
  for (const Op* op : all_ops()) {
    if (op->signature.empty()) continue;
    auto family = families.begin();
    while (family != families.end() && family->first != op->family) ++family;
    if (family == families.end()) family = families.insert(family, {std::string(op->family), {}});
    family->second.emplace_back(op->name);
  }
  std::string out = "Operations:\n";
  for (const auto& [family, names] : families) out += fmt::format("  {}\n{}", family, wrapped(names, "    "));
  std::vector<std::string> builtins;
  for (const MemberDoc& builtin : builtin_docs()) builtins.push_back(builtin.name);
  out += "  Of the language\n" + wrapped(builtins, "    ");
  std::vector<std::string> modules;
  for (const ModuleDoc& module : read_module_docs(standard_library())) modules.push_back(module.name);
  if (!modules.empty()) out += "Modules:\n" + wrapped(modules, "    ");
  return out;
}

std::string list_of_words() {
  std::vector<std::string> words;
  for (const Page& page : language_pages()) words.insert(words.end(), page.words.begin(), page.words.end());
  return "The language:\n" + wrapped(words, "    ");
}

std::string list_of_errors() {
  std::string out = "Errors and warnings:\n";
  for (const KindRecord& kind : all_kinds()) out += fmt::format("  {:<24} {}\n", kind.name, kind.headline);
  return out;
}

}  // namespace mtf::tool
