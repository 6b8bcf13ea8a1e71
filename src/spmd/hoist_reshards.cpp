#include "spmd/hoist_reshards.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "graph/op.h"

namespace mtf::spmd {
namespace {

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
      else if (instruction.kind != InstructionKind::kCompute && instruction.kind != InstructionKind::kToOwner &&
               !instruction.operands.empty() && is_outside(instruction.operands[0])) {
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
    const auto is_interval = [&](int v) {
      const std::vector<LocalDim>& dims = iteration_.values[v].dims;
      return std::any_of(dims.begin(), dims.end(), [](const LocalDim& dim) { return dim.mapped; });
    };
    bool by_blocks = !iteration_.values[value].partial;
    int from = value;
    for (auto step = moved_.find(from); step != moved_.end(); step = moved_.find(from)) {
      by_blocks = by_blocks && !is_interval(from);
      from = step->second.operands[0];
    }
    const Instruction& last = moved_.at(value);
    LocalValue there = iteration_.values[value];
    if (by_blocks) {
      const int constant = constants_.at(from);
      return constants_[value] = around_.bring(constant, there.sharding(), last.node, last.reason);
    }
    const int operand = outside(last.operands[0]);
    there.mesh = around_[operand].mesh;
    return constants_[value] = around_.collective(last.kind, last.node, operand, std::move(there), last.axes,
                                                  last.reduction, last.reason);
  }

  LocalProgram& iteration_;
  LocalBuilder& around_;
  std::unordered_map<int, int> constants_;  ///< by value of the iteration: the value around the loop
  std::map<int, Instruction> moved_;        ///< by value resharded from a constant: the last step
  std::set<int> needed_;                    ///< hoisted values that the iteration reads
};

}  // namespace

std::vector<int> hoist_reshards(LocalProgram& iteration, const graph::Region& region, std::vector<int>& operands,
                                LocalBuilder& around) {
  return Hoister(iteration, around).run(region, operands);
}

}  // namespace mtf::spmd
