#pragma once
// The read-eval-print loop: a session, and what reads its entries.
#include <atomic>
#include <cstdint>
#include <iosfwd>
#include <string>

#include "eval/session.h"
#include "exec/engine.h"
#include "line_editor/line_editor.h"

namespace mtf::tool {

/// Whether an entry cannot end here: a bracket is open, or the last line goes on.
bool wants_more(const std::string& entry);

class Repl {
 public:
  /// Reports and what is printed go to `out`, errors to `err`.
  Repl(Settings settings, EngineOptions options, std::ostream& out, std::ostream& err);

  /// One entry: statements, an expression, a command such as `:help`, or `?name`. False if it was wrong; the session is then
  /// as it was. Throws OutputError.
  bool enter(const std::string& entry);
  /// Reports, and errors, are in colours from now on.
  void use_colours(bool in_reports, bool in_errors) {
    colours_reports_ = in_reports;
    colours_errors_ = in_errors;
  }
  /// The number of the next entry, by which messages call it; each that is not blank has one.
  std::int64_t number() const { return number_; }
  /// Ends the statement under way at its next statement, turn of a loop or cut; a second time, the process. A signal
  /// handler may call it.
  void interrupt();
  /// `:quit` was entered.
  bool done() const { return done_; }
  /// What the word that ends at the cursor could become.
  line_editor::Completions complete(const std::string& entry, std::size_t cursor) const;

 private:
  friend struct ReplCommands;
  bool command(const std::string& line);
  void execute(const std::string& text);
  std::string name_of_entry() const;

  Engine engine_;
  Session session_;
  std::ostream& out_;
  std::ostream& err_;
  std::int64_t number_ = 1;
  bool done_ = false, colours_reports_ = false, colours_errors_ = false;
  std::atomic<int> interrupts_ = 0;  ///< since the statement under way began
};

}  // namespace mtf::tool
