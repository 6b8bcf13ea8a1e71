// `mtf` without a command: where the REPL's entries come from.

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <iostream>
#include <memory>

#include "support/diagnostics.h"
#include "syntax/parse.h"
#include "tool/commands.h"
#include "tool/launch.h"
#include "tool/line_editor.h"
#include "tool/output.h"
#include "tool/program_output.h"
#include "tool/repl.h"

namespace mtf::tool {
namespace {

// What Ctrl-C is for: a handler of signals can be given nothing else.
std::atomic<Repl*> repl_of_terminal = nullptr;

extern "C" void on_repl_interrupt(int) {
  if (Repl* const repl = repl_of_terminal) repl->interrupt();
}

// $MTF_HISTORY, empty for none; or ~/.mtf_history.
std::string history_file() {
  if (const char* file = std::getenv("MTF_HISTORY")) return file;
  const char* home = std::getenv("HOME");
  return home == nullptr ? "" : std::string(home) + "/.mtf_history";
}

// Commands are one line each, whatever they contain.
bool wants_more(const std::string& entry) {
  const std::size_t first = entry.find_first_not_of(" \t\n");
  return first != std::string::npos && entry[first] != ':' && is_incomplete(entry);
}

// While it is there, Ctrl-C interrupts what the REPL does. At the prompt that is the reading of the line: no SA_RESTART.
class InterruptsStatements {
 public:
  explicit InterruptsStatements(Repl& repl) {
    repl_of_terminal = &repl;
    struct sigaction action{};
    action.sa_handler = on_repl_interrupt;
    sigaction(SIGINT, &action, nullptr);
  }
  ~InterruptsStatements() { repl_of_terminal = nullptr; }
  InterruptsStatements(const InterruptsStatements&) = delete;
  InterruptsStatements& operator=(const InterruptsStatements&) = delete;
};

int at_terminal(Repl& repl) {
  LineEditor editor(history_file(), [&](const std::string& word) { return repl.complete(word); });
  const InterruptsStatements interrupts(repl);
  write_output("mtf {}   :help lists commands and operations, Ctrl-D leaves\n", MTF_VERSION);
  flush_output();
  std::string entry, line;
  while (!repl.done()) {
    const LineEditor::Result result = editor.read(entry.empty() ? "mtf> " : "...> ", line);
    if (result == LineEditor::Result::kEnd) break;
    if (result == LineEditor::Result::kInterrupted) {
      entry.clear();
      repl.enter("");
      continue;
    }
    entry += (entry.empty() ? "" : "\n") + line;
    if (wants_more(entry)) continue;
    if (entry.find_first_not_of(" \t\n") != std::string::npos) editor.remember(entry);
    repl.enter(entry);
    entry.clear();
  }
  return 0;
}

int from_pipe(Repl& repl) {
  bool all_right = true;
  std::string entry, line;
  while (!repl.done() && std::getline(std::cin, line)) {
    entry += (entry.empty() ? "" : "\n") + line;
    if (wants_more(entry)) continue;
    all_right = repl.enter(entry) && all_right;
    entry.clear();
  }
  if (!entry.empty()) all_right = repl.enter(entry) && all_right;
  return all_right ? 0 : 1;
}

}  // namespace

int run_repl(const ProgramOptions& program) {
  if (launch().is_one_of_several()) {
    fail(Diagnostic(Kind::bad_usage, {}, "the REPL cannot be a rank: under mpirun there is no terminal to read from")
             .help("`mpirun -n 4 mtf run FILE` runs a script on ranks")
             .help("`mtf --mesh \"all:4\"` alone is a REPL whose one process hosts four processors"));
  }
  ProgressBar no_bar(false);
  ProgramOutput output(no_bar);
  Repl repl(settings_of(program, 1), engine_options_of(program), output.stream(), std::cerr);
  const int status = isatty(STDIN_FILENO) != 0 ? at_terminal(repl) : from_pipe(repl);
  output.finish();
  return status;
}

}  // namespace mtf::tool
