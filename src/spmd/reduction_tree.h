#pragma once
// The order in which a group adds up, and the way its ranks exchange the terms.
//
// The members of a group, in ascending order, are the leaves of a tree that depends only on their number. The tree
// joins neighbours in twos (threes, fives, …: the prime factors of the number, ascending), then joins these sums, and
// so on. Each join adds from the first to the last. So an element's sum has the same bits however all_reduces are
// merged, cut or sent, and however processors are hosted. MPI's own reductions promise none of this, so MPI only
// carries the messages.
//
//   6 members (2 · 3)    ((a0 + a1) + (a2 + a3)) + (a4 + a5)
//   8 members (2 · 2 · 2)    ((a0 + a1) + (a2 + a3)) + ((a4 + a5) + (a6 + a7))
//
// The members exchange along the same tree. They treat several levels as one, as long as no more than kMostPeers meet.
// For instance, a group of 64 meets as 8 neighbours, then as 8 sums. At each level a member meets the members whose
// numbers differ from its own in one digit. There are two ways:
//
//   whole     at each level, each member sends its whole sum to all that it meets, and all add up
//   sliced    level by level, each member receives the others' parts of one slice and adds them up; then, in the
//             opposite order, each member sends its slices to those that it meets: 2(n-1)/n of the bytes, the minimum
//
//   sliced, 4 members, one level       0            1            2            3
//     before                        a0 a1 a2 a3  b0 b1 b2 b3  c0 c1 c2 c3  d0 d1 d2 d3
//     scattered                     Σ0           Σ1           Σ2           Σ3
//     gathered                      Σ0 Σ1 Σ2 Σ3 on each
#include <cstdint>
#include <vector>

namespace mtf::spmd {

/// The most members that meet at one level, unless a prime factor is larger.
inline constexpr int kMostPeers = 8;
/// The limits for sending whole: the bytes, and the additional bytes compared with sliced. Sending whole halves the
/// number of messages to wait for.
inline constexpr int64_t kLargestWhole = 4096;
inline constexpr int64_t kMoreForWhole = 1024;

/// The most bytes in one piece of an all_reduce; larger all_reduces are cut.
inline constexpr int64_t kLargestAllReduce = 4 << 20;

/// Returns the number of children at each level of the tree over `n` members, leaves first: the prime factors,
/// ascending.
std::vector<int64_t> tree_over(int64_t n);

/// Returns how many members meet at each level of exchange: products of successive levels of a tree.
std::vector<int64_t> exchange_levels(const std::vector<int64_t>& tree);

/// Returns the elements that the busiest member sends in an all_reduce of `elements`. This is the first member,
/// because no other has larger slices. Slices have ceil(elements / n) elements, the last ones fewer or none.
int64_t sent_whole(const std::vector<int64_t>& levels, int64_t elements);
int64_t sent_sliced(const std::vector<int64_t>& levels, int64_t elements);

/// True if an all_reduce of `elements` is sent whole.
bool is_sent_whole(const std::vector<int64_t>& levels, int64_t elements, int64_t element_bytes);

/// Returns the elements in each piece of a large all_reduce. The pieces follow each other, and only the last may be
/// smaller.
int64_t piece_of_all_reduce(int64_t members, int64_t elements, int64_t element_bytes);

}  // namespace mtf::spmd
