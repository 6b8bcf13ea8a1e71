#pragma once
// The engine: runs what the evaluator has collected in the global graph.
//
// A cut computes pending values: the graph is lowered to a local program, scheduled, and run on this rank's
// processors; a plan is kept by its structure, so that the same statement in a loop is lowered once. One engine a
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
#include "support/source.h"

namespace mtf {

#ifdef NDEBUG
inline constexpr bool kDebugBuild = false;
#else
inline constexpr bool kDebugBuild = true;
#endif

struct EngineOptions {
  int threads = 0;                   ///< of this rank; 0: its share of the node's cores
  std::vector<int64_t> placement = {};///< a permutation of the processors; empty: in order
  bool use_mpi = false;              ///< this process was started by mpirun
  bool dry = false;                  ///< plan only: nothing is computed, cuts are costed instead
  bool fuse = true;                  ///< element-wise chains run as one loop
  bool check_replicas = kDebugBuild; ///< after every plan, compare the blocks that several ranks hold
  bool scrub = false;                ///< tests: memory that a plan has not written holds NaNs
};

class Engine {
 public:
  explicit Engine(EngineOptions options);
  ~Engine();

  int rank() const;
  int ranks() const;
  bool dry() const;

  /// Computes every value of `roots` that is pending and stores the results in their nodes. `spans` of a failing
  /// element or collective are in the UserError that this throws.
  void compute(const Values& roots);

  /// The whole value, gathered to every rank; computes it first. Counts nothing.
  HostTensor fetch(const Value& value);

  /// Makes a computed value from data that every rank has (the same on all): each keeps its blocks.
  std::shared_ptr<Tensor> place(const HostTensor& data, const MeshPtr& mesh, const Sharding& sharding);

  /// Rank 0's bytes on every rank: for what could differ between ranks (a file, the clock). `place` is what needs it.
  std::string broadcast(const std::string& bytes, Span place);

  /// All ranks come here when the program has ended.
  void finish();

  /// Ends every rank with `status`, and prints `message`, unless another rank has come here and printed its own. Does
  /// not return.
  [[noreturn]] void abort(const std::string& message, int status);

  /// Everything counted since the engine was made; `counters {}` takes the difference of two.
  Counters counters() const;
  /// Starts peak_bytes anew at what is live now.
  void restart_peak();

  /// What the last compute() did, an instruction a line with its costs, for the REPL and `mtf plan`.
  const std::vector<StatementCost>& last_costs() const;
  /// The last compute()'s program at a stage: "ir", "spmd", "schedule".
  std::string last_text(const std::string& stage) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mtf
