#include <memory>
#include <optional>

#include "run/dry_runtime.h"
#include "session/session.h"
#include "tool/commands/commands.h"
#include "tool/present/compare_text.h"
#include "tool/shell/launch.h"
#include "tool/shell/output.h"
#include "tool/shell/script.h"

namespace mtf::tool {
namespace {

struct CompareOptions {
  std::string file;
  std::vector<std::string> meshes, layouts;
  std::string machine;
  bool peak = false;
};

/// Adds the options before the command, as the first ones.
CompareOptions with_those_before(CompareOptions options, const ProgramOptions& program) {
  if (program.mesh) options.meshes.insert(options.meshes.begin(), *program.mesh);
  if (program.layout) options.layouts.insert(options.layouts.begin(), *program.layout);
  return options;
}

int compare(const CompareOptions& options, const ProgramOptions& program) {
  ProgramOptions own = program;
  own.mesh.reset();
  own.layout.reset();
  const eval::Settings settings = settings_of(own, launch().ranks);
  const Script script = read_script(options.file);
  std::vector<std::vector<Axis>> meshes;
  for (const std::string& text : options.meshes) meshes.push_back(mesh_option(text)->axes());
  std::vector<std::pair<std::string, Layout>> layouts;
  for (const std::string& text : options.layouts) layouts.emplace_back(text, *layout_option(text));
  const Diagnostics found = session::Session::check_text(script.name, script.text, settings);
  if (!found.empty()) report(found);
  if (found.has_errors()) return static_cast<int>(found.exit_code());
  if (launch().rank != 0) return 0;
  std::optional<cost::MachineModel> machine;
  if (!options.machine.empty()) machine = machine_option(options.machine);
  const run::DryRuntime runtime;
  ComparedLayouts compared = compared_layouts(meshes, layouts, "the script's");
  const session::Comparison comparison = session::WhatIf::script(script.name, script.text, settings, runtime)
                                             .compare(compared.assumptions, machine, options.peak);
  write_output(comparison_text(std::move(compared), comparison, machine.has_value(), terminal_columns()));
  return 0;
}

}  // namespace

const Command kCompareCommand = {
    .name = "compare",
    .summary = "Say what a script would cost under several meshes and layouts, side by side",
    .details =
        "The script is evaluated once, and costed under each --layout on each --mesh; where one of them is not given, "
        "the\n"
        "script's own holds. Figures are what `mtf plan` says in all, of the largest processor: `12 of 3.0 MiB` are "
        "twelve\n"
        "collectives whose values have 3 MiB together. At a terminal, columns that do not fit stand below.\n"
        "\n"
        "Examples:\n"
        "  mtf compare two_layer.mtf --mesh \"all:4\" --layout \"batch:all\" --layout \"hidden:all\"\n"
        "  mtf compare two_layer.mtf --mesh \"rows:4\" --mesh \"rows:64\" --layout \"batch:rows\" --peak\n",
    .declare = [](OptionParser& parser, ProgramOptions& program) -> std::function<int()> {
      auto options = std::make_shared<CompareOptions>();
      parser.word("file", options->file, "The script, or - for standard input", true);
      parser.texts("--mesh", options->meshes, "AXES", "A mesh to compare: \"rows:2;cols:2\"; repeatable");
      parser.texts("--layout", options->layouts, "RULES",
                   "A layout to compare: \"batch:rows;hidden:cols\"; \"\" replicates; repeatable");
      parser.flag("--peak", options->peak,
                  "Show the peak of memory too, for which the script is planned anew under each");
      parser.text("--machine", options->machine, "NAME", "Estimate times by this machine model (`mtf help machines`)");
      parser.texts("--set", program.set, "NAME=VALUE",
                   "An option or top-level dim of the script, or MODULE.NAME; repeatable");
      return [options, &program] { return compare(with_those_before(*options, program), program); };
    }};

}  // namespace mtf::tool
