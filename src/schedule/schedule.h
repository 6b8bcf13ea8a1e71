#pragma once
// The schedule: the local program together with all decisions that a run needs.
//
// A Step is a unit of execution: a kernel, a fusion of several element-wise instructions, a copy, or a collective (or
// several small ones merged). Steps are in an order in which operands come first. Each value has a storage order and a
// buffer:
//
//   alias_of[v]    the value whose memory v is (itself for most): rename, reshape of row-major storage, remesh
//   buffer_of[v]   the buffer of alias_of[v]; -1 for a value that exists only inside a fusion, for a window into
//   another
//                  value's memory, and for host numbers
//
// Several values may use a buffer, one after the other. A result reuses the buffer of an operand that the step is the
// last to read. For this, the step must be able to work in place, and both must vary over the same axes. Buffers of
// inputs and outputs are tensors that exist before or after the run. All other buffers are packed by lifetime into one
// arena.
//
// The schedule does not depend on the processors that a rank hosts, nor on their number. Sizes are those of the
// largest processor.
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "graph/region.h"
#include "kernels/fused_loop.h"
#include "spmd/local_program.h"
#include "spmd/reduction_tree.h"

namespace mtf::schedule {

enum class StepKind : uint8_t {
  kKernel,
  kFusion,  ///< a fusion of element-wise instructions and reductions
  kWindow,  ///< the result is a part of its operand's memory, at a position that a number of the host gives
  kSlice,
  kCollective,
  kIterations,  ///< a loop: runs a region once for each position of a dim
};

/// Element-wise instructions and reductions as one fusion.
struct FusionPlan {
  kernels::FusionProgram program;
  std::vector<spmd::LocalDim> dims;  ///< of the fusion, outermost first
  std::vector<int> operands;  ///< the value of each operand of the loop program; a number of the host is a scalar
  std::vector<int> outputs;   ///< the value of each output
  int64_t counted_steps = 0;  ///< element-wise instructions that count one flop for each index of the fusion
  int64_t counted_reductions = 0;
};

struct Schedule;

struct Step {
  StepKind kind = StepKind::kKernel;
  std::vector<int> instructions;  ///< instructions of the program, in order; several for fusions and merged all_reduces
  std::vector<int> reads;         ///< values, each once
  std::vector<int> writes;
  std::optional<FusionPlan> loop;
  int64_t calls = 0;                              ///< of a collective, after merging and cutting
  int finish = 0;                                 ///< of a collective: it ends before this step begins
  std::shared_ptr<Schedule> iteration = nullptr;  ///< of kIterations: the schedule of one iteration
};

enum class BufferKind : uint8_t {
  kInput,    ///< a tensor that exists before the run
  kOutput,   ///< a tensor that the run makes and that outlives it
  kArena,    ///< memory of the arena between the steps `first` and `last`
  kStaging,  ///< memory of the arena that a running collective or loop needs
};

struct Buffer {
  BufferKind kind = BufferKind::kArena;
  int value = -1;  ///< the first value in it; of kStaging: a value that the step reads or, without operands, writes
  int first = 0;   ///< the first step that writes it
  int last = 0;    ///< the last step that reads it
};

struct Schedule {
  spmd::LocalProgram program;
  std::vector<Step> steps;
  std::vector<int> alias_of;   ///< for each value
  std::vector<int> buffer_of;  ///< for each value
  std::vector<Buffer> buffers;
  std::vector<std::pair<int, int>> remade = {};  ///< values that `rematerialize` makes again: the copy, the original
};

/// Fails on our own bugs: an instruction in two steps, a value that is read before its producer, a buffer that ends
/// before it begins. Valid from share_views on.
void verify(const Schedule& schedule);

/// Fails on our own bugs: a step that uses a value in another storage order than the value has. Also compares the order
/// in which an iteration, or a stage of a pipeline, leaves a value with the order in which the next one reads it. Valid
/// from choose_orders on.
void verify_orders(const spmd::LocalProgram& program);

/// True if `input` is an input of an iteration of `region` that reads a slice of xs.
bool is_slice_of_xs(const graph::Region& region, const spmd::Instruction& input);
/// Returns the xs over whose slice each iteration writes its slice of the ys `result`, by the buffers of the body
/// `iteration`; -1 if there are none.
int xs_overwritten_by(const spmd::Instruction& loop, const Schedule& iteration, int result);

/// Fails on our own bugs: two live values that share memory, or a buffer that ends before the life of a value in it.
/// Computes live ranges from the steps' instructions alone, also in loops. Valid from plan_buffers on.
void verify_memory(const Schedule& schedule);

/// Returns the schedule in the script's names, one line for each step, complete enough for the passes (text.cpp).
std::string to_string(const Schedule& schedule);
/// Reads the text of to_string, up to the line of outputs. `has_loops`: fusions have their loop programs, even those
/// of a single instruction.
Schedule read_schedule(TextReader& reader, bool has_loops);

/// Returns the elements of the largest block of a value, from its block bounds.
int64_t largest_block(const spmd::LocalValue& value);

/// True if the value of a kInput instruction is a number of the host, not a tensor.
bool is_host_number(const spmd::Instruction& instruction);

/// True if the instruction repeats its operand along dims that the operand lacks. In a fusion its result is the
/// operand itself.
bool repeats(const spmd::Instruction& instruction);

/// True if the instruction can be part of a fusion.
bool is_loop(const spmd::Instruction& instruction);

/// True if the instruction only gives memory another name. Valid after orders are chosen.
bool shares_memory(const spmd::LocalProgram& program, const spmd::Instruction& instruction);

/// True if the result is a number of whole cache lines of its operand's memory, at a position that a number of the
/// host gives. Valid after orders are chosen.
bool is_window(const spmd::LocalProgram& program, const spmd::Instruction& instruction);

/// True if the kernel may overwrite its first operand with its first result. Both must have the same dims in the same
/// storage order, and nothing may read the operand afterwards.
bool overwrites_operand(const spmd::Instruction& instruction);

/// Returns the bytes of the largest block of a value.
using BytesOf = std::function<int64_t(const spmd::LocalProgram& program, int value)>;

/// Returns the bytes that a step of collectives, or a loop, needs on one processor besides its operands and results. An
/// iteration has an arena of its own, and a second location for some values that it leaves for the next one
/// (second_positions).
int64_t staging_bytes(const Schedule& schedule, const Step& step, const BytesOf& bytes_of);

/// Returns the first step of the backward part of an iteration, in a pipeline whose turns alternate
/// (spmd/join_pipelines.cpp). In other iterations it is the number of steps.
size_t turning_point(const Schedule& iteration);
/// True if the buffer lives from the forward part to the backward part, which begins with step `turn`. So a stage has
/// it for each micro-batch under way.
bool is_kept(const Buffer& buffer, size_t turn);

/// Returns the outputs of an iteration that the next iteration reads from other memory. Each is written to a second
/// location, which changes roles with the first after each iteration.
std::vector<size_t> second_positions(const Schedule& iteration, const graph::Region& region);

/// The most bytes of an all_reduce that is merged with others.
inline constexpr int64_t kSmallAllReduce = 64 << 10;

}  // namespace mtf::schedule
