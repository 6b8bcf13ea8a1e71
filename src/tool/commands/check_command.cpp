#include <memory>

#include "session/session.h"
#include "support/printable.h"
#include "support/text.h"
#include "tool/commands/commands.h"
#include "tool/present/message_json.h"
#include "tool/shell/launch.h"
#include "tool/shell/output.h"
#include "tool/shell/script.h"

namespace mtf::tool {
namespace {

struct CheckOptions {
  std::vector<std::string> files;
  bool verbose = false;
  bool json = false;
  bool sarif = false;
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
  const bool as_text = !options.json && !options.sarif, tells = launch().rank == 0;
  std::vector<Diagnostic> all;
  int status = 0;
  bool first = true;
  for (const std::string& file : find_scripts_in_each(options.files, "script, NAME.mtf,")) {
    const Diagnostics found = check_file(file, settings);
    if (as_text && !found.empty()) {
      if (!std::exchange(first, false)) report("\n", ExitCode::kSuccess);
      report(found);
    }
    if (options.json && tells)
      for (const Diagnostic& diagnostic : found.list()) write_output(message_json(diagnostic));
    if (options.sarif) all.insert(all.end(), found.list().begin(), found.list().end());
    if (options.verbose && !found.has_errors() && tells) write_output("{}: ok\n", printable(file));
    if (status == 0) status = static_cast<int>(found.exit_code());
  }
  if (options.sarif && tells) write_output(sarif(all));
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
        "Of a folder all scripts are checked. The exit status is that of the first error.\n"
        "--json prints each error and warning as an object on a line of standard output: kind, is_error, message,\n"
        "place (file, line, column, end_line, end_column, label), related places, notes, helps, fixes with their "
        "edits, and the whole text.\n"
        "\n"
        "Examples:\n"
        "  mtf check two_layer.mtf\n"
        "  mtf check examples --sarif > checked.sarif\n"
        "  mtf check two_layer.mtf --mesh \"all:512\" --layout \"batch:all\"\n",
    .declare = [](OptionParser& parser, ProgramOptions& program) -> std::function<int()> {
      auto options = std::make_shared<CheckOptions>();
      parser.words("files", options->files, "Scripts, folders of scripts, or - for standard input", true);
      parser.flag("-v,--verbose", options->verbose, "Name each script that is right");
      parser.flag("--json", options->json, "Print what is wrong as JSON, an object a line");
      parser.flag("--sarif", options->sarif, "Print what is wrong as one document of SARIF 2.1.0, for servers");
      parser.excludes("--json", {"--sarif", "--verbose"});
      parser.excludes("--sarif", {"--verbose"});
      add_program_options(parser, program);
      return [options, &program] { return check(*options, program); };
    }};

}  // namespace mtf::tool
