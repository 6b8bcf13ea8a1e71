#pragma once
// The commands of `mtf`: one list, which parsing, `--help`, `mtf help` and the suggestions read.
//
// A command's file defines its record. `declare` gives the command's options to the parser and returns what runs once
// they are filled in; it returns the exit status.
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
  std::string_view details = {};  ///< what stands below the options in its help: examples, what the statuses mean
  /// `program` holds the options that may also stand before the command.
  std::function<int()> (*declare)(OptionParser& parser, ProgramOptions& program) = nullptr;
};

extern const Command kRunCommand;        // run_command.cpp
extern const Command kCheckCommand;      // check_command.cpp
extern const Command kPlanCommand;       // plan_command.cpp
extern const Command kDrawCommand;       // draw_command.cpp
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

/// In the order in which help lists them.
std::span<const Command* const> all_commands();
const Command* find_command(std::string_view name);
std::vector<std::string> command_names();

/// The whole command line: parses it, runs the command, reports what it throws. Returns the exit status.
int run_command_line(int count, const char* const* words);

/// What `mtf --help` prints.
std::string overview();
/// What `mtf COMMAND --help` prints.
std::string help_of(const Command& command);

/// The read-eval-print loop.
int run_repl(const ProgramOptions& program);

}  // namespace mtf::tool
