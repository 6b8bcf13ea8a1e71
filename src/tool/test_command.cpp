#include <string.h>

#include <memory>
#include <thread>

#include "support/printable.h"
#include "support/text.h"
#include "tool/commands.h"
#include "tool/golden_test.h"
#include "tool/launch.h"
#include "tool/output.h"
#include "tool/process.h"
#include "tool/script.h"

namespace mtf::tool {
namespace {

struct Options {
  std::vector<std::string> paths;
  bool update = false;
  int jobs = 2;
};

std::string describe_end(const std::string& script, const WorkResult& result) {
  const std::string where = result.place.empty() ? "" : " " + result.place;
  if (result.signal == 0) return fmt::format("{}:1:{}\n    it took longer than {} s and was ended\n", printable(script), where, kGoldenLimit.count());
  return fmt::format("{}:1:{}\n    mtf itself ended by signal {} ({}): a bug in mtf\n", printable(script), where, result.signal, strsignal(result.signal));
}

int test(const Options& options) {
  if (launch().ranks > 1) fail(Diagnostic(Kind::bad_usage, {}, "`mtf test` starts the ranks that a script asks for itself").help("run it without mpirun"));
  constexpr int kMostJobs = 1024;
  if (options.jobs < 1 || options.jobs > kMostJobs) fail(Kind::bad_option_value, {}, "--jobs {}: expected a number from 1 to {}", options.jobs, kMostJobs);
  const std::vector<std::string> scripts = find_scripts(options.paths.empty() ? std::vector<std::string>{"."} : options.paths);
  const int threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()) / options.jobs);
  std::size_t failed = 0;
  const auto work = [&](std::size_t i, const SayPlace& say_place) {
    const GoldenResult result = run_golden(scripts[i], options.update, threads, say_place);
    return (result.updated ? "u" : "-") + result.failures;
  };
  divide_work(scripts.size(), options.jobs, kGoldenLimit, work, [&](std::size_t i, const WorkResult& result) {
    const std::string failures = result.finished ? result.text.substr(1) : describe_end(scripts[i], result);
    if (result.finished && result.text[0] == 'u') write_output("updated {}\n", printable(scripts[i]));
    if (failures.empty()) return;
    ++failed;
    write_output("FAILED {}\n", failures);
    flush_output();
  });
  write_output("{} passed, {} failed\n", scripts.size() - failed, failed);
  return failed == 0 ? 0 : 1;
}

}  // namespace

const Command kTestCommand = {
    .name = "test",
    .summary = "Run scripts that carry their own output, and compare",
    .details =
        "Without files the scripts of this folder. A script says what it prints, and under what:\n"
        "  #: meshes  \"\" \"all:4\" \"rows:2;cols:3\"   every combination of these must print the same;\n"
        "  #: layouts \"\" \"batch:all\"               \"\" is no mesh (one axis, all) and the layout {}\n"
        "  #: ranks   1 2 4                       more than one are started with mpirun\n"
        "  #> 30                                  below a statement: a line that it prints\n"
        "  #! unknown_name: batsh                 below a line that must be refused: kind, and part of the message\n"
        "Combinations in which a layout names an axis that the mesh lacks, or the mesh has fewer processors than\n"
        "there are ranks, are left out; each mesh and each layout must run at least once. A script without `#>` and\n"
        "`#!` must end well and print the same everywhere. --update writes what the script prints now, or how it is\n"
        "refused, and changes nothing else. A run may take 60 s. Exit status 1 if a script failed.\n"
        "\n"
        "Examples:\n"
        "  mtf test tests/scripts\n"
        "  mtf test --update tests/scripts/einsum.mtf\n",
    .declare = [](OptionParser& parser, ProgramOptions&) -> std::function<int()> {
      auto options = std::make_shared<Options>();
      parser.words("paths", options->paths, "Scripts, or folders of scripts", false);
      parser.flag("--update", options->update, "Rewrite the expectations that changed");
      parser.number("-j,--jobs", options->jobs, "N", "Scripts at once (default: 2)");
      return [options] { return test(*options); };
    }};

}  // namespace mtf::tool
