#pragma once
// The order in which a group adds up. spmd/reduce_program.h says which messages bring the terms together.
//
// The members of a group, in ascending order, are the leaves of a tree that depends only on their number. The tree
// joins neighbours in twos (threes, fives, …: the prime factors of the number, ascending), then joins these sums, and
// so on. Each join adds from the first to the last. So an element's sum has the same bits however all_reduces are
// merged, cut or sent, and however processors are hosted. MPI's own reductions promise none of this, so MPI only
// carries the messages.
//
//   6 members (2 · 3)    ((a0 + a1) + (a2 + a3)) + (a4 + a5)
//   8 members (2 · 2 · 2)    ((a0 + a1) + (a2 + a3)) + ((a4 + a5) + (a6 + a7))
#include <cstdint>
#include <vector>

namespace mtf::spmd {

/// The most members that meet at one level, unless a prime factor is larger.
inline constexpr int kMostPeers = 8;
/// The most bytes in one piece of an all_reduce; larger all_reduces are cut.
inline constexpr int64_t kLargestAllReduce = 4 << 20;

/// Returns the number of children at each level of the tree over `n` members, leaves first: the prime factors,
/// ascending.
std::vector<int64_t> tree_over(int64_t n);

/// Returns how many members meet at each level of exchange: products of successive levels of a tree.
std::vector<int64_t> exchange_levels(const std::vector<int64_t>& tree);

}  // namespace mtf::spmd
