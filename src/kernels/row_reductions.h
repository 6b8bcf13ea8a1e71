// Reductions of rows of memory with which nothing else is to be done (internal to fused_nest.cpp).
// They have the bits of the loads and reductions of a loop, but accumulators stay in registers.
#pragma once

#include "kernels/lane_steps.h"

namespace mtf::kernels::lanes {

/// Tiles, or rows, that are summed in the type of the lanes before they are added to sums in f64.
constexpr std::int64_t kFoldTiles = 16;

struct RowReduction {
  /// Of each lane k < n: lanes[k] = lanes[k] (op) row[k], for each of `rows` rows `stride` bytes apart, in their order.
  using Across = void (*)(char* lanes, const char* row, std::int64_t stride, std::int64_t rows, std::int64_t n);
  /// Of each lane k < n: totals[k] += the sum of row[k], in the type of the lanes, of kFoldTiles rows `stride` bytes
  /// apart. Totals up to the next multiple of a tile are touched.
  using AcrossFolded = void (*)(double* totals, const char* row, std::int64_t stride, std::int64_t n);
  /// The n > 0 elements of each of `rows` rows `stride` bytes apart, joined to one number, in f64 if folds(n), else in
  /// the type of the lanes: elements a tile apart, sums of floats in f64 after every kFoldTiles tiles; then the lanes
  /// of the tile, by halves.
  using Along = void (*)(const char* row, std::int64_t stride, std::int64_t rows, std::int64_t n, void* results);

  Across across = nullptr;               ///< some types have neither this nor `along`
  AcrossFolded across_folded = nullptr;  ///< sums of floats only
  Along along = nullptr;
  std::int64_t folded_tiles = 0;  ///< rows of so many whole tiles are summed in f64; 0: none

  bool folds(std::int64_t n, std::int64_t tile) const { return folded_tiles > 0 && n >= folded_tiles * tile; }
};

RowReduction row_reduction(Group group, Reduction reduction, ElementType type);

}  // namespace mtf::kernels::lanes
