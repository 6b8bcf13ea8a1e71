#include <memory>

#include "support/diagnostics.h"
#include "support/printable.h"
#include "syntax/format.h"
#include "tool/commands/commands.h"
#include "tool/shell/generated_file.h"
#include "tool/shell/launch.h"
#include "tool/shell/output.h"
#include "tool/shell/script.h"

namespace mtf::tool {
namespace {

struct FmtOptions {
  std::vector<std::string> paths;
  bool check = false;
};

// Formats a script. Returns true if it was formatted already. Standard input is formatted to standard output.
bool format_script(const std::string& path, bool check) {
  const Script script = read_script(path);
  const std::string formatted = syntax::format(SourceFile::create(script.name, script.text));
  const bool is_same = formatted == script.text;
  if (check) {
    if (!is_same) write_output("{} is not formatted\n", printable(script.name));
  } else if (path == "-") {
    write_output(formatted);
  } else if (!is_same) {
    replace_file(path, formatted);
    write_output("formatted {}\n", printable(path));
  }
  return is_same;
}

// Formats all scripts; leaves a script that cannot be read as it is.
int format_all(const FmtOptions& options) {
  Diagnostics found;
  bool all_same = true;
  for (const std::string& path : find_scripts(options.paths))
    found.attempt([&] { all_same &= format_script(path, options.check); });
  if (!found.empty()) report(found);
  if (found.has_errors()) return static_cast<int>(found.exit_code());
  return options.check && !all_same ? 1 : 0;
}

}  // namespace

const Command kFmtCommand = {
    .name = "fmt",
    .summary = "Write scripts in their one form: indentation, blanks, line ends",
    .details =
        "Two spaces for each block, one around operators, and no more than one empty line. What the author decides "
        "stays:\n"
        "comments, parentheses, which statements and which parts of a bracket begin a line, and what stands under each "
        "other\n"
        "on neighbouring lines. Of folders, all scripts in them; of -, standard input to standard output.\n"
        "\n"
        "Examples:\n"
        "  mtf fmt model.mtf\n"
        "  mtf fmt --check examples stdlib      names those that are not formatted; exit status 1 if there are any\n"
        "  mtf fmt - < model.mtf\n",
    .declare = [](OptionParser& parser, ProgramOptions&) -> std::function<int()> {
      auto options = std::make_shared<FmtOptions>();
      parser.words("paths", options->paths, "Scripts, folders of scripts, or - for standard input", true);
      parser.flag("--check", options->check, "Change nothing; say which are not formatted");
      return [options] { return format_all(*options); };
    }};

}  // namespace mtf::tool
