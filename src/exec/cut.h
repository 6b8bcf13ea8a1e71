#pragma once
// A cut: the pending graph under some roots, numbered so that two cuts of one structure are equal.
//
// Nodes are numbered in program order, the computed values that they read (leaves) and their host numbers in the order
// in which they are first met. The key is a hash of 128 bits over all that a plan depends on: operations, attributes,
// who reads what, types, shardings, meshes, the storage orders of leaves, which of them die, and which host numbers are
// equal (equal nodes are merged), but not what they are; only a node that has an expansion puts its numbers in the key.
// It holds no pointers, so that it is the same on all ranks.
#include <array>
#include <string_view>
#include <vector>

#include "exec/tensor.h"
#include "graph/graph.h"

namespace mtf {

using PlanKey = std::array<uint64_t, 2>;

struct Leaf {
  Value value;
  bool dies = false;   ///< nobody can read it after this cut: its variable has been assigned, and the cut has all readers
};

struct Cut {
  std::vector<NodePtr> nodes;
  std::vector<Leaf> leaves;
  PlanKey key{};
};

Cut cut(const Values& roots);

/// A key of the same kind for a text.
PlanKey key_of(std::string_view text);

}  // namespace mtf
