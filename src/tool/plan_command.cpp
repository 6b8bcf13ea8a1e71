#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <memory>

#include "eval/session.h"
#include "exec/engine.h"
#include "support/diagnostics.h"
#include "support/text.h"
#include "tool/commands.h"
#include "tool/launch.h"
#include "tool/output.h"
#include "tool/plan_text.h"
#include "tool/script.h"

namespace mtf::tool {
namespace {

struct Options {
  std::string file;
  bool formula = false;
  std::string reads;
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
  Engine engine(engine_options);
  std::ostream nowhere(nullptr);
  Session session(settings, &engine, nowhere);
  PlanTotals totals;
  session.on_statement([&](const StatementReport& statement) {
    write_output(plan_text(statement, options.formula));
    totals.add(statement);
  });
  session.run_text(script.name, script.text);
  write_output(totals.text(engine.counters()));
  return 0;
}

}  // namespace

const Command kPlanCommand = {
    .name = "plan",
    .summary = "Say what every statement would cost each processor, computing nothing",
    .details =
        "Each value with its type and layout, its floating-point operations, and each collective: its kind and axes,\n"
        "what it moves, and why it is needed. Figures are those of the largest processor, and exactly what `counters`\n"
        "measures when the script runs. Loops are walked turn by turn; what repeats is shown once, with how often. After\n"
        "many turns the rest of a loop is estimated, and marked so; a loop whose turns depend on computed values is\n"
        "shown per turn. The mesh may have any size.\n"
        "\n"
        "Examples:\n"
        "  mtf plan two_layer.mtf\n"
        "  mtf plan two_layer.mtf --formula\n"
        "  mtf plan two_layer.mtf --mesh \"rows:64;cols:64\" --layout \"batch:rows;hidden:cols\" --set batch=4096\n",
    .declare = [](OptionParser& parser, ProgramOptions& program) -> std::function<int()> {
      auto options = std::make_shared<Options>();
      parser.word("file", options->file, "The script, or - for standard input", true);
      parser.text("--reads", options->reads, "FILE", "What the host reads of tensors, as `mtf run --reads` wrote it");
      parser.flag("--formula", options->formula, "Show the formula beside each figure");
      add_program_options(parser, program);
      add_engine_options(parser, program);
      return [options, &program] { return plan(*options, program); };
    }};

}  // namespace mtf::tool
