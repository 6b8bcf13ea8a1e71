#include "tool/commands/reference.h"

#include <fmt/format.h>

#include "graph/op.h"
#include "ops/registry.h"
#include "support/text.h"
#include "tool/shell/program_options.h"

namespace mtf::tool {
namespace {

constexpr std::string_view kHead =
    "# Reference\n"
    "\n"
    "Written by `mtf reference` from the records of the operations and the `##` lines of the standard modules; do not\n"
    "edit it. Every example is run by a test, and what it prints stands behind `#>`.\n"
    "\n"
    "In a signature `x: tensor` is a tensor or a number, `over: dims` a dim or a list of dims, `-> shape` the shape "
    "of\n"
    "the result after an arrow, `DIM: int` a label that is the name of a dim, `x...` any number of arguments, and `= "
    "…` what\n"
    "an argument is if it is left out.\n";

std::string operation_text(const graph::Op& op) {
  std::string out = fmt::format("\n### {}\n\n```\n{}\n```\n\n{}\n", op.name, op.signature, trim(op.doc));
  if (!op.no_gradient.empty()) out += fmt::format("\nNo gradient: {}.\n", op.no_gradient);
  return out + fmt::format("\n```mtf\n{}\n```\n", trim(op.example));
}

std::string module_text(const session::ModuleDoc& module) {
  std::string out = fmt::format("\n## Module {}\n", module.name);
  if (!module.doc.empty()) out += fmt::format("\n{}\n", trim(module.doc));
  for (const session::MemberDoc& member : module.members)
    out += fmt::format("\n### {}.{}\n\n```mtf\n{}\n```\n\n{}\n", module.name, member.name, member.signature,
                       trim(member.doc));
  return out;
}

}  // namespace

std::string reference_text(const std::vector<session::MemberDoc>& builtins,
                           const std::vector<session::ModuleDoc>& modules) {
  std::vector<std::pair<std::string_view, std::string>> families;
  for (const graph::Op* op : ops::all_ops()) {
    if (op->signature.empty()) continue;
    auto family = families.begin();
    while (family != families.end() && family->first != op->family) ++family;
    if (family == families.end()) family = families.insert(family, {op->family, {}});
    family->second += operation_text(*op);
  }
  std::string out(kHead);
  for (const auto& [heading, text] : families) out += fmt::format("\n## {}\n{}", heading, text);
  out += "\n## Functions of the language\n";
  for (const session::MemberDoc& builtin : builtins)
    out += fmt::format("\n### {}\n\n```\n{}\n```\n\n{}\n", builtin.name, builtin.signature, trim(builtin.doc));
  for (const session::ModuleDoc& module : modules) out += module_text(module);
  return out;
}

std::string reference_text() {
  return reference_text(session::builtin_docs(), session::read_module_docs(standard_library()));
}

}  // namespace mtf::tool
