#include <unistd.h>

#include <memory>

#include "cost/machine.h"
#include "support/diagnostics.h"
#include "support/text.h"
#include "tool/calibrate.h"
#include "tool/commands.h"
#include "tool/generated_file.h"
#include "tool/launch.h"
#include "tool/output.h"
#include "tool/process.h"

namespace mtf::tool {
namespace {

bool is_machine(const std::string& text) {
  try {
    parse_machine(text, "");
    return true;
  } catch (const UserError&) {
    return false;
  }
}

struct CalibrateOptions {
  std::string file;
  int ranks = 1;
};

constexpr std::chrono::minutes kLongestCalibration{10};

/// Starts this command again as so many ranks, and returns what the first of them prints.
std::string on_ranks(int ranks, int threads) {
  std::vector<std::pair<std::string, std::string>> variables = {{"OMPI_MCA_rmaps_base_oversubscribe", "1"}};
  if (geteuid() == 0) variables.insert(variables.end(), {{"OMPI_ALLOW_RUN_AS_ROOT", "1"}, {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"}});
  std::vector<std::string> words = {"mpirun", "-q", "-n", std::to_string(ranks), own_program(), "calibrate"};
  if (threads != 0) words.insert(words.end(), {"--threads", std::to_string(threads)});
  const ProcessResult result = run_process(words, variables, kLongestCalibration);
  if (result.status != 0)
    fail(Diagnostic(Kind::bad_usage, {}, fmt::format("`mpirun -n {} mtf calibrate` ended with status {}: {}", ranks, result.status, trim(result.err)))
             .help("start it yourself, as other programs are started on ranks here"));
  return result.out;
}

int run(const CalibrateOptions& options, const ProgramOptions& program) {
  const Launch here = launch();
  if (options.ranks < 1 || options.ranks > 1024) fail(Kind::bad_option_value, {}, "--ranks {}: expected a number from 1 to 1,024", options.ranks);
  if (here.uses_mpi() && options.ranks != 1) fail(Diagnostic(Kind::bad_usage, {}, "--ranks starts ranks, and this is one").help("leave it out under mpirun"));
  if (!options.file.empty() && here.rank == 0) expect_replaceable(options.file, "a machine model", [&](const std::string& text) { return is_machine(text); });
  std::string text;
  if (options.ranks > 1) {
    text = on_ranks(options.ranks, program.threads);
  } else {
    MpiRuntimeOptions runtime = runtime_options_of(program);
    if (runtime.threads == 0) runtime.threads = 1;
    runtime.use_mpi = here.uses_mpi();
    text = to_json(calibrate(runtime));
    if (here.rank != 0) return 0;
  }
  if (options.file.empty()) write_output(text);
  else replace_file(options.file, text);
  return 0;
}

}  // namespace

const Command kCalibrateCommand = {
    .name = "calibrate",
    .summary = "Measure this machine, for estimates of time",
    .details =
        "Writes a machine model in JSON, which `--machine FILE` of plan, compare and search reads: how many operations a\n"
        "second one thread computes, by kind of operation and element type, how fast it reaches its memory and cache, how\n"
        "long a kernel takes to begin, and, on several ranks, the latency and bandwidth of each kind of collective, and the\n"
        "part of one that goes on beside computing. It takes some seconds; other work on the machine lengthens it more than\n"
        "it changes the figures, which are the least of many turns. Calibrate on as many ranks as will run: they share the\n"
        "memory. All is processor time: where processors copy what they communicate themselves, as the ranks of one machine\n"
        "do, nothing goes on beside computing, and there is no `overlap`, nor with less than a twentieth of a collective.\n"
        "\n"
        "A file may be written by hand for another machine. All of it may be left out:\n"
        "  {\"name\": \"my cluster\",\n"
        "   \"flops\": {\"f32\": 1.4e12, \"bf16\": 2.2e13},      of products, a second, of one processor\n"
        "   \"rates\": {\"elementwise\": {\"f32\": 2e11},        of kinds (also reduction, and moving: elements a second)\n"
        "             \"tanh\": {\"f32\": 4e10}},              and of single operations by their names\n"
        "   \"narrow\": 32,                                  a product with a shorter side takes as long as with this one\n"
        "   \"memory_bandwidth\": 9e11, \"step\": 5e-6,        bytes a second; seconds that a kernel takes to begin\n"
        "   \"cache\": 4e6, \"cache_bandwidth\": 4e12,         of the first `cache` bytes that a kernel touches\n"
        "   \"memory\": 16e9,                                bytes of one processor\n"
        "   \"latency\": 2e-6, \"bandwidth\": 1.2e10,          of a message: seconds, bytes a second\n"
        "   \"overlap\": 0.8,                                of a collective, the part that goes on beside computing\n"
        "   \"collectives\": {\"all_to_all\": {\"latency\": 9e-6}},   where a kind of collective differs\n"
        "   \"axes\": {\"cols\": {\"bandwidth\": 1e11}}}        where an axis of the mesh differs\n"
        "\n"
        "Examples:\n"
        "  mtf calibrate machine.json\n"
        "  mtf calibrate machine.json --ranks 2\n"
        "  mpirun -n 4 mtf calibrate machine.json\n"
        "  mtf plan two_layer.mtf --machine machine.json\n",
    .declare = [](OptionParser& parser, ProgramOptions& program) -> std::function<int()> {
      auto options = std::make_shared<CalibrateOptions>();
      parser.word("file", options->file, "Where the model is written (default: standard output)", false);
      parser.number("--ranks", options->ranks, "N", "Start so many ranks with mpirun, and measure between them");
      add_threads_option(parser, program);
      return [options, &program] { return run(*options, program); };
    }};

}  // namespace mtf::tool
