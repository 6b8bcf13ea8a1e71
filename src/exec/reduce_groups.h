#pragma once
// The groups of an all_reduce or reduce_scatter that this rank takes part in.
//
// A group is the processors that differ only along the collective's axes. A rank first reduces the blocks of its own
// members, in ascending order, then takes part among the ranks of the group, ordered by their first member; so the
// result's bits depend on how processors are hosted only where a rank hosts some but not all of a group. Groups that
// would reduce the same blocks (replicas) on the same ranks are one.
//
// Replicas must come out as the same bits. Where ranks cut the groups of one mesh differently (6 processors as 2 x 3 on
// 3 ranks: 0 0 1 and 1 2 2), no rank adds up its own members first: every member is a term of its own.
//
//   mesh rows:2;cols:2, sum over rows, one rank a processor
//     before   (0,0): 1   (0,1): 2   (1,0): 3   (1,1): 4      groups {(0,0),(1,0)} {(0,1),(1,1)}
//     after    (0,0): 4   (0,1): 6   (1,0): 4   (1,1): 6
#include <vector>

#include "exec/block_map.h"

namespace mtf {

/// What is added up first, on one rank: all members that the rank hosts, or one of them.
struct ReduceTerm {
  int rank = 0;
  std::vector<int> places;           ///< on that rank if it is this one: the places of the operand, ascending
};

struct ReduceGroup {
  int64_t first = 0;                 ///< its first processor, which names it
  std::vector<int64_t> members;      ///< processors, ascending
  std::vector<int> ranks;            ///< distinct, by their first member
  int position = 0;                  ///< of this rank in `ranks`
  std::vector<int> places;           ///< the places of the operand that this rank's members hold, ascending
  std::vector<ReduceTerm> terms;     ///< in the order in which they are added up: one a rank, or one a member
  bool by_member = false;            ///< a term is a member, and ranks host several
};

/// In ascending order of `first`.
std::vector<ReduceGroup> reduce_groups(const Hosting& hosting, const LocalValue& operand, AxisSet axes);

}  // namespace mtf
