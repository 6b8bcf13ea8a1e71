#pragma once
// Before splitting: what nobody wrote a layout for is laid out where it will lie, equal operations become one, and one that cannot be split as its layout asks becomes its expansion.
#include <vector>

#include "graph/program.h"

namespace mtf {

struct MergedProgram {
  Program program;             ///< what is to be split; ProgramOperation::origin says which captured operation it is
  std::vector<int32_t> forms;  ///< of each of its operations (spmd/forms.h)

  struct Whole {
    OperationRef operation;
    int32_t form = 0;
  };
  std::vector<Whole> whole;  ///< the operations before expansion: what one processor alone would run
};

/// Operations with equal attributes, numbers, operands and layouts are one (never a copy for a backward pass with its
/// original). Roots and inputs keep their places.
MergedProgram merge(const Program& program);

/// Where an operand of an operation that is expanded lies.
struct ExpandedOperand {
  Sharding sharding;
  AxisSet inherited = 0;
  bool operator==(const ExpandedOperand&) const = default;
};

/// The graph that stands for an operation that has an expansion, as a program whose first inputs are the operands, the
/// others numbers of its own, and whose roots are the results, each laid out as the operation's. Without `operands` they
/// are whole. `blocks` as ExpandCall has it.
Program expansion_of(const LaidOutOperation& operation, const std::vector<ExpandedOperand>& operands = {}, int64_t blocks = 1);

}  // namespace mtf
