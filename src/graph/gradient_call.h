#pragma once
// What an operation's rules for gradients and expansions get: the graph that they add to, and what stands in it.
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
  const Values& operands;    ///< of the node (or their copies, under recompute)
  const Values& results;     ///< of the operation, saved ones included
  const Values& d_results;   ///< the gradient of each result; null where none flows
  std::vector<bool> wanted;  ///< operands whose gradient is needed

  bool wants(size_t operand) const { return operand < wanted.size() && wanted[operand]; }
};

/// A request for the graph that stands for an operation where a dim of kind kExpand is split.
struct ExpandCall {
  ops::Builder& builder;
  const Operation& operation;
  const Values& operands;
  int64_t blocks = 1;  ///< in which the operand's dims of that kind are split
};

}  // namespace mtf::graph
