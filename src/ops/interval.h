#pragma once
// Where operations that move elements along a dim put them: for those that add to what is there.
//
//   operation  ints
//   pad        the dim, elements before, elements after
//   spread     the dim, first, stride, the result's size
#include <vector>

#include "graph/iteration_space.h"
#include "graph/operation.h"
#include "ops/blocks.h"

namespace mtf {

/// What of the operand, `from` elements, pad's result of `to` elements reads.
IntervalMap pad_map(const Attributes& pad, int64_t from, int64_t to);

/// The places of a block of spread's result that get elements of its operand, of which a block holds all.
std::vector<Run> spread_runs(const Attributes& spread, const BlockDim& from, const BlockDim& to);

}  // namespace mtf
