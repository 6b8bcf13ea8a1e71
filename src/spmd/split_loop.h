#pragma once
// Lowers loops over a dim, and pipelines: reshards the operands for the iterations, compiles an iteration, and adds the
// results.
#include <string>
#include <vector>

#include "spmd/decider.h"
#include "spmd/loop_copies.h"

namespace mtf::spmd {

class LoopSplitter {
 public:
  /// All of them must outlive the object.
  LoopSplitter(const graph::Program& graph, const std::vector<std::string>& names, LocalBuilder& local,
               const Decider& decider, const LoweringOptions& options, const EnclosingLoop& around)
      : graph_(graph), names_(names), local_(local), decider_(decider), options_(options), around_(around) {}

  struct Lowered {
    OperationDecision decision;
    LocalLoop loop;
    std::vector<size_t> results;  ///< for each result of the loop: its index in the operation
  };
  /// Lowers loop `index`. `operands`: its local operands, on its mesh.
  Lowered lower(int index, std::vector<int> operands);

 private:
  void in_iterations(int index, std::vector<int> operands, Lowered& lowered);
  void in_pipeline(int index, const std::vector<int>& operands, Lowered& lowered);
  Sharding decide_operand(int index, size_t k, int operand, LoopDecision& decision) const;
  int32_t root_of(graph::ProgramValue value) const;
  int bring(int index, int operand, const Sharding& wanted, OperationDecision& decision);
  void compile(LocalLoop& loop, graph::Program iteration, const EnclosingLoop& around, LoopDecision& decision);
  void add_results(int index, LocalLoop& loop);

  const graph::Program& graph_;
  const std::vector<std::string>& names_;
  LocalBuilder& local_;
  const Decider& decider_;
  const LoweringOptions& options_;
  const EnclosingLoop& around_;
};

}  // namespace mtf::spmd
