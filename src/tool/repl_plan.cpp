// `:type`, `:plan` and `:explain`: what would be, under the mesh and layout in force or under others.
#include <algorithm>
#include <functional>
#include <set>

#include "cost/layout_costs.h"
#include "support/text.h"
#include "tool/compare_text.h"
#include "tool/fitted_text.h"
#include "tool/layout_choices.h"
#include "tool/plan_text.h"
#include "tool/plan_view.h"
#include "tool/prompt_options.h"
#include "tool/repl_commands.h"
#include "tool/repl_search.h"
#include "tool/repl_text.h"
#include "tool/symbolic_plan.h"
#include "tool/table.h"
#include "tool/what_if.h"

namespace mtf::tool {
namespace {

constexpr PromptOption kTypeOptions[] = {{"--mesh"}, {"--layout"}};
constexpr PromptOption kPlanOptions[] = {{"--mesh"}, {"--layout"}, {"--machine"}, {"--by"}, {"--sort"}, {"--depth"}, {"--lines"}, {"--symbolic", false}};

/// Shows `answer` the session, or one that is as it would be under what the options assume.
void answer_under(Repl& repl, const Assumption& assumption, const std::function<void(Session&)>& answer) {
  if (assumption.is_none()) return answer(repl.session());
  WhatIf other(repl.session(), repl.settings(), assumption);
  answer(other.session());
}

struct Total {
  std::int64_t flops = 0, wire_bytes = 0, collectives = 0;
};

Total total_of(const Counters& counters) {
  Total total{counters.flops, 0, 0};
  for (int kind = 0; kind < kCollectiveKinds; ++kind) {
    const CollectiveCount all = counters.total(static_cast<CollectiveKind>(kind));
    total.wire_bytes += all.wire_bytes;
    total.collectives += all.count;
  }
  return total;
}

void add_dims(std::set<Name>& dims, const NamedBlock& block) {
  for (const Dim& dim : block.type.dims) dims.insert(dim.name);
}

/// Of the two values of a collective, and of the reason for it: one that is summed is in neither value.
std::set<Name> dims_of(const StatementCost& cost) {
  std::set<Name> dims;
  add_dims(dims, cost.from);
  add_dims(dims, cost.value);
  if (cost.reason)
    for (const Name dim : cost.reason->dims()) dims.insert(dim);
  return dims;
}

std::string decided_text(LayoutOrigin origin) {
  switch (origin) {
    case LayoutOrigin::kGiven: return "its layout is written, by `@` or where it is declared";
    case LayoutOrigin::kLike: return "it lies as what it is the gradient of";
    case LayoutOrigin::kComputed: return "it lies as it was computed";
    case LayoutOrigin::kRules: break;
  }
  return {};
}

// The rules that put the dims of a collective where they are.
std::string rules_text(const StatementCost& cost, const Layout& layout) {
  const std::set<Name> dims = dims_of(cost);
  std::string text;
  for (const LayoutRule& rule : layout.rules) {
    if (!dims.contains(rule.dim)) continue;
    text += fmt::format("    rule   {} -> {}   {}\n", rule.dim.text(), axes_text(rule.axes), rule.span.is_known() ? to_text(rule.span) : "as it was given");
  }
  if (const std::string decided = decided_text(cost.decided); !decided.empty()) text += "    rule   " + decided + "\n";
  return text;
}

std::string place_text(Span span) {
  if (!span.is_known()) return {};
  const std::string_view text = span.text();
  return fmt::format("{}  {}", to_text(span), text.substr(0, text.find('\n')));
}

std::string explained_cost(const StatementCost& cost, const Layout& layout) {
  std::string text = fmt::format("{}: {}, {}, {} on the wire\n", collective_text(cost), count_text(cost.values, "value"), bytes_text(cost.bytes),
                                 bytes_text(cost.wire_bytes));
  if (const std::string place = place_text(cost.span); !place.empty()) text += "    at     " + place + "\n";
  text += "    from   " + to_string(cost.from) + "\n    to     " + to_string(cost.value) + "\n";
  if (cost.reason) text += "    why    " + to_string(*cost.reason) + "\n";
  return text + rules_text(cost, layout);
}

/// Layouts in which one axis of the mesh splits another of the dims, or none.
std::vector<std::vector<LayoutRule>> neighbours(const std::vector<LayoutRule>& rules, const std::set<Name>& dims, const Mesh& mesh) {
  std::vector<std::vector<LayoutRule>> layouts;
  for (const Axis& axis : mesh.axes()) {
    std::vector<LayoutRule> without = rules;
    bool is_used = false;
    for (LayoutRule& rule : without) is_used = std::erase(rule.axes, axis.name) > 0 || is_used;
    std::erase_if(without, [](const LayoutRule& rule) { return rule.axes.empty(); });
    if (is_used) layouts.push_back(without);
    for (const Name dim : dims) {
      std::vector<LayoutRule> layout = without;
      const auto there = std::find_if(layout.begin(), layout.end(), [&](const LayoutRule& rule) { return rule.dim == dim; });
      if (there != layout.end()) there->axes.push_back(axis.name);
      else layout.push_back({dim, {axis.name}, {}});
      if (!same_rules(layout, rules)) layouts.push_back(std::move(layout));
    }
  }
  return layouts;
}

// Bytes of all values that a session holds, on each processor.
std::int64_t bytes_held(const Session& session) {
  std::int64_t bytes = 0;
  for (const HeldName& held : session.held()) bytes += held.bytes;
  return bytes;
}

struct Suggestion {
  std::vector<LayoutRule> layout;
  Total total;
};

/// Those of them that cost fewer bytes on the wire and no more flops, the best first: the statement is planned once, and
/// decided again under each.
std::vector<Suggestion> better_layouts(Repl& repl, const Session& as_is, const LayoutCosts& costs, const Total& now, const std::set<Name>& dims) {
  std::vector<Suggestion> better;
  for (std::vector<LayoutRule>& layout : neighbours(as_is.layout().rules, dims, as_is.mesh())) {
    if (repl.is_interrupted()) break;
    try {
      const Total total = total_of(costs.in(nullptr, std::make_shared<const Layout>(Layout{Name(), layout, {}})).counters);
      if (total.wire_bytes < now.wire_bytes && total.flops <= now.flops) better.push_back({std::move(layout), total});
    } catch (const UserError&) {  // a layout that is refused is no suggestion
    }
  }
  std::stable_sort(better.begin(), better.end(), [](const Suggestion& a, const Suggestion& b) { return a.total.wire_bytes < b.total.wire_bytes; });
  return better;
}

constexpr std::size_t kMostSuggestions = 3;

/// What the statement would cost less under other layouts, and what the session would then hold.
std::string suggestions_text(Repl& repl, const Session& as_is, const std::string& statement, const Assumption& assumption, const std::set<Name>& dims) {
  const Searched planned = entered(repl, statement, repl.settings(), assumption, std::make_shared<ProgramRecord>());
  const LayoutCosts costs(planned.record, std::nullopt, planned.before);
  const Total now = total_of(costs.in(nullptr, nullptr).counters);
  const std::vector<Suggestion> better = better_layouts(repl, as_is, costs, now, dims);
  if (better.empty()) return "No layout in which one axis splits another dim, or none, sends fewer bytes for as few flops.\n";
  const std::int64_t held = bytes_held(as_is);
  std::string text = "fewer bytes, for no more flops:\n" + estimate_note(costs.doubts(), repl.columns());
  for (std::size_t i = 0; i < std::min(better.size(), kMostSuggestions); ++i) {
    const Total& total = better[i].total;
    text += fmt::format("    --layout \"{}\"   {} on the wire instead of {}, {} instead of {}{}\n", option_text(better[i].layout), bytes_text(total.wire_bytes), bytes_text(now.wire_bytes),
                        count_text(total.collectives, "collective"), thousands(now.collectives), total.flops < now.flops ? ", fewer flops" : "");
    WhatIf other(repl.session(), repl.settings(), {assumption.mesh, better[i].layout});
    if (const std::int64_t then = bytes_held(other.session()); then != held)
      text += fmt::format("        what exists then takes {} per processor instead of {}\n", bytes_text(then), bytes_text(held));
  }
  return text;
}

}  // namespace

void type_command(Repl& repl, const std::string& argument) {
  const PromptOptions options(":type", argument, kTypeOptions);
  need_argument(options.statement(), ":type", "an expression", "einsum(x, w -> [batch])");
  answer_under(repl, assumption_of(repl.session(), options), [&](Session& session) {
    const KnownName known = session.what_is(options.statement(), repl.name_of_entry());
    repl.say((known.signature.empty() ? to_string(known.type) : known.signature) + "\n");
  });
}

void plan_command(Repl& repl, const std::string& argument) {
  const PromptOptions options(":plan", argument, kPlanOptions);
  const std::string& statement = options.statement();
  need_argument(statement, ":plan", "a statement", "let y = einsum(x, w -> [batch])");
  const Assumption assumption = assumption_of(repl.session(), options);
  PlanView view;
  view.by = plan_by(options.value("--by").value_or("value"));
  if (const auto sort = options.value("--sort")) view.sort = plan_sort(*sort);
  refuse_unused(view.by, [&](std::string_view option) { return options.has(option); });
  if (options.has("--depth")) view.depth = options.number("--depth", 0, 1000, 0);
  view.lines = options.number("--lines", 1, 1'000'000, view.lines);
  view.width = repl.columns();
  std::optional<MachineModel> machine;
  if (const auto file = options.value("--machine")) machine = machine_option(*file);
  std::string shown;
  if (!options.has("--symbolic")) {
    answer_under(repl, assumption, [&](Session& session) {
      PlanTree tree;
      PlanTotals totals;
      for (const StatementReport& report : session.plan(statement, repl.name_of_entry())) {
        if (view.by == PlanBy::kValue) shown += plan_text(report, true, view.width);
        else tree.add(report);
        totals.add(report);
      }
      if (view.by != PlanBy::kValue) shown = view_text(tree, view);
      shown += estimate_note(totals.doubts(), view.width);
    });
  }
  if (machine || options.has("--symbolic")) {
    const Searched one = entered(repl, statement, repl.settings(), assumption, std::make_shared<ProgramRecord>());
    if (options.has("--symbolic")) {
      SymbolicPlan symbolic(*one.record, one.before.times);
      for (const StatementReport& report : one.reports) symbolic.add(report);
      shown += fitted(symbolic.text(), view.width);
    }
    if (machine) shown += time_text(seconds_of(LayoutCosts(one.record, *machine, one.before).in(nullptr, nullptr).time), machine->name);
  }
  repl.say(shown.empty() ? "nothing to compute\n" : shown);
}

void use_command(Repl& repl, const std::string& what) {
  need_argument(what, ":use", "a layout or a mesh", "{batch -> rows}");
  for (const auto& [given, option] : {std::pair{repl.settings().layout.has_value(), "--layout"}, std::pair{repl.settings().mesh.has_value(), "--mesh"}})
    if (given) fail(Diagnostic(Kind::bad_usage, {}, fmt::format("what {} gave holds throughout", code(option))).help("start mtf without it"));
  constexpr std::size_t kMostMoved = 20;
  Session& session = repl.session();
  for (StatementReport& report : session.use(session.mesh_or_layout(what, repl.name_of_entry()), repl.name_of_entry())) {
    const std::size_t moved = report.bindings.size();
    if (moved > kMostMoved) report.bindings.resize(kMostMoved);
    std::string text = repl_text(report, repl.room());
    if (moved > kMostMoved) text += fmt::format("… and {} more\n", moved - kMostMoved);
    repl.say(moved == 0 ? "in force; nothing had to be moved\n" : text);
  }
}

void explain_command(Repl& repl, const std::string& argument) {
  const PromptOptions options(":explain", argument, kTypeOptions);
  const std::string& statement = options.statement();
  need_argument(statement, ":explain", "a statement", "einsum(x, w -> [batch])");
  const Assumption assumption = assumption_of(repl.session(), options);
  answer_under(repl, assumption, [&](Session& session) {
    const std::vector<StatementReport> reports = session.plan(statement, repl.name_of_entry());
    std::string shown;
    std::set<Name> dims;
    for (const StatementReport& report : reports) {
      for (const StatementCost& cost : report.costs) {
        add_dims(dims, cost.value);
        if (!cost.collective) continue;
        dims.merge(dims_of(cost));
        shown += explained_cost(cost, session.layout());
      }
    }
    if (shown.empty()) return repl.say("no communication\n");
    for (const LayoutRule& rule : session.layout().rules) dims.insert(rule.dim);
    repl.say(shown + suggestions_text(repl, session, statement, assumption, dims));
  });
}

}  // namespace mtf::tool
