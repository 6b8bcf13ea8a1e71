#pragma once
// Packs buffers with lifetimes into one arena.
#include <cstdint>
#include <vector>

namespace mtf {

struct PackItem {
  int64_t bytes = 0;  ///< a multiple of 64
  int first = 0;      ///< in use from this step
  int last = 0;       ///< to this one, included
  int64_t offset = 0; ///< set by pack()
};

/// Gives each item an offset so that no two that are in use at one step overlap; largest first, each at the lowest
/// place that is free. Returns the bytes of the arena.
int64_t pack(std::vector<PackItem>& items);

inline int64_t padded(int64_t bytes) { return (bytes + 63) / 64 * 64; }

}  // namespace mtf
