#pragma once
#include <unordered_map>
#include <utility>
#include <vector>

#include "spmd/forms.h"
#include "spmd/local_program.h"

namespace mtf::spmd {

/// What a byte on the wire costs beside FLOPs, where values are computed again.
inline constexpr double kFlopsPerByteSent = 1000;
/// What a byte written to memory costs there.
inline constexpr double kFlopsPerByteWritten = 1;

/// The costs of a program's instructions. Instructions of one form with equal shardings share one cost.
class InstructionCosts {
 public:
  explicit InstructionCosts(const LocalProgram& program) : program_(program) {}
  const InstructionCost& of(int instruction);
  /// Returns the costs of instructions that run as one step: merged all_reduces send fewer bytes than separate ones.
  std::vector<InstructionCost> of_step(const std::vector<int>& instructions);

 private:
  bool alike(const Instruction& a, const Instruction& b) const;

  const LocalProgram& program_;
  Forms forms_;
  std::unordered_multimap<int32_t, std::pair<int, InstructionCost>> known_;  ///< by form, with the instruction
};

}  // namespace mtf::spmd
