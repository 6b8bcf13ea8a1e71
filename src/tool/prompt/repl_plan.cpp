// `:type`, `:plan`, `:compare`, `:search`, `:explain` and `:use`: types and costs under the current mesh and layout or
// under others.
#include <algorithm>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

#include "api/records.h"
#include "cost/layout_costs.h"
#include "run/dry_runtime.h"
#include "session/explanation.h"
#include "support/diagnostics.h"
#include "support/interrupt.h"
#include "support/text.h"
#include "tool/present/compare_text.h"
#include "tool/present/fitted_text.h"
#include "tool/present/plan_text.h"
#include "tool/present/plan_view.h"
#include "tool/present/search_text.h"
#include "tool/present/symbolic_plan.h"
#include "tool/prompt/prompt_options.h"
#include "tool/prompt/repl_commands.h"
#include "tool/prompt/repl_text.h"
#include "tool/shell/program_options.h"
#include "tool/shell/script.h"

namespace mtf::tool {
namespace {

std::string decided_text(graph::LayoutOrigin origin) {
  switch (origin) {
    case graph::LayoutOrigin::kGiven: return "its layout is written, by `@`, where it is declared or for its path";
    case graph::LayoutOrigin::kLike: return "it lies as what it is the gradient of";
    case graph::LayoutOrigin::kComputed: return "it lies as it was computed";
    case graph::LayoutOrigin::kRules: break;
  }
  return {};
}

// Returns the rules that gave the dims of a collective their layout.
std::string rules_text(const session::Explanation::Collective& collective) {
  std::string text;
  for (const LayoutRule& rule : collective.rules)
    text += fmt::format("    rule   {} -> {}   {}\n", rule.dim.text(), axes_text(rule.axes),
                        rule.span.is_known() ? to_text(rule.span) : "as it was given");
  if (const std::string decided = decided_text(collective.cost.decided); !decided.empty())
    text += "    rule   " + decided + "\n";
  return text;
}

std::string place_text(Span span) {
  if (!span.is_known()) return {};
  const std::string_view text = span.text();
  return fmt::format("{}  {}", to_text(span), text.substr(0, text.find('\n')));
}

std::string explained(const session::Explanation::Collective& collective) {
  const spmd::StatementCost& cost = collective.cost;
  std::string text = fmt::format("{}: {}, {}, {} on the wire\n", collective_text(cost),
                                 count_text(cost.values, "value"), bytes_text(cost.bytes), bytes_text(cost.wire_bytes));
  if (const std::string place = place_text(cost.span); !place.empty()) text += "    at     " + place + "\n";
  text += "    from   " + to_string(cost.from) + "\n    to     " + to_string(cost.value) + "\n";
  if (cost.reason) text += "    why    " + to_string(*cost.reason) + "\n";
  return text + rules_text(collective);
}

/// Returns what a statement computes again to fit, and what fills the peak if it does not fit; nothing without a limit.
std::string memory_text(const Repl& repl, const std::optional<plan::PeakMemory>& peak,
                        const plan::Rematerialized& again) {
  const eval::Settings& settings = repl.settings();
  if (settings.memory <= 0 || !peak) return {};
  const std::string missing = missing_text(*peak, settings.memory, settings.remat);
  return missing + (missing.empty() ? "" : holders_text(*peak)) + again_text(again);
}

/// Returns the savings of a statement under other layouts, and the memory that the session would then hold.
std::string better_text(const session::Explanation& explanation, std::size_t width) {
  if (explanation.better.empty())
    return "No layout in which one axis splits another dim, one more, or none, sends fewer bytes for as few flops.\n";
  const session::Explanation::Total& now = explanation.now;
  std::string text = "fewer bytes, for no more flops:\n" + estimate_note(explanation.doubts, width);
  for (const session::Explanation::Better& better : explanation.better) {
    text += fmt::format("    --layout \"{}\"   {} on the wire instead of {}, {} instead of {}{}\n",
                        notation(better.layout), bytes_text(better.total.wire_bytes), bytes_text(now.wire_bytes),
                        count_text(better.total.collectives, "collective"), thousands(now.collectives),
                        better.total.flops < now.flops ? ", fewer flops" : "");
    if (better.held_bytes != explanation.held_bytes)
      text += fmt::format("        what exists then takes {} per processor instead of {}\n",
                          bytes_text(better.held_bytes), bytes_text(explanation.held_bytes));
  }
  return text;
}

}  // namespace

void type_command(Repl& repl, const std::string& argument) {
  const PromptOptions options(":type", argument, kTypeOptions);
  need_argument(options.statement(), ":type", "an expression", "einsum(x, w -> [batch])");
  const session::KnownName known =
      repl.session().what_is(options.statement(), repl.name_of_entry(), assumption_of(repl.session(), options));
  repl.say(text_of(known) + "\n");
}

namespace {

std::optional<cost::MachineModel> machine_of(const PromptOptions& options) {
  const auto file = options.value("--machine");
  return file ? std::optional(machine_option(*file)) : std::nullopt;
}

/// Returns the parts of the time of a planned statement, which must have a record.
std::vector<std::pair<std::string, double>> time_of(const session::Planned& planned,
                                                    const cost::MachineModel& machine) {
  return seconds_of(cost::LayoutCosts(planned.record, machine, planned.before).in(nullptr, nullptr).time);
}

/// The plan of a statement with a record, which a plan as things are does not have.
session::Planned planned_with_record(Repl& repl, const std::string& statement, const session::Assumption& assumption) {
  return repl.session().plan(statement, repl.name_of_entry(), assumption, std::make_shared<plan::ProgramRecord>());
}

/// Returns the plan of a statement as JSON. `seconds` are its parts' by the machine.
std::string statement_json(const session::Planned& planned, const std::optional<cost::MachineModel>& machine,
                           std::vector<std::pair<std::string, double>> seconds) {
  PlanRecord record = plan_record(planned);
  if (machine) record.machine = machine->name;
  record.seconds = std::move(seconds);
  return to_json(record);
}

/// The plan of a statement or of a file as JSON.
std::string plan_json(Repl& repl, const PromptOptions& options, const session::Assumption& assumption) {
  for (const char* option : {"--by", "--sort", "--depth", "--lines", "--symbolic"})
    if (options.has(option)) fail(Kind::bad_usage, {}, "{} and {} cannot be combined", code(option), code("--json"));
  const std::optional<cost::MachineModel> machine = machine_of(options);
  const auto file = options.value("--file");
  if (!file) {
    need_argument(options.statement(), ":plan --json", "a statement", "let y = einsum(x, w -> [batch])");
    const session::Planned planned =
        repl.session().plan(options.statement(), "<plan>", assumption, nullptr, machine ? &*machine : nullptr);
    std::vector<std::pair<std::string, double>> seconds;
    if (machine) seconds = time_of(planned_with_record(repl, options.statement(), assumption), *machine);
    return statement_json(planned, machine, std::move(seconds));
  }
  if (!options.has("--json") || !options.statement().empty())
    fail(Kind::bad_usage, {}, "{} is the file of {}, without a statement", code("--file"), code(":plan --json"));
  const std::string path = given_word(*file);
  const eval::Settings settings = assumed(repl.session().settings(), assumption);
  const Script script = read_script(path);
  const HeedsInterrupt heeds(repl.session().interrupt_request(), {});
  session::Session::check_text(script.name, script.text, settings).throw_first();
  return to_json(plan_of_program(script.name, script.text, settings, run::DryRuntime(), machine));
}

}  // namespace

void plan_command(Repl& repl, const std::string& argument) {
  const PromptOptions options(":plan", argument, kPlanOptions);
  const std::string& statement = options.statement();
  const session::Assumption assumption = assumption_of(repl.session(), options);
  if (options.has("--file") || options.has("--json")) return repl.say(plan_json(repl, options, assumption));
  need_argument(statement, ":plan", "a statement", "let y = einsum(x, w -> [batch])");
  PlanView view;
  view.by = plan_by(options.value("--by").value_or("value"));
  if (const auto sort = options.value("--sort")) view.sort = plan_sort(*sort);
  const std::optional<cost::MachineModel> machine = machine_of(options);
  if (view.sort == PlanSort::kTime && !machine)
    fail(Kind::bad_usage, {}, "{} needs {}, which gives the times", code("--sort time"), code("--machine FILE"));
  refuse_unused(view.by, [&](std::string_view option) { return options.has(option); });
  if (options.has("--depth")) view.depth = options.number("--depth", 0, 1000, 0);
  view.lines = options.number("--lines", 1, 1'000'000, view.lines);
  view.width = repl.columns();
  std::string shown;
  std::optional<session::Planned> answer;
  std::vector<std::pair<std::string, double>> seconds;
  if (!options.has("--symbolic")) {
    const session::Planned& planned = answer.emplace(
        repl.session().plan(statement, repl.name_of_entry(), assumption, nullptr, machine ? &*machine : nullptr));
    PlanTree tree;
    for (const eval::StatementReport& report : planned.statements) {
      if (view.by == PlanBy::kValue) shown += plan_text(report, true, view.width);
      tree.add(report);
    }
    // A plan that is longer than the screen is shown as the tree of its parts.
    const auto lines = static_cast<std::size_t>(std::count(shown.begin(), shown.end(), '\n'));
    constexpr std::size_t kAround = 4;  // the entry, the headings and the next prompt
    if (!options.has("--by") && !options.has("--lines") && lines + kAround > repl.rows()) {
      view.by = PlanBy::kTree;
      view.lines = static_cast<int>(std::max<std::size_t>(repl.rows(), kAround + 4) - kAround);
    }
    if (view.by != PlanBy::kValue) shown = view_text(tree, view);
    shown += estimate_note(tree.doubts(), view.width) + memory_text(repl, planned.peak, planned.again);
  }
  if (machine || options.has("--symbolic")) {
    const session::Planned planned = planned_with_record(repl, statement, assumption);
    if (options.has("--symbolic")) {
      SymbolicPlan symbolic(*planned.record, planned.before.times);
      for (const eval::StatementReport& report : planned.statements) symbolic.add(report);
      shown += fitted(symbolic.text(), view.width);
    }
    if (machine) shown += time_text(seconds = time_of(planned, *machine), machine->name);
  }
  if (shown.empty() || !answer) return repl.say(shown.empty() ? "nothing to compute\n" : shown);
  repl.answer(shown, [&] { return statement_json(*answer, machine, seconds); });
}

/// A layout or a mesh as a script writes it, also where it is given in the command line's notation.
std::string in_script_form(Repl& repl, const std::string& what) {
  const std::string word = given_word(what);
  if (word.starts_with('[') || word.find(':') == std::string::npos) return word;
  try {
    std::vector<std::string> axes;
    for (const Axis& axis : parse_axes(word)) axes.push_back(fmt::format("{}: {}", axis.name.text(), axis.size));
    return "[" + join(axes, ", ") + "]";
  } catch (const std::invalid_argument&) { return to_string(layout_given(repl.session(), word)); }
}

void use_command(Repl& repl, const std::string& what) {
  need_argument(what, ":use", "a layout or a mesh", "{batch -> rows}");
  for (const auto& [given, option] : {std::pair{repl.settings().layout.has_value(), "--layout"},
                                      std::pair{repl.settings().mesh.has_value(), "--mesh"}})
    if (given)
      fail(Diagnostic(Kind::bad_usage, {}, fmt::format("what {} gave holds throughout", code(option)))
               .help("start mtf without it"));
  constexpr std::size_t kMostMoved = 20;
  session::Session& session = repl.session();
  for (session::EntryReport& report :
       session.use(session.mesh_or_layout(in_script_form(repl, what), repl.name_of_entry()), repl.name_of_entry())) {
    const std::size_t moved = report.bindings.size();
    if (moved > kMostMoved) report.bindings.resize(kMostMoved);
    std::string text = repl_text(report, repl.room());
    if (moved > kMostMoved) text += fmt::format("… and {} more\n", moved - kMostMoved);
    repl.say(moved == 0 ? "in force; nothing had to be moved\n" : text);
  }
}

void explain_command(Repl& repl, const std::string& argument) {
  const PromptOptions options(":explain", argument, kExplainOptions);
  const std::string& statement = options.statement();
  need_argument(statement, ":explain", "a statement", "einsum(x, w -> [batch])");
  constexpr std::size_t kMostSuggestions = 3;
  const session::Explanation explanation =
      explain_statement(repl.session(), statement, options.has("--json") ? "<explain>" : repl.name_of_entry(),
                        assumption_of(repl.session(), options), kMostSuggestions);
  if (options.has("--json")) return repl.say(to_json(explanation_record(explanation)));
  std::string text = explanation.collectives.empty() ? "no communication\n" : "";
  for (const session::Explanation::Collective& collective : explanation.collectives) text += explained(collective);
  if (!explanation.collectives.empty()) text += better_text(explanation, repl.columns());
  text += memory_text(repl, explanation.peak, explanation.again);
  if (explanation.collectives.empty() && explanation.again.values == 0) return repl.say(text);
  repl.answer(text, [&] { return to_json(explanation_record(explanation)); });
}

void compare_command(Repl& repl, const std::string& argument) {
  const PromptOptions options(":compare", argument, kCompareOptions);
  const std::string example = "such as `:compare net(x) --layout batch:rows --layout \"hidden:cols;batch:rows\"`";
  if (options.statement().empty()) fail(Diagnostic(Kind::bad_usage, {}, "`:compare` needs a statement").help(example));
  const std::vector<std::string> meshes = options.values("--mesh"), layouts = options.values("--layout");
  if (meshes.empty() && layouts.empty())
    fail(Diagnostic(Kind::bad_usage, {}, "`:compare` needs a `--layout` or a `--mesh`").help(example));
  const std::optional<cost::MachineModel> machine = machine_of(options);
  std::vector<std::vector<Axis>> mesh_axes;
  for (const std::string& word : meshes) mesh_axes.push_back(mesh_given(repl.session(), word));
  std::vector<std::pair<std::string, Layout>> rules;
  for (const std::string& word : layouts) rules.emplace_back(word, layout_given(repl.session(), word));
  ComparedLayouts compared = compared_layouts(mesh_axes, rules, "in force");
  const session::Comparison comparison =
      session::WhatIf::statement(repl.session(), options.statement(), repl.name_of_entry())
          .compare(compared.assumptions, machine, options.has("--peak"));
  repl.say(comparison_text(std::move(compared), comparison, machine.has_value(), repl.columns()));
}

void search_command(Repl& repl, const std::string& argument) {
  const PromptOptions options(":search", argument, kSearchOptions);
  const std::string& statement = options.statement();
  need_argument(statement, ":search", "a statement", "net(x)");
  session::SearchRequest request;
  cost::SearchQuestion& question = request.question;
  const session::Assumption pinned = assumption_of(repl.session(), options);
  const auto processors = options.value("--processors");
  question.processors = processors    ? number_of_processors(*processors)
                        : pinned.mesh ? Mesh(Name("mesh"), *pinned.mesh).size()
                                      : repl.session().mesh().size();
  if (question.processors < 2)
    fail(Diagnostic(Kind::bad_usage, {}, "how many processors there are is not said")
             .help("`:search --processors 16 net(x)`, or a mesh in force"));
  if (const auto bytes = options.value("--memory")) question.memory = bytes_option(*bytes);
  if (auto machine = machine_of(options)) request.machine = std::move(*machine);
  request.axes = options.number("--axes", 1, 4, request.axes);
  question.stored = options.has("--stored");
  question.most = static_cast<std::size_t>(options.number("--most", 1, 1000, 2));
  question.mesh = pinned.mesh;
  if (pinned.layout) question.pinned = *pinned.layout;
  for (const std::string& dim : options.values("--whole")) question.pinned.rules.push_back({Name(dim), {}, {}});
  std::optional<SearchStatus> status(std::in_place, true, [&](const std::string& text) { repl.show_status(text); });
  question.on_progress = [&](const cost::SearchProgress& progress) { status->set(progress); };
  const HeedsInterrupt heeds(repl.session().interrupt_request(), {});
  const session::SearchAnswer answer =
      search_layouts(session::WhatIf::statement(repl.session(), statement, repl.name_of_entry()), std::move(request));
  status.reset();
  if (answer.result.is_ended && options.has("--json")) fail(Kind::interrupted, {});
  const auto json = [&] { return to_json(found_layouts(answer.result)); };
  if (options.has("--json")) repl.say(json());
  else repl.answer(search_text(answer, repl.columns()), json);
}

}  // namespace mtf::tool
