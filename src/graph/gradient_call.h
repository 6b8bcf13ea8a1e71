#pragma once
// The arguments of an operation's gradient and expansion rules: the graph to extend and the values to use.
#include <cstdint>
#include <vector>

#include "graph/graph.h"

namespace mtf::ops {
class Builder;  // ops/builder.h
}

namespace mtf::graph {

/// A request for the gradients of an operation's operands.
struct GradientCall {
  ops::Builder& builder;
  const Operation& operation;
  const Values& operands;    ///< operands of the node (or their copies, under recompute)
  const Values& results;     ///< results of the operation, including saved ones
  const Values& d_results;   ///< the gradient of each result; null if there is none
  std::vector<bool> wanted;  ///< operands whose gradient is needed

  bool wants(size_t operand) const { return operand < wanted.size() && wanted[operand]; }
};

/// A request for the graph that replaces an operation if a dim of kind kExpand is split.
struct ExpandCall {
  ops::Builder& builder;
  const Operation& operation;
  const Values& operands;
  int64_t blocks = 1;  ///< the number of blocks of those dims
};

}  // namespace mtf::graph
