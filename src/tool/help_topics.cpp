#include "tool/help_topics.h"

#include <fmt/format.h>

#include "ops/registry.h"
#include "support/diagnostics.h"
#include "support/text.h"
#include "syntax/parse.h"
#include "tool/golden_file.h"
#include "tool/module_docs.h"
#include "tool/program_options.h"

namespace mtf::tool {
namespace {

std::string indented(std::string_view text) {
  std::string out;
  for (const std::string& line : printed_lines(text)) out += line.empty() ? "\n" : "  " + line + "\n";
  return out;
}

std::string help_on(const ModuleDoc& module) {
  std::string out = fmt::format("module {}: import {}\n{}", module.name, module.name, indented(module.doc));
  for (const MemberDoc& member : module.members) out += "\n" + member.signature + "\n" + indented(member.doc);
  return out;
}

// Names in lines of at most 100 columns.
std::string wrapped(const std::vector<std::string>& names, const std::string& indent) {
  std::string out, line = indent;
  for (const std::string& name : names) {
    if (line.size() + name.size() > 100) {
      out += std::string(trim_right(line)) + "\n";
      line = indent;
    }
    line += name + "  ";
  }
  return out + std::string(trim_right(line)) + "\n";
}

}  // namespace

std::string help_on(const Op& op) {
  std::string out(op.signature);
  if (!op.symbol.empty()) out += fmt::format("   written {}", op.symbol);
  out += "\n" + indented(op.doc);
  if (!op.no_gradient.empty()) out += indented(fmt::format("No gradient: {}.", op.no_gradient));
  return out + "\n" + indented(trim(op.example));
}

std::string help_on(const std::string& topic) {
  if (const Op* op = find_op(topic); op != nullptr && !op->signature.empty()) return help_on(*op);
  if (const Op* op = find_operator(topic)) return help_on(*op);
  std::vector<std::string> known;
  for (const Op* op : all_ops())
    if (!op->signature.empty()) known.emplace_back(op->name);
  for (const ModuleDoc& module : read_module_docs(standard_library())) {
    if (module.name == topic) return help_on(module);
    known.push_back(module.name);
    for (const MemberDoc& member : module.members) {
      const std::string name = module.name + "." + member.name;
      if (name == topic) return member.signature + "\n" + indented(member.doc);
      known.push_back(name);
    }
  }
  fail(Diagnostic(Kind::unknown_name, {}, fmt::format("there is no help on {}", code(topic))).help(did_you_mean(topic, known)));
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
  std::vector<std::string> modules;
  for (const ModuleDoc& module : read_module_docs(standard_library())) modules.push_back(module.name);
  if (!modules.empty()) out += "Modules:\n" + wrapped(modules, "    ");
  return out;
}

}  // namespace mtf::tool
