#include "tool/repl_compare.h"

#include <algorithm>

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

/// Doubts of plans, each of which has read the statement for itself: what two say of one line is said once.
class OwnDoubts {
 public:
  void add(const Doubt& doubt) {
    const auto is_there = [&](const Doubt& other) { return line_of(other) == line_of(doubt); };
    if (std::any_of(doubts_.begin(), doubts_.end(), is_there)) return;
    if (doubt.place.is_known()) sources_.push_back(doubt.place.file->shared_from_this());  // the plan's session ends before it is said
    doubts_.push_back(doubt);
  }
  const Doubts& all() const { return doubts_; }

 private:
  static std::pair<std::string, std::size_t> line_of(const Doubt& doubt) {
    return doubt.place.is_known() ? std::pair(doubt.place.file->name(), doubt.place.position().line) : std::pair(std::string(), std::size_t{0});
  }
  Doubts doubts_;
  std::vector<std::shared_ptr<const SourceFile>> sources_;
};

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
  OwnDoubts doubts;
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
      for (const Doubt& doubt : costs.doubts()) doubts.add(doubt);
      if (options.has("--peak")) column.peak_bytes = planned.peak_bytes;
      columns.push_back(std::move(column));
    }
  }
  return compare_text(columns, machine.has_value(), repl.columns()) + estimate_note(doubts.all(), repl.columns());
}

}  // namespace mtf::tool
