#include "schedule/schedule.h"

#include <algorithm>

#include "graph/op.h"
#include "schedule/pack.h"
#include "schedule/passes.h"
#include "spmd/collectives.h"
#include "spmd/pipeline.h"
#include "support/diagnostics.h"

namespace mtf::schedule {

void verify(const Schedule& schedule) {
  const spmd::LocalProgram& program = schedule.program;
  const size_t values = program.values.size();
  verify_orders(program);
  MTF_CHECK(schedule.alias_of.size() == values, "not every value has memory or an alias");
  std::vector<bool> made(values), is_taken(program.instructions.size());
  for (int input : program.inputs) made[input] = true;
  for (const Step& step : schedule.steps) {
    MTF_CHECK(!step.instructions.empty(), "a step without instructions");
    if (step.iteration) verify(*step.iteration);
    for (int i : step.instructions) {
      MTF_CHECK(!is_taken[i], "an instruction is in two steps");
      is_taken[i] = true;
    }
    for (int v : step.reads) {
      const int memory = schedule.alias_of[v];
      MTF_CHECK(schedule.alias_of[memory] == memory, "{} is an alias of an alias", program.values[v].name);
      const bool is_own = step.kind == StepKind::kFusion &&
                          std::find(step.writes.begin(), step.writes.end(), memory) != step.writes.end();
      MTF_CHECK(made[memory] || is_own, "{} is read before it is made", program.values[v].name);
    }
    for (int v : step.writes) {
      MTF_CHECK(!made[v] && schedule.alias_of[v] == v, "{} is made twice", program.values[v].name);
      made[v] = true;
    }
  }
  for (const std::vector<int>& output : program.outputs)
    for (int v : output) MTF_CHECK(made[schedule.alias_of[v]], "the output {} is not made", program.values[v].name);
  if (schedule.buffer_of.empty()) return;
  MTF_CHECK(schedule.buffer_of.size() == values, "not every value is said to have a buffer or none");
  for (const Buffer& buffer : schedule.buffers)
    MTF_CHECK(buffer.value >= 0 && buffer.first <= buffer.last, "a buffer that ends before it begins");
  for (size_t v = 0; v < values; ++v) {
    MTF_CHECK(schedule.buffer_of[v] < static_cast<int>(schedule.buffers.size()), "a buffer that there is not");
    MTF_CHECK(schedule.buffer_of[v] < 0 || made[schedule.alias_of[v]], "{} has memory and is not made",
              program.values[v].name);
  }
}

int64_t largest_block(const spmd::LocalValue& value) {
  int64_t size = 1;
  for (const spmd::LocalDim& dim : value.dims) size *= value.mesh ? largest_block(dim, *value.mesh) : dim.dim.size;
  return size;
}

bool is_host_number(const spmd::Instruction& instruction) {
  return instruction.kind == spmd::InstructionKind::kInput && instruction.node &&
         instruction.node->op->role == graph::Role::kNumber;
}

std::vector<bool> host_numbers(const spmd::LocalProgram& program) {
  std::vector<bool> result(program.values.size(), false);
  for (const spmd::Instruction& instruction : program.instructions)
    if (is_host_number(instruction)) result[instruction.results[0]] = true;
  return result;
}

bool repeats(const spmd::Instruction& instruction) {
  if (instruction.kind != spmd::InstructionKind::kCompute) return false;
  const graph::LaidOutOperation& node = *instruction.node;
  if (node.op->role == graph::Role::kRepeat) return true;
  // A reshape that only adds or removes dims of one element.
  if (node.op->role != graph::Role::kReshape || !is_subset(node.operands[0].dims, node.results[0].dims)) return false;
  const Dims &from = node.operands[0].dims, &to = node.results[0].dims;
  const std::vector<graph::IterationDim>& dims = node.space().dims;
  return std::all_of(dims.begin(), dims.end(), [&](const graph::IterationDim& dim) {
    const bool by_name =
        dim.operands[0] < 0 || (dim.results[0] >= 0 && from[dim.operands[0]].name == to[dim.results[0]].name);
    return dim.is_free() && by_name;  // a reshape may give a dim's name to another dim
  });
}

bool is_loop(const spmd::Instruction& instruction) {
  if (instruction.kind != spmd::InstructionKind::kCompute) return false;
  const graph::Op& op = *instruction.node->op;
  return op.lane || op.reduction || repeats(instruction);
}

bool overwrites_operand(const spmd::Instruction& instruction) {
  return instruction.kind == spmd::InstructionKind::kCompute && instruction.node->op->in_place;
}

/// Returns the memory that an instruction needs besides its operands and results; 0 if it does not communicate.
int64_t staging_bytes(const spmd::LocalProgram& program, const spmd::Instruction& instruction,
                      const BytesOf& bytes_of) {
  const spmd::CollectiveRecord* record = find_collective(instruction.kind);
  if (!record) return 0;
  const int from = instruction.operands[0], to = instruction.results[0];
  const int64_t bytes = record->staging(bytes_of(program, from), bytes_of(program, to));
  if (!record->goes_in_rounds) return bytes;
  return spmd::rounds_of(program.values[from], program.values[to], instruction.axes).staging(bytes);
}

namespace {

/// Returns the bytes of a stage with `under_way` micro-batches between their forward and their backward part; of other
/// loops: of an iteration. `others`: the stage does not run what only these stages run; null: it runs everything.
int64_t most_in_iteration(const Schedule& iteration, const BytesOf& bytes_of, int64_t under_way,
                          const spmd::RunBy* others) {
  const std::vector<spmd::RunBy> by = spmd::run_by(iteration.program);
  const size_t turn = turning_point(iteration);
  std::vector<PackItem> arena, kept;
  for (const Buffer& buffer : iteration.buffers) {
    if (buffer.kind != BufferKind::kArena && buffer.kind != BufferKind::kStaging) continue;
    const Step& step = iteration.steps[std::min(static_cast<size_t>(buffer.first), iteration.steps.size() - 1)];
    if (buffer.kind == BufferKind::kStaging && others && by[step.instructions[0]] == *others) continue;
    const int64_t bytes = buffer.kind == BufferKind::kArena ? padded(bytes_of(iteration.program, buffer.value))
                                                            : staging_bytes(iteration, step, bytes_of);
    if (bytes >= kMost / 2) return kMost;  // more than can be packed
    (is_kept(buffer, turn) ? kept : arena).push_back({bytes, buffer.first, buffer.last, 0});
  }
  return saturating_add(saturating_multiply(under_way, pack(kept)), pack(arena));
}

}  // namespace

int64_t staging_bytes(const Schedule& schedule, const Step& step, const BytesOf& bytes_of) {
  int64_t bytes = 0;
  if (step.kind != StepKind::kIterations) {
    for (int i : step.instructions) {
      const spmd::Instruction& instruction = schedule.program.instructions[i];
      bytes = saturating_add(bytes, padded(staging_bytes(schedule.program, instruction, bytes_of)));
    }
    return bytes;
  }
  const Schedule& iteration = *step.iteration;
  for (size_t output : second_positions(iteration, *schedule.program.instructions[step.instructions[0]].node->region))
    bytes = saturating_add(bytes, padded(bytes_of(iteration.program, iteration.program.outputs[output][0])));
  const graph::LaidOutOperation& loop = *schedule.program.instructions[step.instructions[0]].node;
  if (loop.region->joined.empty()) return saturating_add(bytes, most_in_iteration(iteration, bytes_of, 1, nullptr));
  const spmd::RunBy first = spmd::RunBy::kFirst, last = spmd::RunBy::kLast;
  return saturating_add(bytes, std::max(most_in_iteration(iteration, bytes_of, spmd::most_under_way(loop, 0), &last),
                                        most_in_iteration(iteration, bytes_of, 1, &first)));
}

size_t turning_point(const Schedule& iteration) {
  const std::vector<const spmd::Instruction*> turned = spmd::turned_back(iteration.program);
  const auto step = std::find_if(iteration.steps.begin(), iteration.steps.end(), [&](const Step& each) {
    return std::find(turned.begin(), turned.end(), &iteration.program.instructions[each.instructions[0]]) !=
           turned.end();
  });
  return static_cast<size_t>(step - iteration.steps.begin());
}

bool is_kept(const Buffer& buffer, size_t turn) {
  return buffer.kind == BufferKind::kArena && static_cast<size_t>(buffer.first) < turn &&
         static_cast<size_t>(buffer.last) >= turn;
}

bool is_slice_of_xs(const graph::Region& region, const spmd::Instruction& input) {
  return input.kind == spmd::InstructionKind::kInput && input.sum < 0 && !is_host_number(input) &&
         region.is_placed(static_cast<size_t>(input.input));
}

int xs_overwritten_by(const spmd::Instruction& loop, const Schedule& iteration, int result) {
  const graph::Region& region = *loop.node->region;
  for (int32_t r = region.carried; r < region.carried + region.stacked; ++r) {
    if (loop.results[r] != result) continue;
    const int buffer = iteration.buffer_of[iteration.program.outputs[r][0]];
    for (const spmd::Instruction& each : iteration.program.instructions)
      if (is_slice_of_xs(region, each) && each.dies && iteration.buffer_of[each.results[0]] == buffer)
        return loop.operands[each.input];
  }
  return -1;
}

std::vector<size_t> second_positions(const Schedule& iteration, const graph::Region& region) {
  const spmd::LocalProgram& program = iteration.program;
  const auto sums = static_cast<size_t>(region.carried + region.stacked);
  std::vector<int> read_from(program.outputs.size(), -1);  // by output: the next iteration's input for it
  for (const spmd::Instruction& instruction : program.instructions) {
    if (instruction.kind != spmd::InstructionKind::kInput) continue;
    if (instruction.sum >= 0) read_from[sums + static_cast<size_t>(instruction.sum)] = instruction.results[0];
    else if (instruction.input < region.carried) read_from[instruction.input] = instruction.results[0];
  }
  std::vector<size_t> second;
  for (size_t r = 0; r < program.outputs.size(); ++r) {
    if (r >= static_cast<size_t>(region.carried) && r < sums) continue;
    const int value = program.outputs[r][0];
    if (read_from[r] < 0 || iteration.buffer_of[value] != iteration.buffer_of[read_from[r]]) second.push_back(r);
  }
  return second;
}

}  // namespace mtf::schedule
