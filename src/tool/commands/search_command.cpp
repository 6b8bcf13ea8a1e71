#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>

#include "api/json.h"
#include "api/records.h"
#include "run/dry_runtime.h"
#include "session/session.h"
#include "support/diagnostics.h"
#include "support/text.h"
#include "tool/commands/commands.h"
#include "tool/present/combinations_text.h"
#include "tool/present/search_text.h"
#include "tool/shell/generated_file.h"
#include "tool/shell/launch.h"
#include "tool/shell/output.h"
#include "tool/shell/program_output.h"
#include "tool/shell/script.h"

namespace mtf::tool {
namespace {

struct SearchOptions {
  std::string file, memory, machine, processors, over, html;
  std::vector<std::string> whole;
  bool stored = false, json = false;
  int axes = 2, most = 2;
};

/// Reads `tp=1,2,4; zero=0,1`.
std::vector<session::TriedOption> tried_options(const std::string& text) {
  std::vector<session::TriedOption> tried;
  for (const std::string& part : split(text, ';')) {
    if (trim(part).empty()) continue;
    const std::size_t equals = part.find('=');
    session::TriedOption& option = tried.emplace_back();
    option.name = trim(part.substr(0, equals));
    if (equals != std::string::npos)
      for (const std::string& value : split(part.substr(equals + 1), ','))
        if (!trim(value).empty()) option.values.emplace_back(trim(value));
    if (option.name.empty() || option.values.empty())
      fail(Diagnostic(Kind::bad_option_value, {}, fmt::format("--over {}: expected options with values", quote(text)))
               .help("such as --over \"tp=1,2,4,8; zero=0,1,3\""));
  }
  return tried;
}

/// Plans all combinations of options.
int search_over(const SearchOptions& options, const ProgramOptions& program) {
  if (!options.html.empty()) expect_replaceable(options.html, "a page of mtf search", is_combinations_page);
  const Script script = read_script(options.file);
  session::CombinationQuestion question{.name = script.name,
                                        .text = script.text,
                                        .settings = settings_of(program, launch().ranks),
                                        .processors = {},
                                        .machine = machine_option(options.machine)};
  if (!options.processors.empty()) question.processors = number_of_processors(options.processors);
  const std::vector<session::TriedOption> over = tried_options(options.over);
  const std::vector<std::string> known = session::options_of(script.name, script.text);
  for (const session::TriedOption& each : over)
    if (std::find(known.begin(), known.end(), each.name) == known.end())
      fail(Diagnostic(Kind::unknown_option, {}, fmt::format("--over {}", quote(each.name)))
               .help("the options of the program: " + join(known, ", ")));
  std::vector<session::OptionSet> combinations = combinations_of(question, over);
  constexpr std::size_t kMost = 100'000;
  if (combinations.size() > kMost)
    fail(Kind::limit_exceeded, {}, "{} combinations; at most {} are planned", combinations.size(), kMost);
  std::optional<int64_t> memory = question.machine.memory;
  if (!options.memory.empty()) memory = bytes_option(options.memory);
  const run::DryRuntime runtime;
  ProgressBar bar(isatty(STDERR_FILENO) != 0);
  question.on_progress = [&](std::size_t planned, std::size_t all) {
    bar.show(fmt::format("{} of {} combinations", planned, all));
  };
  plan_combinations(question, runtime, combinations);
  bar.erase();
  const session::OptionSets found =
      ranked(question, std::move(combinations), memory, static_cast<std::size_t>(std::max(options.most, 10)));
  if (!options.html.empty()) replace_file(options.html, combinations_page(found, script.name));
  else write_output(options.json ? to_json(found) : combinations_text(found, terminal_columns()));
  return 0;
}

int run_search(const SearchOptions& options, const ProgramOptions& program) {
  if (!options.over.empty()) return launch().rank == 0 ? search_over(options, program) : 0;
  session::SearchRequest request;
  cost::SearchQuestion& question = request.question;
  ProgramOptions base = program;
  base.mesh.reset();
  base.layout.reset();
  const eval::Settings settings = settings_of(base, launch().ranks);
  const Script script = read_script(options.file);
  if (program.mesh &&
      (!options.processors.empty() || options.axes != SearchOptions().axes))  // if --mesh precedes the command
    fail(Diagnostic(Kind::bad_usage, {}, "a mesh says how many processors and axes there are")
             .help("`--mesh`, or `--processors` and `--axes`"));
  if (program.mesh) {
    question.mesh = mesh_option(*program.mesh)->axes();
    question.processors = mesh_option(*program.mesh)->size();
  } else if (options.processors.empty()) {
    fail(Diagnostic(Kind::bad_usage, {}, "how many processors there are is not said")
             .help("`--processors 512`, or a mesh: `--mesh \"rows:16;cols:32\"`"));
  } else {
    question.processors = number_of_processors(options.processors);
  }
  if (program.layout) question.pinned = *layout_option(*program.layout);
  for (const std::string& dim : options.whole) question.pinned.rules.push_back({Name(dim), {}, {}});
  question.stored = options.stored;
  request.machine = machine_option(options.machine);
  if (!options.memory.empty()) question.memory = bytes_option(options.memory);
  if (options.axes < 1 || options.axes > 4)
    fail(Kind::bad_option_value, {}, "--axes {}: expected a number from 1 to 4", quote(std::to_string(options.axes)));
  request.axes = options.axes;
  if (options.most < 1)
    fail(Kind::bad_option_value, {}, "--most {}: expected 1 or more", quote(std::to_string(options.most)));
  question.most = static_cast<std::size_t>(options.most);
  const Diagnostics found = session::Session::check_text(script.name, script.text, settings);
  if (!found.empty()) report(found);
  if (found.has_errors()) return static_cast<int>(found.exit_code());
  if (launch().rank != 0) return 0;
  const run::DryRuntime runtime;
  const bool at_terminal = isatty(STDERR_FILENO) != 0;
  ProgressBar bar(at_terminal);
  std::optional<SearchStatus> status(std::in_place, at_terminal, [&](const std::string& text) {
    if (at_terminal) bar.show(text);
    else std::cerr << text + "\n" << std::flush;
  });
  question.on_progress = [&](const cost::SearchProgress& progress) { status->set(progress); };
  const session::SearchAnswer answer =
      search_layouts(session::WhatIf::script(script.name, script.text, settings, runtime), std::move(request));
  status.reset();
  bar.erase();
  write_output(options.json ? to_json(found_layouts(answer.result)) : search_text(answer, terminal_columns()));
  return 0;
}

}  // namespace

const Command kSearchCommand = {
    .name = "search",
    .summary = "Find the mesh and layout under which a script takes least time",
    .details =
        "The script is evaluated once; then each mesh of so many processors, with each layout of the script's dims, "
        "that could\n"
        "be the best is costed, exactly as `mtf plan` would. Where a number given by --set is how many layers there "
        "are, candidates\n"
        "are ranked by what two and three layers take, and those that come near the best two are costed whole. Of a "
        "large program\n"
        "with thousands of such candidates, those with the shortest estimated times are costed. Progress goes to "
        "standard error.\n"
        "Times are those of\n"
        "a machine model (--machine, see `mtf help calibrate`), without one those of a processor of 1 Tflop/s with 100 "
        "GB/s of\n"
        "memory and 10 GB/s to others. Printed are a mesh and a layout to paste, and the second best beside the best. "
        "--mesh and\n"
        "--layout pin what they say. Where nothing fits --memory, the smallest peak is said, the layout that has it, "
        "and what\n"
        "would help; where processors repeat one another's work, how long fewer would take.\n"
        "\n"
        "With --stored it also tries how params and states are stored, by rules for their paths: behind each of the "
        "twelve "
        "quickest\n"
        "layouts of dims, params, states or both over each set of axes, so that a processor stores a part, which is "
        "gathered where\n"
        "it is needed. Rules by path in --layout are pinned, and nothing else is tried.\n"
        "\n"
        "With --over it plans each combination of values of the script's options, on all cores, and shows the ten "
        "fastest that fit,\n"
        "with the reason against each but the first, those that take less memory for more time, and why the script "
        "refuses\n"
        "others. The options tp, pp and cp say over how many processors something is split; dp, if the script has it, "
        "follows\n"
        "from --processors.\n"
        "\n"
        "Examples:\n"
        "  mtf search two_layer.mtf --processors 16\n"
        "  mtf search two_layer.mtf --processors 512 --memory 16GiB --layout \"batch:rows\"\n"
        "  mtf search two_layer.mtf --processors 8 --axes 1 --layout \"batch:rows\" --stored\n"
        "  mtf search llm.mtf --set steps=1 --over \"tp=1,2,4,8; zero=0,1,3\" --processors 64 --machine h100\n",
    .declare = [](OptionParser& parser, ProgramOptions& program) -> std::function<int()> {
      auto options = std::make_shared<SearchOptions>();
      parser.word("file", options->file, "The script, or - for standard input", true);
      parser.text("--processors", options->processors, "N", "How many processors the mesh has");
      parser.text("--memory", options->memory, "BYTES", "What each processor has, such as 16GiB: the peak must fit");
      parser.text("--machine", options->machine, "NAME",
                  "A machine model: one of `mtf help machines`, or a file of `mtf calibrate`");
      parser.number("--axes", options->axes, "N", "The most axes that the mesh may have (default: 2)");
      parser.flag("--stored", options->stored, "Also try how params and states are stored, by rules for their paths");
      parser.number("--most", options->most, "N", "Find the N best, instead of the best and the second");
      parser.flag("--json", options->json, "What was found as JSON (see the reference)");
      parser.texts("--whole", options->whole, "DIM", "A dim that is not split; repeatable");
      parser.text("--over", options->over, "VALUES",
                  "Plan all combinations of options of the script: \"tp=1,2,4,8; zero=0,1,3\"");
      parser.text("--html", options->html, "FILE", "With --over: write a page with a picture of time and memory");
      add_program_options(parser, program);
      parser.needs("--html", {"--over"});
      parser.excludes("--html", {"--json"}, "each is another form of the answer: ask for one after the other");
      for (const char* other : {"--axes", "--stored", "--whole"})
        parser.excludes("--over", {other}, "with `--over` the script's options say how it is split");
      parser.excludes("--mesh", {"--processors", "--axes"}, "a mesh says how many processors and axes there are");
      return [options, &program] { return run_search(*options, program); };
    }};

}  // namespace mtf::tool
