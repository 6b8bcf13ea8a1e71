#pragma once
// A session: one program that is being written, either a whole file or the entries of a prompt.
//
// The same evaluator checks and runs. Checking is evaluating without computing: tensors have types and layouts but no
// numbers, host values that come from tensors are unknown, both branches of an unknown condition are walked, and errors
// are collected instead of thrown.
//
// A session answers questions with records, and a question does not change the session. A process may have several
// sessions, on as many threads. Sessions on one execution, or on runtimes of several ranks, take turns.
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
#include "support/interrupt.h"

namespace mtf::eval {
struct HostValue;  // eval/host_value.h
}
namespace mtf::graph {
struct Value;  // graph/graph.h
}

namespace mtf::cost {
struct MachineModel;  // cost/machine.h
}

namespace mtf::session {

/// Fails unless the data is a valid tensor: valid dims, each once, the right number of bytes, and bools of 0 or 1.
void check_given(const plan::HostView& data);

class Session {
 public:
  /// `execution` computes, or plans if its runtime has no numbers. If it is null, the session only checks. `out` gets
  /// the output of `print` (of rank 0).
  Session(eval::Settings settings, plan::Execution* execution, std::ostream& out);
  ~Session();

  /// Ends the current computation at its next statement, loop iteration or cut, with a UserError of kind interrupted.
  /// Does nothing if nothing runs. A signal handler or another thread may call it.
  void interrupt();
  /// The request that interrupt() makes, for what works on behalf of the session.
  const Interrupt& interrupt_request() const;
  /// Forgets an earlier call of interrupt().
  void forget_interrupt();

  /// Checks the file without computing. Returns all errors and warnings, ordered by position.
  static Diagnostics check_file(const std::string& path, const eval::Settings& settings);
  static Diagnostics check_text(const std::string& name, const std::string& text, const eval::Settings& settings);
  /// Checks a script that is to be loaded: it sees the names of the session. Does not change the session.
  Diagnostics check_here(const std::string& name, const std::string& text);

  /// Runs a file that has been checked. Throws UserError.
  void run_file(const std::string& path);
  void run_text(const std::string& name, const std::string& text);

  /// Checks and runs one entry of the prompt, which may hold several statements. Throws UserError, and leaves the
  /// session as it was before the failing statement. A bare expression is allowed. A statement that ends in `;` reports
  /// nothing. Messages use `name` for the entry; without a name, entries are numbered. An interrupted loop keeps the
  /// effects of its finished iterations.
  std::vector<EntryReport> execute(const std::string& text, const std::string& name = {});
  /// Runs a script as one program, as a run of the file does, and reports nothing. Its names stay in the session. A
  /// value that the script did not need is computed when it is asked for (eval/set_aside.h). `without_loops` leaves out
  /// each `for` or `while` at the top level that computes with tensors.
  void load(const std::string& text, const std::string& name, bool without_loops);
  /// Returns the mesh or layout that `use` would bring into force: a name, `[rows: 2]`, `{batch -> rows}`. Changes
  /// nothing.
  eval::InForce mesh_or_layout(const std::string& text, const std::string& name = "<use>");
  /// Brings `what` into force, and reshards the session's values to the new mesh and layout. Reports each value that it
  /// moved, and the cost. Counts as an entry.
  std::vector<EntryReport> use(const eval::InForce& what, const std::string& name);
  /// Returns the executed entries that were not undone.
  const std::vector<Entry>& entries() const;
  /// Undoes the last `entries` entries that changed something, and all entries after them: their bindings, assignments
  /// and `use`, but not printed output or written files. Returns how many entries it undid.
  int64_t undo(int64_t entries = 1);
  /// True if there are older entries that can no longer be undone.
  bool has_older_entries() const;
  /// Stops remembering entries, which then cannot be undone. Frees the values that entries replaced.
  void remember_nothing();
  /// From now on `_` is the value of the last reported bare expression.
  void keep_last_value();
  /// Describes an expression without computing it, also under an assumption.
  KnownName what_is(const std::string& expression, const std::string& name = "<type>",
                    const Assumption& assumption = {});
  /// Returns the layout of an expression's value without computing it. For a model, returns the layouts of its params
  /// by their paths, in the order of declaration.
  std::vector<std::pair<std::string, eval::LaidOut>> lies(const std::string& expression);
  /// Returns the gathered value of an expression that is a tensor, or a number of the host (as f64 without dims).
  plan::HostTensor read(const std::string& expression, const std::string& name = "<read>");
  /// The same without a copy if one block holds the whole value: the data is then the session's memory. `memory` keeps
  /// the data from being overwritten.
  struct Shown {
    plan::HostView tensor;
    std::shared_ptr<const void> memory;
    bool is_copy = false;
  };
  Shown show(const std::string& expression, const std::string& name = "<read>");
  Shown show(const graph::Value& tensor, Span span = {});
  /// Returns the value of an expression. Its tensors may still be pending.
  eval::HostValue value(const std::string& expression, const std::string& name = "<read>");
  /// Binds a name to a value, as `let` does. Fails (bad_value) if `name` is no name.
  void bind(const std::string& name, eval::HostValue value);
  /// Declares the dims that the session lacks. Fails with size_conflict if it has one of another size.
  void declare_dims(const Dims& dims);
  /// Calls a function of the session, and computes the tensors of the result. On an error takes back its effects.
  eval::HostValue call(const eval::HostValue& function, std::vector<eval::HostValue> arguments);
  /// Makes a tensor that holds the data, with the layout of the rules in force.
  eval::HostValue given(const plan::HostView& data);
  /// Binds a name to a copy of a tensor, as `let` does, with the layout of the rules in force. If `target` leads to a
  /// param or state (`net.w`), or is a name bound to one, assigns it as `:=` does. Declares dims that the session
  /// lacks. Fails with size_conflict if the session has a dim of another size, and with size_mismatch if the number of
  /// bytes is wrong.
  void set(const std::string& target, const plan::HostView& data);
  /// Plans statements without computing, and without a change to the session. Under an assumption the plan uses copies
  /// of the session's values with the assumed layout (session/stand_in.h). `record` receives the computation. With
  /// `machine`, each part has its time. Stops if
  /// interrupt() has been called since forget_interrupt(). Throws UserError, also if the session's values do not fit
  /// the assumption.
  Planned plan(const std::string& text, const std::string& name = "<plan>", const Assumption& assumption = {},
               std::shared_ptr<plan::ProgramRecord> record = nullptr, const cost::MachineModel* machine = nullptr);
  /// Returns the names that fit at a position, for completion: bindings, operations, members after `name.`.
  std::vector<KnownName> known_names(const std::string& prefix) const;
  /// Returns the memory of the variables that were declared so far.
  eval::StoredVariables stored_variables() const;
  /// Returns the results of a planned program that nothing reads.
  const std::vector<eval::Unread>& unread() const;
  /// Returns the axes of the mesh in force.
  std::vector<Axis> axes() const;
  /// Returns the named values of the session, also under an assumption, in the order in which they were bound.
  std::vector<HeldName> held(const Assumption& assumption = {}) const;
  /// Returns the params and states of a model's instance, of a list's elements, or of one variable. Computes nothing
  /// else.
  std::vector<HeldVariable> variables(const std::string& expression, const std::string& name = "<variables>");
  /// Sets an option or dim that is declared later, as `--set name=text` does.
  void give_option(const std::string& name, const std::string& text);
  const eval::Settings& settings() const;
  /// The mesh and the layout in force.
  const Mesh& mesh() const;
  const Layout& layout() const;

  /// Sets a callback for each warning of the evaluation. It gets a warning once for each kind and position.
  void on_warning(std::function<void(const Diagnostic&)> callback);
  /// Warns if the layout in force names axes that the mesh in force lacks. Entries that bring one into force warn by
  /// themselves.
  void warn_of_layout();
  /// Marks warnings as already reported by a check of the same text.
  void have_been_told(const Diagnostics& warnings);
  void on_progress(std::function<void(const eval::Progress&)> callback);
  /// Sets a callback after each top-level statement, with its cost (plan, REPL).
  void on_statement(std::function<void(const eval::StatementReport&)> callback);
  /// Sets a callback at each cut, so that `mtf trace` can print the stages.
  void on_cut(std::function<void(Span)> callback);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mtf::session
