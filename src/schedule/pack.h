#pragma once
// Packs buffers with lifetimes into one arena.
//
// Finding the smallest arena is NP-hard. Two rules are tried, and the better result is taken:
//
//   largest first    each at the lowest place that is free all its life; best where sizes differ much, but each is
//                    compared with all before it, so it is for a limited number of items only
//   in time's order  each at the step where its life begins, in the smallest hole that is large enough; those with a
//   short
//                    life at the upper end of it, so that they leave no holes between those with a long one. n log n;
//                    saved activations are given back in reverse, so that training steps pack well
//
// No arena is smaller than the most bytes that are in use at one step; what comes near to that is not improved on.
#include <cstdint>
#include <vector>

#include "support/integers.h"
#include "types/saturating.h"

namespace mtf::schedule {

struct PackItem {
  int64_t bytes = 0;   ///< a multiple of 64
  int first = 0;       ///< in use from this step
  int last = 0;        ///< to this one, included
  int64_t offset = 0;  ///< set by pack()
};

/// Gives each item an offset so that no two that are in use at one step overlap. Returns the bytes of the arena.
int64_t pack(std::vector<PackItem>& items);

/// The most bytes that are in use at one step.
int64_t most_in_use(const std::vector<PackItem>& items);

/// A multiple of 64; what is too large stays the largest number.
inline int64_t padded(int64_t bytes) { return bytes > kMost - 63 ? kMost : round_up(bytes, 64); }

}  // namespace mtf::schedule
