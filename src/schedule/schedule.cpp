#include "schedule/schedule.h"

#include <algorithm>
#include <chrono>

#include "graph/op.h"
#include "schedule/passes.h"
#include "spmd/collectives.h"
#include "support/diagnostics.h"

namespace mtf {

const std::vector<SchedulePass>& schedule_passes() {
  static const std::vector<SchedulePass> passes = {
      {"choose_orders", "every value has a storage order", false, choose_orders},
      {"share_views", "a step for each instruction that computes or moves; views name the memory that they share", false,
       share_views},
      {"merge_all_reduces", "small all_reduces over the same axes are one step", true, merge_all_reduces},
      {"fuse_loops", "element-wise chains and their reductions are one step", true, fuse_loops},
      {"make_loops", "each loop has its program; those that nothing reads are left out", false, make_loops},
      {"cut_all_reduces", "the calls of each collective are known", false, cut_all_reduces},
      {"start_reductions", "what processors sum starts on its way when it has been made", true, start_reductions, Decides::kOverlap},
      {"overlap_collectives", "each collective goes on until its result is needed", true, overlap_collectives, Decides::kOverlap},
      {"plan_buffers", "every value in memory has a buffer with a lifetime", false, plan_buffers, Decides::kMemory},
  };
  return passes;
}

Schedule schedule(LocalProgram program, const ScheduleOptions& options) {
  Schedule result;
  result.program = std::move(program);
  result.input_dies = options.input_dies;
  result.input_dies.resize(result.program.inputs.size(), false);
  for (const SchedulePass& pass : schedule_passes()) {
    if (pass.decides > options.until) continue;
    bool skip = std::find(options.skip.begin(), options.skip.end(), pass.name) != options.skip.end();
    if (skip && pass.optional) {
      result.skipped.emplace_back(pass.name);
      continue;
    }
    auto start = std::chrono::steady_clock::now();
    pass.run(result);
    std::chrono::duration<double, std::micro> taken = std::chrono::steady_clock::now() - start;
    if (options.after_pass) options.after_pass(pass.name, taken.count(), result);
  }
  return result;
}

int64_t largest_block(const LocalValue& value) {
  int64_t size = 1;
  for (const LocalDim& dim : value.dims) size *= value.mesh ? largest_block(dim, *value.mesh) : dim.dim.size;
  return size;
}

bool is_host_number(const Instruction& instruction) {
  return instruction.kind == InstructionKind::kInput && instruction.node &&
         instruction.node->op->name == "number";
}

std::vector<bool> host_numbers(const LocalProgram& program) {
  std::vector<bool> result(program.values.size(), false);
  for (const Instruction& instruction : program.instructions)
    if (is_host_number(instruction)) result[instruction.results[0]] = true;
  return result;
}

bool repeats(const Instruction& instruction) {
  if (instruction.kind != InstructionKind::kCompute) return false;
  const LaidOutOperation& node = *instruction.node;
  const Op& op = *node.op;
  if (op.linear != Linear::kEach || op.work != Work::kNone || op.view || op.contraction || op.reduction || op.lane ||
      node.operands.size() != 1 || node.results.size() != 1 || !node.inputs.empty())
    return false;
  if (node.results[0].element != node.operands[0].element || !is_subset(node.operands[0].dims, node.results[0].dims)) return false;
  const Dims &from = node.operands[0].dims, &to = node.results[0].dims;
  const std::vector<IterationDim>& dims = node.space().dims;
  return std::all_of(dims.begin(), dims.end(), [&](const IterationDim& dim) {
    const bool by_name = dim.operands[0] < 0 || (dim.results[0] >= 0 && from[dim.operands[0]].name == to[dim.results[0]].name);
    return dim.kind == SplitKind::kFree && by_name;  // a reshape may give the names of its dims to others
  });
}

bool is_loop(const Instruction& instruction) {
  if (instruction.kind != InstructionKind::kCompute) return false;
  const Op& op = *instruction.node->op;
  return op.lane || op.reduction || repeats(instruction);
}

bool overwrites_operand(const Instruction& instruction) {
  return instruction.kind == InstructionKind::kCompute && instruction.node->op->in_place;
}

int64_t staging_bytes(const Instruction& instruction, int64_t operand_bytes, int64_t result_bytes) {
  const CollectiveRecord* record = find_collective(instruction.kind);
  return record ? record->staging(operand_bytes, result_bytes) : 0;
}

}  // namespace mtf
