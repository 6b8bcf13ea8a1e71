#pragma once
// The local program: the program of one processor, the same for all processors.
//
// A LocalValue is a processor's block of a tensor. Its dims name the axes that split them. So a processor's block
// follows from its coordinates, and the program has the same size for any mesh. An instruction either computes blocks
// with an operation's kernel or moves them. A collective moves them within a group of processors that spans some axes.
// Processors hold different blocks along the axes `varies()` and replicas along the others. A rank that hosts several
// processors therefore computes each distinct block once.
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
  Dim dim;              ///< the global dim
  AxisList axes;        ///< the axes that split it; for a mapped dim: the axes that split the dim of map.from elements
  bool mapped = false;  ///< the block is needed(map, block of a dim of map.from elements)
  graph::AccessMap map;
  bool operator==(const LocalDim&) const = default;
};

/// Returns the indices of `dim` that a processor at `coordinates` holds.
Interval bounds(const LocalDim& dim, const Mesh& mesh, const Coordinates& coordinates);

/// Returns the largest number of indices of `dim` that any processor holds.
int64_t largest_block(const LocalDim& dim, const Mesh& mesh);

/// Returns the number of elements that a processor reads by `map` for its block of `dim`: the maximum over all
/// processors (graph::count_reads).
int64_t most_reads(const LocalDim& dim, const graph::AccessMap& map, const Mesh& mesh);

struct LocalValue {
  std::string name;  ///< a name of the script: h, h.1, d_h
  ElementType element = ElementType::kF32;
  MeshPtr mesh;
  std::vector<LocalDim> dims;  ///< in the tensor's order
  AxisSet partial = 0;         ///< axes over which it remains to be summed
  std::vector<int8_t> order;   ///< storage order: indices of dims, outermost first; set by the schedule
  AxisSet varies() const;
  TensorType type() const;
  Sharding sharding() const;  ///< only for a value without mapped dims
};

enum class InstructionKind : uint8_t {
  kInput,          ///< a computed tensor, or a number of the host (operation `number`)
  kCompute,        ///< an operation on blocks
  kSlice,          ///< a processor keeps a part of its block: no communication
  kAllReduce,      ///< over `axes`, by `reduction`
  kReduceScatter,  ///< over `axes`; the result's dims are split by them in addition
  kAllGather,      ///< over `axes`, which do not split the result
  kAllToAll,       ///< over `axes`, which split another dim in the result
  kTranspose,      ///< `axes` exchange positions (spmd/axis_permutation.h): counted as permute
  kExchange,  ///< along `axes`, which split one dim: each processor gets the interval of its result; counted as permute
  kExchangeAdd,  ///< the adjoint of kExchange: adds each processor's interval to the blocks that it overlaps; counted
                 ///< as permute
  kTakeOver,   ///< the start value of a pipeline stage: the value that the stage before has left of the micro-batch, or
               ///< in the first stage the operand; counted as permute
  kFromOwner,  ///< in an iteration: the owner sends its slice of a value that is stored in blocks along the loop's dim
               ///< over `axes` to all processors. Of a pipeline, which is then `node`: the last stage over `axes` sends
               ///< the final carry to all. Counted as all_gather
  kToOwner,    ///< the adjoint of kFromOwner: adds up all slices on the owner if they are partial; counted as
               ///< reduce_scatter
  kRemesh,     ///< a gathered value of another mesh with as many processors, or of no mesh, becomes one of this mesh
};

bool is_collective(InstructionKind kind);
CollectiveKind counted_as(InstructionKind kind);

struct LocalProgram;

struct Instruction {
  InstructionKind kind = InstructionKind::kCompute;
  graph::OperationRef node;  ///< the source operation: op, attributes, inputs, span; of an input: its producer
  int32_t origin = -1;       ///< index of that operation in the captured program; -1: part of an expansion, or a helper
  int32_t replica = 0;       ///< not 0: ProgramOperation::replica
  bool is_repeated = false;  ///< a fusion computes the value again instead of reading it; counts no flops
  int32_t input = -1;  ///< of kInput: index among the program's inputs; in an iteration: the operand of the loop that
                       ///< it is, or is a slice of; of kTakeOver: the output that the stage before has left
  int32_t copy = -1;   ///< of kInput: index among the input's copies; -1: the input itself
  int32_t sum = -1;    ///< of kInput, in an iteration: the sum over iterations whose running value it is
  bool dies = false;   ///< of kInput: nothing reads it after the program; false for copies
  std::vector<int> operands;  ///< indices of values
  std::vector<int> results;
  AxisSet axes = 0;
  kernels::Reduction reduction = kernels::Reduction::kSum;
  ReasonRef reason;  ///< of a collective
  /// Of a loop: the program of one iteration of the node's region. Its outputs are the region's roots. Each carry has
  /// the sharding of the input that it becomes. Each term of a sum is added to the input that holds the sum (`sum`).
  std::shared_ptr<const LocalProgram> iteration = nullptr;
};

struct LocalProgram {
  std::vector<LocalValue> values;
  std::vector<Instruction> instructions;  ///< in program order
  std::vector<int> inputs;                ///< indices of the kInput instructions' values, in order
  std::vector<std::vector<int>> outputs;  ///< for each root, the value that holds it; then copies
  std::vector<int> copied;                ///< for each output that is a copy: index in Program::for_gradients
  Cost unique_flops;                      ///< the flops that one processor alone would need
  std::vector<int> sums;                  ///< of an iteration: for each sum over iterations, its next term
  bool passes_over_windows =
      false;  ///< some windows read larger blocks (spmd/halos.h), so some of their original operands may be unread
};

/// The cost of one instruction for the processor with the largest share.
struct InstructionCost {
  Cost flops;
  Cost values;  ///< of a collective: its payload, as LANGUAGE defines it for each kind
  Cost bytes;
  int64_t wire_bytes = 0;  ///< the bytes that the busiest sender sends
  int64_t messages = 0;    ///< the messages of one call that a processor sends
  int64_t count = 0;       ///< 1 for a collective that moves anything, in a group of several
};
InstructionCost cost_of(const LocalProgram& program, const Instruction& instruction);

/// Fails on our own bugs: a value with two producers or a read before its producer, or an axis that is used twice.
void verify(const LocalProgram& program);

/// Returns the program as text, one line for each instruction, complete enough for the passes (spmd/local_text.h).
std::string to_string(const LocalProgram& program);
/// Reads the text of to_string, up to the line of outputs. Values get the names in the text.
LocalProgram read_local_program(TextReader& reader);

}  // namespace mtf::spmd
