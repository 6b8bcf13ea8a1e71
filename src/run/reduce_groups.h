#pragma once
// The groups of an all_reduce or reduce_scatter with processors on this rank.
//
// A group consists of processors that differ only along the collective's axes. The blocks of its members are added
// along a tree over them (spmd/reduction_tree.h). A group is aligned if the members of each rank are consecutive and
// form one subtree. Then a rank first adds its own members, and the ranks are the leaves of the rest of the tree. In
// other groups (6 processors as 2 x 3 on 4 ranks) every rank receives every member's block. The bits of the result are
// the same either way.
//
// Groups that would reduce the same blocks (replicas) on the same ranks are treated as one group.
//
//   mesh rows:2;cols:2, sum over rows, one rank a processor
//     before   (0,0): 1   (0,1): 2   (1,0): 3   (1,1): 4      groups {(0,0),(1,0)} {(0,1),(1,1)}
//     after    (0,0): 4   (0,1): 6   (1,0): 4   (1,1): 6
#include <vector>

#include "run/block_map.h"

namespace mtf::run {

struct ReduceGroup {
  int64_t first = 0;             ///< its first processor, which identifies it
  std::vector<int64_t> members;  ///< processors, ascending
  std::vector<int> ranks;        ///< distinct, in the order of their first members
  std::vector<int> rank_of;      ///< for each member; empty if one rank hosts all
  int position = 0;              ///< index of this rank in `ranks`
  std::vector<int64_t> hosted;   ///< this rank's members, ascending
  std::vector<int> slots;        ///< for each of `hosted`: its slot of the operand
  bool aligned = true;
  std::vector<int64_t> tree;  ///< over all members
  size_t own_levels = 0;      ///< in an aligned group: the levels of `tree` that each rank adds by itself

  bool is_alone() const { return ranks.size() == 1; }
  /// The levels of `tree` that the ranks of an aligned group add up together.
  std::vector<int64_t> tree_of_ranks() const { return {tree.begin() + static_cast<long>(own_levels), tree.end()}; }
};

/// Returns the groups in ascending order of `first`.
std::vector<ReduceGroup> reduce_groups(const Hosting& hosting, const spmd::LocalValue& operand, AxisSet axes);

/// Groups whose members are distributed over the same ranks in the same way. They share their messages.
struct ReduceBundle {
  std::vector<ReduceGroup> groups;
  std::vector<int> tags;  ///< for each rank of the groups; bundles with a common pair of ranks have different tags
  const ReduceGroup& first() const { return groups.front(); }
};

/// Combines groups on several ranks into bundles, in ascending order of their first groups. Moves the other groups to
/// `alone`.
std::vector<ReduceBundle> bundles_of(std::vector<ReduceGroup> groups, std::vector<ReduceGroup>& alone);

}  // namespace mtf::run
