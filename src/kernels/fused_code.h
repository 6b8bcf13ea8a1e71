// The result of compile() for a FusionProgram (internal to fused_loop*.cpp).
#pragma once

#include <optional>

#include "kernels/lane_steps.h"

namespace mtf::kernels {

struct ThreadedCode final : FusedLoop::Code {
  using Code::Code;
  void run(std::span<const std::int64_t> sizes, std::span<const FusionArgument> operands,
           std::span<const FusionArgument> outputs, Threads& threads) const override;
  std::string text() const override;

  /// A reference of a record that each run fills in.
  struct Use {
    int record = 0;
    bool second = false;  ///< reference c instead of b
  };

  std::vector<ElementType> types;
  lanes::Group group = lanes::Group::kFour;
  int tile = 0;

  std::vector<lanes::Record> records;
  std::vector<std::vector<Use>> operand_uses;  ///< by operand
  std::vector<std::vector<Use>> output_uses;   ///< by output
  std::vector<std::vector<Use>> slot_uses;     ///< by slot of scratch
  std::vector<std::string> lines;              ///< a line of text for each record

  /// If all outputs of the loop are `where(condition, x, array)`: a loop that stores the conditions.
  std::optional<FusedLoop> conditions;

  bool has_reduction() const {
    for (const FusionOutput& output : program.outputs) {
      if (output.reduction != Reduction::kStore) return true;
    }
    return false;
  }
  /// True if the loop is one array and one reduction.
  bool is_bare_reduction() const {
    return program.steps.empty() && program.operands.size() == 1 && program.outputs.size() == 1 &&
           program.operands[0].kind == OperandKind::kArray && program.outputs[0].reduction != Reduction::kStore;
  }
  /// The step that computes a stored output. Null if the output is an operand.
  const FusionStep* step_of(const FusionOutput& output) const {
    const int step = output.value - static_cast<int>(program.operands.size());
    return step < 0 ? nullptr : &program.steps[static_cast<std::size_t>(step)];
  }
};

}  // namespace mtf::kernels
