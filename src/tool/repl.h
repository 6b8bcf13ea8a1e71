#pragma once
// The read-eval-print loop: a session, and what reads its entries.
#include <atomic>
#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "eval/session.h"
#include "exec/engine.h"

namespace mtf::tool {

class Repl {
 public:
  /// Reports and what is printed go to `out`, errors to `err`.
  Repl(Settings settings, EngineOptions options, std::ostream& out, std::ostream& err);

  /// One entry: statements, an expression, or a command such as `:help`. False if it was wrong; the session is then
  /// as it was. Throws OutputError.
  bool enter(const std::string& entry);
  /// Ends the statement under way at its next statement, turn of a loop or cut; a second time, the process. A signal
  /// handler may call it.
  void interrupt();
  /// `:quit` was entered.
  bool done() const { return done_; }
  /// Words that `beginning` could become: names, operations, members of modules, and commands after `:`.
  std::vector<std::string> complete(const std::string& beginning) const;

 private:
  friend struct ReplCommands;
  bool command(const std::string& line);

  Engine engine_;
  Session session_;
  std::ostream& out_;
  std::ostream& err_;
  bool done_ = false;
  std::atomic<int> interrupts_ = 0;  ///< since the statement under way began
};

}  // namespace mtf::tool
