#pragma once
#include <unordered_map>
#include <utility>
#include <vector>

#include "spmd/forms.h"
#include "spmd/local_program.h"

namespace mtf::spmd {

/// What the instructions of a program cost. Of those of one form whose blocks lie alike, one is costed.
class InstructionCosts {
 public:
  explicit InstructionCosts(const LocalProgram& program) : program_(program) {}
  const InstructionCost& of(int instruction);
  /// Of instructions that run at once: merged all_reduces put fewer bytes on the wire than one by one.
  std::vector<InstructionCost> of_step(const std::vector<int>& instructions);

 private:
  bool alike(const Instruction& a, const Instruction& b) const;

  const LocalProgram& program_;
  Forms forms_;
  std::unordered_multimap<int32_t, std::pair<int, InstructionCost>> known_;  ///< by form, with the instruction
};

}  // namespace mtf::spmd
