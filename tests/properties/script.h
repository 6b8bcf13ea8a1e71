#pragma once
// Scripts for the properties. A script runs on a runtime, whole or split; its results are fetched and its costs
// counted.
//
// A script has two parts. Its inputs (dims, tensors drawn from the random stream) are computed before counting begins.
// Its body is measured. Its results are names of tensors that the body binds. A run depends only on the text, the mesh
// and the layout, so `mtf run` can repeat a failure.
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
  /// Returns the whole script as a file that prints its results.
  std::string text() const;
};

/// The place and the way of a run.
struct Where {
  std::string mesh = "all:1";  ///< in the notation of `--mesh`; empty: the script's own
  std::string layout = {};     ///< in the notation of `--layout`; not used without a mesh
  bool cut_each = false;       ///< compute after every statement of the body instead of at its end
};
/// `--mesh "all:4" --layout "a:all"`
std::string to_string(const Where& where);

/// Returns the number of processors of a mesh in the notation of `--mesh`.
int64_t processors_of(const std::string& mesh);

/// Returns settings with this mesh and layout. A process parses each text only once for all settings.
eval::Settings settings_at(const Where& where);

/// The counts of an execution from here on, with its peak. The tests of a process share its executions.
class Counting {
 public:
  explicit Counting(plan::Execution& execution);
  plan::Counters counters() const;

 private:
  plan::Execution& execution_;
  plan::Counters before_;
};

/// Sums the bytes of all collectives.
int64_t wire_bytes(const plan::Counters& counters);

struct Outcome {
  std::vector<plan::HostTensor>
      results;              ///< in the order of Script::results; without elements if the runtime has no numbers
  plan::Counters counters;  ///< of the body
};

/// One evaluation, statement by statement.
class Evaluation {
 public:
  Evaluation(plan::Execution& execution, const Where& where);
  /// Runs the statements of `text`. With `cut_each` computes all pending values after each statement. Throws UserError.
  void run(const std::string& text, bool cut_each = false);
  /// Computes every named tensor.
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
  std::string written_;  ///< the text run so far
};

/// Runs a script from start to end. Throws UserError if it is refused.
Outcome run(plan::Execution& execution, const Script& script, const Where& where);

/// True if the script is refused because two of its dims would share an axis.
bool is_illegal(const Script& script, const Where& where);

/// The executions of this process: made at the first use, ended by `end_executions`.
plan::Execution& execution();                ///< hosts every processor in this process
plan::Execution& dry_execution();            ///< predicts
plan::Execution& reference_execution();      ///< computes each operation at once, and predicts
plan::Execution& looping_execution();        ///< as execution(), but no product gathers operands (loops of permutes)
plan::Execution& dry_looping_execution();    ///< predicts the same
plan::Execution& single_execution();         ///< as execution(), with fusion off
plan::Execution& shared_execution();         ///< hosts this rank's share of the processors
plan::Execution& shared_single_execution();  ///< as shared_execution(), with fusion off; ranks send messages
run::MpiRuntime& shared_runtime();           ///< of shared_execution()
void end_executions();

/// Describes the current run, for the message of a crash; replaces earlier descriptions.
void now_running(const std::string& description);
void print_on_crash();

}  // namespace mtf::properties
