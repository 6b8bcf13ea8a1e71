#include <unistd.h>

#include <memory>
#include <new>

#include "eval/session.h"
#include "exec/engine.h"
#include "tool/commands.h"
#include "tool/launch.h"
#include "tool/program_output.h"
#include "tool/script.h"

namespace mtf::tool {
namespace {

struct Options {
  std::string file;
};

// An error that all ranks run into is told by rank 0 and ends the others here; one that a single rank has is told by
// that rank, this much later.
constexpr unsigned kSecondsForRankZero = 2;

[[noreturn]] void end_all_ranks(Engine& engine, const std::string& message, ExitCode code) {
  if (engine.rank() != 0) sleep(kSecondsForRankZero);
  engine.abort(message, static_cast<int>(code));
}

// A script on standard input, which mpirun gives to rank 0 alone.
Script script_for_every_rank(const std::string& file, const Launch& here, const std::function<Engine&()>& engine) {
  if (file != "-" || !here.uses_mpi()) return read_script(file);
  const std::string text = here.rank == 0 ? read_standard_input() : std::string();
  return {"<stdin>", engine().broadcast(text)};
}

void run_script(const Script& script, const Settings& settings, Engine& engine, bool prints) {
  ProgressBar bar(prints && isatty(STDERR_FILENO) != 0);
  ProgramOutput output(bar);
  std::ostream nowhere(nullptr);
  Session session(settings, &engine, prints ? output.stream() : nowhere);
  session.on_progress([&](const LoopProgress& progress) { bar.update(progress); });
  try {
    session.run_text(script.name, script.text);
    output.finish();
  } catch (...) {
    bar.erase();
    output.finish();
    throw;
  }
}

int run(const Options& options, const ProgramOptions& program) {
  const Launch here = launch();
  const Settings settings = settings_of(program, here.ranks);
  EngineOptions engine_options = engine_options_of(program);
  engine_options.use_mpi = here.uses_mpi();
  std::unique_ptr<Engine> engine;
  const auto started_engine = [&]() -> Engine& {
    if (!engine) engine = std::make_unique<Engine>(engine_options);
    return *engine;
  };

  const Script script = script_for_every_rank(options.file, here, started_engine);
  const Diagnostics found = Session::check_text(script.name, script.text, settings);
  if (!found.empty()) report(found);
  if (found.has_errors()) return static_cast<int>(found.exit_code());
  if (!here.uses_mpi()) {
    run_script(script, settings, started_engine(), true);
    return 0;
  }
  try {
    run_script(script, settings, started_engine(), here.rank == 0);
    return 0;
  } catch (const UserError& error) {
    end_all_ranks(*engine, error.what(), error.diagnostic().exit_code());
  } catch (const std::bad_alloc&) {
    end_all_ranks(*engine, fmt::format("error: rank {} needs more memory than there is [out_of_memory]\n", here.rank), ExitCode::kLimit);
  } catch (const std::exception& error) {
    end_all_ranks(*engine, bug_message(error), ExitCode::kBug);
  }
}

}  // namespace

const Command kRunCommand = {
    .name = "run",
    .summary = "Check a script, then run it",
    .details =
        "The whole script is checked before anything is computed. `-` reads it from standard input.\n"
        "One process hosts every processor of the mesh; under mpirun the ranks host them between them, and rank 0\n"
        "prints. A long loop shows its progress at a terminal.\n"
        "\n"
        "Examples:\n"
        "  mtf run two_layer.mtf\n"
        "  mtf run two_layer.mtf --mesh \"all:8\" --layout \"hidden:all\"\n"
        "  mtf run mnist.mtf --set lr=0.1 --set epochs=2\n"
        "  mpirun -n 4 mtf run two_layer.mtf\n",
    .declare = [](OptionParser& parser, ProgramOptions& program) -> std::function<int()> {
      auto options = std::make_shared<Options>();
      parser.word("file", options->file, "The script, or - for standard input", true);
      add_program_options(parser, program);
      add_engine_options(parser, program);
      return [options, &program] { return run(*options, program); };
    }};

}  // namespace mtf::tool
