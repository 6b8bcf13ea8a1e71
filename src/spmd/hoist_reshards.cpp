#include "spmd/hoist_reshards.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "graph/op.h"
#include "ops/ops.h"

namespace mtf::spmd {
namespace {

bool is_interval(const LocalValue& value) {
  return std::any_of(value.dims.begin(), value.dims.end(), [](const LocalDim& dim) { return dim.mapped; });
}

/// A cast stands between a weight and its resharding if the product has a lower precision.
bool is_cast(const Instruction& instruction) {
  return instruction.node->op == &ops::kCast && instruction.operands.size() == 1 &&
         instruction.kind == InstructionKind::kCompute;
}

/// Adds the cast of `operand`, a value around the loop, for `instruction` of an iteration. `result` becomes a value
/// there.
int cast_outside(const Instruction& instruction, int operand, LocalValue result, LocalBuilder& around) {
  result.mesh = around[operand].mesh;
  result.dims = around[operand].dims;
  auto node = std::make_shared<graph::LaidOutOperation>(*instruction.node);
  node->mesh = result.mesh;
  node->operands = {around[operand].type()};
  node->results = {result.type()};
  node->shardings = {result.sharding()};
  const int value = around.add(std::move(result));
  around.compute(std::move(node), {operand}, {value});
  return value;
}

/// Returns the sharding of a constant around the loop, given that in an iteration. In a pipeline with chunks, an
/// iteration may have one chunk of the constant.
Sharding around_loop(Sharding inside, const LocalValue& constant) {
  if (constant.dims.size() > inside.dims.size()) inside.dims.insert(inside.dims.begin(), AxisList());
  return inside;
}

class Hoister {
 public:
  Hoister(LocalProgram& iteration, LocalBuilder& around) : iteration_(iteration), around_(around) {}

  std::vector<int> run(const graph::Region& region, std::vector<int>& operands) {
    find_reshards(region, operands);
    std::vector<int> hoisted;
    std::vector<Instruction> inputs;
    for (const int value : needed_) {
      Instruction input;
      input.kind = InstructionKind::kInput;
      const TensorType type = iteration_.values[value].type();
      input.node = data_operation(type, replicated(type.dims.size()), 0, iteration_.values[value].mesh);
      input.input = static_cast<int32_t>(operands.size());
      input.results = {value};
      hoisted.push_back(outside(value));
      operands.push_back(hoisted.back());
      iteration_.inputs.push_back(value);
      inputs.push_back(std::move(input));
    }
    iteration_.instructions.insert(iteration_.instructions.begin(), std::make_move_iterator(inputs.begin()),
                                   std::make_move_iterator(inputs.end()));
    return hoisted;
  }

 private:
  /// Removes the instructions that reshard constants, and finds the values that the iteration still reads.
  void find_reshards(const graph::Region& region, const std::vector<int>& operands) {
    std::vector<Instruction> inside;
    const auto is_outside = [&](int value) { return constants_.contains(value) || moved_.contains(value); };
    for (Instruction& instruction : iteration_.instructions) {
      if (instruction.kind == InstructionKind::kInput && instruction.sum < 0 &&
          instruction.input >= region.carried + region.placed && instruction.input < region.tensors())
        constants_[instruction.results[0]] = operands[instruction.input];
      else if ((instruction.kind != InstructionKind::kCompute || is_cast(instruction)) &&
               instruction.kind != InstructionKind::kToOwner && !instruction.operands.empty() &&
               is_outside(instruction.operands[0])) {
        moved_.emplace(instruction.results[0], std::move(instruction));
        continue;
      }
      for (const int operand : instruction.operands)
        if (moved_.contains(operand)) needed_.insert(operand);
      inside.push_back(std::move(instruction));
    }
    for (const std::vector<int>& output : iteration_.outputs)
      if (moved_.contains(output[0])) needed_.insert(output[0]);
    iteration_.instructions = std::move(inside);
  }

  /// Maps a hoisted value of the iteration to a value around the loop. Uses the enclosing program's copy with the same
  /// sharding if possible. Reshards an interval, or a value computed from one, step by step.
  int outside(int value) {
    if (const auto known = constants_.find(value); known != constants_.end()) return known->second;
    const Instruction& last = moved_.at(value);
    LocalValue there = iteration_.values[value];
    if (is_cast(last))
      return constants_[value] = cast_outside(last, outside(last.operands[0]), std::move(there), around_);
    bool by_blocks = !there.partial;
    int from = value;
    for (auto step = moved_.find(from); step != moved_.end() && !is_cast(step->second); step = moved_.find(from)) {
      by_blocks = by_blocks && !is_interval(iteration_.values[from]);
      from = step->second.operands[0];
    }
    if (by_blocks) {
      const int constant = outside(from);
      return constants_[value] =
                 around_.bring(constant, around_loop(there.sharding(), around_[constant]), last.node, last.reason);
    }
    const int operand = outside(last.operands[0]);
    there.mesh = around_[operand].mesh;
    if (around_[operand].dims.size() > there.dims.size())
      there.dims.insert(there.dims.begin(), around_[operand].dims[0]);
    return constants_[value] = around_.collective(last.kind, last.node, operand, std::move(there), last.axes,
                                                  last.reduction, last.reason);
  }

  LocalProgram& iteration_;
  LocalBuilder& around_;
  std::unordered_map<int, int> constants_;  ///< by value of the iteration: the value around the loop
  std::map<int, Instruction> moved_;        ///< by value resharded from a constant: the last step
  std::set<int> needed_;                    ///< hoisted values that the iteration reads
};

/// Reshards stacked weights in the place of their slices.
class StageHoister {
 public:
  StageHoister(LocalLoop& loop, Name micro, LocalBuilder& around) : loop_(loop), micro_(micro), around_(around) {}

  void run() {
    find_moved();
    std::vector<Instruction*> reads;
    std::vector<int> values;
    for (Instruction& instruction : loop_.iteration.instructions) {
      const int result = instruction.results[0];
      if (!needed_.contains(result)) continue;
      values.push_back(outside(result));
      Instruction input;
      input.kind = InstructionKind::kInput;
      const TensorType type = loop_.iteration.values[result].type();
      input.node = data_operation(type, replicated(type.dims.size()), 0, loop_.iteration.values[result].mesh);
      input.results = {result};
      loop_.iteration.inputs.push_back(result);
      instruction = std::move(input);
      reads.push_back(&instruction);
    }
    add_placed(loop_, reads, values, around_);
    leave_out_unread();
  }

 private:
  void find_moved() {
    const std::vector<LocalValue>& values = loop_.iteration.values;
    for (const Instruction& instruction : loop_.iteration.instructions) {
      if (instruction.kind == InstructionKind::kInput) {
        const auto operand = static_cast<size_t>(instruction.input);
        if (instruction.sum < 0 && instruction.copy < 0 && loop_.node->region->is_placed(operand) &&
            !has_dim(loop_.node->operands[operand].dims, micro_))
          stacked_[instruction.results[0]] = loop_.operands[operand];
        continue;
      }
      const LocalValue& result = values[instruction.results[0]];
      const bool follows = instruction.operands.size() == 1 &&
                           (moved_.contains(instruction.operands[0]) || stacked_.contains(instruction.operands[0]));
      if (follows && !result.partial && !is_interval(result) &&
          (instruction.kind != InstructionKind::kCompute || is_cast(instruction))) {
        moved_.emplace(instruction.results[0], instruction);
        continue;
      }
      for (const int operand : instruction.operands) needs(operand);
    }
    for (const std::vector<int>& output : loop_.iteration.outputs) needs(output[0]);
  }

  /// Notes that the iteration reads a value. A cast alone stays in the iteration, because it sends nothing.
  void needs(int value) {
    if (const auto moved = moved_.find(value); moved != moved_.end() && !is_cast(moved->second)) needed_.insert(value);
  }

  /// Maps a value made of a slice to the value made of all slices, around the loop.
  int outside(int value) {
    if (const auto known = stacked_.find(value); known != stacked_.end()) return known->second;
    const Instruction& last = moved_.at(value);
    if (is_cast(last))
      return stacked_[value] = cast_outside(last, outside(last.operands[0]), loop_.iteration.values[value], around_);
    int from = last.operands[0];
    while (moved_.contains(from) && !is_cast(moved_.at(from))) from = moved_.at(from).operands[0];
    const int all = outside(from);
    Sharding wanted = loop_.iteration.values[value].sharding();
    wanted.dims.insert(wanted.dims.begin(), around_[all].dims[0].axes);
    return stacked_[value] =
               around_.bring(all, wanted, last.node, std::make_shared<const Reason>(Reason{.micro = micro_}));
  }

  /// Removes the steps of the way to values that are inputs now.
  void leave_out_unread() {
    std::set<int> read;
    for (const std::vector<int>& output : loop_.iteration.outputs) read.insert(output[0]);
    std::vector<Instruction>& all = loop_.iteration.instructions;
    for (auto instruction = all.end(); instruction != all.begin();) {
      --instruction;
      const int result = instruction->results[0];
      if (moved_.contains(result) && !needed_.contains(result) && !read.contains(result))
        instruction = all.erase(instruction);
      else read.insert(instruction->operands.begin(), instruction->operands.end());
    }
  }

  LocalLoop& loop_;
  const Name micro_;
  LocalBuilder& around_;
  std::unordered_map<int, int> stacked_;  ///< by value made of a slice: the value around the loop
  std::map<int, Instruction> moved_;      ///< by value made of a slice: the last step
  std::set<int> needed_;                  ///< resharded slices that the iteration reads
};

}  // namespace

void hoist_from_stage(LocalLoop& loop, Name micro, LocalBuilder& around) { StageHoister(loop, micro, around).run(); }

std::vector<int> hoist_reshards(LocalProgram& iteration, const graph::Region& region, std::vector<int>& operands,
                                LocalBuilder& around) {
  return Hoister(iteration, around).run(region, operands);
}

}  // namespace mtf::spmd
