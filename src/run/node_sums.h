#pragma once
// The tree of a group whose members are on several nodes: which sums a node can add by itself, and how they are joined.
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "run/combine.h"
#include "types/sharding.h"

namespace mtf::run {

/// A node of the tree of a group: its level, 0 for leaves; its index there; and how many members are below it.
struct NodeTerm {
  size_t level;
  size_t index;
  size_t leaves;
  size_t first() const { return index * leaves; }
  size_t last() const { return (index + 1) * leaves; }
};

/// The members of a group by the node of their rank. Each node has a share of an array, as large as its part of the
/// members, and each member a slice of its node's share.
class GroupNodes {
 public:
  /// `nodes`: for each member something that identifies its node. `slices`, if given: the elements of each member's
  /// slice, which stand in the array in the order of order(). Then each size of an array is their sum.
  GroupNodes(const std::vector<int64_t>& tree, const std::vector<int>& nodes, const std::vector<int64_t>& slices = {});

  size_t count() const { return members_.size(); }
  size_t node_of(size_t member) const { return node_of_[member]; }
  const std::vector<size_t>& members(size_t node) const { return members_[node]; }
  /// The largest subtrees whose members are all on this node, in the order of the tree.
  const std::vector<NodeTerm>& terms(size_t node) const { return terms_[node]; }
  /// How many of them have several members.
  size_t sums(size_t node) const;
  /// The members, node by node.
  std::vector<size_t> order() const;

  /// Returns the part of a node's share of `size` elements that a member handles for its own node.
  Interval part_for(int64_t size, size_t share, size_t member) const;
  /// Returns the slice that a member adds up: what it handles of its own node's share, or its given slice.
  Interval slice(int64_t size, size_t member) const {
    return slices_.empty() ? part_for(size, node_of_[member], member) : slices_[member];
  }

 private:
  void find_terms(size_t level, size_t index, size_t leaves);
  Interval share_of(size_t node, int64_t size) const;

  const std::vector<int64_t> tree_;
  std::vector<size_t> node_of_;               // for each member
  std::vector<size_t> place_;                 // for each member: its index among those of its node
  std::vector<std::vector<size_t>> members_;  // for each node
  std::vector<size_t> before_;                // for each node: the members of the nodes before it
  std::vector<std::vector<NodeTerm>> terms_;  // for each node
  std::vector<Interval> slices_;              // for each member, if they are given
};

/// Adds terms of several levels of a tree, in its order.
class SumOfTerms {
 public:
  SumOfTerms(ReduceElements elements, const std::vector<int64_t>& tree) : elements_(elements), tree_(tree) {}
  void clear() { terms_.clear(); }
  void set(const NodeTerm& term, const std::byte* array) { terms_[{term.level, term.index}] = array; }
  /// `result` may be one of the arrays.
  void run(std::byte* result, int64_t count);

 private:
  static constexpr int64_t kBytes = 4096;  // so that intermediate sums stay in the cache
  const std::byte* join(size_t level, size_t index, std::byte* out, int64_t offset, int64_t count);

  const ReduceElements elements_;
  const std::vector<int64_t> tree_;
  std::map<std::pair<size_t, size_t>, const std::byte*> terms_;  // by level and index
  std::vector<std::byte> scratch_;
};

}  // namespace mtf::run
