#pragma once
// Scripts that the properties are checked on: run on a runtime, whole or split, their results fetched and what they
// cost counted.
//
// A script has two parts. Its inputs (dims, tensors drawn from the random stream) are computed before anything is
// counted; its body is what is measured. Its results are names of tensors that the body binds. Everything that a run
// depends on is in its text, its mesh and its layout, so that a failure can be run again by `mtf run`.
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "../execution_on.h"
#include "eval/evaluator.h"

namespace mtf::properties {

struct Script {
  std::string inputs;
  std::string body;
  std::vector<std::string> results;
  /// The whole of it as a file, which prints its results.
  std::string text() const;
};

/// Where and how a script is run.
struct Where {
  std::string mesh = "all:1";  ///< as `--mesh` says it; empty: the script's own
  std::string layout = {};     ///< as `--layout` says it; not given where the mesh is not
  bool cut_each = false;       ///< compute after every statement of the body instead of at its end
};
/// `--mesh "all:4" --layout "a:all"`
std::string to_string(const Where& where);

/// How many processors a mesh has, as `--mesh` says it.
int64_t processors_of(const std::string& mesh);

/// As `--mesh` and `--layout` say it. What one process parses under several settings it parses once.
eval::Settings settings_at(const Where& where);

/// What an execution counts from here on, its peak too: the executions of a process are shared by its tests.
class Counting {
 public:
  explicit Counting(plan::Execution& execution);
  plan::Counters counters() const;

 private:
  plan::Execution& execution_;
  plan::Counters before_;
};

/// Of all collectives.
int64_t wire_bytes(const plan::Counters& counters);

struct Outcome {
  std::vector<plan::HostTensor>
      results;              ///< in the order of Script::results; without elements where the runtime knows no numbers
  plan::Counters counters;  ///< of the body
};

/// One evaluation, statement by statement.
class Evaluation {
 public:
  Evaluation(plan::Execution& execution, const Where& where);
  /// Runs the statements of `text`; computes what is pending after each if `cut_each`. Throws UserError.
  void run(const std::string& text, bool cut_each = false);
  /// Computes every tensor that a name holds.
  void compute_all();
  graph::Value value(const std::string& name) const;
  plan::HostTensor fetch(const std::string& name) { return execution.fetch(value(name)); }
  /// Binds `name` to a computed tensor with these elements.
  void set(const std::string& name, const plan::HostTensor& data);

  plan::Execution& execution;
  eval::Evaluator evaluator;
  std::ostringstream out;

 private:
  Where where_;
  std::string written_;  ///< what has been run so far
};

/// Runs a script from end to end; throws UserError where it is refused.
Outcome run(plan::Execution& execution, const Script& script, const Where& where);

/// True if the script is refused under this where because two of its dims would share an axis.
bool is_illegal(const Script& script, const Where& where);

/// The executions of this process: made when first used, ended by `end_executions`.
plan::Execution& execution();                ///< hosts every processor in this process
plan::Execution& dry_execution();            ///< predicts
plan::Execution& reference_execution();      ///< computes each operation at once, and predicts
plan::Execution& looping_execution();        ///< as execution(), but nothing of a product is whole (loops of permutes)
plan::Execution& dry_looping_execution();    ///< predicts that
plan::Execution& single_execution();         ///< as execution(), with fusion off
plan::Execution& shared_execution();         ///< hosts this rank's share of the processors
plan::Execution& shared_single_execution();  ///< as shared_execution(), with fusion off, and ranks that send messages
run::MpiRuntime& shared_runtime();           ///< of shared_execution()
void end_executions();

/// What is being run, for the message of a crash; the newest call holds.
void now_running(const std::string& description);
void print_on_crash();

}  // namespace mtf::properties
