#pragma once
// The commands of `mtf`: one list, which parsing, `--help`, `mtf help` and the suggestions read.
//
// A command's file defines its record. `declare` adds the command's options to the parser. It returns a function that
// runs the command with the parsed options and returns the exit status.
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tool/shell/option_parser.h"
#include "tool/shell/program_options.h"

namespace mtf::tool {

struct Command {
  std::string_view name = {};
  std::string_view summary = {};  ///< a sentence for the list of commands
  std::string_view details = {};  ///< the text below the options in its help: examples, meanings of statuses
  /// `program` has the options that may also precede the command.
  std::function<int()> (*declare)(OptionParser& parser, ProgramOptions& program) = nullptr;
};

extern const Command kRunCommand;        // run_command.cpp
extern const Command kCheckCommand;      // check_command.cpp
extern const Command kPlanCommand;       // plan_command.cpp
extern const Command kDrawCommand;       // draw_command.cpp
extern const Command kCurveCommand;      // curve_command.cpp
extern const Command kCompareCommand;    // compare_command.cpp
extern const Command kSearchCommand;     // search_command.cpp
extern const Command kCalibrateCommand;  // calibrate_command.cpp
extern const Command kTraceCommand;      // trace_command.cpp
extern const Command kTestCommand;       // test_command.cpp
extern const Command kFmtCommand;        // fmt_command.cpp
extern const Command kLspCommand;        // lsp_command.cpp
extern const Command kHelpCommand;       // help_command.cpp
extern const Command kReferenceCommand;  // reference_command.cpp
extern const Command kEditorsCommand;    // editors_command.cpp

/// Returns the commands in the order of the help.
std::span<const Command* const> all_commands();
const Command* find_command(std::string_view name);
std::vector<std::string> command_names();

/// Parses the whole command line, runs the command, and reports its exceptions. Returns the exit status.
int run_command_line(int count, const char* const* words);

/// Returns the text of `mtf --help`.
std::string overview();
/// Returns the text of `mtf COMMAND --help`.
std::string help_of(const Command& command);

/// Runs the read-eval-print loop.
int run_repl(const ProgramOptions& program);

}  // namespace mtf::tool
