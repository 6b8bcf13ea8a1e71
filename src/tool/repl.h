#pragma once
// The read-eval-print loop: a session, and what reads its entries.
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
  /// as it was.
  bool enter(const std::string& entry);
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
};

/// Ctrl-C while a statement runs; the next cut or turn of a loop ends it. A second one ends the process.
void interrupt_statement();

}  // namespace mtf::tool
