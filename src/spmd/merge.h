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
/// original). Roots and inputs keep their places. What is expanded: spmd/expand.h.
MergedProgram merge(const Program& program);

}  // namespace mtf
