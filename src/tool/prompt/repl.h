#pragma once
// The read-eval-print loop: a session, and what reads its entries.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>

#include "line_editor/line_editor.h"
#include "run/mpi_runtime.h"
#include "session/session.h"
#include "tool/present/tensor_table.h"

namespace mtf::tool {

/// Whether an entry cannot end here: a bracket is open, or the last line goes on.
bool wants_more(const std::string& entry);

/// What `:set` changes: how the prompt shows things.
struct ReplOptions {
  bool pager = true;         ///< long output goes through a pager, at a terminal
  bool progress = true;      ///< loops show how far they are, at a terminal
  std::int64_t rows = 0;     ///< of what is shown of a tensor; 0: as many as the terminal has
  std::int64_t columns = 0;  ///< of the screen; 0: the terminal's
  std::int64_t digits = 6;   ///< of a number
};

class Repl {
 public:
  /// Reports and what is printed go to `out`, errors to `err`.
  Repl(eval::Settings settings, run::MpiRuntimeOptions options, std::ostream& out, std::ostream& err);

  /// One entry: statements, an expression, a command such as `:help`, or `?name`. False if it was wrong; the session is
  /// then as it was. Throws OutputError.
  bool enter(const std::string& entry);
  /// What draws the losses that were printed, for `:plot`.
  void on_plot(std::function<std::string(std::size_t columns, std::size_t rows)> plot) { plot_ = std::move(plot); }
  /// What shows a line that is erased before anything else is said.
  void on_status(std::function<void(const std::string&)> show) { show_status_ = std::move(show); }
  /// Standard output is a terminal: long output is paged, and tables fit it.
  void at_terminal() { at_terminal_ = true; }
  /// Reports, and errors, are in colours from now on.
  void use_colours(bool in_reports, bool in_errors) {
    colours_reports_ = in_reports;
    colours_errors_ = in_errors;
  }
  /// The number of the next entry, by which messages call it; each that is not blank has one.
  std::int64_t number() const { return number_; }
  /// Ends the statement under way as soon as it can. A signal handler may call it.
  void interrupt();
  /// `:quit` was entered.
  bool done() const { return done_; }
  /// What the word that ends at the cursor could become.
  line_editor::Completions complete(const std::string& entry, std::size_t cursor) const;

  // ---- for the commands (tool/prompt/repl_commands.h) ---------------------------------------------------------------
  session::Session& session() { return session_; }
  const plan::Execution& execution() const { return execution_; }
  const eval::Settings& settings() const { return session_.settings(); }
  ReplOptions& options() { return options_; }
  /// What errors call the entry under way: `<18>`.
  std::string name_of_entry() const;
  /// Statements of the entry under way, with what is said of them.
  void execute(const std::string& text);
  /// An error or a warning.
  void say_wrong(const Diagnostic& wrong);
  /// What a command has to say, through the pager where it is long.
  void say(const std::string& text);
  /// How far a command is.
  void show_status(const std::string& text) const {
    if (show_status_ && options_.progress) show_status_(text);
  }
  /// Ctrl-C was typed since the entry began.
  bool is_interrupted() const { return interrupts_ > 0; }
  /// Ends the prompt.
  void leave() { done_ = true; }
  /// What `:reload` loads.
  struct Loaded {
    std::string path;
    bool without_loops = false;
  };
  Loaded& last_loaded() { return last_loaded_; }
  std::string plot() const { return plot_ ? plot_(columns(), std::min<std::size_t>(rows() - 4, 20)) : ""; }
  /// Columns and rows of the screen.
  std::size_t columns() const;
  std::size_t rows() const;
  /// For what is shown of a tensor.
  Room room() const;

 private:
  bool command(const std::string& line);

  run::MpiRuntime runtime_;
  plan::Execution execution_;
  session::Session session_;
  std::ostream& out_;
  std::ostream& err_;
  ReplOptions options_;
  Loaded last_loaded_;
  std::function<std::string(std::size_t, std::size_t)> plot_;
  std::function<void(const std::string&)> show_status_;
  std::int64_t number_ = 1;
  bool done_ = false, at_terminal_ = false, colours_reports_ = false, colours_errors_ = false;
  std::atomic<int> interrupts_ = 0;  ///< since the statement under way began
};

}  // namespace mtf::tool
