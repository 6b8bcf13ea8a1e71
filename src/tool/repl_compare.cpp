// `:compare`.
#include <optional>
#include <utility>

#include "support/diagnostics.h"
#include "tool/compare_text.h"
#include "tool/program_options.h"
#include "tool/prompt_options.h"
#include "tool/repl_commands.h"

namespace mtf::tool {
namespace {

constexpr PromptOption kCompareOptions[] = {{"--layout", true, true}, {"--mesh", true, true}, {"--machine"}, {"--peak", false}};

}  // namespace

void compare_command(Repl& repl, const std::string& argument) {
  const PromptOptions options(":compare", argument, kCompareOptions);
  const std::string example = "such as `:compare net(x) --layout batch:rows --layout \"hidden:cols;batch:rows\"`";
  if (options.statement().empty()) fail(Diagnostic(Kind::bad_usage, {}, "`:compare` needs a statement").help(example));
  const std::vector<std::string> meshes = options.values("--mesh"), layouts = options.values("--layout");
  if (meshes.empty() && layouts.empty()) fail(Diagnostic(Kind::bad_usage, {}, "`:compare` needs a `--layout` or a `--mesh`").help(example));
  std::optional<MachineModel> machine;
  if (const auto file = options.value("--machine")) machine = machine_option(*file);
  std::vector<std::vector<Axis>> mesh_axes;
  for (const std::string& word : meshes) mesh_axes.push_back(mesh_given(repl.session(), word));
  std::vector<std::pair<std::string, std::vector<LayoutRule>>> rules;
  for (const std::string& word : layouts) rules.emplace_back(word, layout_given(repl.session(), word));
  ComparedLayouts compared = compared_layouts(mesh_axes, rules, "in force");
  const Comparison comparison = WhatIf::statement(repl.session(), options.statement(), repl.name_of_entry()).compare(compared.assumptions, machine, options.has("--peak"));
  repl.say(comparison_text(std::move(compared), comparison, machine.has_value(), repl.columns()));
}

}  // namespace mtf::tool
