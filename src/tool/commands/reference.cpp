#include "tool/commands/reference.h"

#include <fmt/format.h>

#include "api/json.h"
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

constexpr std::string_view kPromise =
    "\n## What keeps working\n"
    "\n"
    "Later versions of `mtf` keep these promises. Tests hold them.\n"
    "\n"
    "- **Scripts.** A script that runs with one version of the language runs with every later one, and means the same. "
    "A version\n"
    "  only adds statements, operations, modules, and arguments with defaults. A new reserved word, or a change of a "
    "meaning, comes with a new number of\n"
    "  the language; `language 1` at the beginning of a script then keeps the old one. A script for a later version "
    "than "
    "the program knows is\n"
    "  refused (`newer_language`). Not promised: the words of messages, digits that a reordered sum changes, counts of "
    "collectives, which may become\n"
    "  smaller, and which warnings there are.\n"
    "- **Checkpoints.** Every checkpoint that a version has written is read by the later ones, with the same bits: "
    "parameters,\n"
    "  states, optimizer, and the position of the random stream. They are safetensors files, which other programs "
    "read. Earlier versions need not read\n"
    "  those of later ones.\n"
    "- **JSON.** Each answer has its `schema`. With the same number later versions only add fields, and keep names, "
    "types and meanings. A field\n"
    "  that goes, or changes, makes it 2. Programs must ignore fields that they do not know.\n"
    "- **C.** A program that is linked with `libmtf.so.0` runs with each later `libmtf.so.0` without being compiled "
    "again. Functions and enumerators are only\n"
    "  added. Structures that have a `struct_size` may grow at their end; the others keep their size. A change that "
    "breaks this makes it\n"
    "  `libmtf.so.1`. The plug-in for MPI must be of the same version as the library.\n"
    "- **C++ and Python.** A program in C++ is compiled again with each version: names and meanings stay, sizes may "
    "change. The package for\n"
    "  Python keeps its names and its arguments by name.\n"
    "- **The command.** Options keep their meaning, and exit statuses theirs. Text for people may change; read JSON, "
    "CSV or "
    "SARIF instead.\n";

constexpr std::string_view kAnswersHead =
    "\n## Answers as JSON\n"
    "\n"
    "Every client gives the same text for the same answer: `mtf plan --json`, `mtf search --json`, `mtf check --json` "
    "(a\n"
    "diagnostic a line), `:plan --json`, `:explain --json` and `:search --json` at the prompt and in notebooks,\n"
    "`mtf_plan_json` and its like in C, `to_json` in C++, `json` of a plan, an explanation or a search in Python, and "
    "the\n"
    "command `mtf.plan` of the language server, whose argument is the URI of a document. Each object has all of its "
    "fields.\n"
    "Integers have 64 bits. Later versions with the same `schema` only add fields.\n";

std::string answers_text() {
  std::string out(kAnswersHead);
  for (const JsonObject& object : json_objects()) {
    out += fmt::format("\n### JSON {}\n\n{}\n\n| field | type | |\n| --- | --- | --- |\n", object.name, object.doc);
    for (const JsonField& field : object.fields)
      out += fmt::format("| `{}` | {} |{} |\n", field.name, field.type,
                         field.doc.empty() ? "" : fmt::format(" {}", field.doc));
  }
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
  return out + std::string(kPromise) + answers_text();
}

std::string reference_text() {
  return reference_text(session::builtin_docs(), session::read_module_docs(standard_library()));
}

}  // namespace mtf::tool
