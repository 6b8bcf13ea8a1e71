#pragma once
// Finds the largest block or the busiest sender of any processor without a walk over all processors. Along an axis,
// blocks have few different lengths (full, one shorter, empty), and the pattern of overlaps repeats.
#include <algorithm>
#include <optional>
#include <vector>

#include "spmd/local_program.h"

namespace mtf::spmd {

/// Returns the number of indices that two intervals share.
inline int64_t shared(Interval a, Interval b) {
  return std::max<int64_t>(0, std::min(a.last, b.last) - std::max(a.first, b.first));
}

/// The intervals of a dim that its positions hold, if the intervals advance evenly. Each of the first `full` positions
/// i has [first + i * slope, … + length), clipped or wrapped at the ends of the dim. The next position may have the
/// beginning of such an interval, and the rest have nothing.
struct Progression {
  int64_t positions = 1;
  int64_t full = 0;
  int64_t slope = 0;
  int64_t first = 0;
  int64_t length = 0;
};

/// Returns nothing if a further axis splits the blocks again at different lengths.
std::optional<Progression> progression_of(const LocalDim& dim, const Mesh& mesh);

/// Returns the coordinates of a position along the dim's axes, of which the last is the fastest.
Coordinates coordinates_of(const LocalDim& dim, const Mesh& mesh, int64_t position);

/// Returns positions along the axes of `from`, among them that of the busiest sender. Every processor along these axes,
/// which also split `to`, gets the interval of `to` from the processors that hold it by `from`.
std::vector<int64_t> busy_senders(const LocalDim& from, const LocalDim& to, const Mesh& mesh);

/// Returns processors whose blocks of `dims` show every combination of lengths that occurs.
std::vector<Coordinates> different_blocks(const std::vector<const LocalDim*>& dims, const Mesh& mesh);

/// Returns the number of elements in the block of the processor at `at`.
int64_t elements_at(const LocalValue& value, const Coordinates& at);

}  // namespace mtf::spmd
