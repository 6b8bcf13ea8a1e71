#pragma once
// Packs buffers with lifetimes into one arena.
//
// Finding the smallest arena is NP-hard. The function tries two rules and takes the better result:
// - Largest first: each item gets the lowest offset that is free all its life. This is best if sizes differ much. It
// compares each item with all earlier ones, so it is only used for a limited number of items.
// - In order of time: each item gets the smallest hole that is large enough at its first step. Items with a short life
// go to the upper end of the hole, so that they leave no holes between items with a long life. It takes n log n. Saved
// activations are released in reverse order, so training steps pack well.
//
// No arena can be smaller than the most bytes in use at one step. A result close to that bound is not improved
// further.
#include <cstdint>
#include <vector>

#include "support/integers.h"
#include "types/saturating.h"

namespace mtf::schedule {

struct PackItem {
  int64_t bytes = 0;   ///< a multiple of 64
  int first = 0;       ///< first step of use
  int last = 0;        ///< last step of use
  int64_t offset = 0;  ///< set by pack()
};

/// Gives each item an offset so that no two items in use at one step overlap. Returns the size of the arena in bytes.
int64_t pack(std::vector<PackItem>& items);

/// Returns the most bytes that are in use at one step.
int64_t most_in_use(const std::vector<PackItem>& items);

/// Rounds up to a multiple of 64. Returns the largest number if the result would be too large.
inline int64_t padded(int64_t bytes) { return bytes > kMost - 63 ? kMost : round_up(bytes, 64); }

}  // namespace mtf::schedule
