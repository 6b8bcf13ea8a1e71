#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>
#include <optional>

#include "plan/passes.h"
#include "run/reference_runtime.h"
#include "run/timeline.h"
#include "session/session.h"
#include "support/diagnostics.h"
#include "support/expected_end.h"
#include "support/text.h"
#include "tool/commands/commands.h"
#include "tool/present/fitted_text.h"
#include "tool/present/losses.h"
#include "tool/present/picture.h"
#include "tool/present/profile.h"
#include "tool/present/timeline_file.h"
#include "tool/shell/generated_file.h"
#include "tool/shell/interrupts.h"
#include "tool/shell/launch.h"
#include "tool/shell/output.h"
#include "tool/shell/program_output.h"
#include "tool/shell/rank_guard.h"
#include "tool/shell/script.h"
#include "tool/shell/watch.h"

namespace mtf::tool {
namespace {

struct RunOptions {
  std::string file;
  std::optional<std::string> text;  ///< the script itself, instead of a file
  bool reference = false;
  std::string reads;
  bool plot = false;
  bool watch = false;
  bool no_check = false;  ///< for tests, which compare a check with the run
  std::string timeline, loss_curve;
  bool profile = false;
  std::string machine;  ///< of the profile's predicted times
};

/// Returns one number per line, with all digits.
std::string reads_text(const std::vector<double>& reads) {
  std::string text;
  for (const double number : reads) text += fmt::format("{:a}\n", without_sign_of_nan(number));
  return text;
}

bool are_reads(const std::string& text) {
  const std::vector<std::string> lines = split(text, '\n');
  return lines.back().empty() && std::all_of(lines.begin(), lines.end() - 1, [](const std::string& line) {
           char* end = nullptr;
           std::strtod(line.c_str(), &end);
           return end != line.c_str() && *end == '\0';
         });
}

/// Checks before any computation that the output files can be written, on the rank that will write them.
void expect_files(const RunOptions& options) {
  expect_apart({{"--reads", options.reads}, {"--timeline", options.timeline}, {"--loss-curve", options.loss_curve}});
  if (!options.reads.empty()) expect_replaceable(options.reads, "what --reads writes", are_reads);
  if (!options.timeline.empty()) expect_replaceable(options.timeline, "a timeline", is_timeline);
  if (!options.loss_curve.empty())
    expect_replaceable(options.loss_curve, "a curve of losses",
                       [](const std::string& text) { return is_svg_of("loss-curve", text); });
}

/// Makes the record of step times for --timeline and --profile; null without them.
std::shared_ptr<run::Timeline> timeline_of(const RunOptions& options) {
  if (options.timeline.empty() && !options.profile) return nullptr;
  return std::make_shared<run::Timeline>(!options.timeline.empty(), options.profile);
}

/// Sets what this rank tells of its timeline: a line with its profile, then its events. Lines are empty if they are not
/// asked for. `execution` lives as long as the program runs.
void let_tell(run::Timeline& timeline, const RunOptions& options, const plan::Runtime& runtime,
              const Placement& placement, const plan::Execution& execution) {
  std::optional<cost::MachineModel> machine;
  if (!options.machine.empty()) machine = machine_option(options.machine);
  timeline.tell = [&timeline, &options, &runtime, &execution, placement, machine] {
    double planning = 0;
    for (const plan::PassTime& pass : execution.pass_times()) planning += pass.microseconds / 1e6;
    const int rank = runtime.rank();
    return (options.profile ? told_profile(timeline, rank, machine, planning) : std::string()) + "\n" +
           (options.timeline.empty() ? std::string() : told_of(timeline, rank, runtime.ranks(), placement));
  };
}

/// Shows the profile, and writes the timeline, on the first rank: of all ranks if the runtime has finished, otherwise
/// of this rank alone.
void write_timeline(const RunOptions& options, const run::Timeline& timeline) {
  std::vector<std::string> profiles, events;
  for (const std::string& text : timeline.told.empty() ? std::vector<std::string>{timeline.tell()} : timeline.told) {
    const std::size_t cut = text.find('\n');
    profiles.push_back(text.substr(0, cut));
    events.push_back(text.substr(cut + 1));
  }
  if (!options.timeline.empty())
    replace_file(options.timeline, options.timeline.ends_with(".svg") ? timeline_svg(events) : chrome_trace(events));
  if (options.profile) write_output("\n" + profile_text(profiles, terminal_columns()));
}

/// `told`: the warnings that its check has reported.
void run_script(const Script& script, const eval::Settings& settings, plan::Runtime& runtime, run::Timeline* timeline,
                const Placement& placement, bool prints, const RunOptions& options, const Diagnostics& told) {
  const bool shows_progress = prints && isatty(STDERR_FILENO) != 0;
  ProgressBar bar(shows_progress);
  ProgramOutput output(bar);
  std::ostream nowhere(nullptr);
  plan::Execution execution(runtime);
  if (timeline != nullptr) let_tell(*timeline, options, runtime, placement, execution);
  session::Session session(settings, &execution, prints ? output.stream() : nowhere);
  const InterruptsSession interrupts(session, runtime.ranks() > 1);
  if (shows_progress)
    session.on_progress([&](const eval::Progress& loops) { bar.update(loops, output.losses().last()); });
  session.on_warning([&](const Diagnostic& warning) {
    if (!prints) return;
    bar.erase();
    output.finish();
    report(warning.render(), ExitCode::kSuccess);
  });
  session.have_been_told(told);
  const auto write_what_is_known = [&] {
    output.finish();
    if (timeline != nullptr && runtime.rank() == 0)
      write_timeline(options, *timeline);  // names positions in sources that the session holds
    const Curves curves = output.losses().curves();
    if (!options.loss_curve.empty() && prints)
      replace_file(options.loss_curve, curve_svg(curves, "The losses that " + script.name + " printed"));
    if (options.plot && prints) write_output(curves.curves.empty() ? "no loss was printed\n" : plot(curves, 80, 16));
  };
  try {
    session.run_text(script.name, script.text);
    runtime.finish();
  } catch (...) {
    bar.erase();
    try {
      write_what_is_known();
    } catch (const UserError& error) {  // a second error, besides the one that ended the program
      report(error.diagnostic().render(), ExitCode::kSuccess);
    }
    throw;
  }
  write_what_is_known();
}

/// Returns the findings of a check of the script.
Diagnostics checked(const Script& script, const eval::Settings& settings, const RunOptions& options) {
  return options.no_check ? Diagnostics() : session::Session::check_text(script.name, script.text, settings);
}

int run_alone(const RunOptions& options, const ProgramOptions& program) {
  expect_files(options);
  eval::Settings settings = settings_of(program, 1);
  run::MpiRuntimeOptions runtime_options = runtime_options_of(program);
  const Script script = options.text ? Script{"<text>", *options.text} : read_script(options.file);
  settings.at_terminal = isatty(STDOUT_FILENO) != 0;
  settings.runs_next = true;
  const Diagnostics found = checked(script, settings, options);
  if (!found.empty()) report(found.render(), found.exit_code());
  if (found.has_errors()) return static_cast<int>(found.exit_code());
  runtime_options.timeline = timeline_of(options);
  std::unique_ptr<plan::Runtime> runtime;
  if (options.reference) runtime = std::make_unique<run::ReferenceRuntime>();
  else runtime = std::make_unique<run::MpiRuntime>(runtime_options);
  if (!options.reads.empty()) settings.reads = std::make_shared<std::vector<double>>();
  run_script(script, settings, *runtime, runtime_options.timeline.get(), runtime_options.placement, true, options,
             found);
  if (settings.reads) replace_file(options.reads, reads_text(*settings.reads));
  return 0;
}

/// One of several ranks. Each reads the script (only rank 0 can read standard input) and checks it before MPI starts.
class RankRun {
 public:
  RankRun(const Launch& here, const RunOptions& options, const ProgramOptions& program)
      : here_(here), options_(options), program_(program) {}

  int run() {
    try {
      return check_and_run();
    } catch (const UserError& error) {
      return end(error.diagnostic().render(), error.diagnostic().exit_code());
    } catch (const std::bad_alloc&) {
      return end(fmt::format("error: rank {} needs more memory than there is [out_of_memory]\n", here_.rank),
                 ExitCode::kLimit);
    } catch (const std::exception& error) { return end(bug_message(error), ExitCode::kBug); }
  }

 private:
  int check_and_run() {
    if (here_.rank == 0) expect_files(options_);
    eval::Settings settings = settings_of(program_, here_.ranks);
    settings.at_terminal = isatty(STDOUT_FILENO) != 0;
    settings.runs_next = here_.rank == 0;
    runtime_options_ = runtime_options_of(program_);
    runtime_options_.use_mpi = true;
    runtime_options_.timeline = timeline_of(options_);
    const Script script = read();
    const Diagnostics found = checked(script, settings, options_);
    if (found.has_errors()) return end(found.render(), found.exit_code());
    if (!found.empty()) report(found.render(), found.exit_code());
    run_script(script, settings, runtime(), runtime_options_.timeline.get(), runtime_options_.placement,
               here_.rank == 0, options_, found);
    return 0;
  }

  Script read() {
    if (options_.text) return {"<text>", *options_.text};
    if (options_.file != "-") return read_script(options_.file);
    const std::string text = here_.rank == 0 ? read_standard_input() : std::string();
    return {"<stdin>", runtime().broadcast(text, {})};
  }

  run::MpiRuntime& runtime() {
    if (runtime_) return *runtime_;
    runtime_ = std::make_unique<run::MpiRuntime>(runtime_options_);
    try {
      check_ranks(here_, runtime_->ranks());
    } catch (const UserError& error) {
      // Every process has found the error, and they cannot end each other.
      if (here_.rank != 0) end_process(static_cast<int>(error.diagnostic().exit_code()));
      throw;
    }
    runtime_->expect_level();
    if (here_.rank == 0 && !runtime_->notice().empty())
      report(fmt::format("note: {}\n", runtime_->notice()), ExitCode::kSuccess);
    return *runtime_;
  }

  /// Ends the rank after an error of the command line or the script. Usually all ranks find such an error: rank 0
  /// reports it and ends, and mpirun ends the others, which wait for rank 0 where MPI starts. If rank 0 arrives there,
  /// it has not found the error, and the others report it.
  int end(const std::string& message, ExitCode code) {
    if (here_.rank == 0 && !runtime_) return report(message, code);
    runtime().abort(message, static_cast<int>(code));
  }

  const Launch here_;
  const RunOptions& options_;
  const ProgramOptions& program_;
  run::MpiRuntimeOptions runtime_options_{.use_mpi = true};
  std::unique_ptr<run::MpiRuntime> runtime_;
};

int run(const RunOptions& options, const ProgramOptions& program) {
  const Launch here = launch();
  if (options.file.empty() != options.text.has_value())
    fail(Diagnostic(Kind::bad_usage, {},
                    options.text ? fmt::format("the script is the text behind -e, and {} too", code(options.file))
                                 : "expected a script")
             .help("`mtf run FILE` runs a file, `mtf run -` standard input, `mtf run -e TEXT` a text"));
  if (here.ranks > 1 && (options.reference || !options.reads.empty()))
    fail(Diagnostic(Kind::bad_usage, {},
                    options.reference ? "--reference computes on one processor" : "--reads is written by one process")
             .help("run it without mpirun"));
  if (options.watch) {
    if (here.uses_mpi() || options.text || options.file == "-")
      fail(Diagnostic(Kind::bad_usage, {},
                      here.uses_mpi() ? "--watch starts runs itself, and this process was started by mpirun"
                                      : "--watch needs a file that may change")
               .help("`mtf run --watch FILE`, with --mesh where the script is to have several processors"));
    if (const std::optional<int> status = watch_script(options.file, standard_library())) return *status;
  }
  if (here.uses_mpi()) {
    const RankGuard guard(here.rank);
    return RankRun(here, options, program).run();
  }
  return run_alone(options, program);
}

}  // namespace

const Command kRunCommand = {
    .name = "run",
    .summary = "Check a script, then run it",
    .details =
        "The whole script is checked before anything is computed. `-` reads it from standard input.\n"
        "One process hosts every processor of the mesh; under mpirun the ranks host them between them, and rank 0\n"
        "prints. Long loops show their progress at a terminal. A loss is a number that is printed behind the word "
        "`loss`.\n"
        "With --reference every operation is computed at once, whole, on one processor, nothing fused or forgotten: "
        "what\n"
        "every other way to run the script must agree with. Is it the layout, or the model? `counters` says what the\n"
        "mesh and the layout would cost. --reads writes what the host read of tensors, for `mtf plan --reads`.\n"
        "--check-finite looks at each value: the first NaN or infinity that finite operands give is an error, with "
        "line,\n"
        "operation and place; `counters` then count the looks too.\n"
        "--timeline writes what chrome://tracing and ui.perfetto.dev show, a track a processor, with lines, iterations "
        "and\n"
        "memory, and arrows to the ranks that have waited; a name that ends in .svg, a picture.\n"
        "It and --loss-curve are also written of a script that fails, as far as it came; of several ranks, the first's "
        "timeline.\n"
        "--profile shows, line by line, the measured time of computing and of collectives, and of the host before the "
        "line's\n"
        "results were needed: evaluating, planning, data, printing. With --machine the predicted time stands beside "
        "it. "
        "A\n"
        "fusion's time is divided among its operations by their arithmetic. Of several ranks, the one that computes "
        "longest is\n"
        "shown. A rank that hosts several processors takes the time of all of them; a prediction is for one.\n"
        "A file that is there is replaced if it is of the same kind, and refused before the run if it is another.\n"
        "\n"
        "Examples:\n"
        "  mtf run two_layer.mtf\n"
        "  mtf run two_layer.mtf --mesh \"all:8\" --layout \"hidden:all\"\n"
        "  mtf run mnist.mtf --set lr=0.1 --set epochs=2\n"
        "  mtf run -e 'print(1 + 1)'         the same as mtf -e 'print(1 + 1)'\n"
        "  mtf run --reference two_layer.mtf\n"
        "  mtf run two_layer.mtf --timeline run.json --loss-curve loss.svg\n"
        "  mpirun -n 4 mtf run two_layer.mtf\n",
    .declare = [](OptionParser& parser, ProgramOptions& program) -> std::function<int()> {
      auto options = std::make_shared<RunOptions>();
      parser.word("file", options->file, "The script, or - for standard input", false);
      parser.text("-e,--text", options->text, "TEXT", "The script itself, in the place of a file");
      parser.flag("--reference", options->reference, "Compute each operation at once, whole, on one processor");
      parser.text("--reads", options->reads, "FILE", "Write the numbers that the host reads of tensors");
      parser.hidden_flag("--no-check", options->no_check);
      parser.flag("--watch", options->watch,
                  "Run again whenever the script, or a file that it imports, changes; Ctrl-C ends it");
      parser.flag("--plot", options->plot, "At the end, a curve of the losses that were printed");
      parser.text("--loss-curve", options->loss_curve, "FILE", "Draw the losses that were printed as SVG");
      parser.text("--timeline", options->timeline, "FILE",
                  "When each processor was in which step and collective: a Chrome trace, or .svg");
      parser.flag("--profile", options->profile, "At the end, the time of each line, and of the host");
      parser.text("--machine", options->machine, "NAME",
                  "With --profile: the predicted time beside the measured one (`mtf help machines`)");
      add_program_options(parser, program);
      add_runtime_options(parser, program);
      parser.excludes("--reference", {"--timeline", "--profile"},
                      "an operation at a time, whole, has no steps and no processors to draw");
      parser.needs("--machine", {"--profile"});
      return [options, &program] { return run(*options, program); };
    }};

}  // namespace mtf::tool
