#pragma once
// Which mesh axes split the iteration space of one operation.
//
// Every axis that splits a dim of the iteration space through an operand or through the result must be used: work is
// never repeated to save bytes. Where two dims claim one axis there is a choice, and so there is where operands list
// the axes of a dim in different orders; the choice that makes bringing the operands there and the result to its own
// layout cheapest is taken.
#include <optional>
#include <vector>

#include "ops/op.h"
#include "spmd/local_program.h"

namespace mtf {

/// An operand or a result as it lies, on the mesh of the operation.
struct Placed {
  TensorType type;
  Sharding sharding;
};

struct IterationSplit {
  std::vector<AxisList> dims;        ///< for each dim of the iteration space
  std::vector<Sharding> operands;    ///< what each operand is needed as
  std::vector<Sharding> results;     ///< as each result comes out: partial over the axes of summed dims
  AxisSet carried = 0;               ///< axes over which operands are partial and stay so
};

/// `linear` is the operation's, or kNo where the result may not come out partial.
IterationSplit split_iteration(const IterationSpace& space, Linear linear, const std::vector<Placed>& operands,
                               const std::vector<Placed>& results, const Mesh& mesh);

}  // namespace mtf
