#include <memory>

#include "session/session.h"
#include "support/printable.h"
#include "support/text.h"
#include "tool/commands/commands.h"
#include "tool/shell/launch.h"
#include "tool/shell/output.h"
#include "tool/shell/script.h"

namespace mtf::tool {
namespace {

struct CheckOptions {
  std::vector<std::string> files;
  bool verbose = false;
};

Diagnostics check_file(const std::string& file, const eval::Settings& settings) {
  Diagnostics found;
  found.attempt([&] {
    const Script script = read_script(file);
    found = session::Session::check_text(script.name, script.text, settings);
  });
  return found;
}

int check(const CheckOptions& options, const ProgramOptions& program) {
  const eval::Settings settings = settings_of(program, launch().ranks);
  int status = 0;
  bool first = true;
  for (const std::string& file : options.files) {
    const Diagnostics found = check_file(file, settings);
    if (!found.empty() && !std::exchange(first, false)) report("\n", ExitCode::kSuccess);
    if (!found.empty()) report(found);
    if (options.verbose && !found.has_errors() && launch().rank == 0) write_output("{}: ok\n", printable(file));
    if (status == 0) status = static_cast<int>(found.exit_code());
  }
  return status;
}

}  // namespace

const Command kCheckCommand = {
    .name = "check",
    .summary = "Check scripts without computing anything",
    .details =
        "Names, shapes, layouts, calls and sizes are checked under the mesh and the layout that the script declares "
        "or\n"
        "that are given here. Errors and warnings go to standard error; a script without either prints nothing.\n"
        "The exit status is that of the first error.\n"
        "\n"
        "Examples:\n"
        "  mtf check two_layer.mtf\n"
        "  mtf check two_layer.mtf --mesh \"all:512\" --layout \"batch:all\"\n",
    .declare = [](OptionParser& parser, ProgramOptions& program) -> std::function<int()> {
      auto options = std::make_shared<CheckOptions>();
      parser.words("files", options->files, "The scripts, or - for standard input", true);
      parser.flag("-v,--verbose", options->verbose, "Name each script that is right");
      add_program_options(parser, program);
      return [options, &program] { return check(*options, program); };
    }};

}  // namespace mtf::tool
