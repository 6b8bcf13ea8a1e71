#pragma once
// What the instructions of a local program cost, each as a record: for whoever tells what a statement costs, and why.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "graph/call_frame.h"
#include "graph/operation.h"
#include "spmd/collective_kind.h"
#include "spmd/reasons.h"
#include "types/cost.h"

namespace mtf::spmd {

struct InstructionCost;
struct LocalProgram;

/// A value of a local program.
struct NamedBlock {
  std::string name;  ///< in the script's names
  TensorType type;
  Sharding sharding = {};
  MeshPtr mesh = nullptr;  ///< null: of no mesh, or an interval that no sharding says
};
/// `y: f32[batch=64/rows, io=32] partial over cols`
std::string to_string(const NamedBlock& block);

struct StatementCost {
  NamedBlock value;  ///< what is computed; of a collective, what it gives
  NamedBlock from;   ///< of a collective: what it moves
  Span span;
  int64_t times = 1;          ///< how often it is computed, where the report is of one time
  graph::CallFrameRef frame;  ///< through which calls it came; of a plan
  std::optional<CollectiveKind> collective;
  std::vector<Name> axes;  ///< of a collective, in the mesh's order
  int64_t flops = 0;
  int64_t values = 0;
  int64_t bytes = 0;
  int64_t wire_bytes = 0;
  Cost formula;      ///< the flops, or a collective's values
  ReasonRef reason;  ///< of a collective
  graph::LayoutOrigin decided =
      graph::LayoutOrigin::kRules;  ///< how the layout of the result of its operation was decided
};

/// Where a cost belongs: a backward one to the expression that it is the derivative of.
Span source_of(const StatementCost& cost);

/// Of each instruction that computes or communicates. `costs`: of each instruction of the program.
std::vector<StatementCost> costs_of(const LocalProgram& program, const std::vector<InstructionCost>& costs);

}  // namespace mtf::spmd
