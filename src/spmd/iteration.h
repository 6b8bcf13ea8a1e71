#pragma once
// Which mesh axes split the iteration space of one operation.
//
// Every axis that splits a dim of the iteration space through an operand or through the result must be used: work is
// never repeated to save bytes. There is a choice where two dims claim one axis, where operands list the axes of a dim
// in different orders, and where a dim that must be whole is split: its axes then split a free dim. The choice that
// makes bringing the operands there and the result to its own layout cheapest is taken; copies that exist cost nothing.
//
// An operation that is not expanded needs its expanded dims whole. Of one that follows another dim
// (IterationDim::follows) each operand is brought whole, or into the blocks of that dim, with a halo, where that is
// less.
//
// One axis need not be used: one that splits, of an operand of an element-wise operation, a dim that the result's
// layout splits over other axes. Every processor along it holds the same part of the result in any case, and an element
// costs less to compute than to send.
//
// What a line wrote holds before what is cheapest: a product does not split a dim that `@` leaves whole if another
// operand would have to be gathered for it. So a projection behind `x @ {}` leaves its weights where they are, though
// its result is to lie otherwise; and so does its backward pass, though the gradient of x is.
#include <functional>
#include <optional>
#include <vector>

#include "graph/op.h"
#include "spmd/local_program.h"
#include "spmd/reshard.h"

namespace mtf::spmd {

/// An operand or a result as it lies, on the mesh of the operation.
struct Placed {
  TensorType type;
  Sharding sharding;
  bool zero = false;  ///< a constant zero, which may stand for its part of a sum over any axes
  std::function<bool(const Sharding&)> has_copy = {};  ///< of an operand: it has been brought there before
  const Sharding* written =
      nullptr;  ///< what a line wrote of it, or of what it is the gradient of (spmd/written_layouts.h)
};

/// What decides which axes an operation may give up, and which partial operands may be carried into it.
struct Arithmetic {
  graph::Linear linear = graph::Linear::kNo;  ///< the operation's; kNo where its result may not come out partial
  graph::Work work = graph::Work::kContraction;
  bool joins = false;  ///< it adds partial operands up, or its result goes where that happens: they are carried
                       ///< whatever its layout
};

struct IterationSplit {
  std::vector<AxisList>
      dims;  ///< for each dim of the iteration space; those that a following dim is split by, if it is
  std::vector<Sharding> operands;  ///< what each operand is needed as
  std::vector<Sharding> results;   ///< as each result comes out: partial over the axes of summed dims that it lacks
  AxisSet carried = 0;             ///< axes over which operands are partial and stay so
  bool is_only = false;            ///< there was nothing to choose between
};

IterationSplit split_iteration(const graph::IterationSpace& space, Arithmetic arithmetic,
                               const std::vector<Placed>& operands, const std::vector<Placed>& results,
                               const Mesh& mesh, ReshardWays& ways);

}  // namespace mtf::spmd
