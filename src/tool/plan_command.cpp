#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <memory>

#include "cost/idle_work.h"
#include "eval/session.h"
#include "exec/engine.h"
#include "exec/program_record.h"
#include "io/write_file.h"
#include "support/diagnostics.h"
#include "support/text.h"
#include "tool/commands.h"
#include "tool/compare_text.h"
#include "tool/launch.h"
#include "tool/layout_choices.h"
#include "tool/output.h"
#include "tool/plan_text.h"
#include "tool/plan_tree.h"
#include "tool/plan_view.h"
#include "tool/report.h"
#include "tool/script.h"
#include "tool/symbolic_plan.h"

namespace mtf::tool {
namespace {

/// How often work is done more than once where the plan says why.
constexpr double kWorthExplaining = 1.1;

struct Options {
  std::string file;
  bool formula = false, symbolic = false, json = false, csv = false;
  std::string by = "tree", sort = "source", report;
  std::vector<std::string> draw, against;
  int depth = -1, lines = 0;
  std::string reads, machine;
};

std::shared_ptr<std::vector<double>> read_reads(const std::string& path) {
  std::ifstream file(path);
  if (!file) fail(Kind::file_not_found, {}, path);
  auto reads = std::make_shared<std::vector<double>>();
  for (std::string line; std::getline(file, line);) {
    char* end = nullptr;
    reads->push_back(std::strtod(line.c_str(), &end));
    if (end == line.c_str() || *end != '\0') fail(Kind::bad_option_value, {}, "--reads {}: expected a number on line {}, found {}", quote(path), reads->size(), quote(line));
  }
  return reads;
}

PlanView view_of(const Options& options) {
  PlanView view;
  const auto one_of = [](const std::string& option, const std::string& given, const std::vector<std::string>& words) {
    const auto at = std::find(words.begin(), words.end(), given);
    if (at == words.end()) fail(Kind::bad_option_value, {}, "{}: expected {}, found {}", option, join_words(words, "or"), quote(given));
    return at - words.begin();
  };
  view.by = static_cast<PlanBy>(one_of("--by", options.by, {"tree", "line", "function", "path", "collective", "value"}));
  view.sort = static_cast<PlanSort>(one_of("--sort", options.sort, {"source", "flops", "bytes"}));
  if (options.depth >= 0) view.depth = options.depth;
  if (options.lines > 0) view.lines = options.lines;
  return view;
}

/// The layout of the plan, and those that it is to be held against.
std::vector<Compared> layouts_of(const Options& options, const std::shared_ptr<ProgramRecord>& record, const MachineModel& machine, const std::optional<std::string>& own) {
  if (options.against.empty()) return {};
  const LayoutCosts costs(record, machine);
  std::vector<Compared> layouts = {{nullptr, own.value_or("the script's own"), costs.in(nullptr, nullptr), std::nullopt}};
  for (const std::string& text : options.against) layouts.push_back({nullptr, text.empty() ? "replicated" : text, costs.in(nullptr, layout_option(text)), std::nullopt});
  return layouts;
}

int plan(const Options& options, const ProgramOptions& program) {
  Settings settings = settings_of(program, launch().ranks);
  EngineOptions engine_options = engine_options_of(program);
  engine_options.dry = true;
  const Script script = read_script(options.file);
  const Diagnostics found = Session::check_text(script.name, script.text, settings);
  if (!found.empty()) report(found);
  if (found.has_errors()) return static_cast<int>(found.exit_code());
  if (launch().rank != 0) return 0;

  if (!options.reads.empty()) settings.reads = read_reads(options.reads);
  std::optional<MachineModel> machine;
  if (!options.machine.empty()) machine = machine_option(options.machine);
  // A record grows with the turns of loops: it is kept where it is asked for.
  if (machine || options.symbolic || !options.against.empty()) engine_options.record = std::make_shared<ProgramRecord>();
  Engine engine(engine_options);
  std::ostream nowhere(nullptr);
  Session session(settings, &engine, nowhere);
  const PlanView view = view_of(options);
  PlanTotals totals;
  PlanTree tree;
  std::optional<SymbolicPlan> symbolic;
  if (options.symbolic) symbolic.emplace(*engine_options.record);
  session.on_statement([&](const StatementReport& statement) {
    if (symbolic) return symbolic->add(statement);
    if (view.by == PlanBy::kValue) write_output(plan_text(statement, options.formula));
    else tree.add(statement);
    totals.add(statement);
  });
  session.run_text(script.name, script.text);
  if (symbolic) {
    write_output(symbolic->text());
    return 0;
  }
  std::string totals_text = totals.text(engine.counters(), session.stored_variables());
  // Processors that idle are waited for by others, so that in all they seem to do more than one alone would.
  if (duplication(engine.counters()) > kWorthExplaining) {
    const auto record = engine_options.record ? engine_options.record : planned(script, settings, std::make_shared<ProgramRecord>()).record;
    for (const std::string& sentence : sentences(idle_work(*record))) totals_text += "warning: " + sentence + "\n";
  }
  if (machine) totals_text += time_text(LayoutCosts(engine_options.record, machine).in(nullptr, nullptr).time, machine->name);
  if (!options.report.empty()) {
    const MachineModel model = machine.value_or(MachineModel());
    write_file_atomically(options.report, html_report({script.name, script.text, totals_text, &tree, pictures_of(script, settings, options.draw),
                                                       layouts_of(options, engine_options.record, model, program.layout), model.name}));
    return 0;
  }
  if (options.json) write_output(view_json(tree));
  else if (options.csv) write_output(view_csv(tree));
  else write_output((view.by == PlanBy::kValue ? "" : view_text(tree, view) + "\n") + totals_text);
  flush_output();
  std::quick_exit(0);  // to take the programs of a large model apart would be a tenth of the time
}

}  // namespace

const Command kPlanCommand = {
    .name = "plan",
    .summary = "Say what every statement would cost each processor, computing nothing",
    .details =
        "A tree that follows the source: each statement with what all of its turns cost, and below it, of one turn, the\n"
        "calls and lines that cost most. Calls at one place are one line of the tree, and a line's backward pass is part\n"
        "of the line. Figures are those of the largest processor, and exactly what `counters` measures when the script\n"
        "runs. After many turns the rest of a loop is estimated, and marked so; a loop whose turns depend on computed\n"
        "values is shown per turn. The mesh may have any size.\n"
        "\n"
        "`--by value` shows each value with its type and layout and each collective with why it is needed.\n"
        "`--symbolic` shows the costs of each statement as formulas, `2·batch·io·hidden / (rows·cols)`: what it computes, the\n"
        "values that its collectives are counted by, the ratio of both, and the elements of all that it reads and makes, the\n"
        "last two in terms of the highest order.\n"
        "\n"
        "Examples:\n"
        "  mtf plan two_layer.mtf\n"
        "  mtf plan section8.mtf --symbolic\n"
        "  mtf plan two_layer.mtf --by value --formula\n"
        "  mtf plan char_gpt.mtf --by path\n"
        "  mtf plan two_layer.mtf --mesh \"rows:64;cols:64\" --layout \"batch:rows;hidden:cols\" --set batch=4096\n",
    .declare = [](OptionParser& parser, ProgramOptions& program) -> std::function<int()> {
      auto options = std::make_shared<Options>();
      parser.word("file", options->file, "The script, or - for standard input", true);
      parser.text("--reads", options->reads, "FILE", "What the host reads of tensors, as `mtf run --reads` wrote it");
      parser.text("--by", options->by, "WHAT", "Costs by tree (the default), line, function, path of the model's part, collective, or value");
      parser.text("--sort", options->sort, "ORDER", "By source (the default of the tree), flops or bytes");
      parser.number("--depth", options->depth, "N", "Open the tree so deep, however many lines that takes");
      parser.number("--lines", options->lines, "N", "Open the tree to at most so many lines (40)");
      parser.text("--report", options->report, "FILE", "Write a page of HTML: the tree, the source beside its costs, pictures");
      parser.texts("--against", options->against, "RULES", "With --report: another layout, whose time is drawn beside that of the plan's; repeatable");
      parser.texts("--draw", options->draw, "WHAT", "With --report: a tensor or model to draw, as for `mtf draw`; may be repeated");
      parser.text("--machine", options->machine, "FILE", "Estimate the time by this machine model (see `mtf help calibrate`)");
      parser.flag("--json", options->json, "The whole tree as JSON");
      parser.flag("--csv", options->csv, "The costs of each line of source as CSV");
      parser.flag("--symbolic", options->symbolic, "Costs as formulas in the script's dims and axes");
      parser.flag("--formula", options->formula, "With --by value: the formula beside each figure");
      add_program_options(parser, program);
      add_engine_options(parser, program);
      return [options, &program] { return plan(*options, program); };
    }};

}  // namespace mtf::tool
