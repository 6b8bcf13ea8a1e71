#pragma once
// The read-eval-print loop: a session, and the reader of its entries.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <set>
#include <string>

#include "line_editor/line_editor.h"
#include "run/mpi_runtime.h"
#include "session/session.h"
#include "tool/present/tensor_table.h"

namespace mtf::tool {

/// True if an entry cannot end here: a bracket is open, or its last line continues.
bool wants_more(const std::string& entry);

/// The display settings of the prompt, which `:set` changes.
struct ReplOptions {
  bool pager = true;         ///< long output goes through a pager, at a terminal
  bool progress = true;      ///< loops show their progress, at a terminal
  std::int64_t rows = 0;     ///< rows of a printed tensor; 0: as many as the terminal has
  std::int64_t columns = 0;  ///< of the screen; 0: the terminal's
  std::int64_t digits = 6;   ///< of a number
};

class Repl {
 public:
  /// Reports and printed output go to `out`, errors to `err`.
  Repl(eval::Settings settings, run::MpiRuntimeOptions options, std::ostream& out, std::ostream& err);

  /// Runs one entry: statements, an expression, a command such as `:help`, or `?name`. Returns false after an error,
  /// which leaves the session as it was. Throws OutputError.
  bool enter(const std::string& entry);
  /// Sets the function that draws the printed losses, for `:plot`.
  void on_plot(std::function<std::string(std::size_t columns, std::size_t rows)> plot) { plot_ = std::move(plot); }
  /// Sets the function that shows a status line, which the next output erases.
  void on_status(std::function<void(const std::string&)> show) { show_status_ = std::move(show); }
  /// Sets the functions that get reports and errors (and warnings) in the place of their texts.
  void on_report(std::function<void(const session::EntryReport&)> show) { show_report_ = std::move(show); }
  void on_wrong(std::function<void(const Diagnostic&)> show) { show_wrong_ = std::move(show); }
  /// Sets the function that gets plans, explanations and searches as text and as JSON, in the place of their texts.
  using ShowAnswer = std::function<void(const std::string& text, const std::string& json)>;
  void on_answer(ShowAnswer show) { show_answer_ = std::move(show); }
  /// Says that standard output is a terminal: long output is paged, and tables fit it.
  void at_terminal() { at_terminal_ = true; }
  /// Turns on colours in reports and in errors.
  void use_colours(bool in_reports, bool in_errors) {
    colours_reports_ = in_reports;
    colours_errors_ = in_errors;
  }
  /// Returns the number of the next entry, for messages. Every entry that is not blank has a number.
  std::int64_t number() const { return number_; }
  /// Ends the current statement as soon as possible. A signal handler may call it.
  void interrupt();
  /// True after `:quit`.
  bool done() const { return done_; }
  /// Returns completions of the word that ends at the cursor.
  line_editor::Completions complete(const std::string& entry, std::size_t cursor) const;

  // ---- for the commands (tool/prompt/repl_commands.h) ---------------------------------------------------------------
  session::Session& session() { return session_; }
  const plan::Execution& execution() const { return execution_; }
  const eval::Settings& settings() const { return session_.settings(); }
  ReplOptions& options() { return options_; }
  /// Returns the name of the current entry for errors: `<18>`.
  std::string name_of_entry() const;
  /// Runs statements of the current entry, and reports on them.
  void execute(const std::string& text);
  /// Reports an error or a warning.
  void say_wrong(const Diagnostic& wrong);
  /// Prints the output of a command, through the pager if it is long.
  void say(const std::string& text);
  /// Prints an answer that is also a record; `json` returns the record as JSON.
  void answer(const std::string& text, const std::function<std::string()>& json);
  /// Shows the progress of a command.
  void show_status(const std::string& text) const {
    if (show_status_ && options_.progress) show_status_(text);
  }
  /// True if Ctrl-C was typed since the entry began.
  bool is_interrupted() const { return interrupts_ > 0; }
  /// Ends the prompt.
  void leave() { done_ = true; }
  /// The argument of `:reload`.
  struct Loaded {
    std::string path;
    bool without_loops = false;
  };
  Loaded& last_loaded() { return last_loaded_; }
  /// The absolute paths of the files that `:save` has written.
  std::set<std::string>& saved_files() { return saved_files_; }
  std::string plot() const { return plot_ ? plot_(columns(), std::min<std::size_t>(rows() - 4, 20)) : ""; }
  /// Columns and rows of the screen.
  std::size_t columns() const;
  std::size_t rows() const;
  /// The room for a printed tensor.
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
  std::set<std::string> saved_files_;
  std::function<std::string(std::size_t, std::size_t)> plot_;
  std::function<void(const std::string&)> show_status_;
  std::function<void(const session::EntryReport&)> show_report_;
  std::function<void(const Diagnostic&)> show_wrong_;
  ShowAnswer show_answer_;
  std::int64_t number_ = 1;
  bool done_ = false, at_terminal_ = false, colours_reports_ = false, colours_errors_ = false;
  std::atomic<int> interrupts_ = 0;  ///< since the current statement began
};

}  // namespace mtf::tool
