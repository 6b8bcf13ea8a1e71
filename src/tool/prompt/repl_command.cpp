// `mtf` without a command: the source of the REPL's entries.

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <iostream>
#include <string>

#include "line_editor/line_editor.h"
#include "support/diagnostics.h"
#include "tool/commands/commands.h"
#include "tool/prompt/message_colours.h"
#include "tool/prompt/repl.h"
#include "tool/prompt/repl_completion.h"
#include "tool/shell/launch.h"
#include "tool/shell/output.h"
#include "tool/shell/program_output.h"

namespace mtf::tool {
namespace {

// The REPL that Ctrl-C interrupts. It is global, because a signal handler has no other data.
std::atomic<Repl*> repl_of_terminal = nullptr;

extern "C" void on_repl_interrupt(int) {
  if (Repl* const repl = repl_of_terminal) repl->interrupt();
}

// Returns $MTF_HISTORY (if it is empty, there is no history), or ~/.mtf_history.
std::string history_file() {
  if (const char* file = std::getenv("MTF_HISTORY")) return file;
  const char* home = std::getenv("HOME");
  return home == nullptr ? "" : std::string(home) + "/.mtf_history";
}

// During its lifetime, Ctrl-C interrupts the REPL's statement.
class InterruptsStatements {
 public:
  explicit InterruptsStatements(Repl& repl) { repl_of_terminal = &repl; }
  ~InterruptsStatements() { repl_of_terminal = nullptr; }
  InterruptsStatements(const InterruptsStatements&) = delete;
  InterruptsStatements& operator=(const InterruptsStatements&) = delete;
};

// At the prompt Ctrl-C interrupts the read: no SA_RESTART.
void handle_interrupts() {
  struct sigaction action = {};
  action.sa_handler = on_repl_interrupt;
  sigaction(SIGINT, &action, nullptr);
}

line_editor::Options editing(const Repl& repl) {
  line_editor::Options options;
  options.is_complete = [](const std::string& entry) { return !wants_more(entry); };
  options.highlight = coloured;
  options.complete = [&](const std::string& entry, std::size_t cursor) { return repl.complete(entry, cursor); };
  options.history_file = isatty(STDIN_FILENO) != 0 ? history_file() : "";
  options.how_to_leave = "Ctrl-D or :quit leaves";
  return options;
}

// The prompt `<18> mtf> `: errors name the entry by this number.
line_editor::Prompt prompt_of(const Repl& repl) {
  const std::string first = fmt::format("<{}> mtf> ", repl.number());
  return {first, fmt::format("{:>{}}", "...> ", first.size())};
}

}  // namespace

int run_repl(const ProgramOptions& program) {
  if (launch().is_one_of_several()) {
    fail(Diagnostic(Kind::bad_usage, {}, "the REPL cannot be a rank: under mpirun there is no terminal to read from")
             .help("`mpirun -n 4 mtf run FILE` runs a script on ranks")
             .help("`mtf --mesh \"all:4\"` alone is a REPL whose one process hosts four processors"));
  }
  ProgressBar bar(isatty(STDIN_FILENO) != 0 && isatty(STDERR_FILENO) != 0);
  ProgramOutput output(bar);
  eval::Settings settings = settings_of(program, 1);
  settings.at_terminal = isatty(STDOUT_FILENO) != 0;
  Repl repl(settings, runtime_options_of(program), output.stream(), std::cerr);
  repl.session().on_progress([&](const eval::Progress& loops) {
    if (repl.options().progress) bar.update(loops, output.losses().last());
  });
  repl.on_status([&](const std::string& text) { bar.show(text); });
  repl.on_plot([&](std::size_t columns, std::size_t rows) { return plot(output.losses().curves(), columns, rows); });
  line_editor::LineEditor editor(editing(repl));
  if (editor.is_typed()) {
    handle_interrupts();
    if (isatty(STDOUT_FILENO) != 0) repl.at_terminal();
    repl.use_colours(shows_colours(STDOUT_FILENO), shows_colours(STDERR_FILENO));
    write_output("mtf {}   :help lists commands and operations, Ctrl-D leaves\n", MTF_VERSION);
  }
  bool all_right = true;
  for (std::string entry; !repl.done();) {
    flush_output();
    const line_editor::LineEditor::Result result = editor.read(prompt_of(repl), entry);
    if (result == line_editor::LineEditor::Result::kEnd) break;
    if (result == line_editor::LineEditor::Result::kInterrupted) entry.clear();
    editor.remember(entry);
    const InterruptsStatements interrupts(repl);
    output.losses().begin();
    all_right = repl.enter(entry) && all_right;
    bar.erase();
  }
  output.finish();
  return all_right || editor.is_typed() ? 0 : 1;
}

}  // namespace mtf::tool
