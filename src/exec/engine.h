#pragma once
// The engine: runs programs that the evaluator has captured from the global graph.
//
// A captured program is lowered to a local program, scheduled, and run on this rank's processors; the plan is kept by
// the program's canonical form, so that the same statement in a loop is lowered once. One engine a
// process; under mpirun every rank has one and makes the same calls in the same order. Ranks that do not are stopped:
// compute(), fetch(), broadcast() and finish() fail (ranks_disagree).
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "exec/counters.h"
#include "exec/tensor.h"
#include "graph/graph.h"
#include "support/interrupt.h"
#include "support/source.h"

namespace mtf {

struct Capture;        // graph/program.h
class PositionedFile;  // io/positioned_file.h
class ProgramRecord;   // exec/program_record.h

#ifdef NDEBUG
inline constexpr bool kDebugBuild = false;
#else
inline constexpr bool kDebugBuild = true;
#endif

struct EngineOptions {
  int threads = 0;                                  ///< of this rank; 0: its share of the node's cores
  std::vector<int64_t> placement = {};              ///< a permutation of the processors; empty: in order
  bool use_mpi = false;                             ///< this process was started by mpirun
  bool dry = false;                                 ///< plan only: nothing is computed, cuts are costed instead
  bool reference = false;                           ///< beside a dry engine's plans, every operation is computed at once: evaluate()
  bool share_memory = true;                         ///< ranks of one node reduce in memory that they share
  bool fuse = true;                                 ///< element-wise chains run as one loop
  bool check_replicas = kDebugBuild;                ///< after every plan, compare the blocks that several ranks hold
  bool scrub = false;                               ///< tests: memory that a plan has not written holds NaNs
  std::shared_ptr<ProgramRecord> record = nullptr;  ///< is given the programs that are captured
};

class Engine {
 public:
  explicit Engine(EngineOptions options);
  ~Engine();

  int rank() const;
  int ranks() const;
  /// The ranks of this node reduce in memory that they share.
  bool shares_memory() const;
  bool dry() const;
  bool is_reference() const;
  const std::shared_ptr<ProgramRecord>& record() const;

  /// Computing ends soon after `interrupt` is wanted: before a plan, or within one that has not begun to write over its
  /// inputs, and then nothing of it is stored. Ranks end before the same plan.
  void heed(Interrupt interrupt);

  /// Computes the capture's program and stores the results in the nodes of `roots`, which are its roots. What the
  /// program says that dies with it has no memory afterwards. `place` is where the program needs it; a failing element
  /// or collective throws a UserError with its own.
  void compute(Capture& capture, const Values& roots, Span place);
  /// Every value of `roots` that is pending, alone.
  void compute(const Values& roots);
  /// A cut: `needed` and every other value of the table that is held and pending; the table keeps the history that
  /// gradients need, if they may come. Returns false if there was nothing to compute.
  bool materialize(ValueTable& table, const Values& needed, const std::function<bool()>& gradients_may_come, Span place);

  /// The whole value, gathered to every rank; computes it first. Counts nothing.
  HostTensor fetch(const Value& value);

  /// Of a reference engine: computes the results of a node from those of its operands, each whole on one processor, by
  /// the operation's own kernel.
  void evaluate(Node& node);

  /// Makes the node's value from data that every rank has (the same on all): each keeps its blocks.
  void place(Node& node, const HostTensor& data);
  /// The same of data of which each rank has what its blocks are made of, its own_rows.
  void place_own(Node& node, const HostTensor& data);
  /// The places of the first dim of the node's value that this rank's blocks lie within.
  Interval own_rows(const Node& node) const;

  /// Writes the value as a whole tensor into a file from `place` on, each rank what it is the first to hold; computes it
  /// first. Gives what that adds to the tensor's checksum (io/element_sum.h). Throws IoError, on this rank alone.
  uint64_t store(const Value& value, const PositionedFile& file, uint64_t place);
  /// Makes the node's value from a file: each rank reads its blocks. Gives what those that it is the first to hold add to the
  /// checksum. Throws IoError, on this rank alone.
  uint64_t load(Node& node, const PositionedFile& file, uint64_t place);
  /// Numbers added up over the ranks, modulo 2^64.
  std::vector<uint64_t> added_up(std::vector<uint64_t> numbers, Span place);
  /// The first text among those of the ranks that is not empty, on every rank: what went wrong somewhere.
  std::string first_of(const std::string& text, Span place);

  /// Rank 0's bytes on every rank: for what could differ between ranks (a file, the clock). `place` is what needs it.
  std::string broadcast(const std::string& bytes, Span place);

  /// All ranks come here when the program has ended.
  void finish();

  /// Ends every rank with `status`, and prints `message`, unless another rank has come here and printed its own. Does
  /// not return.
  [[noreturn]] void abort(const std::string& message, int status);

  /// Everything counted since the engine was made; `counters {}` takes the difference of two.
  Counters counters() const;
  /// Bytes of tensors that plans have given other ranks since the engine was made, of each collective the most by any rank:
  /// with one processor a rank the wire_bytes of counters().
  int64_t sent() const;
  /// Starts peak_bytes anew at what is live now.
  void restart_peak();

  /// The number of the plan that the last compute() ran, and what that counted; its peak is that since restart_peak.
  int64_t last_plan() const;
  Counters last_counters() const;
  /// What the last compute() did, an instruction a line with its costs, for the REPL and `mtf plan`.
  const std::vector<StatementCost>& last_costs() const;
  /// The last compute()'s program at a stage: "ir", "spmd", "schedule".
  std::string last_text(const std::string& stage) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mtf
