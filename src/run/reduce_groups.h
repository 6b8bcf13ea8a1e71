#pragma once
// The groups of an all_reduce or reduce_scatter that this rank takes part in.
//
// A group is the processors that differ only along the collective's axes. What its members hold is added up along a
// tree over them (spmd/reduction_tree.h). Where every rank hosts as many of them as one of the tree's subtrees has
// leaves, side by side, a rank adds up its own members first and the ranks are the leaves of what remains of the tree.
// Elsewhere (6 processors as 2 x 3 on 4 ranks) the group is not aligned, and every rank gets every member's part. The
// bits of the result are the same either way.
//
// Groups that would reduce the same blocks (replicas) on the same ranks are one.
//
//   mesh rows:2;cols:2, sum over rows, one rank a processor
//     before   (0,0): 1   (0,1): 2   (1,0): 3   (1,1): 4      groups {(0,0),(1,0)} {(0,1),(1,1)}
//     after    (0,0): 4   (0,1): 6   (1,0): 4   (1,1): 6
#include <vector>

#include "run/block_map.h"

namespace mtf::run {

struct ReduceGroup {
  int64_t first = 0;             ///< its first processor, which names it
  std::vector<int64_t> members;  ///< processors, ascending
  std::vector<int> ranks;        ///< distinct, by their first member
  std::vector<int> rank_of;      ///< of each member; empty if one rank hosts all
  int position = 0;              ///< of this rank in `ranks`
  std::vector<int64_t> hosted;   ///< this rank's members, ascending
  std::vector<int> places;       ///< the places of the operand that they hold
  bool aligned = true;
  std::vector<int64_t> tree;  ///< over all members
  size_t own_levels = 0;      ///< of an aligned group: the levels of `tree` that are added up on each rank

  bool is_alone() const { return ranks.size() == 1; }
};

/// In ascending order of `first`.
std::vector<ReduceGroup> reduce_groups(const Hosting& hosting, const spmd::LocalValue& operand, AxisSet axes);

/// Groups whose members lie on the same ranks in the same way: what they exchange goes in the same messages.
struct ReduceBundle {
  std::vector<ReduceGroup> groups;
  std::vector<int> tags;  ///< for each rank of the groups: different for each bundle that both ranks are in
  const ReduceGroup& first() const { return groups.front(); }
};

/// Those of the groups that are not alone, in bundles, in ascending order of their first groups; all others in `alone`.
std::vector<ReduceBundle> bundles_of(std::vector<ReduceGroup> groups, std::vector<ReduceGroup>& alone);

}  // namespace mtf::run
