#pragma once
// A session: one program being evaluated, a file from end to end or the statements of a REPL one by one.
//
// The same evaluator checks and runs. Checking is evaluating with the engine off: tensors have types and layouts but
// no numbers, host values that come from tensors are unknown, both branches of an unknown condition are walked, and
// errors are collected instead of thrown.
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "cost/layout_costs.h"
#include "eval/known_names.h"
#include "eval/reports.h"
#include "eval/settings.h"
#include "eval/stored_variables.h"
#include "exec/engine.h"
#include "support/diagnostics.h"

namespace mtf {

class Session {
 public:
  /// `engine` is null to check only; a dry engine plans. `out` gets what `print` prints (rank 0's).
  Session(Settings settings, Engine* engine, std::ostream& out);
  ~Session();

  /// Ends what is under way at its next statement, turn of a loop or cut, with a UserError of kind interrupted; does
  /// nothing if nothing is. A signal handler or another thread may call it.
  void interrupt();

  /// Checks the file without computing; all errors and warnings found are in the result, in order of place.
  static Diagnostics check_file(const std::string& path, const Settings& settings);
  static Diagnostics check_text(const std::string& name, const std::string& text, const Settings& settings);

  /// Runs a file (which has been checked); throws UserError.
  void run_file(const std::string& path);
  void run_text(const std::string& name, const std::string& text);

  /// One REPL entry, which may hold several statements: checks it, then runs it. Throws UserError and leaves the
  /// session as it was before the failing statement. A bare expression is allowed; a statement that ends in `;`
  /// reports nothing.
  /// Messages call it `name`; without one they number the entries.
  std::vector<StatementReport> execute(const std::string& text, const std::string& name = {});
  /// Takes back the last entry: what it bound, assigned and brought into force, not what it printed or wrote. False if there is
  /// none, if that has been done, or if it had more than 100 statements.
  bool undo();
  /// From now on `_` is the value of the last bare expression that was reported.
  void keep_last_value();
  /// The type with layout of an expression, computing nothing.
  std::string type_of(const std::string& expression, const std::string& name = "<type>");
  /// The whole value of an expression that is a tensor, or a number of the host (as f64 without dims).
  HostTensor read(const std::string& expression);
  /// What a statement would cost, computing nothing and leaving the session as it was.
  std::vector<StatementReport> plan(const std::string& text, const std::string& name = {});
  /// What a statement would cost under each mesh and layout (null: those in force), as if the session had been typed under
  /// them; computes nothing. Of a session whose engine has a record.
  struct Under {
    MeshPtr mesh;
    LayoutPtr rules;
  };
  std::vector<ScriptCost> costs(const std::string& text, const std::vector<Under>& under, const std::string& name = {});
  /// The mesh or layout that a name of the session stands for, or null.
  MeshPtr find_mesh(const std::string& name) const;
  LayoutPtr find_layout(const std::string& name) const;
  /// Names that could stand here, for completion: bindings, operations, members after `name.`.
  std::vector<KnownName> known_names(const std::string& prefix) const;
  /// What the variables that were declared so far take.
  StoredVariables stored_variables() const;
  /// The axes of the mesh in force.
  std::vector<Axis> axes() const;

  void on_progress(std::function<void(const LoopProgress&)> callback);
  /// Called after each top-level statement with what it cost (plan, REPL).
  void on_statement(std::function<void(const StatementReport&)> callback);
  /// Called at each cut with the engine, so that `mtf trace` can print the stages.
  void on_cut(std::function<void(Span)> callback);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mtf
