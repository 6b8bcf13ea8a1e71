#pragma once
// Before splitting: equal nodes become one, and a node that cannot be split as its layout asks becomes its expansion.
#include <unordered_map>
#include <utility>
#include <vector>

#include "graph/graph.h"

namespace mtf {

/// The nodes to lower, in program order, and for every value of the graph the one that stands for it.
struct MergedGraph {
  std::vector<NodePtr> nodes;
  /// The value that holds what `value` is.
  Value stands_for(const Value& value) const;

  struct Hash {
    size_t operator()(const std::pair<const Node*, int>& key) const {
      return std::hash<const void*>()(key.first) * 31 + static_cast<size_t>(key.second);
    }
  };
  std::unordered_map<std::pair<const Node*, int>, Value, Hash> aliases;
  std::vector<NodePtr> whole;       ///< as the program has them, before expansion: what one processor alone would run
};

MergedGraph merge(const Values& roots);

/// The graph that stands for a node whose operation has an expansion: its results, each laid out as the node's.
Values expansion_of(const Node& node);

}  // namespace mtf
