#pragma once
// An execution computes values of the global graph on a runtime.
//
// It does the work that is the same for every runtime. It captures a cut as a program, asks the compiler for the plan,
// and lets the runtime run the plan. Then it stores the results as tensors of the nodes and adds up the costs. Several
// sessions may use one execution, one after another, and share its plans. Under mpirun every rank has an execution and
// makes the same calls in the same order (plan/runtime.h).
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "plan/counters.h"
#include "plan/peak_memory.h"
#include "plan/tensor.h"
#include "spmd/statement_costs.h"
#include "support/interrupt.h"
#include "support/source.h"

namespace mtf::io {
class PositionedFile;  // io/positioned_file.h
}
namespace mtf::graph {
struct Capture;  // graph/program.h
}
namespace mtf::schedule {
struct Schedule;  // schedule/schedule.h
}

namespace mtf::plan {

struct MadeCut;       // plan/made_cut.h
struct PassTime;      // plan/passes.h
struct Plan;          // plan/plan.h
class ProgramRecord;  // plan/program_record.h
class Runtime;        // plan/runtime.h

struct ExecutionOptions {
  std::vector<std::string> skipped_passes = {};     ///< names of passes with may_be_skipped (plan/passes.h)
  std::optional<int64_t> most_whole = {};           ///< CompilerOptions::most_whole
  bool verify_passes = false;                       ///< verifies the post-condition of each pass
  bool peaks_of_passes = false;                     ///< pass_times() includes peaks
  std::shared_ptr<ProgramRecord> record = nullptr;  ///< captured programs are added to it
  /// Returns the costs of last_costs() from a schedule and the costs of its instructions; empty: spmd::costs_of.
  std::function<std::vector<spmd::StatementCost>(const schedule::Schedule&, const std::vector<spmd::InstructionCost>&)>
      costs = {};
};

class Execution {
 public:
  /// `runtime` must outlive the execution.
  explicit Execution(Runtime& runtime, ExecutionOptions options = {});
  ~Execution();

  Runtime& runtime() const;
  const std::shared_ptr<ProgramRecord>& record() const;

  /// Sets the memory limit of later plans (CompilerOptions::memory).
  void set_memory(int64_t bytes);
  /// True if plans may compute values again to fit.
  bool has_remat() const;
  /// Lets later plans compute values again to fit (CompilerOptions::remat).
  void set_remat(bool remat);

  /// Makes planning and running end soon after `interrupt` is requested.
  void heed(Interrupt interrupt);

  /// Computes the pending values among `roots`, and no others. An error in an element or a collective is a UserError at
  /// the position of its operation.
  void compute(const graph::Values& roots);
  /// Performs a cut: computes `needed` and every other pending value of the table that is held. If gradients may come,
  /// the table keeps the history that they need. Inputs that die with the program lose their memory. `place` is the
  /// source position that needs the cut. Returns false if nothing was pending. Fills `made`, if given, so that repeat()
  /// can perform the cut again.
  bool materialize(graph::ValueTable& table, const graph::Values& needed,
                   const std::function<bool()>& gradients_may_come, Span place, MadeCut* made = nullptr);
  /// Performs a closed cut again, with the leaves and numbers that its capture now has. The leaves have the same types
  /// and layouts as before, are computed, and are distinct. `roots` are new nodes, in the order of the cut's roots.
  /// They have the same operations and no operands.
  void repeat(graph::ValueTable& table, MadeCut& cut, const graph::Values& roots, Span place);

  /// Sets the node's value. For place() every rank passes all data; for place_own() each rank passes its own rows
  /// (plan/runtime.h).
  void place(graph::Node& node, const HostView& data);
  void place_own(graph::Node& node, const HostView& data);
  /// Sets the node's value from a file. Returns the share of this rank's blocks in the checksum. Throws IoError on this
  /// rank only.
  uint64_t load(graph::Node& node, const io::PositionedFile& file, uint64_t place);
  /// Computes the value and returns the whole tensor on every rank. Counts nothing.
  HostTensor fetch(const graph::Value& value);
  /// Computes the value. Returns its tensor if one block of this rank is the whole tensor, row-major (whole_block);
  /// else null. No plan overwrites the tensor while a caller holds it.
  std::shared_ptr<const Tensor> whole(const graph::Value& value);
  /// Computes the value and writes it into a file. Returns this rank's share in the checksum. Throws IoError on this
  /// rank only.
  uint64_t store(const graph::Value& value, const io::PositionedFile& file, uint64_t place);

  /// The memory at the peak by kind, if the runtime is one for planning.
  std::optional<PeakMemory> peak_memory() const;
  /// What the runs so far have computed again to fit the memory.
  const Rematerialized& rematerialized() const;
  /// The counts so far. `counters {}` takes the difference of two. The peak is the runtime's.
  Counters counters() const;

  /// The number of the plan that ran last, and its counts. Their peak is the peak since restart_peak().
  int64_t last_plan() const;
  Counters last_counters() const;
  /// The instructions of the last plan with their costs, for the REPL and `mtf plan`.
  std::vector<spmd::StatementCost> last_costs() const;
  /// Prints the last program at a stage: "ir" (as captured), "spmd", "schedule", or after the pass of that name
  /// (plan/passes.h).
  std::string last_text(const std::string& stage) const;
  /// Prints the last program at all stages: as captured, and after each pass.
  std::vector<std::string> last_texts() const;
  /// The times of each pass, summed over all plans so far; empty before the first plan.
  const std::vector<PassTime>& pass_times() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mtf::plan
