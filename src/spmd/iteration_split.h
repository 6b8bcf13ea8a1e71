#pragma once
// Chooses the mesh axes that split the iteration space of one operation.
//
// Every axis that splits a dim of the iteration space, through an operand or a result, must be used. Work is never
// repeated to save bytes. There are several choices in three cases:
// - Two dims claim the same axis.
// - Operands list the axes of a dim in different orders.
// - A split dim must be gathered: its axes then split a free dim.
//
// The chooser takes the choice with the cheapest resharding of operands and results. Copies that exist cost nothing.
// If no operand is sent, to reduce a result costs little where a product's partial sum is added to it: the total is
// reduced in any case, and only memory is lost meanwhile. So the gradient of an embedding's rows joins that of the
// logits, if both have the same table and a processor has many rows.
//
// An operation that is not expanded needs its expanded dims gathered. If a dim follows another dim
// (IterationDim::follows), there are two ways for each operand. It is gathered along the dim, or resharded to the
// blocks of the other dim with a halo, whichever is cheaper.
//
// Exception: an element-wise operation may leave an axis unused. The axis then splits a dim of an operand that the
// result's layout splits over other axes. All processors along the axis hold the same part of the result in any case.
// To compute an element costs less than to send it.
//
// A written layout has priority over cost. A product does not split a dim that `@` keeps replicated, if another
// operand would have to be gathered for that. So a projection of `x @ {}` reads its weights in their own sharding,
// although its result has another layout. The same holds for its backward pass, although the gradient of x has another
// layout.
#include <functional>
#include <optional>
#include <vector>

#include "graph/op.h"
#include "spmd/local_program.h"
#include "spmd/reshard.h"

namespace mtf::spmd {

/// An operand or result with its sharding, on the mesh of the operation.
struct Placed {
  TensorType type;
  Sharding sharding;
  bool zero = false;  ///< a constant zero, which may stand for a part of a sum over any axes
  std::function<bool(const Sharding&)> has_copy = {};  ///< of an operand: true if the copy exists
  const Sharding* written = nullptr;  ///< the written layout of the value, or of the value that it is the gradient of
                                      ///< (spmd/written_layouts.h)
  AxisSet joined = 0;  ///< of a result: the axes over which the partial sum of a product will be added to it. One
                       ///< reduction is then enough for both.
};

/// The properties that decide which axes an operation may leave unused, and which partial operands it may accept.
struct Arithmetic {
  graph::Linear linear = graph::Linear::kNo;  ///< linearity of the operation; kNo if its result may not be partial
  graph::Work work = graph::Work::kContraction;
  bool joins = false;  ///< it adds up partial operands, or its result goes to such an addition: operands then stay
                       ///< partial in any layout
};

struct IterationSplit {
  std::vector<AxisList> dims;  ///< for each dim of the iteration space; for a following dim: the axes of the dim that
                               ///< it follows, if it uses them
  std::vector<Sharding> operands;  ///< the sharding in which each operand is needed
  std::vector<Sharding> results;   ///< the sharding of each computed result: partial over the axes of summed dims
  AxisSet carried = 0;             ///< axes over which operands are partial and the result stays partial
  bool is_only = false;            ///< there was only one choice
};

IterationSplit split_iteration(const graph::IterationSpace& space, Arithmetic arithmetic,
                               const std::vector<Placed>& operands, const std::vector<Placed>& results,
                               const Mesh& mesh, ReshardWays& ways);

}  // namespace mtf::spmd
