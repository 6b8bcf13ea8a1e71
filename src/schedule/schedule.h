#pragma once
// The schedule: the local program with everything decided that running it needs.
//
// A Step is what runs at once: a kernel, one loop that stands for several element-wise instructions, a copy, or a
// collective (or several small ones merged). Steps are in an order that respects what they read. Each value has
// a storage order, and lies in a buffer:
//
//   alias_of[v]    the value whose memory v is (itself for most): rename, reshape of row-major storage, remesh
//   buffer_of[v]   the buffer of alias_of[v]; -1 for a value that exists only inside a loop, for a window into another
//                  value's memory, and for host numbers
//
// A buffer is memory that one value after another may use: a result takes over the buffer of an operand that it is the
// last to read, where the step can work in place and both vary over the same axes. Buffers of inputs and outputs are
// tensors that exist before or after; all others lie in one arena and are packed by lifetime.
//
// Nothing here depends on which processors a rank hosts, nor on how many there are; sizes are those of the largest.
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "graph/region.h"
#include "kernels/fused_loop.h"
#include "spmd/local_program.h"
#include "spmd/reduction_tree.h"

namespace mtf::schedule {

enum class StepKind : uint8_t {
  kKernel,
  kLoop,
  kWindow,  ///< the result is a part of its operand's memory, which place says a number of the host
  kSlice,
  kCollective,
  kTurns,  ///< a region, once for each place of a dim
};

/// Element-wise instructions and reductions as one loop.
struct LoopPlan {
  kernels::LoopProgram program;
  std::vector<spmd::LocalDim> dims;  ///< of the loop, outermost first
  std::vector<int> operands;         ///< the value of each operand of the program; a host number is a scalar
  std::vector<int> outputs;          ///< the value of each output
  int64_t counted_steps = 0;         ///< element-wise instructions that count a flop for each index of the loop
  int64_t counted_reductions = 0;
};

struct Schedule;

struct Step {
  StepKind kind = StepKind::kKernel;
  std::vector<int> instructions;  ///< of the program, in order; several for loops and merged all_reduces
  std::vector<int> reads;         ///< values, each once
  std::vector<int> writes;
  std::optional<LoopPlan> loop;
  int64_t calls = 0;                         ///< of a collective, after merging and cutting
  int finish = 0;                            ///< of a collective: it has ended before this step begins
  std::shared_ptr<Schedule> turn = nullptr;  ///< of kTurns: one of them
};

enum class BufferKind : uint8_t {
  kInput,    ///< a tensor that exists before
  kOutput,   ///< a tensor that outlives the run, made for it
  kArena,    ///< between the steps `first` and `last`
  kStaging,  ///< what a collective, or a turn of a loop, needs while it runs; in the arena
};

struct Buffer {
  BufferKind kind = BufferKind::kArena;
  int value =
      -1;  ///< the first value that lies in it; of kStaging: one that the step reads or, if there is none, writes
  int first = 0;  ///< the step that first writes it
  int last = 0;   ///< the last step that reads it
};

struct Schedule {
  spmd::LocalProgram program;
  std::vector<Step> steps;
  std::vector<int> alias_of;   ///< for each value
  std::vector<int> buffer_of;  ///< for each value
  std::vector<Buffer> buffers;
};

/// Fails on our own bug: an instruction in two steps, a value that is read before it is made, a buffer that ends before
/// it begins. Good from share_views on.
void verify(const Schedule& schedule);

/// Fails on our own bug: a step reads or writes a value in another storage order than the value has, or a turn or a
/// stage of a pipeline leaves a value in another order than the next one reads. Good from choose_orders on.
void verify_orders(const spmd::LocalProgram& program);

/// Fails on our own bug: two values that are alive at once share memory, or a buffer ends before a value that lies in
/// it. Computes live ranges from the steps' instructions alone, those of loops too. Good from plan_buffers on.
void verify_memory(const Schedule& schedule);

/// The schedule in the script's names, a line a step, with all that passes need of it (text.cpp).
std::string to_string(const Schedule& schedule);
/// Reads what to_string wrote, up to the line of outputs. `has_loops`: loops have their programs, those of one
/// instruction too.
Schedule read_schedule(TextReader& reader, bool has_loops);

/// Elements of the largest block of a value, from its block bounds.
int64_t largest_block(const spmd::LocalValue& value);

/// The value that a kInput instruction makes is a number of the host, not a tensor.
bool is_host_number(const spmd::Instruction& instruction);

/// The instruction repeats its operand along dims that it lacks: in a loop it is its operand.
bool repeats(const spmd::Instruction& instruction);

/// The instruction can be part of a loop.
bool is_loop(const spmd::Instruction& instruction);

/// The instruction only gives memory another name; valid once orders are chosen.
bool shares_memory(const spmd::LocalProgram& program, const spmd::Instruction& instruction);

/// The result is a whole number of cache lines of its operand's memory, at a place that a number of the host says;
/// valid once orders are chosen.
bool is_window(const spmd::LocalProgram& program, const spmd::Instruction& instruction);

/// The kernel may write its first result over its first operand, where that has the same dims in the same storage order
/// and nobody reads it afterwards.
bool overwrites_operand(const spmd::Instruction& instruction);

/// Bytes that a collective step needs beside its operands and results, on one processor alone, from the bytes of its
/// operands' and results' blocks.
int64_t staging_bytes(const spmd::Instruction& instruction, int64_t operand_bytes, int64_t result_bytes);

/// Bytes of the largest block of a value of a program.
using BytesOf = std::function<int64_t(const spmd::LocalProgram& program, int value)>;

/// The same for a step: of collectives, or of a loop. A turn has an arena of its own, and second places for what it
/// leaves to the next (second_places).
int64_t staging_bytes(const Schedule& schedule, const Step& step, const BytesOf& bytes_of);

/// Of a turn's schedule: the outputs that the next turn gets, and that do not lie in the memory in which it will read
/// them. They are written to a second place, which changes places with the first after each turn.
std::vector<size_t> second_places(const Schedule& turn, const graph::Region& region);

/// All_reduces up to so many bytes are merged with others.
inline constexpr int64_t kSmallAllReduce = 64 << 10;

}  // namespace mtf::schedule
