#pragma once
// An execution: the values of the global graph, computed on a runtime.
//
// What is the same whatever computes stands here, once: a cut is captured as a program, the compiler finds or makes
// its plan, the runtime runs that, the results become tensors of the nodes, and costs are added up. It may serve
// several sessions, one after the other; they share its plans. Under mpirun every rank has one and makes the same
// calls in the same order (plan/runtime.h).
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "plan/counters.h"
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

namespace mtf::plan {

struct MadeCut;       // plan/made_cut.h
struct PassTime;      // plan/passes.h
struct Plan;          // plan/plan.h
class ProgramRecord;  // plan/program_record.h
class Runtime;        // plan/runtime.h

struct ExecutionOptions {
  std::vector<std::string> skipped_passes = {};     ///< of those that may be skipped (plan/passes.h)
  std::optional<int64_t> most_whole = {};           ///< CompilerOptions::most_whole
  bool verify_passes = false;                       ///< what each pass ensures, after it
  bool peaks_of_passes = false;                     ///< pass_times() tells peaks too
  std::shared_ptr<ProgramRecord> record = nullptr;  ///< is given the programs that are captured
};

class Execution {
 public:
  /// `runtime` lives longer.
  explicit Execution(Runtime& runtime, ExecutionOptions options = {});
  ~Execution();

  Runtime& runtime() const;
  const std::shared_ptr<ProgramRecord>& record() const;

  /// What each processor has for a program and what it reads (CompilerOptions::memory), from now on.
  void set_memory(int64_t bytes);

  /// Planning and running end soon after `interrupt` is wanted.
  void heed(Interrupt interrupt);

  /// Computes every value of `roots` that is pending, alone. A failing element or collective throws a UserError with
  /// its own place.
  void compute(const graph::Values& roots);
  /// A cut: `needed` and every other value of the table that is held and pending; the table keeps the history that
  /// gradients need, if they may come. What dies with the program has no memory afterwards. `place` is where the
  /// program needs it. Returns false if there was nothing to compute.
  /// `made`: what it has done, if anything, to be repeated.
  bool materialize(graph::ValueTable& table, const graph::Values& needed,
                   const std::function<bool()>& gradients_may_come, Span place, MadeCut* made = nullptr);
  /// Makes a closed cut again, of what its capture now has as leaves and numbers: leaves of the same types and layouts
  /// that are computed, no two the same. `roots` are new nodes of its roots' operations, without operands, in their
  /// order.
  void repeat(graph::ValueTable& table, MadeCut& cut, const graph::Values& roots, Span place);

  /// Makes the node's value from data that every rank has; place_own() from what each rank has of it (plan/runtime.h).
  void place(graph::Node& node, const HostView& data);
  void place_own(graph::Node& node, const HostView& data);
  /// Makes the node's value from a file. Gives what this rank's blocks add to the checksum. Throws IoError, on this
  /// rank alone.
  uint64_t load(graph::Node& node, const io::PositionedFile& file, uint64_t place);
  /// The whole value, on every rank; computes it first. Counts nothing.
  HostTensor fetch(const graph::Value& value);
  /// The value's tensor, if a block of this rank's is the whole, row-major (whole_block); else null. Computes it first.
  /// As long as somebody holds it no plan writes over it.
  std::shared_ptr<const Tensor> whole(const graph::Value& value);
  /// Writes the value into a file; computes it first. Gives what that adds to the checksum. Throws IoError, on this
  /// rank alone.
  uint64_t store(const graph::Value& value, const io::PositionedFile& file, uint64_t place);

  /// Everything counted so far; `counters {}` takes the difference of two. The peak is the runtime's.
  Counters counters() const;

  /// The number of the plan that was run last, and what that counted; its peak is that since restart_peak().
  int64_t last_plan() const;
  Counters last_counters() const;
  /// What it did, an instruction a line with its costs, for the REPL and `mtf plan`.
  std::vector<spmd::StatementCost> last_costs() const;
  /// Its program at a stage: "ir" (as captured), "spmd", "schedule", or after the pass of that name (plan/passes.h).
  std::string last_text(const std::string& stage) const;
  /// The same at all stages: as captured, and after each pass.
  std::vector<std::string> last_texts() const;
  /// How long each pass took, over all plans that were made; empty before the first.
  const std::vector<PassTime>& pass_times() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mtf::plan
