#pragma once
// The local program: what one processor does, the same for all of them.
//
// A LocalValue is a processor's block of a tensor; its dims say which axes split them, so the block that a processor
// holds follows from its coordinates alone, and the program has the same size for any mesh. An instruction computes
// blocks with an operation's kernel, or moves them: a collective among the processors of a group that spans some axes.
// `varies()` are the axes along which processors hold different blocks; along the others they are replicas, so that
// a rank which hosts several processors computes each distinct block once.
//
// Planner and executor both read this program: the planner adds up its instructions, the executor runs them.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "graph/iteration_space.h"
#include "graph/operation.h"
#include "spmd/collective_kind.h"
#include "spmd/reasons.h"
#include "types/cost.h"

namespace mtf {
class TextReader;  // types/text_reader.h
}

namespace mtf::spmd {

struct LocalDim {
  Dim dim;              ///< the whole dim
  AxisList axes;        ///< that split it (or, of a mapped one, that split the dim map.from it follows)
  bool mapped = false;  ///< the block is needed(map, block of a dim of map.from elements), not its own block
  graph::AccessMap map;
  bool operator==(const LocalDim&) const = default;
};

/// The indices of `dim` that a processor at `coordinates` holds.
Interval bounds(const LocalDim& dim, const Mesh& mesh, const Coordinates& coordinates);

/// The elements of `dim` that the processor with the most of them holds.
int64_t largest_block(const LocalDim& dim, const Mesh& mesh);

/// Of processors that read by `map` what their blocks of `dim` need, how often the one with the most of it reads an
/// element (graph::count_reads).
int64_t most_reads(const LocalDim& dim, const graph::AccessMap& map, const Mesh& mesh);

struct LocalValue {
  std::string name;  ///< in the script's names: h, h.1, d_h
  ElementType element = ElementType::kF32;
  MeshPtr mesh;
  std::vector<LocalDim> dims;  ///< in the tensor's order
  AxisSet partial = 0;         ///< axes over which it is still to be summed
  std::vector<int8_t> order;   ///< storage: indices of dims, outermost first; filled by the schedule
  AxisSet varies() const;
  TensorType type() const;
  Sharding sharding() const;  ///< of a value without mapped dims
};

enum class InstructionKind : uint8_t {
  kInput,          ///< a computed tensor or a number of the host (operation `number`)
  kCompute,        ///< the operation on blocks
  kSlice,          ///< a processor keeps its part of what it holds: no communication
  kAllReduce,      ///< over `axes`, by `reduction`
  kReduceScatter,  ///< over `axes`; the result's dims are split by them in addition
  kAllGather,      ///< over `axes`, which no longer split the result
  kAllToAll,       ///< over `axes`, which split another dim in the result
  kTranspose,      ///< `axes` change places (spmd/axis_permutation.h): counted as permute
  kExchange,       ///< along `axes`, which split one dim: each gets the interval of it that its result says: permute
  kExchangeAdd,    ///< its adjoint: what each has of an interval is added to the blocks that have it: permute
  kTakeOver,       ///< of a pipeline's stage: what the one before has left of the micro-batch, or, if it is the first,
                   ///< the operand: permute
  kFromOwner,      ///< in a turn of a loop: its place of what is stored in blocks along the loop's dim over `axes`, to
                   ///< all from the one that has it: an all_gather to which the others give nothing
  kToOwner,        ///< its adjoint: what all have of the place, added up if it is partial, to the one that stores it: a
                   ///< reduce_scatter
  kRemesh,         ///< a whole value of another mesh with as many processors, or of no mesh, as a whole value of this
};

bool is_collective(InstructionKind kind);
CollectiveKind counted_as(InstructionKind kind);

struct LocalProgram;

struct Instruction {
  InstructionKind kind = InstructionKind::kCompute;
  graph::OperationRef node;   ///< where it comes from: op, attributes, inputs, span (of an input: what made it)
  int32_t origin = -1;        ///< which operation of the captured program that is, or -1: of an expansion, a helper
  int32_t replica = 0;        ///< not 0: ProgramOperation::replica
  int32_t input = -1;         ///< of kInput: which of the program's inputs; of a tensor of a turn, which operand of the
                              ///< loop, or of which a place
  int32_t copy = -1;          ///< of kInput: which of the input's copies, or -1: itself
  int32_t sum = -1;           ///< of kInput, in a turn: which sum over turns it is, as far as it has been added up
  bool dies = false;          ///< of kInput: nobody reads it after the program; a copy is kept
  std::vector<int> operands;  ///< indices of values
  std::vector<int> results;
  AxisSet axes = 0;
  kernels::Reduction reduction = kernels::Reduction::kSum;
  ReasonRef reason;  ///< of a collective
  /// Of a loop: what a processor does in each turn of the node's region. Its outputs are the region's roots: what is
  /// carried lies as the input that it becomes; what is summed is added to the input that holds the sum (`sum`).
  std::shared_ptr<const LocalProgram> turn = nullptr;
};

struct LocalProgram {
  std::vector<LocalValue> values;
  std::vector<Instruction> instructions;  ///< in program order
  std::vector<int> inputs;                ///< indices of the kInput instructions' values, in order
  std::vector<std::vector<int>> outputs;  ///< for each root of the program, the value that holds it; then copies
  std::vector<int> copied;                ///< of each output that is a copy: of which of Program::for_gradients
  Cost unique_flops;                      ///< what one processor alone would need
  std::vector<int> sums;                  ///< of a turn: of each sum over turns, the value that is added to it
  bool passes_over_windows =
      false;  ///< some are taken of larger blocks (spmd/halos.h): what they were windows of may be unread
};

/// What one instruction costs the largest processor.
struct InstructionCost {
  Cost flops;
  Cost values;  ///< of a collective: its payload, as LANGUAGE counts it for its kind
  Cost bytes;
  int64_t wire_bytes = 0;  ///< what the processor that sends most sends
  int64_t count = 0;       ///< 1 for a collective in a group of more than one that moves anything
};
InstructionCost cost_of(const LocalProgram& program, const Instruction& instruction);

/// Fails on our own bug: a value that is made twice or read before it is made, an axis twice.
void verify(const LocalProgram& program);

/// The program as text, a line an instruction, with all that passes need of it (spmd/local_text.h).
std::string to_string(const LocalProgram& program);
/// Reads what to_string wrote, up to the line of outputs. Values are then called as the text calls them.
LocalProgram read_local_program(TextReader& reader);

}  // namespace mtf::spmd
