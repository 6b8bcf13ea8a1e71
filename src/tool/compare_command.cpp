#include <memory>

#include "support/text.h"
#include "tool/commands.h"
#include "tool/compare_text.h"
#include "tool/launch.h"
#include "tool/layout_choices.h"
#include "tool/output.h"
#include "tool/plan_text.h"

namespace mtf::tool {
namespace {

struct CompareOptions {
  std::string file;
  std::vector<std::string> meshes, layouts;
  std::string machine;
  bool peak = false;
};

/// Those given before the command are the first.
CompareOptions with_those_before(CompareOptions options, const ProgramOptions& program) {
  if (program.mesh) options.meshes.insert(options.meshes.begin(), *program.mesh);
  if (program.layout) options.layouts.insert(options.layouts.begin(), *program.layout);
  return options;
}

/// Each mesh with each layout; without either the script's own stands for it.
std::vector<Compared> columns_of(const CompareOptions& options) {
  std::vector<Compared> columns;
  std::vector<std::string> meshes = options.meshes, layouts = options.layouts;
  for (size_t m = 0; m < std::max<size_t>(1, meshes.size()); ++m) {
    for (size_t l = 0; l < std::max<size_t>(1, layouts.size()); ++l) {
      Compared column;
      if (m < meshes.size()) column.mesh = mesh_option(meshes[m]);
      column.layout = l >= layouts.size() ? "the script's" : trim(layouts[l]).empty() ? "replicated" : layouts[l];
      columns.push_back(std::move(column));
    }
  }
  return columns;
}

int compare(const CompareOptions& options, const ProgramOptions& program) {
  ProgramOptions own = program;
  own.mesh.reset();
  own.layout.reset();
  const Settings settings = settings_of(own, launch().ranks);
  const Script script = read_script(options.file);
  std::vector<Compared> columns = columns_of(options);
  int status = 0;
  const std::optional<PlannedScript> planned = plan_once(script, settings, status);
  if (!planned || launch().rank != 0) return status;
  const bool timed = !options.machine.empty();
  const LayoutCosts costs(planned->record, timed ? std::optional(machine_option(options.machine)) : std::nullopt);
  for (size_t i = 0; i < columns.size(); ++i) {
    const LayoutPtr rules = options.layouts.empty() ? nullptr : layout_option(options.layouts[i % options.layouts.size()]);
    columns[i].cost = costs.in(columns[i].mesh, rules);
    if (options.peak) columns[i].peak_bytes = planned_peak(script, settings, columns[i].mesh, rules);
  }
  write_output(compare_text(columns, timed, terminal_columns()));
  write_output(estimate_note(costs.doubts(), terminal_columns()));
  return 0;
}

}  // namespace

const Command kCompareCommand = {
    .name = "compare",
    .summary = "Say what a script would cost under several meshes and layouts, side by side",
    .details =
        "The script is evaluated once, and costed under each --layout on each --mesh; where one of them is not given, the\n"
        "script's own holds. Figures are what `mtf plan` says in all, of the largest processor: `12 of 3.0 MiB` are twelve\n"
        "collectives whose values have 3 MiB together. At a terminal, columns that do not fit stand below.\n"
        "\n"
        "Examples:\n"
        "  mtf compare two_layer.mtf --mesh \"all:4\" --layout \"batch:all\" --layout \"hidden:all\"\n"
        "  mtf compare two_layer.mtf --mesh \"rows:4\" --mesh \"rows:64\" --layout \"batch:rows\" --peak\n",
    .declare = [](OptionParser& parser, ProgramOptions& program) -> std::function<int()> {
      auto options = std::make_shared<CompareOptions>();
      parser.word("file", options->file, "The script, or - for standard input", true);
      parser.texts("--mesh", options->meshes, "AXES", "A mesh to compare: \"rows:2;cols:2\"; repeatable");
      parser.texts("--layout", options->layouts, "RULES", "A layout to compare: \"batch:rows;hidden:cols\"; \"\" replicates; repeatable");
      parser.flag("--peak", options->peak, "Show the peak of memory too, for which the script is planned anew under each");
      parser.text("--machine", options->machine, "FILE", "Estimate times by this machine model (see `mtf help calibrate`)");
      parser.texts("--set", program.set, "NAME=VALUE", "An option or top-level dim of the script, or MODULE.NAME; repeatable");
      return [options, &program] { return compare(with_those_before(*options, program), program); };
    }};

}  // namespace mtf::tool
