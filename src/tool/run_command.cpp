#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <memory>
#include <new>

#include "eval/session.h"
#include "exec/engine.h"
#include "exec/program_record.h"
#include "exec/timeline.h"
#include "io/write_file.h"
#include "support/diagnostics.h"
#include "support/text.h"
#include "tool/commands.h"
#include "tool/interrupts.h"
#include "tool/launch.h"
#include "tool/loss_curve.h"
#include "tool/output.h"
#include "tool/program_output.h"
#include "tool/script.h"
#include "tool/timeline_file.h"

namespace mtf::tool {
namespace {

struct Options {
  std::string file;
  bool reference = false;
  std::string reads;
  bool plot = false;
  std::string timeline, loss_curve;
};

/// One number a line, exactly.
void write_reads(const std::string& path, const std::vector<double>& reads) {
  std::string text;
  for (const double number : reads) text += fmt::format("{:a}\n", number);
  if (std::ofstream file(path, std::ios::trunc); !(file << text).flush())
    fail(Kind::cannot_write, {}, path);
}

/// Has the engine note when each step ran, for --timeline.
void note_times(const Options& options, const Launch& here, EngineOptions& engine) {
  if (options.timeline.empty()) return;
  engine.record = std::make_shared<ProgramRecord>();
  engine.record->timeline = std::make_shared<Timeline>();
  engine.record->timeline->tell = [timeline = engine.record->timeline.get(), here, placement = engine.placement] { return told_of(*timeline, here.rank, here.ranks, placement); };
}

/// On the first rank, once the engine has finished.
void write_timeline(const Options& options, const Engine& engine) {
  if (options.timeline.empty() || engine.rank() != 0) return;
  const std::vector<std::string>& told = engine.record()->timeline->told;
  write_file_atomically(options.timeline, options.timeline.ends_with(".svg") ? timeline_svg(told) : chrome_trace(told));
}

void run_script(const Script& script, const Settings& settings, Engine& engine, bool prints, const Options& options) {
  ProgressBar bar(prints && isatty(STDERR_FILENO) != 0);
  ProgramOutput output(bar);
  std::ostream nowhere(nullptr);
  Session session(settings, &engine, prints ? output.stream() : nowhere);
  const InterruptsSession interrupts(session, engine.ranks() > 1);
  session.on_progress([&](const Progress& loops) { bar.update(loops, output.losses().last()); });
  try {
    session.run_text(script.name, script.text);
    engine.finish();  // tells places, of sources that the session holds
    output.finish();
    if (!options.loss_curve.empty() && prints) write_file_atomically(options.loss_curve, curve_svg(output.losses().all(), "The losses that " + script.name + " printed"));
    if (options.plot && prints) write_output(output.losses().all().empty() ? "no loss was printed\n" : plot(output.losses().all(), 80, 16));
  } catch (...) {
    bar.erase();
    output.finish();
    throw;
  }
}

int run_alone(const Options& options, const ProgramOptions& program) {
  Settings settings = settings_of(program, 1);
  EngineOptions engine_options = engine_options_of(program);
  engine_options.reference = options.reference;
  const Script script = read_script(options.file);
  const Diagnostics found = Session::check_text(script.name, script.text, settings);
  if (!found.empty()) report(found);
  if (found.has_errors()) return static_cast<int>(found.exit_code());
  note_times(options, {}, engine_options);
  Engine engine(engine_options);
  if (!options.reads.empty()) settings.reads = std::make_shared<std::vector<double>>();
  run_script(script, settings, engine, true, options);
  write_timeline(options, engine);
  if (settings.reads) write_reads(options.reads, *settings.reads);
  return 0;
}

/// One of several ranks. Each reads the script (on standard input only rank 0 can) and checks it before MPI is started.
class RankRun {
 public:
  RankRun(const Launch& here, const Options& options, const ProgramOptions& program) : here_(here), options_(options), program_(program) {}

  int run() {
    try {
      return check_and_run();
    } catch (const UserError& error) {
      return end(error.what(), error.diagnostic().exit_code());
    } catch (const std::bad_alloc&) {
      return end(fmt::format("error: rank {} needs more memory than there is [out_of_memory]\n", here_.rank), ExitCode::kLimit);
    } catch (const std::exception& error) {
      return end(bug_message(error), ExitCode::kBug);
    }
  }

 private:
  int check_and_run() {
    const Settings settings = settings_of(program_, here_.ranks);
    engine_options_ = engine_options_of(program_);
    engine_options_.use_mpi = true;
    note_times(options_, here_, engine_options_);
    const Script script = read();
    const Diagnostics found = Session::check_text(script.name, script.text, settings);
    if (found.has_errors()) return end(found.render(), found.exit_code());
    if (!found.empty()) report(found);
    run_script(script, settings, engine(), here_.rank == 0, options_);
    write_timeline(options_, engine());
    return 0;
  }

  Script read() {
    if (options_.file != "-") return read_script(options_.file);
    const std::string text = here_.rank == 0 ? read_standard_input() : std::string();
    return {"<stdin>", engine().broadcast(text, {})};
  }

  Engine& engine() {
    if (engine_) return *engine_;
    engine_ = std::make_unique<Engine>(engine_options_);
    try {
      check_ranks(here_, engine_->ranks());
    } catch (const UserError& error) {
      // Every process has found it, and they cannot end each other.
      if (here_.rank != 0) std::_Exit(static_cast<int>(error.diagnostic().exit_code()));
      throw;
    }
    return *engine_;
  }

  /// What is wrong with the command line or the script all ranks usually find. Then rank 0 says it and ends, and mpirun
  /// ends the others, which wait for it where MPI is started; if it comes there, it has not found it, and they say it.
  int end(const std::string& message, ExitCode code) {
    if (here_.rank == 0 && !engine_) return report(message, code);
    engine().abort(message, static_cast<int>(code));
  }

  const Launch here_;
  const Options& options_;
  const ProgramOptions& program_;
  EngineOptions engine_options_{.use_mpi = true};
  std::unique_ptr<Engine> engine_;
};

int run(const Options& options, const ProgramOptions& program) {
  const Launch here = launch();
  if (here.ranks > 1 && (options.reference || !options.reads.empty()))
    fail(Diagnostic(Kind::bad_usage, {}, options.reference ? "--reference computes on one processor" : "--reads is written by one process").help("run it without mpirun"));
  return here.uses_mpi() ? RankRun(here, options, program).run() : run_alone(options, program);
}

}  // namespace

const Command kRunCommand = {
    .name = "run",
    .summary = "Check a script, then run it",
    .details =
        "The whole script is checked before anything is computed. `-` reads it from standard input.\n"
        "One process hosts every processor of the mesh; under mpirun the ranks host them between them, and rank 0\n"
        "prints. Long loops show their progress at a terminal. A loss is a number that is printed behind the word `loss`.\n"
        "With --reference every operation is computed at once, whole, on one processor, nothing fused or forgotten: what\n"
        "every other way to run the script must agree with. Is it the layout, or the model? `counters` says what the\n"
        "mesh and the layout would cost. --reads writes what the host read of tensors, for `mtf plan --reads`.\n"
        "--timeline writes what chrome://tracing and ui.perfetto.dev show, a track a processor; a name that ends in .svg, a picture.\n"
        "\n"
        "Examples:\n"
        "  mtf run two_layer.mtf\n"
        "  mtf run two_layer.mtf --mesh \"all:8\" --layout \"hidden:all\"\n"
        "  mtf run mnist.mtf --set lr=0.1 --set epochs=2\n"
        "  mtf run --reference two_layer.mtf\n"
        "  mtf run two_layer.mtf --timeline run.json --loss-curve loss.svg\n"
        "  mpirun -n 4 mtf run two_layer.mtf\n",
    .declare = [](OptionParser& parser, ProgramOptions& program) -> std::function<int()> {
      auto options = std::make_shared<Options>();
      parser.word("file", options->file, "The script, or - for standard input", true);
      parser.flag("--reference", options->reference, "Compute each operation at once, whole, on one processor");
      parser.text("--reads", options->reads, "FILE", "Write the numbers that the host reads of tensors");
      parser.flag("--plot", options->plot, "At the end, a curve of the losses that were printed");
      parser.text("--loss-curve", options->loss_curve, "FILE", "Draw the losses that were printed as SVG");
      parser.text("--timeline", options->timeline, "FILE", "When each processor was in which step and collective: a Chrome trace, or .svg");
      add_program_options(parser, program);
      add_engine_options(parser, program);
      return [options, &program] { return run(*options, program); };
    }};

}  // namespace mtf::tool
