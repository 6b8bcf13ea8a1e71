#pragma once
// A session: one program being written, a file from end to end or the entries of a prompt one by one.
//
// The same evaluator checks and runs. Checking is evaluating without computing: tensors have types and layouts but
// no numbers, host values that come from tensors are unknown, both branches of an unknown condition are walked, and
// errors are collected instead of thrown.
//
// What a session is asked it answers with records, and is then as it was. A process may have several sessions, on as
// many threads; those on one execution, or on runtimes of several ranks, take turns.
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "eval/reports.h"
#include "eval/settings.h"
#include "eval/stored_variables.h"
#include "plan/execution.h"
#include "session/entry.h"
#include "session/held.h"
#include "session/known_names.h"
#include "session/planned.h"
#include "support/diagnostics.h"

namespace mtf::session {

class Session {
 public:
  /// `execution` computes, or plans where its runtime knows no numbers; null to check only. `out` gets what `print`
  /// prints (rank 0's).
  Session(eval::Settings settings, plan::Execution* execution, std::ostream& out);
  ~Session();

  /// Ends what is under way at its next statement, turn of a loop or cut, with a UserError of kind interrupted; does
  /// nothing if nothing is. A signal handler or another thread may call it.
  void interrupt();
  /// Nobody has asked for that yet.
  void forget_interrupt();

  /// Checks the file without computing; all errors and warnings found are in the result, in order of place.
  static Diagnostics check_file(const std::string& path, const eval::Settings& settings);
  static Diagnostics check_text(const std::string& name, const std::string& text, const eval::Settings& settings);
  /// The same of a script that is to be loaded: it sees the names of the session, which is as before.
  Diagnostics check_here(const std::string& name, const std::string& text);

  /// Runs a file (which has been checked); throws UserError.
  void run_file(const std::string& path);
  void run_text(const std::string& name, const std::string& text);

  /// One REPL entry, which may hold several statements: checks it, then runs it. Throws UserError and leaves the
  /// session as it was before the failing statement. A bare expression is allowed; a statement that ends in `;`
  /// reports nothing.
  /// Messages call it `name`; without one they number the entries. Of a loop that is interrupted, what its ended turns
  /// have done stays.
  std::vector<EntryReport> execute(const std::string& text, const std::string& name = {});
  /// Runs a script as if its statements had been entered, but as one program: it reports nothing, and computes what a
  /// run of it does. What its names stand for is there afterwards; what nothing has needed is computed when it is asked
  /// for (eval/set_aside.h). `without_loops`: a `for` or `while` at its top level that computes with tensors is left
  /// out.
  void load(const std::string& text, const std::string& name, bool without_loops);
  /// What `use` in front of a text would bring into force: a name, `[rows: 2]`, `{batch -> rows}`. Changes nothing.
  eval::InForce mesh_or_layout(const std::string& text, const std::string& name = "<use>");
  /// Brings it into force, and moves what the session holds to the mesh and layout that are then in force: reports each
  /// value that it moved, and what that cost. An entry.
  std::vector<EntryReport> use(const eval::InForce& what, const std::string& name);
  /// The entries that have been carried out and not been taken back.
  const std::vector<Entry>& entries() const;
  /// Takes back the last entries that have changed something, and what was entered behind them: what they bound,
  /// assigned and brought into force, not what they printed or wrote. Returns how many.
  int64_t undo(int64_t entries = 1);
  /// Of entries before those that can be taken back, what they replaced is kept no more.
  bool has_older_entries() const;
  /// From here on entries that have ended are not remembered, and cannot be taken back: what they replaced is let go.
  void remember_nothing();
  /// From now on `_` is the value of the last bare expression that was reported.
  void keep_last_value();
  /// What an expression is, computing nothing, or would be under an assumption.
  KnownName what_is(const std::string& expression, const std::string& name = "<type>",
                    const Assumption& assumption = {});
  /// Where the value of an expression lies, computing nothing; of a model, its params, each by its path, in the order
  /// of declaration.
  std::vector<std::pair<std::string, eval::LaidOut>> lies(const std::string& expression);
  /// The whole value of an expression that is a tensor, or a number of the host (as f64 without dims).
  plan::HostTensor read(const std::string& expression, const std::string& name = "<read>");
  /// The same, in the session's own memory where a block is the whole, else in a copy. What `memory` holds is not
  /// written over.
  struct Shown {
    plan::HostView tensor;
    std::shared_ptr<const void> memory;
    bool is_copy = false;
  };
  Shown show(const std::string& expression, const std::string& name = "<read>");
  /// Binds a name to a copy of a tensor, as `let` does, laid out by the rules in force; or assigns it, as `:=` does, to
  /// what `target` leads to (`net.w`), or to the param or state that the name is bound to. Dims that the session does
  /// not have are declared. Fails (size_conflict) if it has one of another size, and (size_mismatch) if there are not
  /// as many bytes as that takes.
  void set(const std::string& target, const plan::HostView& data);
  /// What statements would cost, computing nothing and leaving the session as it was. Under an assumption they are
  /// planned with copies of what is there, laid out by it (session/stand_in.h). `record` is given what they compute.
  /// Ends where interrupt() has been called since forget_interrupt(). Throws UserError, also where the session's values
  /// do not fit what is assumed.
  Planned plan(const std::string& text, const std::string& name = "<plan>", const Assumption& assumption = {},
               std::shared_ptr<plan::ProgramRecord> record = nullptr);
  /// Names that could stand here, for completion: bindings, operations, members after `name.`.
  std::vector<KnownName> known_names(const std::string& prefix) const;
  /// What the variables that were declared so far take.
  eval::StoredVariables stored_variables() const;
  /// Of a program that was planned: what it makes and nobody reads.
  const std::vector<eval::Unread>& unread() const;
  /// The axes of the mesh in force.
  std::vector<Axis> axes() const;
  /// What the names of the session stand for, or would under an assumption, in the order in which they were bound.
  std::vector<HeldName> held(const Assumption& assumption = {}) const;
  /// The params and states of a value: those of a model's instance, of a list's elements, or one alone. Computes
  /// nothing else.
  std::vector<HeldVariable> variables(const std::string& expression, const std::string& name = "<variables>");
  /// From here on an option or dim that is declared has this value, as if `--set name=text` had been given.
  void give_option(const std::string& name, const std::string& text);
  const eval::Settings& settings() const;
  /// The mesh and the layout in force.
  const Mesh& mesh() const;
  const Layout& layout() const;

  /// Called with each warning of what is evaluated, once for each kind and place.
  void on_warning(std::function<void(const Diagnostic&)> callback);
  /// Warns where the layout in force names axes that the mesh in force lacks; entries that bring one into force do so
  /// themselves.
  void warn_of_layout();
  /// A check of what will be evaluated has told these.
  void have_been_told(const Diagnostics& warnings);
  void on_progress(std::function<void(const eval::Progress&)> callback);
  /// Called after each top-level statement with what it cost (plan, REPL).
  void on_statement(std::function<void(const eval::StatementReport&)> callback);
  /// Called at each cut, so that `mtf trace` can print the stages.
  void on_cut(std::function<void(Span)> callback);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mtf::session
