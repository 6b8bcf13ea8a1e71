#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <memory>
#include <set>

#include "api/records.h"
#include "cost/idle_work.h"
#include "cost/timed_costs.h"
#include "plan/program_record.h"
#include "run/dry_runtime.h"
#include "session/session.h"
#include "session/what_if.h"
#include "support/diagnostics.h"
#include "support/text.h"
#include "tool/commands/commands.h"
#include "tool/present/combinations_text.h"
#include "tool/present/compare_text.h"
#include "tool/present/fitted_text.h"
#include "tool/present/plan_text.h"
#include "tool/present/plan_view.h"
#include "tool/present/report.h"
#include "tool/present/symbolic_plan.h"
#include "tool/present/table.h"
#include "tool/shell/generated_file.h"
#include "tool/shell/launch.h"
#include "tool/shell/output.h"
#include "tool/shell/script.h"

namespace mtf::tool {
namespace {

constexpr int kNotGiven = std::numeric_limits<int>::min();

struct PlanOptions {
  std::string file;
  bool formula = false, symbolic = false, json = false, csv = false;
  std::string by = "tree", report;
  std::optional<std::string> sort;
  std::vector<std::string> draw, against;
  int depth = kNotGiven, lines = kNotGiven;
  std::string reads, machine;
};

std::shared_ptr<std::vector<double>> read_reads(const std::string& path) {
  std::ifstream file(path);
  if (!file) fail(Kind::file_not_found, {}, path);
  auto reads = std::make_shared<std::vector<double>>();
  for (std::string line; std::getline(file, line);) {
    char* end = nullptr;
    reads->push_back(std::strtod(line.c_str(), &end));
    if (end == line.c_str() || *end != '\0')
      fail(Kind::bad_option_value, {}, "--reads {}: expected a number on line {}, found {}", quote(path), reads->size(),
           quote(line));
  }
  return reads;
}

PlanView view_of(const PlanOptions& options) {
  PlanView view;
  view.by = plan_by(options.by);
  if (options.sort) view.sort = plan_sort(*options.sort);
  if (view.sort == PlanSort::kTime && options.machine.empty())
    fail(Diagnostic(Kind::bad_usage, {}, "--sort time needs `--machine FILE`, which gives the times"));
  const auto number = [](const std::string& option, int given, int least) {
    if (given != kNotGiven && given < least)
      fail(Kind::bad_option_value, {}, "{} {}: expected a number from {}", option, given, least);
    return given != kNotGiven;
  };
  const bool has_depth = number("--depth", options.depth, 0), has_lines = number("--lines", options.lines, 1);
  if (has_depth) view.depth = options.depth;
  if (has_lines) view.lines = options.lines;
  refuse_unused(view.by, [&](std::string_view option) {
    return (option == "--depth" && has_depth) || (option == "--lines" && has_lines) ||
           (option == "--sort" && options.sort) || (option == "--formula" && options.formula);
  });
  view.width = terminal_columns();
  return view;
}

/// Returns the fastest ways out if a program does not fit, each planned; nothing if it has none of the options.
std::string ways_out_of(const Script& script, const eval::Settings& settings, const session::PlanSummary& summary,
                        const std::optional<cost::MachineModel>& machine) {
  if (!summary.memory || summary.counters.peak_bytes <= *summary.memory) return {};
  const session::CombinationQuestion question{.name = script.name,
                                              .text = script.text,
                                              .settings = settings,
                                              .processors = summary.counters.processors,
                                              .machine = machine.value_or(cost::MachineModel())};
  std::vector<session::OptionSet> ways = session::ways_out(question);
  if (ways.empty()) return {};
  session::plan_combinations(question, run::DryRuntime(), ways);
  return ways_out_text(std::move(ways), *summary.memory, summary.seconds.empty() ? 0 : summary.seconds.back().second,
                       machine.has_value());
}

/// Returns the layout of the plan and the layouts to compare it with.
std::vector<CostColumn> layouts_of(const PlanOptions& options, const std::shared_ptr<plan::ProgramRecord>& record,
                                   const cost::MachineModel& machine, const std::optional<std::string>& own) {
  if (options.against.empty()) return {};
  const cost::LayoutCosts costs(record, machine);
  std::vector<CostColumn> layouts = {{{}, own.value_or("the script's own"), costs.in(nullptr, nullptr)}};
  for (const std::string& text : options.against)
    layouts.push_back({{}, text.empty() ? "replicated" : text, costs.in(nullptr, layout_option(text))});
  return layouts;
}

int plan(const PlanOptions& options, const ProgramOptions& program) {
  if (!options.report.empty() && launch().rank == 0) expect_replaceable(options.report, "a report of mtf", is_report);
  eval::Settings settings = settings_of(program, launch().ranks);
  const PlanView view = view_of(options);
  const Script script = read_script(options.file);
  const Diagnostics found = session::Session::check_text(script.name, script.text, settings);
  if (!found.empty()) report(found);
  if (found.has_errors()) return static_cast<int>(found.exit_code());
  if (launch().rank != 0) return 0;

  if (!options.reads.empty()) settings.reads = read_reads(options.reads);
  std::optional<cost::MachineModel> machine;
  if (!options.machine.empty()) machine = machine_option(options.machine);
  if (options.json) {
    write_output(to_json(plan_of_program(script.name, script.text, settings, run::DryRuntime(), machine)));
    flush_output();
    std::_Exit(0);
  }
  // A record grows with the iterations of loops, so it is kept only on request.
  std::shared_ptr<plan::ProgramRecord> record;
  if (machine || options.symbolic || !options.against.empty()) record = std::make_shared<plan::ProgramRecord>();
  run::DryRuntime runtime;
  plan::ExecutionOptions execution_options{.record = record};
  if (machine) execution_options.costs = cost::costs_timed_by(*machine);
  plan::Execution execution(runtime, std::move(execution_options));
  std::ostream nowhere(nullptr);
  session::Session session(settings, &execution, nowhere);
  PlanTree tree;
  std::optional<SymbolicPlan> symbolic;
  if (options.symbolic) symbolic.emplace(*record);
  session.on_statement([&](const eval::StatementReport& statement) {
    if (symbolic) return symbolic->add(statement);
    if (view.by == PlanBy::kValue) write_output(plan_text(statement, options.formula, view.width));
    tree.add(statement);
  });
  session.run_text(script.name, script.text);
  if (symbolic) {
    write_output(fitted(symbolic->text(), view.width));
    return 0;
  }
  session::Planned planned;
  planned.counters = execution.counters();
  planned.peak = execution.peak_memory();
  planned.be_whole(std::make_shared<const Mesh>(session.mesh()), session.stored_variables(), session.unread());
  PlanSummary summary = summary_of(planned, tree);
  summary.remat = settings.remat;
  summary.again = execution.rematerialized();
  summary.memory = settings.memory > 0 ? std::optional(settings.memory) : std::nullopt;
  add_time(summary, tree, record, machine, [&] {
    return session::plan_script(script.name, script.text, settings, runtime, std::make_shared<plan::ProgramRecord>())
        .record;
  });
  if (!options.report.empty()) {
    const cost::MachineModel model = machine.value_or(cost::MachineModel());
    replace_file(options.report, html_report({script.name, script.text, summary_text(summary), &tree,
                                              pictures_of(script, settings, options.draw),
                                              layouts_of(options, record, model, program.layout), model.name}));
    return 0;
  }
  if (options.csv) write_output(view_csv(tree, summary));
  else
    write_output((view.by == PlanBy::kValue ? "" : view_text(tree, view) + "\n") + summary_text(summary, view.width) +
                 ways_out_of(script, settings, summary, machine));
  flush_output();
  std::_Exit(0);  // skips destructors: to free the programs of a large model would take a tenth of the time
}

}  // namespace

const Command kPlanCommand = {
    .name = "plan",
    .summary = "Say what every statement would cost each processor, computing nothing",
    .details =
        "A tree that follows the source: each statement with what all of its turns cost, and below it, of one turn, "
        "the\n"
        "calls and lines that cost most. Calls at one place are one line of the tree, and a line's backward pass is "
        "part\n"
        "of the line. Figures are those of the largest processor, and exactly what `counters` measures when the "
        "script\n"
        "runs. Where numbers that only the run knows decide what is computed, each branch is counted, and one turn of "
        "a loop\n"
        "(`per turn`); after many turns the rest of a loop is taken to cost as much. Totals are an estimate then, and "
        "say so,\n"
        "with the lines that make them one; `--reads` tells what a run has read. What nobody reads is not computed, "
        "and is\n"
        "listed below the totals. The mesh may have any size. At a terminal lines are cut to its width.\n"
        "\n"
        "With `--memory` the totals say whether the program fits, and by how much it does or does not. They divide\n"
        "the peak of the fullest processor into params, states, values that the backward pass reads, gradients,\n"
        "buffers of collectives and other values.\n"
        "\n"
        "`--json` and `--csv` hold what the text holds. The fields of JSON stand in the reference; in CSV the totals "
        "are a\n"
        "second table, behind an empty line.\n"
        "With `--machine` each part, line, function, collective and value has its time, and shares are shares of the "
        "time.\n"
        "A fusion's time is divided among its operations by their arithmetic; a collective has only the time that no "
        "kernel hides.\n"
        "`--by value` shows each value with its type and layout and each collective with why it is needed.\n"
        "`--symbolic` shows the costs of each statement as formulas, `2·batch·io·hidden / (rows·cols)`: what it "
        "computes, the\n"
        "values that its collectives are counted by, the ratio of both, and the elements of all that it reads and "
        "makes, the\n"
        "last two in terms of the highest order.\n"
        "\n"
        "Examples:\n"
        "  mtf plan two_layer.mtf\n"
        "  mtf plan section8.mtf --symbolic\n"
        "  mtf plan two_layer.mtf --by value --formula\n"
        "  mtf plan char_gpt.mtf --by path\n"
        "  mtf plan two_layer.mtf --mesh \"rows:64;cols:64\" --layout \"batch:rows;hidden:cols\" --set batch=4096\n",
    .declare = [](OptionParser& parser, ProgramOptions& program) -> std::function<int()> {
      auto options = std::make_shared<PlanOptions>();
      parser.word("file", options->file, "The script, or - for standard input", true);
      parser.text("--reads", options->reads, "FILE", "What the host reads of tensors, as `mtf run --reads` wrote it");
      parser.text("--by", options->by, "WHAT",
                  "Costs by tree (the default), line, function, path of the model's part, collective, or value");
      parser.text(
          "--sort", options->sort, "ORDER",
          "By source (the default of the tree), flops (of lists), bytes (of collectives) or time (of lists with "
          "--machine)");
      parser.number("--depth", options->depth, "N", "Open the tree so deep, however many lines that takes");
      parser.number("--lines", options->lines, "N", "Open the tree to at most so many lines (40)");
      parser.text("--report", options->report, "FILE",
                  "Write a page of HTML: the tree, the source beside its costs, pictures");
      parser.texts("--against", options->against, "RULES",
                   "With --report: another layout, whose time is drawn beside that of the plan's; repeatable");
      parser.texts("--draw", options->draw, "WHAT",
                   "With --report: a tensor or model to draw, as for `mtf draw`; may be repeated");
      parser.text("--machine", options->machine, "NAME",
                  "Estimate the time of each part by this machine model (`mtf help machines`)");
      parser.flag("--json", options->json, "The whole tree and the totals as JSON");
      parser.flag("--csv", options->csv, "The costs of each line of source, and the totals, as CSV");
      parser.flag("--symbolic", options->symbolic, "Costs as formulas in the script's dims and axes");
      parser.flag("--formula", options->formula, "With --by value: the formula beside each figure");
      add_program_options(parser, program);
      add_placement_option(parser, program);
      add_memory_option(parser, program);
      parser.excludes("--symbolic", {"--json", "--csv", "--report"},
                      "each is another form of the plan: ask for one after the other");
      parser.excludes("--json", {"--csv", "--report"}, "each is another form of the plan: ask for one after the other");
      parser.excludes("--csv", {"--report"}, "each is another form of the plan: ask for one after the other");
      for (const char* form : {"--symbolic", "--json", "--csv", "--report"}) {
        const std::string help = fmt::format("{} has a form of its own, and is whole", code(form));
        for (const char* text : {"--by", "--sort", "--depth", "--lines", "--formula"})
          parser.excludes(text, {form}, help);
      }
      parser.excludes("--symbolic", {"--machine"}, "a formula has no time");
      parser.needs("--against", {"--report"});
      parser.needs("--draw", {"--report"});
      return [options, &program] { return plan(*options, program); };
    }};

}  // namespace mtf::tool
