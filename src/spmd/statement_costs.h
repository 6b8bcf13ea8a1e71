#pragma once
// The costs of a local program's instructions as records, for reports on the cost of a statement and its reasons.
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

struct Instruction;
struct InstructionCost;
struct LocalProgram;

/// A value of a local program.
struct NamedBlock {
  std::string name;  ///< in the script's names
  TensorType type;
  Sharding sharding = {};
  MeshPtr mesh = nullptr;  ///< null: the value has no mesh, or is an interval that no sharding describes
};
/// `y: f32[batch=64/rows, io=32] partial over cols`
std::string to_string(const NamedBlock& block);

/// The kinds of work of which a plan tells the time.
enum class WorkKind : uint8_t { kOther, kProduct, kAttention };

struct StatementCost {
  NamedBlock value;  ///< the computed value; of a collective: its result
  NamedBlock from;   ///< of a collective: its operand
  Span span;
  int64_t times = 1;          ///< how often it is computed; the other numbers are for one time
  graph::CallFrameRef frame;  ///< the calls that lead to it; of a plan
  std::optional<CollectiveKind> collective;
  std::vector<Name> axes;  ///< of a collective, in the mesh's order
  int64_t flops = 0;
  int64_t values = 0;
  int64_t bytes = 0;
  int64_t wire_bytes = 0;
  double seconds = 0;  ///< by a machine model, without what overlaps with other work; 0 without a model
  double idle = 0;     ///< of `seconds`: what a stage of a pipeline waits for others
  WorkKind work = WorkKind::kOther;
  ElementType element = ElementType::kF32;                    ///< of the first operand of an operation
  Cost formula;                                               ///< the flops, or a collective's values
  ReasonRef reason;                                           ///< of a collective
  graph::LayoutOrigin decided = graph::LayoutOrigin::kRules;  ///< how the layout of the operation's result was decided
};

/// Returns the source position of a cost. A cost of the backward pass belongs to the expression whose derivative it
/// is.
Span source_of(const StatementCost& cost);
/// Returns the same for an instruction.
Span source_of(const Instruction& instruction);

/// Returns the cost of each instruction that computes or communicates. `costs` has an entry for each instruction.
std::vector<StatementCost> costs_of(const LocalProgram& program, const std::vector<InstructionCost>& costs);
/// True if an instruction computes or communicates something that is counted.
bool is_counted(const Instruction& instruction, const InstructionCost& cost);
/// Returns the record of one instruction that is no loop and runs `times` times.
StatementCost statement_cost(const LocalProgram& program, const Instruction& instruction, const InstructionCost& cost,
                             int64_t times);

}  // namespace mtf::spmd
