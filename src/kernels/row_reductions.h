// Reductions of contiguous rows without other steps (internal to fused_nest.cpp). They have the bits of a loop's loads
// and reductions, but their accumulators stay in registers.
#pragma once

#include "kernels/lane_steps.h"

namespace mtf::kernels::lanes {

/// The number of tiles, or rows, that are summed in the lanes' type before they are added to sums in f64.
constexpr std::int64_t kFoldTiles = 16;

struct RowReduction {
  /// For each lane k < n: lanes[k] = lanes[k] (op) row[k], for `rows` rows, `stride` bytes apart, in order.
  using Across = void (*)(char* lanes, const char* row, std::int64_t stride, std::int64_t rows, std::int64_t n);
  /// For each lane k < n: totals[k] += the sum of row[k] over kFoldTiles rows, `stride` bytes apart. The sum is in the
  /// type of the lanes. Changes totals up to the next multiple of a tile.
  using AcrossFolded = void (*)(double* totals, const char* row, std::int64_t stride, std::int64_t n);
  /// Reduces the n > 0 elements of each of `rows` rows, `stride` bytes apart, to one number. The result is f64 if
  /// folds(n), else of the lanes' type. First joins elements that are a tile apart; sums of floats are added to f64
  /// after every kFoldTiles tiles. Then joins the lanes of the tile, by halves.
  using Along = void (*)(const char* row, std::int64_t stride, std::int64_t rows, std::int64_t n, void* results);

  Across across = nullptr;               ///< some types have neither this nor `along`
  AcrossFolded across_folded = nullptr;  ///< sums of floats only
  Along along = nullptr;
  std::int64_t folded_tiles = 0;  ///< rows of so many whole tiles are summed in f64; 0: none

  bool folds(std::int64_t n, std::int64_t tile) const { return folded_tiles > 0 && n >= folded_tiles * tile; }
};

RowReduction row_reduction(Group group, Reduction reduction, ElementType type);

}  // namespace mtf::kernels::lanes
