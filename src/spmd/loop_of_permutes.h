#pragma once
// Products whose operand, or sum, goes from processor to processor block by block (Cannon, 1969; as GShard's loops of
// CollectivePermutes, Lepikhin et al., 2020, section 3.3), so that it is never whole in memory.
//
// Of n processors along an axis each has one block of an operand w that a product needs whole, because the axis splits
// the other operand x. Gathered, w is n blocks on each. In the loop each processor multiplies the block that it has
// by what belongs to it of x, while it hands that block on to its neighbour and gets the next one: the same bytes in
// all, and two blocks of memory.
//
//     y[batch/p, f] = x[batch/p, d] · w[d/p, f]      turn t of processor i:  b = (i + t) mod n
//                                                    y  +=  x[batch/p, d in block b] · w[d in block b, f]
//     y[batch/p, d] = x[batch/p, f] · w[d/p, f]      y[d in block b]  =  x[batch/p, f] · w[d in block b, f]
//
// Where the axis splits what is summed, and then the result, it is the sum that goes round: each processor adds its
// part of a block and hands it on, to the one that stores that block in the end. The reduce_scatter's bytes, but no
// product is whole before it.
//
//     w[d/p, f] = x[batch/p, d] · y[batch/p, f]      turn t of processor i:  b = (i + n - 1 - t) mod n
//                                                    w[d in block b]  +=  x[batch/p, d in block b] · y[batch/p, f]
//
// Sums begin with another block, or another processor, for each block, so that their rounding differs.
#include <optional>
#include <vector>

#include "spmd/expand.h"

namespace mtf::spmd {

/// The program of a loop that stands for a product of two, if the product would gather an operand, or have a result
/// that is still to be summed, of more than `most_whole` bytes on a processor, and both dims can be cut into as many
/// equal blocks as there are processors.
std::optional<graph::Program> loop_of_permutes(const graph::OperationRef& product,
                                               const std::vector<ExpandedOperand>& operands, int64_t most_whole);

}  // namespace mtf::spmd
