#include "tool/repl_compare.h"

#include "support/diagnostics.h"
#include "support/text.h"
#include "tool/compare_text.h"
#include "tool/layout_choices.h"
#include "tool/plan_text.h"
#include "tool/prompt_options.h"
#include "tool/repl_search.h"
#include "tool/what_if.h"

namespace mtf::tool {
namespace {

constexpr PromptOption kCompareOptions[] = {{"--layout", true, true}, {"--mesh", true, true}, {"--machine"}, {"--peak", false}};

}  // namespace

std::string compare_at_prompt(Repl& repl, const std::string& argument) {
  const PromptOptions options(":compare", argument, kCompareOptions);
  const std::string example = "such as `:compare net(x) --layout batch:rows --layout \"hidden:cols;batch:rows\"`";
  if (options.statement().empty()) fail(Diagnostic(Kind::bad_usage, {}, "`:compare` needs a statement").help(example));
  const std::vector<std::string> meshes = options.values("--mesh"), layouts = options.values("--layout");
  if (meshes.empty() && layouts.empty()) fail(Diagnostic(Kind::bad_usage, {}, "`:compare` needs a `--layout` or a `--mesh`").help(example));
  std::optional<MachineModel> machine;
  if (const auto file = options.value("--machine")) machine = machine_option(*file);
  std::vector<Compared> columns;
  std::string estimates;
  for (size_t m = 0; m < std::max<size_t>(1, meshes.size()); ++m) {
    for (size_t l = 0; l < std::max<size_t>(1, layouts.size()); ++l) {
      Assumption under;
      Compared column;
      column.layout = "in force";
      if (m < meshes.size()) {
        under.mesh = mesh_given(repl.session(), meshes[m]);
        column.mesh = std::make_shared<const Mesh>(Name("mesh"), *under.mesh);
      }
      if (l < layouts.size()) {
        under.layout = layout_given(repl.session(), layouts[l]);
        column.layout = layouts[l].empty() ? "replicated" : layouts[l];
      }
      const Searched planned = entered(repl, options.statement(), repl.settings(), under, std::make_shared<ProgramRecord>());
      const LayoutCosts costs(planned.record, machine, planned.before);
      column.cost = costs.in(nullptr, nullptr);
      if (columns.empty()) estimates = estimate_note(costs.doubts(), repl.columns());
      if (options.has("--peak")) column.peak_bytes = planned.peak_bytes;
      columns.push_back(std::move(column));
    }
  }
  return compare_text(columns, machine.has_value()) + estimates;
}

}  // namespace mtf::tool
