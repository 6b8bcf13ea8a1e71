#include <charconv>
#include <memory>

#include "cost/search.h"
#include "support/diagnostics.h"
#include "support/text.h"
#include "tool/commands.h"
#include "tool/layout_choices.h"
#include "tool/launch.h"
#include "tool/output.h"
#include "tool/search_text.h"

namespace mtf::tool {
namespace {

struct Options {
  std::string file, memory, machine, processors;
  std::vector<std::string> whole;
  int axes = 2;
};

[[noreturn]] void bad_value(const std::string& option, const std::string& text, const std::string& expected) {
  fail(Kind::bad_option_value, {}, "{} {}: expected {}", option, quote(text), expected);
}

/// `16GiB`, `80GB`, `1000000`.
int64_t bytes_option(const std::string& text) {
  static const std::pair<std::string_view, double> units[] = {{"KiB", 1024.0}, {"MiB", 1048576.0}, {"GiB", 1073741824.0}, {"TiB", 1099511627776.0},
                                                              {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {"B", 1}, {"", 1}};
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit = trim(std::string_view(end, text.data() + text.size()));
  for (const auto& [name, factor] : units)
    if (error == std::errc() && number > 0 && number * factor < 9e18 && unit == name) return static_cast<int64_t>(number * factor);
  bad_value("--memory", text, "bytes, such as 16GiB or 80GB");
}

int search_layouts(const Options& options, const ProgramOptions& program) {
  SearchQuestion question;
  ProgramOptions base = program;
  base.mesh.reset();
  base.layout.reset();
  const Settings settings = settings_of(base, launch().ranks);
  const Script script = read_script(options.file);
  if (program.mesh) {
    question.mesh = mesh_option(*program.mesh)->axes();
    question.processors = mesh_option(*program.mesh)->size();
  } else if (options.processors.empty()) {
    fail(Diagnostic(Kind::bad_usage, {}, "how many processors there are is not said").help("`--processors 512`, or a mesh: `--mesh \"rows:16;cols:32\"`"));
  } else {
    question.processors = number_of_processors(options.processors);
  }
  if (program.layout) question.pinned = layout_option(*program.layout)->rules;
  for (const std::string& dim : options.whole) question.pinned.push_back({Name(dim), {}, {}});
  const MachineModel machine = machine_option(options.machine);
  question.memory = options.memory.empty() ? machine.memory : std::optional(bytes_option(options.memory));
  if (options.axes < 1 || options.axes > 4) bad_value("--axes", std::to_string(options.axes), "a number from 1 to 4");
  int status = 0;
  const std::optional<PlannedScript> planned = plan_once(script, settings, status);
  if (!planned || launch().rank != 0) return status;
  const LayoutCosts costs(planned->record, machine);
  question.axes = axis_names(*planned->record, options.axes);
  question.peak = [&](const MeshPtr& mesh, const LayoutPtr& rules) { return planned_peak(script, settings, mesh, rules); };
  const std::optional<ShortForms> repeated = short_forms(script, settings, *planned->record, machine);
  if (repeated) question.repeated = &repeated->costs;
  const SearchResult result = search(costs, question);
  write_output(found_text(result, machine, repeated ? repeated->option : ""));
  write_output(estimate_note(costs));
  return 0;
}

}  // namespace

const Command kSearchCommand = {
    .name = "search",
    .summary = "Find the mesh and layout under which a script takes least time",
    .details =
        "The script is evaluated once; then each mesh of so many processors, with each layout of the script's dims, that could\n"
        "be the best is costed, exactly as `mtf plan` would. Where a number given by --set is how many layers there are, candidates\n"
        "are ranked by what two and three layers take, and those that come near the best two are costed whole. Times are those of\n"
        "a machine model (--machine, see `mtf help calibrate`), without one those of a processor of 1 Tflop/s with 100 GB/s of\n"
        "memory and 10 GB/s to others. Printed are a mesh and a layout to paste, and the second best beside the best. --mesh and\n"
        "--layout pin what they say.\n"
        "\n"
        "Examples:\n"
        "  mtf search two_layer.mtf --processors 16\n"
        "  mtf search two_layer.mtf --processors 512 --memory 16GiB --layout \"batch:rows\"\n",
    .declare = [](OptionParser& parser, ProgramOptions& program) -> std::function<int()> {
      auto options = std::make_shared<Options>();
      parser.word("file", options->file, "The script, or - for standard input", true);
      parser.text("--processors", options->processors, "N", "How many processors the mesh has");
      parser.text("--memory", options->memory, "BYTES", "What each processor has, such as 16GiB: the peak must fit");
      parser.text("--machine", options->machine, "FILE", "A machine model, as `mtf calibrate` writes one");
      parser.number("--axes", options->axes, "N", "The most axes that the mesh may have (default: 2)");
      parser.texts("--whole", options->whole, "DIM", "A dim that is not split; repeatable");
      add_program_options(parser, program);
      return [options, &program] { return search_layouts(*options, program); };
    }};

}  // namespace mtf::tool
