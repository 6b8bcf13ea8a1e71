#pragma once
// Groups of dims that a reshape merges or splits.
#include <vector>

#include "types/sharding.h"

namespace mtf::spmd {

/// Dims of a reshape whose sizes have the same product on both sides: [first, last) of the operand and of the result.
struct DimGroup {
  size_t first_from, last_from, first_to, last_to;
  int64_t size;
};

/// Returns the smallest groups, in order.
std::vector<DimGroup> dim_groups(const Dims& from, const Dims& to);

}  // namespace mtf::spmd
