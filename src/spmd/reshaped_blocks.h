#pragma once
// Shardings under which a reshape moves nothing, because each processor's block holds the same elements before and
// after.
//
//     [heads=16 / g:2, s:4]        16 is 2 over g, 4 over s, and 2 that stay together
//     [group=2 / g, shared=8 / s]  2 over g; then 8 is 4 over s, and 2 that stay together
#include <optional>

#include "types/sharding.h"

namespace mtf::spmd {

/// Returns the sharding of `to` whose blocks are those of `from` in `sharding`, with their elements in the same order.
/// Returns nothing if there is none, or if axes split a reshaped dim unevenly. Both have the same number of elements.
std::optional<Sharding> reshaped_blocks(const Dims& from, const Sharding& sharding, const Dims& to, const Mesh& mesh);

}  // namespace mtf::spmd
