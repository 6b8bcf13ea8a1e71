#pragma once
// In what order a group adds up, and how its ranks exchange what they add.
//
// The members of a group, in ascending order, are the leaves of a tree that depends on their number alone: neighbours
// are joined in twos (threes, fives, …: the prime factors of the number, ascending), then these sums, and so on, each
// join from the first to the last. So an element's sum is the same bits whatever it is merged with, however it is cut,
// by which way it is sent, and however processors are hosted.
//
//   6 members (2 · 3)    ((a0 + a1) + (a2 + a3)) + (a4 + a5)
//   8 members (2 · 2 · 2)    ((a0 + a1) + (a2 + a3)) + ((a4 + a5) + (a6 + a7))
//
// The members exchange along the same tree, several of its levels at once while no more than kMostPeers meet: a group
// of 64 meets as 8 neighbours, then 8 sums. At each level a member meets those that differ from it in one digit of its
// number. There are two ways:
//
//   whole     each sends all it has to each that it meets, and all add up: once a level
//   sliced    each gets the others' parts of one slice and adds that up, level by level; then, in the levels' opposite
//             order, each sends what it has to those that it meets: 2(n-1)/n of the bytes, the least there is
//
//   sliced, 4 members, one level       0            1            2            3
//     before                        a0 a1 a2 a3  b0 b1 b2 b3  c0 c1 c2 c3  d0 d1 d2 d3
//     scattered                     Σ0           Σ1           Σ2           Σ3
//     gathered                      Σ0 Σ1 Σ2 Σ3 on each
#include <cstdint>
#include <vector>

namespace mtf::spmd {

/// No more members than so many meet at one level, unless a prime factor is larger.
inline constexpr int kMostPeers = 8;
/// Sent whole: at most so many bytes, and at most so many more in all than sliced, for half the messages to wait for.
inline constexpr int64_t kLargestWhole = 4096;
inline constexpr int64_t kMoreForWhole = 1024;

/// The most bytes that one piece of an all_reduce has; larger ones are cut.
inline constexpr int64_t kLargestAllReduce = 4 << 20;

/// The number of children at each level of the tree over `n` members, leaves first: the prime factors, ascending.
std::vector<int64_t> tree_over(int64_t n);

/// How many members meet at each level of exchange: products of successive levels of a tree.
std::vector<int64_t> exchange_levels(const std::vector<int64_t>& tree);

/// Elements that the member that sends most of an all_reduce of `elements` sends: the first one, whose slices are never
/// smaller than another's. Slices are ceil(elements / n) long, the last ones shorter or empty.
int64_t sent_whole(const std::vector<int64_t>& levels, int64_t elements);
int64_t sent_sliced(const std::vector<int64_t>& levels, int64_t elements);

/// Which way an all_reduce of so many elements is sent.
bool is_sent_whole(const std::vector<int64_t>& levels, int64_t elements, int64_t element_bytes);

/// A large all_reduce is made in pieces, one after the other: of so many elements each, except the last one.
int64_t piece_of_all_reduce(int64_t members, int64_t elements, int64_t element_bytes);

}  // namespace mtf::spmd
